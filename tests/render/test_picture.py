"""Pictures: what must be visible where, sameness, and bad input. Beauty is judged by looking."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dressed_samples import ball_body, recording, tube, tube_position
from toile import _kernels
from toile.core.errors import ToileError
from toile.render.camera import frame_camera, frame_views, view_angle
from toile.render.light import ambient, cone_directions, shadower, sphere_directions
from toile.render.picture import (
    Mesh,
    Studio,
    body_mesh,
    garment_mesh,
    light_scene,
    picture_of,
    render,
    render_views,
)
from toile.render.surface import line_heights, seam_edges, vertex_normals

QUICK = Studio(sky_count=24, key_count=4, samples=2)


def meshes() -> list[Mesh]:
    garment = tube(24, 10)
    return [body_mesh(ball_body()), garment_mesh(garment, tube_position(garment))]


def test_normals_of_a_ball_point_outwards() -> None:
    ball = ball_body()
    outwards = (ball.vertices - [0, 1, 0]) / 0.15
    assert (np.sum(vertex_normals(ball.vertices, ball.triangles) * outwards, axis=1) > 0.98).all()


def test_normals_agree_with_numpy() -> None:
    ball = ball_body()
    points = ball.vertices + np.random.default_rng(0).normal(scale=0.01, size=ball.vertices.shape)
    a, b, c = (points[ball.triangles[:, k]] for k in range(3))
    total = np.zeros_like(points)
    np.add.at(total, ball.triangles, np.cross(b - a, c - a)[:, None])
    want = total / np.linalg.norm(total, axis=1, keepdims=True)
    np.testing.assert_allclose(vertex_normals(points, ball.triangles), want, atol=1e-12)
    alone = vertex_normals(np.array([[0.0, 0, 0], [np.nan, 0, 0]]), np.zeros((0, 3), np.int32))
    np.testing.assert_array_equal(alone, [[0, 1, 0], [0, 1, 0]])
    with pytest.raises(IndexError):
        vertex_normals(points[:3], np.array([[0, 1, 3]], np.int32))


def test_seams_and_hems_of_the_tube() -> None:
    garment = tube(12, 6)
    seam, hem = seam_edges(garment)
    assert seam.sum() == 4 * 6  # two side seams, six rows, both panels
    assert hem.sum() == 2 * 12  # top and bottom
    heights = line_heights(garment, seam)[seam]
    np.testing.assert_allclose(heights, np.pi * 0.2 / 6, rtol=1e-9)  # a column's width


def test_every_camera_sees_every_point() -> None:
    points = np.random.default_rng(0).normal(size=(200, 3)) * [0.3, 0.9, 0.2]
    for camera, columns in frame_views(points, ["front", "three_quarter", "side", "back", 200.0], 1500, 700):
        on_screen, inverse_w = camera.project(points, columns, 700)
        assert (inverse_w > 0).all()
        assert (on_screen[:, :2] >= 0).all()
        assert (on_screen[:, 0] <= columns).all()
        assert (on_screen[:, 1] <= 700).all()


def test_front_view_shows_the_left_hand_on_the_right() -> None:
    camera = frame_camera(np.array([[-1, 0, 0], [1, 2, 0.0]]), 1.0, view="front")
    screen, _ = camera.project(np.array([[1.0, 1, 0], [0, 2, 0]]), 100, 100)
    assert screen[0, 0] > 60  # the body's left hand at +x
    assert screen[1, 1] < 40  # up is up
    assert camera.eye[2] > 0  # seen from in front
    with pytest.raises(ToileError, match="three_quarter"):
        view_angle("above")


def test_unhidden_light_of_radiance_one_is_one_and_a_lid_takes_it() -> None:
    directions = sphere_directions(200)
    lid = np.array([[-9, 1, -9], [9, 1, -9], [0, 1, 18.0]])
    points, normals = np.array([[0, 0, 0.0], [0, 50, 0]]), np.array([[0, 1.0, 0], [0, 1, 0]])
    light, free = ambient(
        shadower(lid, np.array([[0, 2, 1]], np.int32)), points, normals, directions, np.ones((200, 3))
    )
    np.testing.assert_allclose(free, 1.0, atol=0.02)
    assert (light[0] < 0.1).all()
    np.testing.assert_allclose(light[1], 1.0, atol=0.02)


def test_cone_is_narrow_and_centred() -> None:
    axis = np.array([0.6, 0.8, 0.0])
    cone = cone_directions(axis, 0.1, 50)
    np.testing.assert_allclose(np.linalg.norm(cone, axis=1), 1)
    assert (cone @ axis >= np.cos(0.1)).all()
    np.testing.assert_allclose(cone.mean(axis=0), axis, atol=0.02)


def test_colours_appear_where_the_things_are() -> None:
    picture = render_views(meshes(), views=["front"], width=120, height=160, studio=QUICK)
    assert picture.shape == (160, 120, 3)
    assert np.isfinite(picture).all()
    red, green, blue = np.moveaxis(picture, -1, 0)
    front_red = (red > 1.8 * green) & (red > 1.8 * blue)
    assert 0.15 < front_red.mean() < 0.6  # the red front panel
    assert not front_red[:, :4].any()
    assert np.ptp(picture[:10], axis=(0, 1)).max() < 0.2  # plain wall above
    behind = render_views(meshes(), views=["back"], width=120, height=160, studio=QUICK)
    assert (behind[..., 2] > 1.5 * behind[..., 0]).mean() > 0.15  # the blue back panel


def test_the_floor_is_darker_under_the_person() -> None:
    low = [replace(m, vertices=m.vertices - [0, 0.49, 0]) for m in meshes()]
    scene = light_scene(low, QUICK)
    n = scene.floor_start
    ratio = (scene.ambient[n:] / scene.ambient_free[n:]).mean(axis=1)
    radius = np.linalg.norm(scene.vertices[n:, [0, 2]], axis=1)
    assert ratio[radius < 0.1].mean() < 0.5
    assert ratio[radius > 3].mean() > 0.95


def test_the_inside_of_a_tube_is_darker_than_its_outside() -> None:
    scene = light_scene(meshes(), QUICK)
    inner = scene.inner
    assert scene.ambient_inside[inner].mean() < 0.6 * scene.ambient[inner].mean()


def test_the_same_bytes_for_any_thread_count() -> None:
    pictures = []
    for count in (1, 2, 8):
        _kernels.set_thread_count(count)
        scene = light_scene(meshes(), QUICK)
        camera = frame_camera(scene.vertices[: scene.floor_start], 0.75)
        pictures.append(render(scene, camera, 90, 120).tobytes())
    _kernels.set_thread_count(0)
    assert pictures[0] == pictures[1] == pictures[2]


def test_a_recording_becomes_a_png(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    picture_of(recording(2), path, views=["front", "back"], height=100, studio=replace(QUICK, grid=0.05))
    with Image.open(path) as image:
        assert image.size[1] == 100
        assert image.mode == "RGB"
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


def test_nothing_to_draw_is_said() -> None:
    empty = Mesh("none", np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.ones(3))
    with pytest.raises(ToileError, match="nothing to draw"):
        render_views([empty])
    with pytest.raises(ToileError, match="cannot be drawn"):
        render_views(meshes(), views=[])
    with pytest.raises(ToileError, match="cannot be drawn"):
        render_views(meshes(), width=1_000_000)
