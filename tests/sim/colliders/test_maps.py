"""The map collider: equations against numbers worked by hand, then against the exact surface."""

import numpy as np
import pytest
from PIL import Image

from dressed_samples import ball_body
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.cli import main
from toile.core.errors import ToileError
from toile.core.records import PosedBody
from toile.sim.colliders.maps import (
    MapCollider,
    MapFrame,
    MapSettings,
    colour_to_normal,
    colour_to_velocity,
    depth_to_grey,
    normal_to_colour,
    pixel_size,
    velocity_to_colour,
)
from toile.sim.colliders.surface import SurfaceCollider, SurfaceSettings

CENTRE = np.array([0.0, 1.0, 0.0])


def ball(velocity=(0.0, 0, 0), **settings):
    """Return the maps of a ball of radius 0.15 m at height 1 m."""
    body = ball_body(rings=48)
    posed = PosedBody(
        body, body.vertices, np.tile(np.asarray(velocity, float), (len(body.vertices), 1)), np.eye(4)[None]
    )
    return MapCollider(body, MapSettings(**settings)).at(posed)


# equations 7 and 8: n = (1, −1, 0) ↔ colour (1, 0, 0.5)
def test_normals_as_colours():
    assert normal_to_colour(np.array([1.0, -1, 0])) == pytest.approx([1, 0, 0.5])
    assert colour_to_normal(np.array([1.0, 0, 0.5])) == pytest.approx([1, -1, 0])


# equations 9 (mended) and 10 with maxv = 4: v = (4, −4, 2) ↔ colour (1, 0, 0.75)
def test_velocities_as_colours():
    assert velocity_to_colour(np.array([4.0, -4, 2]), 4.0) == pytest.approx([1, 0, 0.75])
    assert colour_to_velocity(np.array([1.0, 0, 0.75]), 4.0) == pytest.approx([4, -4, 2])


def test_depth_as_grey():
    assert depth_to_grey(np.array([0.1, 0.0, -0.1]), 0.1, -0.1) == pytest.approx([0, 0.5, 1])


# equation 11 with bboxheight = 2 m, mapsize = 100: x = 0.5 → front (0.5 + 1) / 2 · 100 = 75, back 25;
# y = 0.5 → 25 pixels above the feet, so row 75 from the top
def test_map_coordinates():
    frame = MapFrame(left=-1.0, top=2.0, pixel=0.02, columns=100, rows=100)
    assert frame.columns_of(np.array([0.5]), False) == pytest.approx([75])
    assert frame.columns_of(np.array([0.5]), True) == pytest.approx([25])
    assert frame.rows_of(np.array([0.5])) == pytest.approx([75])
    x, y = frame.centres(np.array([75 * 100 + 25], np.int32), True)
    assert (x[0], y[0]) == pytest.approx((0.49, 0.49))


# equation 14: a person of 1.70 m in 340 pixels: 5 mm
def test_pixel_size():
    box = np.array([[-0.3, 0, -0.1], [0.3, 1.7, 0.1]])
    assert pixel_size(box, MapSettings(size=340)) == pytest.approx(0.005)
    # a ball of 0.3 m in 60 pixels, with a rim of 1 and a border of 1 on each side
    maps = ball(size=60, rim=1)
    assert maps.frame.pixel == pytest.approx(0.005, rel=1e-2)
    assert maps.texels.shape[:2] == (maps.frame.rows, maps.frame.columns)
    assert 64 <= maps.frame.rows <= 65


# 001 equation 5 and 000 equation 12: on the axis the ball's skin is at z = ±0.15, with tolerance ±0.155
def test_depth_test_with_tolerance():
    points = CENTRE + np.array([[0.001, 0, z] for z in (0.154, 0.156, -0.154, -0.156)])
    assert ball(size=100, tolerance=0.005).collides(points).tolist() == [True, False, True, False]
    assert not ball(size=100).collides(points).any()


def test_the_rim_sees_what_lies_beside_the_body():
    beside = CENTRE + np.array([[0.152, 0.0, 0.0], [-0.152, 0, 0], [0.17, 0, 0]])
    assert ball(size=60, rim=1)(beside).particle.tolist() == [0, 1]
    assert ball(size=60, rim=0)(beside).particle.tolist() == []


def test_contacts_of_a_ball():
    maps = ball(velocity=(0.3, 0.0, -0.1), size=200, rim=2)
    generator = np.random.default_rng(1)
    away = generator.normal(size=(2000, 3))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    distance = generator.uniform(-0.01, 0.01, 2000)
    found = maps(CENTRE + (0.15 + distance)[:, None] * away)
    # all that touch or are inside are found; the polygons of the ball lie up to 0.1 mm under the sphere
    assert set(np.flatnonzero(distance < 0.0)) <= set(found.particle.tolist())
    error = np.abs(found.gap - distance[found.particle])
    shallow = np.abs(distance[found.particle]) < 0.003
    assert np.percentile(error[shallow], 95) < 0.001
    assert error[shallow].max() < 0.005
    # deep under the sides the plane of the pixel is a poor guess, but it always leads out
    assert (found.gap[distance[found.particle] < -0.002] < 0).all()
    assert np.einsum("ck,ck->c", found.normal, away[found.particle]).min() > 0.9
    assert found.velocity == pytest.approx(np.tile([0.3, 0, -0.1], (len(found.gap), 1)), abs=1e-6)
    assert (np.diff(found.particle) > 0).all()


