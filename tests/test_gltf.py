"""GLB files, read back by other people's readers."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh
from pygltflib import GLTF2

from cloth_samples import recording, tube
from toile.errors import ToileError
from toile.export import export
from toile.export.gltf import garment_parts, write_glb
from toile.garment.outfit import join


def test_parts_split_points_at_seams() -> None:
    garment = tube()
    (part,) = garment_parts(garment)
    assert len(part.uv) == len(garment.uv) > garment.particle_count
    np.testing.assert_array_equal(part.particle[part.triangles], garment.triangles)
    assert set(part.seam) == {0, 1, 2}


def test_an_outfit_gives_a_node_per_garment(tmp_path: Path) -> None:
    take = recording(1)
    outfit = join([take.garment, take.garment])
    parts = garment_parts(outfit)
    assert len(parts) == 2
    assert sum(len(p.triangles) for p in parts) == len(outfit.triangles)


def test_trimesh_reads_the_same_geometry(tmp_path: Path) -> None:
    take = recording(3)
    path = tmp_path / "a.glb"
    write_glb(take, path, frame=1)
    scene = trimesh.load(path)
    assert "ball" in scene.graph.nodes_geometry
    by_name = {scene.graph[n][1]: n for n in scene.graph.nodes_geometry}
    assert len(by_name) == 3  # body, and a primitive per fabric
    meshes = list(scene.geometry.values())
    body = max(meshes, key=lambda m: len(m.faces))
    np.testing.assert_allclose(body.vertices, take.body_vertices[1], atol=1e-6)
    cloth = np.concatenate([m.vertices[m.faces].reshape(-1, 3) for m in meshes if m is not body])
    want = take.positions[1][take.garment.triangles].reshape(-1, 3)
    assert len(cloth) == len(want)
    np.testing.assert_allclose(
        sorted(map(tuple, cloth.round(5))), sorted(map(tuple, want.round(5))), atol=2e-5
    )


def test_accessors_and_materials(tmp_path: Path) -> None:
    take = recording(1)
    path = tmp_path / "a.glb"
    write_glb(take, path)
    file = GLTF2().load(path)
    assert [m.name for m in file.materials] == ["skin", "red", "blue"]
    np.testing.assert_allclose(file.materials[1].pbrMetallicRoughness.baseColorFactor, [0.6, 0.05, 0.05, 1])
    assert file.materials[1].doubleSided
    tube_mesh = next(m for m in file.meshes if m.name == "tube")
    assert tube_mesh.extras["panels"] == ["front", "back"]
    assert len(tube_mesh.primitives) == 2
    primitive = json.loads(tube_mesh.primitives[0].attributes.to_json())
    assert {"POSITION", "NORMAL", "TEXCOORD_0", "_PANEL", "_SEAM"} <= primitive.keys()
    uv = read(path, primitive["TEXCOORD_0"])
    np.testing.assert_allclose(uv, take.garment.uv * [1, -1], atol=1e-6)
    normal = read(path, primitive["NORMAL"])
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, atol=1e-5)
    position = file.accessors[primitive["POSITION"]]
    np.testing.assert_allclose(position.max, take.positions[0].max(axis=0), atol=1e-6)
    np.testing.assert_allclose(position.min, take.positions[0].min(axis=0), atol=1e-6)


def read(path: Path, accessor: int) -> np.ndarray:
    """Return an accessor by hand, straight from the specification."""
    data = path.read_bytes()
    magic, version, total = struct.unpack_from("<4sII", data)
    assert (magic, version, total) == (b"glTF", 2, len(data))
    length, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    document = json.loads(data[20 : 20 + length])
    a = document["accessors"][accessor]
    view = document["bufferViews"][a["bufferView"]]
    start = 20 + length + 8 + view["byteOffset"]
    assert view["byteOffset"] % 4 == 0
    dtype = np.dtype(
        {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[a["componentType"]]
    )
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[a["type"]]
    stride = view.get("byteStride", width * dtype.itemsize)
    rows = np.frombuffer(data, np.uint8, stride * a["count"], start).reshape(a["count"], stride)
    values = np.ascontiguousarray(rows[:, : width * dtype.itemsize]).view(dtype)
    return values / np.iinfo(dtype).max if a.get("normalized") else values


def test_bytes_are_the_same_every_time(tmp_path: Path) -> None:
    write_glb(recording(1), tmp_path / "a.glb")
    write_glb(recording(1), tmp_path / "b.glb")
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


def test_unknown_suffix_and_empty_recording(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="choose one of"):
        export(recording(1), tmp_path / "a.xyz")
    with pytest.raises(ToileError, match="no frames"):
        write_glb(recording(0), tmp_path / "a.glb")
    assert not list(tmp_path.iterdir())
