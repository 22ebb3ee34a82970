"""Alembic files, read back with alembic3d."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dressed_samples import recording
from toile.core.errors import ToileError
from toile.export.alembic import write_alembic
from toile.export.library import export

alembic3d = pytest.importorskip("alembic3d", reason="alembic3d is not installed (extra: alembic)")


def points(mesh: object, number: int) -> np.ndarray:
    time = mesh.getTimeSampling().getSampleTime(number)  # type: ignore[attr-defined]
    sample = mesh.getValue(alembic3d.Abc.ISampleSelector(time))  # type: ignore[attr-defined]
    return np.array([[p.x, p.y, p.z] for p in sample.getPositions()])


@pytest.mark.parametrize("normals", [False, True])
def test_points_at_every_frame(tmp_path: Path, normals: bool) -> None:
    take = recording(5)
    path = tmp_path / "look.abc"
    export(take, path, normals=normals)
    top = alembic3d.Abc.IArchive(str(path)).getTop()
    for name, want, faces in (
        ("ball", take.body_vertices, take.body.triangles),
        ("tube", take.positions, take.garment.triangles),
    ):
        mesh = alembic3d.AbcGeom.IPolyMesh(top, name).getSchema()
        assert mesh.getNumSamples() == 5
        times = [mesh.getTimeSampling().getSampleTime(n) for n in range(5)]
        np.testing.assert_allclose(times, (np.arange(5) + 1) / 30, atol=1e-9)
        for number in (0, 3, 4):
            np.testing.assert_allclose(points(mesh, number), want[number], atol=1e-6)
        corners = np.array(list(mesh.getValue().getFaceIndices())).reshape(-1, 3)
        np.testing.assert_array_equal(corners[:, ::-1], faces)
        assert mesh.getNormalsParam().valid() == normals
    assert [p.name for p in tmp_path.iterdir()] == ["look.abc"]


def test_texture_and_panels(tmp_path: Path) -> None:
    take = recording(2)
    write_alembic(take, tmp_path / "look.abc")
    top = alembic3d.Abc.IArchive(str(tmp_path / "look.abc")).getTop()
    mesh = alembic3d.AbcGeom.IPolyMesh(top, "tube").getSchema()
    assert sorted(mesh.getFaceSetNames()) == ["back", "front"]
    seam = alembic3d.AbcGeom.IInt32GeomParam(mesh.getArbGeomParams(), "seam").getExpandedValue().getVals()
    assert set(seam) == {0, 1, 2}
    sample = mesh.getUVsParam().getIndexedValue()
    values = np.array([[v.x, v.y] for v in sample.getVals()])
    index = np.array(list(sample.getIndices())).reshape(-1, 3)[:, ::-1]
    np.testing.assert_allclose(values[index], take.garment.uv[take.garment.triangles_uv], atol=1e-6)


def test_uneven_times_are_kept(tmp_path: Path) -> None:
    take = replace(recording(3), times=np.array([0.0, 0.1, 0.35]))
    write_alembic(take, tmp_path / "look.abc")
    top = alembic3d.Abc.IArchive(str(tmp_path / "look.abc")).getTop()
    sampling = alembic3d.AbcGeom.IPolyMesh(top, "tube").getSchema().getTimeSampling()
    times = np.array([sampling.getSampleTime(n) for n in range(3)])
    np.testing.assert_allclose(times - times[0], take.times, atol=1e-9)


def test_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="cannot write"):
        write_alembic(recording(1), tmp_path / "missing" / "look.abc")
