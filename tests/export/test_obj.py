"""OBJ files, read back by trimesh and line by line."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from dressed_samples import recording
from toile.core.errors import ToileError
from toile.export.library import export
from toile.export.obj import write_obj, write_obj_sequence


def lines(path: Path, mark: str) -> np.ndarray:
    rows = [line.split()[1:] for line in path.read_text().splitlines() if line.split()[:1] == [mark]]
    return np.array(rows)


def test_points_faces_and_texture(tmp_path: Path) -> None:
    take = recording(2)
    path = tmp_path / "look.obj"
    export(take, path)
    v, vt, vn = (lines(path, m).astype(float) for m in ("v", "vt", "vn"))
    np.testing.assert_allclose(v, np.concatenate([take.body_vertices[1], take.positions[1]]), atol=1e-6)
    np.testing.assert_allclose(vt, take.garment.uv, atol=1e-6)
    assert len(vn) == len(v)
    faces = lines(path, "f")
    assert len(faces) == len(take.body.triangles) + len(take.garment.triangles)
    corner = np.array([[c.split("/") for c in f] for f in faces[len(take.body.triangles) :]]).astype(int)
    start = len(take.body.vertices) + 1
    np.testing.assert_array_equal(corner[..., 0] - start, take.garment.triangles)
    np.testing.assert_array_equal(corner[..., 1] - 1, take.garment.triangles_uv)
    text = path.read_text()
    assert [line for line in text.splitlines() if line.startswith("g ")] == ["g front", "g back"]
    assert "mtllib look.mtl" in text
    assert "newmtl red" in (tmp_path / "look.mtl").read_text()


def test_trimesh_reads_it(tmp_path: Path) -> None:
    take = recording(1)
    path = tmp_path / "look.obj"
    write_obj(take, path)
    mesh = trimesh.load(path, force="mesh", process=False)
    assert len(mesh.faces) == len(take.body.triangles) + len(take.garment.triangles)
    np.testing.assert_allclose(mesh.bounds[1][1], max(take.positions[0][:, 1].max(), 1.15), atol=1e-5)


def test_sequence(tmp_path: Path) -> None:
    take = recording(3)
    written = write_obj_sequence(take, tmp_path / "look.obj")
    assert [p.name for p in written] == ["look_0001.obj", "look_0002.obj", "look_0003.obj"]
    body = len(take.body.vertices)
    for number, path in enumerate(written):
        np.testing.assert_allclose(lines(path, "v").astype(float)[body:], take.positions[number], atol=1e-6)


def test_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="cannot write"):
        write_obj(recording(1), tmp_path / "missing" / "look.obj")
