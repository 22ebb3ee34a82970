"""The limb maps: equation 3 and look-ups against numbers worked by hand, then against the exact surface."""

import numpy as np
import pytest
from PIL import Image

from dressed_samples import ball_body
from toile import _kernels
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.cli import main
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, PosedBody
from toile.geometry.raster import rasterise
from toile.geometry.triangles import vertex_normals
from toile.sim.colliders.limb_maps import (
    PARTS,
    LimbMapCollider,
    LimbMapSettings,
    part_cameras,
    part_triangles,
)
from toile.sim.colliders.maps import NOTHING_BEHIND, MapCollider

CENTRE = np.array([0.0, 1.0, 0.0])
TORSO, HAND = list(PARTS).index("torso"), list(PARTS).index("left_hand")


def still(body: Body, velocity=(0.0, 0, 0)) -> PosedBody:
    speed = np.tile(np.asarray(velocity, float), (len(body.vertices), 1))
    return PosedBody(body, body.vertices, speed, body.skeleton.world_from_joint)


def ball(velocity=(0.0, 0, 0), **settings):
    """Return the maps of a ball of radius 0.15 m at height 1 m, all of it torso."""
    body = ball_body(rings=48)
    return LimbMapCollider(body, LimbMapSettings(**settings)).at(still(body, velocity))


def two_balls() -> Body:
    """Return a trunk and, 10 cm before it, a hand that hides it from the front."""
    trunk, hand = ball_body(rings=32), ball_body(radius=0.06, rings=16)
    shift = np.array([0.0, 0.0, 0.31])
    count = len(trunk.vertices)
    limb = [*np.full(count, LIMBS.index("torso")), *np.full(len(hand.vertices), LIMBS.index("left_hand"))]
    return Body(
        "two",
        np.concatenate([trunk.vertices, hand.vertices + shift]),
        np.concatenate([trunk.triangles, hand.triangles + count]),
        trunk.skeleton,
        np.zeros((len(limb), 1)),
        np.ones((len(limb), 1)),
        limb,
    )


def test_there_are_fourteen_parts_that_show_all_limbs():
    assert len(PARTS) == 14
    assert sorted(limb for limbs in PARTS.values() for limb in limbs) == sorted(LIMBS)


# equation 3: p = 0.14 before the centre of a ball of 0.15: RP_f = 0.01, RP_b = 0.29; the front is nearer
def test_the_nearer_side_corrects():
    found = ball(velocity=(0.1, 0.2, 0.3))(CENTRE + np.array([[0, 0, 0.14], [0, 0, -0.146], [0, 0, 0.155]]))
    assert found.particle.tolist() == [0, 1, 2]
    assert found.gap == pytest.approx([-0.01, -0.004, 0.005], abs=4e-4)
    assert found.normal == pytest.approx(np.array([[0, 0, 1], [0, 0, -1], [0, 0, 1]]), abs=0.03)
    assert found.velocity == pytest.approx(np.tile([0.1, 0.2, 0.3], (3, 1)), abs=1e-6)


# at the silhouette RP_f = RP_b: the mean of (0.98, 0, 0.2) and (0.98, 0, −0.2) points sideways
def test_normals_are_averaged_at_the_silhouette():
    side = CENTRE + np.array([[0.147, 0, 0.0005], [-0.147, 0, -0.0005]])
    averaged = ball(silhouette=0.02)(side)
    assert averaged.normal == pytest.approx(np.array([[1, 0, 0], [-1, 0, 0]]), abs=0.03)
    one_side = ball(silhouette=0.0, refine=False)(side)
    assert abs(one_side.normal[0, 2]) > 0.1
    assert averaged.gap == pytest.approx([-0.003, -0.003], abs=0.003)


def test_the_tolerance_lies_outside_on_all_sides():
    near = CENTRE + np.array([[0, 0, 0.153], [0, 0, -0.153], [0.153, 0, 0], [0, 0.153, 0]])
    assert (ball()(near).gap > 0).all()
    assert (ball(tolerance=0.005)(near).gap < 0).sum() == 4


def test_a_hand_before_the_trunk_hides_nothing():
    body = two_balls()
    between = np.array([[0.0, 1.0, 0.145]])  # 5 mm under the trunk's skin, behind the hand
    seen = LimbMapCollider(body).at(still(body))(between)
    assert seen.gap.min() == pytest.approx(-0.005, abs=1e-3)
    # one pair of maps takes the space between hand and trunk for flesh
    outside = np.array([[0.0, 1.0, 0.2]])
    assert len(LimbMapCollider(body).at(still(body))(outside).particle) == 0
    assert MapCollider(body).at(still(body)).collides(outside).all()


