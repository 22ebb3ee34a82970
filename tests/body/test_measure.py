"""Measures: tapes against shapes of known girth, and against what each name means."""

import numpy as np
import pytest

from toile.body.measure.measures import (
    joints_of,
    measure,
    measure_lines,
    measure_skin,
    template_measure_topology,
    volume,
)
from toile.body.model.make import body_from_shape, named_body
from toile.body.model.population import measure_shape, sample_people, shape_of, template_probe
from toile.core.errors import ToileError
from toile.core.records import Body
from toile.geometry.section import convex_hull, cut_region, region, tape_length, unique_edges


def cylinder(radius=0.1, count=96):
    """Return a tube along y from 0 to 1."""
    angle = np.arange(count) * 2 * np.pi / count
    ring = np.stack([radius * np.cos(angle), np.zeros(count), radius * np.sin(angle)], axis=1)
    vertices = np.concatenate([ring, ring + np.array([0, 1, 0])])
    i = np.arange(count)
    j = (i + 1) % count
    triangles = np.concatenate([np.stack([i, i + count, j], 1), np.stack([j, i + count, j + count], 1)])
    return vertices, triangles.astype(np.int32)


def test_tape_round_a_cylinder():
    vertices, triangles = cylinder()
    part = region(unique_edges(triangles), np.ones(len(vertices), dtype=bool))
    section = cut_region(vertices, part, np.array([0, 0.4, 0]), np.array([0, 1.0, 0]))
    assert np.allclose(section.points[:, 1], 0.4)
    assert tape_length(section.points[:, [0, 2]]) == pytest.approx(2 * np.pi * 0.1, rel=1e-3)


def test_tape_is_the_perimeter_of_the_hull():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(60, 2))
    corners = points[convex_hull(points)]
    perimeter = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).sum()
    assert tape_length(points) == pytest.approx(perimeter, rel=2e-4)
    # a square with a dent: the tape does not follow the dent
    square = np.array([[0, 0], [1, 0], [1, 1], [0.5, 0.5], [0, 1]], float)
    assert tape_length(square) == pytest.approx(4.0, rel=2e-4)


def test_volume_of_a_box():
    v = np.array([[x, y, z] for x in (0, 2) for y in (0, 3) for z in (0, 4)], float)
    t = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    t += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    assert abs(volume(v, np.array(t, np.int32))) == pytest.approx(24.0)


@pytest.mark.parametrize(
    ("name", "ranges"),
    [
        (
            "woman",
            {"height": (1.67, 1.69), "bust": (0.90, 0.95), "waist": (0.70, 0.76), "hips": (0.96, 1.02)},
        ),
        ("man", {"height": (1.77, 1.80), "chest": (0.98, 1.04), "waist": (0.80, 0.88), "neck": (0.36, 0.41)}),
    ],
)
def test_named_bodies_are_ordinary_adults(name, ranges):
    body = named_body(name)
    for key, (low, high) in ranges.items():
        assert low < body.measurements[key] < high, key
    m = body.measurements
    assert 20 < m["weight"] / m["height"] ** 2 < 25
    order = (
        "ankle",
        "knee",
        "crotch",
        "hip",
        "waist",
        "underbust",
        "bust",
        "armpit",
        "shoulder",
        "neck",
        "nape",
    )
    heights = [m[f"{level}_height"] for level in order]
    assert heights == sorted(heights)
    assert m["nape_height"] < m["height"]


def test_bust_leaves_the_arms_out():
    body = named_body("woman")
    level = body.vertices[np.abs(body.vertices[:, 1] - body.measurements["bust_height"]) < 0.01]
    everything = tape_length(level[:, [0, 2]])
    assert body.measurements["bust"] < everything - 0.2


def test_measures_scale_with_the_body():
    body = named_body("man")
    ground, joint = template_measure_topology(), joints_of(body)
    once = measure_skin(body.vertices, joint, ground)
    twice = measure_skin(body.vertices * 1.1, {k: v * 1.1 for k, v in joint.items()}, ground)
    for name in ("height", "bust", "waist", "neck", "wrist", "arm_length", "back_length", "inseam", "calf"):
        assert twice[name] == pytest.approx(1.1 * once[name], rel=0.004), name


def test_lines_are_as_long_as_the_measures():
    body = named_body("woman")
    lines = {line.name: line for line in measure_lines(body)}
    for name in ("bust", "waist", "hips", "thigh", "wrist", "arm_length", "back_length", "shoulder_width"):
        points = lines[name].points
        if lines[name].closed:
            points = np.concatenate([points, points[:1]])
        length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        assert length == pytest.approx(body.measurements[name], rel=1e-3), name


def test_probe_measures_what_the_whole_skin_measures():
    for sex in ("female", "male"):
        ages, dials = sample_people(sex, 2, seed=11)
        for age, turned in zip(ages, dials, strict=True):
            shape = shape_of(sex, age, turned)
            quick, slow = measure_shape(shape), measure(body_from_shape(shape))
            for name, value in quick.items():
                assert value == pytest.approx(slow[name], abs=2e-4), name
    assert len(template_probe().rows) < 5000


def test_foreign_mesh_is_refused():
    body = named_body("woman")
    small = Body(
        "cut", body.vertices[:9], body.triangles[:1] * 0, body.skeleton,
        body.weight_joint[:9], body.weight[:9], body.limb[:9],
    )  # fmt: skip
    with pytest.raises(ToileError, match="mesh of its own"):
        measure(small)
