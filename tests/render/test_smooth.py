import json

import numpy as np
import pytest

from cloth_samples import sheet
from toile.cli.common import write_results
from toile.core.errors import ToileError
from toile.core.records import Recording
from toile.export.library import export
from toile.garment.shapes import flat_position, square_cloth, tube_cloth
from toile.geometry.subdivide import smooth_weights, split_triangles
from toile.geometry.triangles import edge_elongation
from toile.render.smooth import Smoothed, finer_garment
from toile.store.record import RecordedFile, load_recording, save_recording, source_of
from toile.web.play import Show


def recording(position: np.ndarray, garment) -> Recording:
    return Recording(
        garment=garment,
        body=None,
        times=np.array([0.0]),
        positions=position[None],
        body_vertices=np.zeros((1, 0, 3)),
    )


def test_each_triangle_becomes_four_and_sides_are_shared() -> None:
    split = split_triangles(np.array([[0, 1, 2], [0, 2, 3]], np.int32), 4)
    assert len(split.triangles) == 8
    assert len(split.sides) == 5
    assert split.triangles.max() == 8


def test_weights_sum_to_one_and_keep_a_plane() -> None:
    garment = square_cloth(5, 4)
    split, matrix = smooth_weights(garment.triangles, garment.particle_count)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    flat = flat_position(garment)
    slanted = np.stack([flat[:, 0], 0.3 * flat[:, 0] - 0.2 * flat[:, 1], flat[:, 1]], axis=1)
    finer = matrix @ slanted
    np.testing.assert_allclose(finer[:, 1], 0.3 * finer[:, 0] - 0.2 * finer[:, 2], atol=1e-12)
    assert len(split.triangles) == 4 * len(garment.triangles)


def test_a_tube_comes_closer_to_its_circle() -> None:
    garment, x = tube_cloth(12, 6, 0.9, 0.5)
    _, matrix = smooth_weights(garment.triangles, garment.particle_count)
    finer = matrix @ x
    inside = (finer[:, 1] > 0.1) & (finer[:, 1] < 0.4)
    radius = np.hypot(finer[inside, 0], finer[inside, 2])
    coarse = 0.9 / 2 / np.pi * (1 + np.cos(np.pi / 12)) / 2
    assert radius.std() < 0.001  # corners and middles of a 12-gon differ by 3.4 %
    assert radius.mean() == pytest.approx(coarse, rel=0.06)


def test_hems_stay_on_their_line_and_corners_stay() -> None:
    garment = square_cloth(4, 4)
    _, matrix = smooth_weights(garment.triangles, garment.particle_count)
    flat = flat_position(garment)
    finer = matrix @ flat
    assert finer[:, 0].min() == pytest.approx(0.0, abs=0.04)
    np.testing.assert_allclose(finer[finer[:, 1] < 1e-9][:, 1], 0.0, atol=1e-12)


def test_flat_cloth_keeps_its_texture_and_is_hardly_stretched() -> None:
    garment, x = tube_cloth(24, 12, 0.9, 0.5)
    finer, matrix = finer_garment(garment)
    assert len(finer.triangles) == 4 * len(garment.triangles)
    assert finer.particle_count == matrix.shape[0]
    y = matrix @ x
    # the texture knows no seam: within half a cell of it and of the hems the two differ
    middle = finer.uv[finer.triangles_uv].mean(axis=1)
    inner = (np.abs(middle[:, 1] - 0.25) < 0.2) & (np.abs(middle[:, 0] - 0.45) < 0.4)
    longer = edge_elongation(y, finer.triangles[inner], finer.uv, finer.triangles_uv[inner])
    assert np.abs(longer).max() < 0.02


def test_a_straight_seam_stays_straight_and_is_still_a_seam() -> None:
    """Two strips sewn side by side, with a ragged mesh: Loop's weights alone would make the seam wavy."""
    garment, x = tube_cloth(16, 10, 0.8, 0.4)
    seam = np.unique(garment.uv_particle[garment.seam_uv])
    rng = np.random.default_rng(0)
    x = x + np.where(np.isin(np.arange(len(x)), seam)[:, None], 0.0, rng.normal(0, 0.004, x.shape))
    finer, matrix = finer_garment(garment)
    sewn = finer.uv_particle[finer.seam_uv]
    assert (sewn[:, 0] == sewn[:, 1]).all()
    assert len(finer.seam_uv) == 2 * len(garment.seam_uv) - 1
    y = (matrix @ x)[np.unique(sewn)]
    np.testing.assert_allclose(y[:, [0, 2]] - x[seam[0], [0, 2]], 0.0, atol=1e-12)
    # a second time refines what was refined
    assert len(finer_garment(finer)[0].seam_uv) == 2 * len(finer.seam_uv) - 1


def test_exports_can_be_smooth(tmp_path) -> None:
    garment = sheet(4, 4, 0.1, 0.1)
    source = recording(flat_position(garment), garment)
    export(source, tmp_path / "fine.toile", smooth=2)
    fine = load_recording(tmp_path / "fine.toile")
    assert len(fine.garment.triangles) == 16 * len(garment.triangles)
    assert len(fine.positions[0]) == fine.garment.particle_count


def test_results_of_commands_are_smooth_but_for_the_recording(tmp_path, capsys) -> None:
    garment = sheet(4, 4, 0.1, 0.1)
    source = recording(flat_position(garment), garment)
    write_results(source, [tmp_path / "look.toile", tmp_path / "look.obj"], 1)
    assert len(load_recording(tmp_path / "look.toile").garment.triangles) == len(garment.triangles)
    faces = [line for line in (tmp_path / "look.obj").read_text().splitlines() if line.startswith("f ")]
    assert len(faces) == 4 * len(garment.triangles)


def test_the_page_shows_finer_cloth(tmp_path) -> None:
    garment = sheet(4, 4, 0.1, 0.1)
    save_recording(recording(flat_position(garment), garment), tmp_path / "look.toile")
    with RecordedFile(tmp_path / "look.toile") as recorded:
        show = Show(recorded, smooth=2)
        about, mesh = json.loads(show.about()), np.frombuffer(show.mesh(), "<i4")
        points = np.frombuffer(show.frame(0), "<f4").reshape(-1, 3)
    assert mesh[0] == 16 * len(garment.triangles)
    assert len(points) == about["points"] == mesh[2 : 2 + 3 * mesh[0]].max() + 1


@pytest.mark.parametrize("times", [-1, 0, 4])
def test_only_a_few_times(times: int) -> None:
    garment = square_cloth(2, 2)
    with pytest.raises(ToileError, match="choose 1 to 3"):
        Smoothed(source_of(recording(flat_position(garment), garment)), times)