def test_only_parts_that_can_collide_are_drawn():
    body = two_balls()
    by_trunk = np.array([[0.14, 1.0, -0.05]])
    chosen = LimbMapCollider(body)
    chosen.at(still(body))(by_trunk)
    assert np.flatnonzero(chosen.wanted(by_trunk)).tolist() == [TORSO]
    with pytest.raises(ValueError, match="not been drawn"):
        chosen.maps.texels(HAND)
    everything = LimbMapCollider(body, LimbMapSettings(colliding=False))
    everything.at(still(body))(by_trunk)
    assert everything.maps.texels(HAND)[2].shape[2:] == (2, 8)


def test_culling_changes_nothing():
    body = named_body("woman")
    points = body.vertices[::7] + np.random.default_rng(3).uniform(-0.02, 0.02, body.vertices[::7].shape)
    some = LimbMapCollider(body).at(still(body))(points)
    everything = LimbMapCollider(body, LimbMapSettings(colliding=False)).at(still(body))(points)
    for name in ("particle", "gap", "normal", "velocity"):
        assert np.array_equal(getattr(some, name), getattr(everything, name))


def test_threads_change_nothing():
    body = named_body("woman")
    points = np.repeat(body.vertices, 2, axis=0)
    points += np.random.default_rng(4).uniform(-0.01, 0.01, points.shape)
    found = []
    for threads in (1, 2, 3):
        _kernels.set_thread_count(threads)
        found.append(LimbMapCollider(body).at(still(body, (0.3, 0, 0.1)))(points))
    _kernels.set_thread_count(0)
    for other in found[1:]:
        assert np.array_equal(found[0].particle, other.particle)
        assert np.array_equal(found[0].gap, other.gap)
        assert np.array_equal(found[0].normal, other.normal)


def test_drawing_against_the_rasteriser():
    body = ball_body(rings=24)
    collider = LimbMapCollider(body, LimbMapSettings(rim=0, overlap=0))
    posed = still(body, (0.1, -0.2, 0.3))
    collider.at(posed)(body.vertices)
    left, top, texels = collider.maps.texels(TORSO)
    height, width = texels.shape[:2]
    x, y, z = body.vertices.T
    points = np.stack([(x - left) / 0.005, (top - y) / 0.005, z], axis=1)
    for side, back in enumerate((False, True)):
        drawn = rasterise(points, body.triangles, width, height, farthest=not back, cull=-1 if back else 1)
        seen = np.isfinite(texels[..., side, 4])
        assert np.array_equal(seen, drawn.triangle >= 0)
        assert texels[..., side, 4][seen] == pytest.approx(drawn.depth[seen], abs=1e-7)
        normal = drawn.mix(vertex_normals(body.vertices, body.triangles))
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        assert np.abs(texels[..., side, :3][seen] - normal).max() < 1e-5
        assert np.abs(texels[..., side, 5:][seen] - [0.1, -0.2, 0.3]).max() < 1e-6


def looked_up(texels, left, top, pixel, p, settings):
    """Return gap and normal of one point, by the words of the docs page, or None: the kernel's reference."""

    def planes(at):
        row, column = (top - at[1]) / pixel, (at[0] - left) / pixel
        if not (0 <= row < texels.shape[0] and 0 <= column < texels.shape[1]):
            return None
        front, back = texels[int(row), int(column)].astype(np.float64)
        deep = np.array([front[4] - at[2], at[2] - back[4]])
        if (deep <= -settings.reach).any():
            return None
        gaps = np.array([front[:3] @ p - front[3], back[:3] @ p - back[3]])
        total = front[:3] + back[:3]
        if abs(deep[0] - deep[1]) < settings.silhouette and total @ total > 0.25:
            return gaps.mean(), total / np.linalg.norm(total)
        near = 0 if deep[0] < deep[1] else 1
        return gaps[near], (front, back)[near][:3]

    first = planes(p)
    if first is None:
        return None
    second = planes(p - first[0] * first[1]) if settings.refine and first[0] < settings.reach else None
    found = second or first
    return found if found[0] < settings.reach else None


