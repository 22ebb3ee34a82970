"""Cloth that crosses a body: the quick test of the repair finds what the test of the audit finds."""

import numpy as np
import pytest

from surfaces import icosphere
from toile import named_body
from toile._kernels import ClothPatches, SurfaceTree, meeting_pairs, set_thread_count
from toile.body.model.skin import pose_body
from toile.core.records import Floats, Ints
from toile.garment.shapes import tube_cloth
from toile.motion.retargeting.retarget import retarget
from toile.motion.synthesis.gait import walk
from toile.motion.track import pose_at
from toile.sim.colliders.surface import SurfaceCollider

WIDTHS = (0, 2, 5)


def same_pairs(triangles: Ints, position: Floats, body: SurfaceTree) -> int:
    """Compare with the test of two trees; return how many pairs there are."""
    want = meeting_pairs(SurfaceTree(triangles, position), body)[1]
    patches = ClothPatches(triangles, len(position), None)
    for width in WIDTHS:
        np.testing.assert_array_equal(patches.crossing_skin(position, body, width), want)
    return len(want)


def test_cloth_round_a_walking_person() -> None:
    body = named_body("woman")
    track, collider = retarget(walk(), body, fps=60.0), SurfaceCollider(body)
    garment, x = tube_cloth(100, 40, 0.98, 0.45)
    generator = np.random.default_rng(3)
    found = []
    for step in range(12):
        posed = pose_body(body, pose_at(track, 0.2 * step))
        tree = collider.tree(posed)
        hips = posed.world_from_joint[0, :3, 3]
        # from clear of the skin to deep in it, smooth and crumpled
        width = 1.9 - 0.1 * step
        place = x * np.array([width, 1.0, width]) + hips - np.array([0.0, 0.3, 0.0])
        found.append(same_pairs(garment.triangles, place, tree))
        crumpled = place + generator.normal(0, 0.002 * (step % 4), place.shape)
        found.append(same_pairs(garment.triangles, crumpled, tree))
    assert min(found) < 100
    assert max(found) > 800


@pytest.mark.parametrize("far", [0.0, 30.0, 3e4])
def test_far_from_the_origin(far: float) -> None:
    triangles, ball = icosphere(3, 0.2)
    generator = np.random.default_rng(4)
    count = 0
    for radius in (0.19, 0.199, 0.2, 0.2001, 0.204, 0.23):
        cloth = icosphere(2, radius)[1] + generator.normal(0, 0.0005, (162, 3))
        count += same_pairs(icosphere(2)[0], cloth + far, SurfaceTree(triangles, ball + far))
    assert count > 1000


def test_touching_counts_and_flat_triangles_are_seen() -> None:
    skin = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    body = SurfaceTree(np.array([[0, 1, 2], [2, 1, 3]], np.int32), skin)
    above = np.array([[0.3, 0.3, 0.0], [0.3, 0.4, 0.5], [0.4, 0.3, 0.5]])
    needle = np.array([[0.2, 0.2, -0.5], [0.2, 0.2, 0.5], [0.2, 0.2, 0.1]])
    in_plane = np.array([[0.1, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.2, 0.0]])
    clear = above + np.array([0.0, 0.0, 1e-9])
    cloth = np.concatenate([above, needle, in_plane, clear])
    triangles = np.arange(12, dtype=np.int32).reshape(4, 3)
    assert same_pairs(triangles, cloth, body) == 3


def test_more_skin_in_one_box_than_there_is_room_for() -> None:
    triangles, ball = icosphere(4, 0.01)
    sheet = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 2.0, 0.003]])
    assert same_pairs(np.array([[0, 1, 2]], np.int32), sheet, SurfaceTree(triangles, ball)) > 50


def test_any_number_of_threads() -> None:
    triangles, ball = icosphere(4, 0.2)
    cloth = np.asarray(icosphere(4, 0.2)[1]) + np.array([0.01, 0.02, 0.0])
    patches, body = ClothPatches(triangles, len(cloth), None), SurfaceTree(triangles, ball)
    found = []
    try:
        for threads in (1, 2, 8):
            set_thread_count(threads)
            found.append(patches.crossing_skin(cloth, body))
    finally:
        set_thread_count(0)
    assert len(found[0]) > 100
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
