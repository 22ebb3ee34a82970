"""GLB files, read back by other people's readers."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from pygltflib import GLTF2
from scipy.spatial.transform import Rotation

from dressed_samples import ball_body, recording, tube, tube_position
from folders import ROOT
from gltf_reader import Document
from toile.body.model.skin import pose_body
from toile.core.errors import ToileError
from toile.core.records import Body, Recording, Skeleton
from toile.export.gltf import garment_parts
from toile.export.gltf_motion import write_glb
from toile.export.joints import PoseFinder
from toile.export.library import export
from toile.export.principal_shapes import fit_basis
from toile.garment.outfit import join
from toile.store.record import RecordWriter


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
    read = Document(path).accessor
    uv = read(primitive["TEXCOORD_0"])
    np.testing.assert_allclose(uv, take.garment.uv * [1, -1], atol=1e-6)
    normal = read(primitive["NORMAL"])
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, atol=1e-5)
    position = file.accessors[primitive["POSITION"]]
    np.testing.assert_allclose(position.max, take.positions[0].max(axis=0), atol=1e-6)
    np.testing.assert_allclose(position.min, take.positions[0].min(axis=0), atol=1e-6)


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


# ---------------------------------------------------------------------------- motion


def walking_person() -> tuple[Body, np.ndarray, np.ndarray]:
    """Return a body with three joints, poses (f, j, 4, 4) with a turn and travel, and its vertices."""
    ball = ball_body()
    y = ball.vertices[:, 1:2]
    weight = np.clip(np.hstack([1.05 - y, 0.05 + 0 * y, y - 0.95]) / 0.2, 0.0, 1.0)
    weight /= weight.sum(axis=1, keepdims=True)
    rest = np.tile(np.eye(4), (3, 1, 1))
    rest[:, 1, 3] = [0.9, 1.0, 1.1]
    skeleton = Skeleton(("root", "middle", "top"), [-1, 0, 1], rest, rest[:, :3, 3] + [0, 0.1, 0])
    joint = np.tile([0, 1, 2], (len(y), 1))
    body = replace(ball, skeleton=skeleton, weight=weight, weight_joint=joint)
    poses = []
    for t in np.linspace(0, 2, 12):
        turn = Rotation.from_euler(
            "yxz", [[2 * t, 0, 0], [2 * t, 0.3 * t, 0], [2 * t, 0.5 * t, 0.1]]
        ).as_matrix()
        pose = np.tile(np.eye(4), (3, 1, 1))
        pose[:, :3, :3] = turn
        pose[:, :3, 3] = rest[:, :3, 3] + [t, 0.1 * t, -t]
        poses.append(pose)
    vertices = np.stack([pose_body(body, p).vertices for p in poses])
    return body, np.array(poses), vertices


def moving() -> Recording:
    body, _, vertices = walking_person()
    garment = tube(24, 10)
    base = tube_position(garment)
    frames = len(vertices)
    t = np.linspace(0, 2, frames)
    positions = []
    for k in t:
        wave = base + np.sin(9 * base[:, :1] + 3 * k) * [0.0, 0.01, 0.03]
        positions.append(np.add(Rotation.from_euler("y", 2 * k).apply(wave), [k, 0.1 * k, -k]))
    return Recording(garment, body, t, np.array(positions), vertices)


def test_motion_comes_back_within_half_a_millimetre(tmp_path: Path) -> None:
    take = moving()
    path = tmp_path / "a.glb"
    write_glb(take, path)
    document = Document(path)
    for frame in (0, 5, 11):
        cloth = document.vertices("tube", frame)
        np.testing.assert_allclose(cloth, take.positions[frame][take.garment.uv_particle], atol=5e-4)
        np.testing.assert_allclose(document.vertices("ball", frame), take.body_vertices[frame], atol=5e-4)
        weights = document.animated(document.node("tube"), "weights", frame)
        assert weights is not None
        assert (weights >= 0).all()  # Blender's importer cuts off negative weights
        assert (weights <= 1).all()
    sampler = document.json["animations"][0]["samplers"][0]
    np.testing.assert_allclose(document.accessor(sampler["input"])[:, 0], take.times, atol=1e-6)


def test_stored_joints_are_used_as_they_are(tmp_path: Path) -> None:
    take = moving()
    body, poses, vertices = walking_person()
    path = tmp_path / "a.toile"
    with RecordWriter.create(path, take.garment, body) as writer:
        for n in range(len(poses)):
            writer.append(
                float(take.times[n]), take.positions[n], vertices[n], {"world_from_joint": poses[n]}
            )
    write_glb(path, tmp_path / "a.glb")
    document = Document(tmp_path / "a.glb")
    top = next(i for i, n in enumerate(document.json["nodes"]) if n["name"] == "top")
    np.testing.assert_allclose(document.world(top, 7), poses[7, 2], atol=1e-6)
    np.testing.assert_allclose(document.vertices("ball", 7), vertices[7], atol=1e-6)


def test_pose_finder_explains_a_linear_skin() -> None:
    body, poses, vertices = walking_person()
    found, error = PoseFinder(body).fit(vertices[8])
    assert error < 1e-4
    np.testing.assert_allclose(found[[0, 2]], poses[8][[0, 2]], atol=2e-3)


def test_basis_is_orthonormal_and_exact_when_it_may_be() -> None:
    rng = np.random.default_rng(0)
    shapes = (rng.normal(size=(300, 5)) @ rng.normal(size=(5, 200))).astype(np.float32)
    basis = fit_basis(lambda i: shapes[i], 300, most=20, tolerance=1e-4)
    assert basis.components.shape == (5, 200)
    np.testing.assert_allclose(basis.components @ basis.components.T, np.eye(5), atol=1e-4)
    np.testing.assert_allclose(basis.weights @ basis.components, shapes, atol=1e-3)
    assert fit_basis(lambda i: shapes[i], 300, most=2, tolerance=0).components.shape == (2, 200)
    still = fit_basis(lambda i: np.zeros(9, np.float32), 4, most=3, tolerance=1e-4)
    assert still.components.shape == (0, 9)


def test_a_cloth_that_only_travels_needs_no_morph_targets(tmp_path: Path) -> None:
    take = recording(4)
    path = tmp_path / "a.glb"
    travel = np.arange(4.0)[:, None, None] * [0.1, 0, 0.2]
    write_glb(replace(take, positions=take.positions[:1] + travel), path)
    document = Document(path)
    tube_mesh = next(m for m in document.json["meshes"] if m["name"] == "tube")
    assert not tube_mesh.get("weights")
    np.testing.assert_allclose(
        document.vertices("tube", 3), (take.positions[0] + travel[3])[take.garment.uv_particle], atol=1e-5
    )


def test_times_that_stand_still_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="frame 1 is not later"):
        write_glb(replace(recording(3), times=np.zeros(3)), tmp_path / "a.glb")
    assert not list(tmp_path.iterdir())


VALIDATOR = ROOT / "node_modules" / "gltf-validator"


@pytest.mark.readers
@pytest.mark.skipif(not VALIDATOR.exists(), reason="no Khronos validator: run 'make readers'")
def test_khronos_validator_finds_nothing(tmp_path: Path) -> None:
    write_glb(moving(), tmp_path / "moving.glb")
    write_glb(recording(1), tmp_path / "still.glb")
    script = (
        "const v = require(process.argv[1]), fs = require('fs');"
        "v.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2])))"
        ".then(r => console.log(JSON.stringify(r.issues)))"
    )
    for name in ("moving.glb", "still.glb"):
        command = ["node", "-e", script, str(VALIDATOR), str(tmp_path / name)]
        issues = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)
        assert issues["numErrors"] == 0, issues
        # viewers make tangents of the weave's normal map from its coordinates, as the standard says
        known = "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE"
        assert [m for m in issues["messages"] if m["code"] != known] == []
