import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toile.core.records import Edge, Panel
from toile.pattern.model import curves

coordinate = st.floats(-1.0, 1.0, allow_nan=False, width=32)
point = st.tuples(coordinate, coordinate)
POINTS = {"line": 2, "quadratic": 3, "cubic": 4, "arc": 3, "polyline": 5}


def disc(radius: float = 0.5) -> Panel:
    """A circle as two half arcs, counter-clockwise."""
    vertices = [[radius, 0.0], [-radius, 0.0]]
    edges = (Edge(0, 1, "arc", [[0.0, radius]]), Edge(1, 0, "arc", [[0.0, -radius]]))
    return Panel("disc", vertices, edges)


def test_half_circle_has_length_pi_r_and_lies_on_the_circle():
    panel = disc(0.5)
    assert curves.edge_length(panel, 0) == pytest.approx(math.pi * 0.5, rel=1e-14)
    samples = curves.sample_edge(panel, 0, np.linspace(0, 1, 13))
    assert np.hypot(*samples.T) == pytest.approx(0.5, rel=1e-14)
    assert samples[6] == pytest.approx([0.0, 0.5], abs=1e-15)


def test_area_of_disc_is_pi_r_squared_with_the_sign_of_its_direction():
    panel = disc(0.5)
    assert curves.area(panel) == pytest.approx(math.pi / 4, rel=1e-14)
    assert curves.orientation(panel) == 1
    mirrored = Panel("m", panel.vertices * [1, -1], tuple(
        Edge(e.start, e.end, e.kind, e.controls * [1, -1]) for e in panel.edges
    ))  # fmt: skip
    assert curves.area(mirrored) == pytest.approx(-math.pi / 4, rel=1e-14)


def test_large_arc_goes_the_long_way_round():
    # chord 1 on a circle of radius 1: the long way is 5/6 of the circle
    height = math.sqrt(0.75) + 1.0
    points = np.array([[0.0, 0.0], [0.5, height], [1.0, 0.0]])
    assert curves.curve_length("arc", points) == pytest.approx(2 * math.pi * 5 / 6, rel=1e-12)
    centre = np.array([0.5, math.sqrt(0.75)])
    samples = curves.sample_curve("arc", points, np.linspace(0, 1, 50))
    assert np.hypot(*(samples - centre).T) == pytest.approx(1.0, rel=1e-12)


def test_nearly_straight_arc_is_as_long_as_its_chord():
    for sagitta in (1e-3, 1e-6, 1e-9, 1e-12, 0.0):
        points = np.array([[0.0, 0.0], [0.5, sagitta], [1.0, 0.0]])
        # arc length ≈ chord (1 + 8/3 (sagitta/chord)²)
        assert curves.curve_length("arc", points) == pytest.approx(1 + 8 / 3 * sagitta**2, rel=1e-11)
        assert curves.sample_curve("arc", points, [0.5])[0] == pytest.approx([0.5, sagitta], abs=1e-9)


def test_quadratic_length_matches_closed_form():
    # y = x² from 0 to 1: √5/2 + asinh(2)/4
    points = np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 1.0]])
    assert curves.curve_length("quadratic", points) == pytest.approx(
        math.sqrt(5) / 2 + math.asinh(2) / 4, rel=1e-13
    )


def test_cubic_with_a_cusp_is_sampled_evenly():
    points = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    samples = curves.sample_curve("cubic", points, np.linspace(0, 1, 101))
    steps = np.hypot(*np.diff(samples, axis=0).T)
    step = curves.curve_length("cubic", points) / 100
    assert steps == pytest.approx(step, rel=2e-3)


def test_degenerate_curve_does_not_warn():
    points = np.zeros((4, 2))
    assert curves.curve_length("cubic", points) == 0.0
    assert np.all(curves.sample_curve("cubic", points, [0.0, 0.3, 1.0]) == 0.0)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(POINTS)), st.data())
def test_samples_are_even_along_the_curve_and_start_and_end_exactly(kind, data):
    points = np.array(data.draw(st.lists(point, min_size=POINTS[kind], max_size=POINTS[kind])))
    gaps = np.hypot(*np.diff(points[[*range(len(points)), 0]], axis=0).T)
    if gaps.min() < 1e-3 or (kind == "arc" and abs(curves.arc_turn(points)) > 6.0):
        return
    length = curves.curve_length(kind, points)
    samples = curves.sample_curve(kind, points, np.linspace(0, 1, 2001))
    assert np.array_equal(samples[0], points[0])
    assert np.array_equal(samples[-1], points[-1])
    steps = np.hypot(*np.diff(samples, axis=0).T)
    assert steps.max() <= length / 2000 * (1 + 1e-6) + 1e-9
    assert steps.sum() == pytest.approx(length, rel=2e-3)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(POINTS)), st.data())
def test_parts_of_a_split_curve_lie_on_it(kind, data):
    points = np.array(data.draw(st.lists(point, min_size=POINTS[kind], max_size=POINTS[kind])))
    gaps = np.hypot(*np.diff(points[[*range(len(points)), 0]], axis=0).T)
    if gaps.min() < 1e-2 or (kind == "arc" and abs(curves.arc_turn(points)) > 6.0):
        return
    length = curves.curve_length(kind, points)
    parts = curves.split_curve(kind, points, [0.25, 0.6])
    lengths = [curves.curve_length(*part) for part in parts]
    assert lengths == pytest.approx([0.25 * length, 0.35 * length, 0.4 * length], rel=1e-5, abs=1e-7)
    middle = curves.sample_curve(*parts[1], [0.5])[0]
    assert middle == pytest.approx(curves.sample_curve(kind, points, [0.425])[0], abs=1e-5)


def test_outline_stays_within_tolerance_of_the_disc():
    ring = curves.outline(disc(0.5), tolerance=1e-5)
    middle = (ring + np.roll(ring, -1, axis=0)) / 2
    assert np.hypot(*middle.T).min() > 0.5 - 1e-5
    assert len(ring) < 1000
