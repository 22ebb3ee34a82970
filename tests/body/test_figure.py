"""Kernels that shape and measure a figure, against NumPy; looks against the slow way."""

import itertools

import numpy as np
import pytest

from toile import _kernels
from toile.body.measure.measures import LEVELS, REACH, Plane, girth_of, planes, section_under, volume
from toile.body.model.data import load_template
from toile.body.model.fast_measures import (
    blend_shape,
    girth,
    measure_shaped_skin,
    readings,
    rest_stance_of,
    shape_skin,
)
from toile.body.model.landmarks import skin_at_rest
from toile.body.model.network import measure_dials, weigh_dials
from toile.body.model.population import MEASURES, measure_shape, sample_people, shape_of
from toile.body.model.shape import blend as blend_slowly
from toile.body.model.shape import coefficients
from toile.geometry.section import TAPE_DIRECTIONS, tape_directions


@pytest.fixture(scope="module")
def person():
    ages, dials = sample_people("male", 1, seed=11)
    return "male", float(ages[0]), dials[0]


@pytest.fixture(scope="module")
def seen(person):
    return shape_skin(*person, whole=True)


@pytest.fixture(scope="module")
def laid(seen):
    skin, ground = seen.stance.skin, seen.subset.ground
    levels = {n: float(np.mean([skin[ground.marks[m], 1] for m in ms])) for n, ms in LEVELS.items()}
    return planes(skin, seen.joint, ground, levels)


def groups():
    """Return vertices, forces and where the groups start, one of them empty."""
    rng = np.random.default_rng(5)
    vertex = np.concatenate([rng.integers(0, 40, 12), np.arange(11, 29)]).astype(np.int32)
    return vertex, rng.normal(size=(30, 3)), np.array([0, 12, 12, 30], dtype=np.int32)


def test_blended_to_the_same_bits(person):
    share = coefficients(shape_of(*person))
    for quick, slow in zip(
        blend_shape(load_template(), share), blend_slowly(load_template(), share), strict=True
    ):
        assert np.array_equal(quick, slow)
    assert np.array_equal(rest_stance_of(shape_of(*person)).skin, skin_at_rest(shape_of(*person)).skin)


def test_a_figure_in_its_rest_pose(person, seen):
    slow = skin_at_rest(shape_of(*person))
    assert np.abs(seen.stance.skin - slow.skin).max() < 1e-12
    assert seen.stance.floor == slow.floor


@pytest.mark.parametrize("name", ["bust", "waist", "hips", "thigh", "calf", "neck", "upper_arm", "wrist"])
def test_tape_and_its_slopes(name, seen, laid):
    skin, ground, plane = seen.stance.skin, seen.subset.ground, laid[name]
    assert girth(skin, ground, plane) == pytest.approx(girth_of(skin, ground, plane), abs=1e-12)
    _length, rows, slopes, slide = wound(skin, ground, plane)
    dense = np.zeros_like(skin)
    np.add.at(dense, rows, slopes)
    wanted, wanted_slide = slopes_by_numpy(skin, ground, plane)
    assert np.allclose(dense, wanted, atol=1e-9)
    assert slide == pytest.approx(wanted_slide, abs=1e-9)


def wound(skin, ground, plane):
    part, place = ground.regions[plane.part], np.stack([plane.origin, plane.normal, *plane.axes])
    reach = np.inf if plane.part == "trunk" else REACH
    return _kernels.tape(skin, part.rows, part.edges, place, reach, tape_directions())


def slopes_by_numpy(skin, ground, plane):
    """Return the slopes of a tape by all vertices (n, 3) and along its plane's normal."""
    section = section_under(skin, ground, plane)
    holding = (((section.points - plane.origin) @ plane.axes.T) @ tape_directions()).argmax(axis=0)
    force = np.zeros_like(section.points)
    np.add.at(force, holding, tape_directions().T @ plane.axes * (2 * np.pi / TAPE_DIRECTIONS))
    edge = skin[section.end] - skin[section.start]
    slide = np.einsum("ij,ij->i", force, edge) / (edge @ plane.normal)
    slopes, share = force - slide[:, None] * plane.normal, section.share[:, None]
    dense = np.zeros_like(skin)
    np.add.at(dense, section.start, (1 - share) * slopes)
    np.add.at(dense, section.end, share * slopes)
    return dense, slide.sum()


