"""A prepared scene walks without Python, with the same bits, and does what hands do to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import toile
from toile._kernels import Scene, scene_fields, set_thread_count
from toile.core.records import Floats, Recording
from toile.motion.synthesis.gait import walk
from toile.motion.track import still
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.scene import prepared_scene, scene_bytes, write_scene
from toile.sim.walk.walker import AnimateSettings, Plan, Walker

DT = 1 / 60


@pytest.fixture(scope="module")
def dressed() -> Recording:
    body = toile.named_body("woman")
    return toile.dress([toile.draft("skirt", body.measurements, length=0.45)], body, edge_length=0.035)


def plan_of(dressed: Recording, *, stands: bool = False) -> Plan:
    assert dressed.body is not None
    settings = AnimateSettings(seconds=1.0, fps=60.0, lead=0.0 if stands else 0.2)
    track = still(dressed.body, 60.0) if stands else walk()
    return plan_walk(dressed, dressed.body, track, settings=settings)


def walker_of(dressed: Recording, *, stands: bool = False) -> Walker:
    assert dressed.body is not None
    return Walker(dressed.garment, dressed.body, plan_of(dressed, stands=stands))


@pytest.fixture(scope="module")
def file(dressed: Recording) -> bytes:
    return scene_bytes(prepared_scene(walker_of(dressed)))


def stepped(scene: Scene, walker: Walker, first: int, count: int) -> list[Floats]:
    """Return the positions of a scene after each of some frames of a walk's motion."""
    seen = []
    for number in range(first, first + count):
        assert scene.pose(np.ascontiguousarray(walker.pose(number)))
        scene.frame(DT)
        seen.append(scene.position)
    return seen


def test_a_scene_walks_with_the_bits_of_python(dressed: Recording, file: bytes) -> None:
    walker, scene = walker_of(dressed), Scene(file)
    for number in range(-12, 6):
        step = walker.step()
        assert step.number == number
        (position,) = stepped(scene, walker, number, 1)
        np.testing.assert_array_equal(position, step.state.position)
        np.testing.assert_array_equal(scene.velocity, step.state.velocity)
        np.testing.assert_array_equal(scene.skin, step.body.vertices)
    assert scene.counts[0] == 18


def test_a_scene_goes_on_from_where_a_walk_stood(dressed: Recording, tmp_path: Path) -> None:
    walker = walker_of(dressed)
    for _ in range(4):
        walker.step()
    write_scene(tmp_path / "scene", prepared_scene(walker))
    scene = Scene((tmp_path / "scene").read_bytes())
    for _ in range(3):
        step = walker.step()
        (position,) = stepped(scene, walker, step.number, 1)
        np.testing.assert_array_equal(position, step.state.position)


def test_restored_scenes_go_on_with_the_same_bits(dressed: Recording, file: bytes) -> None:
    walker, scene, other = walker_of(dressed), Scene(file), Scene(file)
    stepped(scene, walker, -12, 5)
    assert other.restore(scene.save())
    np.testing.assert_array_equal(stepped(scene, walker, -7, 4), stepped(other, walker, -7, 4))
    assert not other.restore(np.zeros(7))


def test_bits_do_not_depend_on_the_number_of_threads(dressed: Recording, file: bytes) -> None:
    walker, seen = walker_of(dressed), []
    try:
        for threads in (1, 2, 3):
            set_thread_count(threads)
            seen.append(stepped(Scene(file), walker, -12, 8)[-1])
    finally:
        set_thread_count(0)
    np.testing.assert_array_equal(seen[0], seen[1])
    np.testing.assert_array_equal(seen[0], seen[2])