def test_far_points_and_points_off_the_map_have_no_contact():
    far = CENTRE + np.array([[0, 0, 0.3], [0, 0, -0.3], [5, 0, 0], [0, -9, 0], [0.149, 0, 0.1]])
    assert len(ball(size=100)(far).particle) == 0


def test_maps_agree_with_the_surface_of_the_woman():
    body = named_body("woman")
    posed = rest_pose(body)
    # points 1 cm outside and 5 mm inside the trunk
    trunk = body.vertices[
        (body.vertices[:, 1] > 0.9) & (body.vertices[:, 1] < 1.2) & (np.abs(body.vertices[:, 0]) < 0.2)
    ]
    exact = SurfaceCollider(body, SurfaceSettings(by_limb=False)).at(posed)
    generator = np.random.default_rng(2)
    points = trunk + generator.uniform(-0.01, 0.01, trunk.shape)
    true, seen = exact(points), MapCollider(body).at(posed)(points)
    both, i, j = np.intersect1d(true.particle, seen.particle, return_indices=True)
    assert len(both) > 0.9 * (true.gap < 0.005).sum()
    error = np.abs(true.gap[i] - seen.gap[j])
    assert np.median(error) < 0.001
    assert np.percentile(error, 90) < 0.004


# equation 12 and equation 5 with both maps: front z + tol, back z − tol
def test_views_are_those_of_two_cameras():
    maps = ball(size=60, tolerance=0.004)
    row, column = maps.frame.rows // 2, maps.frame.columns // 2
    assert maps.front.depth[row, column] == pytest.approx(0.154, abs=5e-4)
    assert maps.back.depth[row, column] == pytest.approx(-0.154, abs=5e-4)
    # on the body's left (+x) the front camera sees normals to +x on its right, the back camera on its left
    assert maps.front.normal[row, -8, 0] > 0.5
    assert maps.back.normal[row, 7, 0] > 0.5


def test_maps_of_a_known_motion_are_drawn_once():
    body = ball_body()
    poses = [
        PosedBody(
            body, body.vertices + np.array([0, 0.01 * k, 0]), np.zeros_like(body.vertices), np.eye(4)[None]
        )
        for k in range(3)
    ]
    collider = MapCollider(body, MapSettings(size=40, stored=3))
    assert collider.precompute(poses) == 3
    again = PosedBody(body, poses[1].vertices.copy(), poses[1].velocity.copy(), np.eye(4)[None])
    assert collider.at(again) is collider.at(poses[1])
    drawn = MapCollider(body, MapSettings(size=40)).at(poses[1])
    assert np.array_equal(drawn.texels, collider.at(again).texels)
    # the oldest goes when there is no room
    other = PosedBody(body, body.vertices * 1.01, np.zeros_like(body.vertices), np.eye(4)[None])
    collider.at(other)
    assert collider.precompute([other]) == 3
    with pytest.raises(ToileError, match="stored"):
        MapCollider(body).precompute(poses)


@pytest.mark.parametrize(
    "settings",
    [{"size": 3}, {"stored": -1}, {"tolerance": -0.1}, {"rim": -1}, {"reach": 0.0}, {"reach": float("nan")}],
)
def test_bad_settings(settings):
    with pytest.raises(ToileError):
        MapSettings(**settings)


def test_maps_command(tmp_path, capsys):
    folder = tmp_path / "maps"
    assert main(["maps", "woman", "-o", str(folder), "--pixels", "120"]) == 0
    names = sorted(p.name for p in folder.iterdir())
    assert names == [f"{s}_{w}.png" for s in ("back", "front") for w in ("depth", "normal", "velocity")]
    depth = np.asarray(Image.open(folder / "front_depth.png"))
    assert depth.shape[0] == 124
    assert depth.min() == 0
    assert depth[0, 0].tolist() == [255] * 3
    # the back camera sees left and right exchanged, but the same silhouette
    back = np.asarray(Image.open(folder / "back_normal.png")) < 255
    front = np.asarray(Image.open(folder / "front_normal.png")) < 255
    assert (back.any(axis=2)[:, ::-1] == front.any(axis=2)).mean() > 0.99
    assert main(["maps", "woman", "-o", str(folder / "front_depth.png")]) == 2
    assert "name a folder" in capsys.readouterr().err