def test_no_tape_round_nothing(seen):
    high = Plane("trunk", np.array([0.0, 5.0, 0.0]), np.array([0.0, 1.0, 0.0]), np.eye(3)[[0, 2]])
    length, rows, slopes, slide = wound(seen.stance.skin, seen.subset.ground, high)
    assert (length, len(rows), len(slopes), slide) == (0.0, 0, 0, 0.0)


def test_volume_and_its_slopes(seen):
    skin, triangles = seen.stance.skin, seen.subset.template.triangles
    inside, outward = _kernels.volume(skin, triangles)
    assert inside == pytest.approx(volume(skin, triangles), rel=1e-12)
    way = np.random.default_rng(1).normal(size=skin.shape)
    up, down = (volume(skin + s * 1e-6 * way, triangles) for s in (1, -1))
    assert (outward * way).sum() == pytest.approx((up - down) / 2e-6, rel=1e-5)


def test_sweep_against_numpy():
    vertex, force, start = groups()
    targets = np.random.default_rng(2).integers(-900, 900, (7, 120)).astype(np.int16)
    rows = np.array([6, 0, 3], dtype=np.int32)
    moves = targets[rows].reshape(3, 40, 3)[:, vertex].astype(float)
    each = np.einsum("rvc,vc->vr", moves, force)
    wanted = [each[a:b].sum(axis=0) for a, b in itertools.pairwise(start)]
    assert np.allclose(_kernels.target_work(targets, rows, vertex, force, start), wanted)


def test_hang_against_numpy():
    vertex, force, start = groups()
    rng = np.random.default_rng(3)
    joint, weight = rng.integers(0, 5, (40, 3)).astype(np.int32), rng.uniform(size=(40, 3))
    weight[::3, 2] = 0.0
    rotation = rng.normal(size=(5, 3, 3))
    back, carried = _kernels.rest_forces(vertex, force, start, joint, weight, rotation.reshape(-1, 9))
    share = np.zeros((40, 5))
    np.add.at(share, (np.arange(40)[:, None], joint), weight)
    assert np.allclose(back, np.einsum("vj,jrc,vr->vc", share[vertex], rotation, force))
    each = np.einsum("vj,vr->vjr", share[vertex], force)
    assert np.allclose(carried, [each[a:b].sum(axis=0) for a, b in itertools.pairwise(start)])


def test_wrong_indices_are_refused(seen):
    vertex, force, start = groups()
    targets = np.zeros((7, 120), dtype=np.int16)
    one = np.array([0], dtype=np.int32)
    with pytest.raises(IndexError, match="a target that does not exist"):
        _kernels.blend(targets, one + 7, np.ones(1, dtype=np.float32))
    with pytest.raises(IndexError, match="a vertex that does not exist"):
        _kernels.target_work(targets, one, vertex + 11, force, start)
    with pytest.raises(ValueError, match="must end"):
        _kernels.target_work(targets, one, vertex, force, start[:2])
    missing = np.full((40, 1), 9, np.int32)
    with pytest.raises(IndexError, match="a joint that does not exist"):
        _kernels.rest_forces(vertex, force, start, missing, np.ones((40, 1)), np.ones((5, 9)))
    with pytest.raises(IndexError, match="an edge names a row"):
        _kernels.tape(
            seen.stance.skin, one, np.array([[0, 1]], np.int32), np.ones((4, 3)), 1.0, tape_directions()
        )
    with pytest.raises(IndexError, match="a triangle names a vertex"):
        _kernels.volume(np.zeros((2, 3)), np.array([[0, 1, 2]], np.int32))


@pytest.mark.parametrize("sex", ["female", "male"])
def test_readings_are_the_measures(sex):
    ages, dials = sample_people(sex, 2, seed=23)
    for age, turned in zip(ages, dials, strict=True):
        found = readings(shape_skin(sex, age, turned, whole=True), MEASURES)
        wanted = measure_dials(sex, age, turned)
        wanted[-1] = weigh_dials(sex, age, turned)
        assert np.allclose([found[n].value for n in MEASURES], wanted, atol=1e-10)
        some = shape_skin(sex, age, turned, whole=False)
        assert measure_shaped_skin(some) == pytest.approx(
            measure_shape(shape_of(sex, age, turned)), abs=1e-10
        )