def test_a_grabbed_hem_follows_the_hand_and_falls_back(dressed: Recording) -> None:
    scene = Scene(scene_bytes(prepared_scene(walker_of(dressed, stands=True))))
    for _ in range(10):
        scene.frame(DT)
    hem = int(np.argmin(scene.position[:, 1]))
    start = scene.position[hem]
    away = start + (start - scene.position.mean(axis=0)) * [0.6, 0.0, 0.6] + [0.0, 0.03, 0.0]
    for _ in range(40):
        assert scene.grab(hem, away)
        scene.frame(DT)
    assert np.linalg.norm(scene.position[hem] - away) < 0.5 * np.linalg.norm(start - away)
    scene.let_go()
    for _ in range(60):
        scene.frame(DT)
    assert np.linalg.norm(scene.position[hem] - start) < 0.5 * np.linalg.norm(start - away)
    assert not scene.grab(10**6, away)
    assert not scene.grab(hem, np.full(3, np.nan))


def test_wind_fabric_and_pins_change_what_cloth_does(dressed: Recording) -> None:
    file = scene_bytes(prepared_scene(walker_of(dressed, stands=True)))

    def after(change: str) -> Floats:
        scene = Scene(file)
        if change == "wind":
            scene.set_wind(np.array([0.0, 0.0, 6.0]))
        if change == "fabric":
            assert scene.set_fabric(mass=3.0, stretch=0.2, bend=30.0)
        if change == "same fabric":
            assert scene.set_fabric()
        if change == "pin":
            assert scene.pin(np.array([5], np.int32))
            scene.set_wind(np.array([0.0, 0.0, 6.0]))
        for _ in range(12):
            scene.frame(DT)
        return np.asarray(scene.position)

    still_, windy, other, same, pinned = (after(c) for c in ("", "wind", "fabric", "same fabric", "pin"))
    assert np.abs(windy - still_).max() > 0.002
    assert np.abs(other - still_).max() > 0.0005
    np.testing.assert_array_equal(same, still_)
    start = Scene(file).position
    np.testing.assert_allclose(pinned[5], start[5], atol=1e-6)
    assert np.abs(windy[5] - start[5]).max() > 1e-5
    assert not Scene(file).set_fabric(mass=0.0)


def test_damaged_files_are_refused(file: bytes) -> None:
    rng = np.random.default_rng(3)
    for length in (0, 10, 63, 64, 200, len(file) // 2, len(file) - 1):
        with pytest.raises(ValueError, match="scene"):
            Scene(file[:length])
    for _ in range(60):
        damaged = bytearray(file)
        at = int(rng.integers(len(file)))
        damaged[at] ^= 1 << int(rng.integers(8))
        with pytest.raises(ValueError, match="scene"):
            Scene(bytes(damaged))


@pytest.mark.parametrize(
    ("name", "change", "wrong"),
    [
        ("cloth.triangles", lambda a: a + 10**6, "names nothing"),
        ("cloth.order", lambda a: np.zeros_like(a), "each particle once"),
        ("cloth.thickness", lambda a: np.full_like(a, np.nan), "NaN"),
        ("cloth.friction", lambda a: a[:-1], "shape"),
        ("cloth.inverse_mass", lambda a: a.astype(np.int32), "64 bits"),
        ("cloth.triangle_weight", lambda a: 0 * a, "no area"),
        ("held.local", None, "belongs to it"),
        ("body.vertices", None, "lacks"),
        ("body.limb", lambda a: a + 99, "names nothing"),
        ("joints.vertex", lambda a: a - 5, "names nothing"),
        ("repair.label", lambda a: a - 1, "names nothing"),
        ("solver.levels", lambda a: a + 100, "0 to 8 levels"),
        ("skin.group", lambda a: a + 40, "0 to 31"),
        ("start.position", lambda a: a * 1e300, "NaN"),
    ],
)
def test_scenes_that_lie_are_refused(file: bytes, dressed: Recording, name, change, wrong) -> None:
    arrays = prepared_scene(walker_of(dressed))
    if change is None:
        del arrays[name]
    else:
        arrays[name] = np.ascontiguousarray(change(arrays[name]))
    with pytest.raises(ValueError, match=wrong):
        Scene(scene_bytes(arrays))


def test_the_table_tells_what_a_scene_holds(dressed: Recording) -> None:
    known = {name: kind for name, kind, _, _ in scene_fields()}
    for name, values in prepared_scene(walker_of(dressed)).items():
        assert str(values.dtype) == known[name]
