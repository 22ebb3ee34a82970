"""The picture of the measures."""

import numpy as np
from PIL import Image

from toile.body.measure.measures import measure_lines
from toile.body.model.make import named_body
from toile.render.picture import Studio
from toile.render.tapes import BAND, measure_picture, tape_mesh


def test_tape_lies_on_its_line():
    line = next(one for one in measure_lines(named_body("woman")) if one.name == "waist")
    mesh = tape_mesh(line)
    way = np.linalg.norm(mesh.vertices[:, None] - line.points[None], axis=2).min(axis=1)
    assert way.max() < 0.05
    assert np.ptp(mesh.vertices[:, 1]) < 3 * BAND
    assert mesh.triangles.max() == len(mesh.vertices) - 1


def test_tapes_follow_a_pose():
    body = named_body("man")
    shifted = body.vertices + np.array([0.5, 0.1, 0.0])
    for line in measure_lines(body):
        assert np.allclose(line.on(body.vertices).points, line.points, atol=1e-12)
        assert np.allclose(line.on(shifted).points, line.points + np.array([0.5, 0.1, 0.0]), atol=1e-12)


def test_picture_shows_red_tapes_and_text(tmp_path):
    path = tmp_path / "me.png"
    quick = Studio(samples=1, sky_count=6, key_count=2)
    measure_picture(named_body("woman"), path, height=320, studio=quick)
    picture = np.asarray(Image.open(path)).astype(int)
    red = (picture[:, :, 0] > 120) & (picture[:, :, 0] > 1.7 * picture[:, :, 2])
    assert red.sum() > 60
    assert (picture.max(axis=2) < 60).sum() > 100