@pytest.mark.parametrize("refine", [False, True])
def test_look_ups_against_a_plain_reference(refine):
    body = ball_body(rings=24)
    settings = LimbMapSettings(refine=refine, silhouette=0.03)
    collider = LimbMapCollider(body, settings)
    generator = np.random.default_rng(5)
    points = CENTRE + generator.uniform(-0.18, 0.18, (400, 3))
    query = collider.at(still(body))
    query(body.vertices)
    found = query(points)
    left, top, texels = collider.maps.texels(TORSO)
    wanted = [looked_up(texels, left, top, 0.005, p, settings) for p in points]
    assert found.particle.tolist() == [i for i, w in enumerate(wanted) if w is not None]
    got = [w for w in wanted if w is not None]
    assert found.gap == pytest.approx(np.array([w[0] for w in got]), abs=1e-9)
    assert found.normal == pytest.approx(np.array([w[1] for w in got]), abs=1e-9)


def test_maps_agree_with_the_surface_of_the_woman():
    body = named_body("woman")
    posed = rest_pose(body)
    generator = np.random.default_rng(2)
    limbs = [LIMBS.index(n) for n in ("torso", "pelvis", "left_thigh", "left_upper_arm", "right_shin")]
    chosen = body.vertices[np.isin(body.limb, limbs)]
    points = chosen + generator.uniform(-0.008, 0.008, chosen.shape)
    triangle, exact, *_ = _kernels.SurfaceTree(body.triangles, body.vertices).nearest(points, 0.02)
    found = LimbMapCollider(body).at(posed)(points)
    gap = np.full(len(points), np.inf)
    np.minimum.at(gap, found.particle, found.gap)
    assert (gap[exact < -0.001] < 0).mean() > 0.995
    error = np.abs(gap - exact)[np.isfinite(gap) & (triangle >= 0)]
    assert np.median(error) < 3e-4
    assert np.percentile(error, 95) < 0.003


def test_parts_overlap_and_cameras_are_rigid():
    body = named_body("woman")
    alone, with_neighbours = (len(part_triangles(body, rings)[0]) for rings in (0, 2))
    assert alone <= len(body.triangles) < with_neighbours < 1.5 * len(body.triangles)
    _, frames = part_cameras(body)
    for frame in frames:
        assert frame[:3, :3].T @ frame[:3, :3] == pytest.approx(np.eye(3), abs=1e-9)
        assert np.linalg.det(frame[:3, :3]) == pytest.approx(1)


def test_an_older_query_may_be_asked_again():
    body = ball_body(rings=24)
    collider = LimbMapCollider(body)
    first = collider.at(still(body))
    point = CENTRE + np.array([[0, 0, 0.149]])
    before = first(point).gap
    moved = PosedBody(
        body, body.vertices + np.array([0, 0, 0.004]), np.zeros_like(body.vertices), np.eye(4)[None]
    )
    assert collider.at(moved)(point).gap == pytest.approx(before - 0.004, abs=1e-4)
    assert np.array_equal(first(point).gap, before)


@pytest.mark.parametrize(
    "settings",
    [{"pixel": 0.0}, {"tolerance": -0.1}, {"rim": -1}, {"reach": 0.0}, {"silhouette": -1.0}, {"every": 0}],
)
def test_bad_settings(settings):
    with pytest.raises(ToileError):
        LimbMapSettings(**settings)


def test_wrong_arrays_are_refused():
    triangles, part = np.array([[0, 1, 5]], np.int32), np.zeros(1, np.int32)
    with pytest.raises(IndexError, match="vertex"):
        _kernels.PartMaps(triangles, part, 1, 3, *NOTHING_BEHIND)
    with pytest.raises(IndexError, match="part"):
        _kernels.PartMaps(triangles, part + 1, 1, 6, *NOTHING_BEHIND)
    maps = _kernels.PartMaps(np.array([[0, 1, 2]], np.int32), part, 1, 3, *NOTHING_BEHIND)
    with pytest.raises(ValueError, match="vertices"):
        maps.pose(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((1, 4, 3)))


def test_maps_command_writes_limbs(tmp_path):
    folder = tmp_path / "maps"
    assert main(["maps", "woman", "-o", str(folder), "--limbs"]) == 0
    names = sorted(p.name for p in folder.iterdir())
    assert len(names) == 14 * 6
    picture = np.asarray(Image.open(folder / "left_upper_arm_front_normal.png"))
    assert picture.shape[0] > 60
    assert picture[0, 0].tolist() == [255] * 3
