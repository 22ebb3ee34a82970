"""Scans: readers, orientation, unit, fit, refusals."""

from __future__ import annotations

import functools
import json
import os
import re
import struct
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from scan_samples import (
    POSES,
    STOOPED,
    THINGS,
    dressed,
    in_parts,
    in_shirt,
    in_underwear,
    with_floor,
    with_holes,
)
from scan_samples import posed as bent
from toile.body.library import open_body
from toile.body.model.data import load_template
from toile.body.model.landmarks import limb_mask
from toile.body.model.make import named_body
from toile.body.model.skin import vertex_normals
from toile.body.scan.clean import Cloud, clean
from toile.body.scan.cloth import SurfaceOffset, surface_offsets, template_rings
from toile.body.scan.fit import surface_gap
from toile.body.scan.model import ScanPose, pose_after_step, posed_skin, scan_model, slopes, start_pose
from toile.body.scan.orient import find_orientation
from toile.body.scan.reconstruct import ROUGH, fit_scan, fit_surface, is_scan
from toile.body.scan.refusals import Findings, inspect_fit, refusal
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, Floats, Ints
from toile.io.surfaces import read_triangles
from toile.pattern.drafts.library import draft
from toile.sim.dress.dress import dress

Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""file_from_ours"""


@functools.cache
def man() -> Body:
    return named_body("man")


def write_obj(path: Path, points: Floats, triangles: Ints) -> None:
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in points]
    lines += [f"f {a}/{a} {b}/{b} {c}/{c}" for a, b, c in triangles + 1]
    path.write_text("\n".join(lines) + "\n")


def write_stl(path: Path, points: Floats, triangles: Ints) -> None:
    record = np.zeros(len(triangles), dtype=[("n", "<f4", 3), ("p", "<f4", (3, 3)), ("m", "<u2")])
    record["p"] = points[triangles]
    path.write_bytes(b" " * 80 + struct.pack("<I", len(triangles)) + record.tobytes())


def write_ply(path: Path, points: Floats, triangles: Ints) -> None:
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\nproperty float x\n"
        f"property float y\nproperty float z\nelement face {len(triangles)}\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    record = np.zeros(len(triangles), dtype=[("n", "u1"), ("p", "<i4", 3)])
    record["n"], record["p"] = 3, triangles
    path.write_bytes(header.encode() + points.astype("<f4").tobytes() + record.tobytes())


@pytest.mark.parametrize(("ending", "write"), [(".obj", write_obj), (".stl", write_stl), (".ply", write_ply)])
def test_every_format_gives_the_same_surface(tmp_path: Path, ending: str, write: object) -> None:
    path = tmp_path / f"scan{ending}"
    assert callable(write)
    write(path, man().vertices, man().triangles)
    points, triangles = read_triangles(path)
    assert np.abs(points[triangles] - man().vertices[man().triangles]).max() < 1e-6


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\n"
                  b"property float y\nproperty float z\nend_header\n1234"),
        ("b.ply", b"ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n"
                  b"property float z\nend_header\n1 2 3\n"),
        ("c.stl", b" " * 80 + struct.pack("<I", 4_000_000_000) + b"123"),
        ("d.obj", b"v nan 1 2\n" * 4 + b"f 1 2 3\n" * 600),
        ("e.obj", b"v 0 1 2\n" * 4 + b"f 1 2 99\n" * 600),
        ("f.obj", b"v x y z\nf 1 2 3\n"),
        ("g.obj", b""),
        ("h.obj", b"v 0 0 0\n" * 4 + b"f 1 2 3\n" * 600),
    ],
)  # fmt: skip
def test_hostile_files_are_refused_in_one_line(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ToileError) as caught:
        fit_scan(tmp_path / name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_slopes_are_those_of_the_posed_skin() -> None:
    model = scan_model()
    pose = start_pose(model, "female", np.radians(30.0))
    rows = np.arange(0, model.skin_count, 400, dtype=np.int32)
    normals = np.tile([[0.6, 0.0, 0.8]], (len(rows), 1))
    slope = slopes(model, pose, rows, normals)
    rng = np.random.default_rng(0)
    step = 1e-5 * rng.normal(size=slope.shape[1])

    def along(at: ScanPose) -> Floats:
        return np.asarray((posed_skin(model, at, rows) * normals).sum(axis=1))

    change = along(pose_after_step(model, pose, step)) - along(pose_after_step(model, pose, -step))
    assert np.abs(change / 2 - slope @ step).max() < 1e-8


@pytest.mark.parametrize(
    ("unit", "factor", "file_from_ours"),
    [
        ("mm", 1000.0, np.eye(3)),
        ("cm", 100.0, Z_UP),
        ("inch", 1 / 0.0254, np.diag([-1.0, 1.0, -1.0])),
        ("m", 1.0, Z_UP @ np.diag([-1.0, -1.0, 1.0])),
    ],
)
def test_unit_up_and_facing_are_found(unit: str, factor: float, file_from_ours: Floats) -> None:
    points, triangles = with_floor(man().vertices, man().triangles)
    cloud = clean(points @ file_from_ours.T * factor, triangles[:, ::-1], "scan")
    facing = find_orientation(cloud.points, "scan")
    assert facing.unit == unit
    assert np.trace(facing.rotation @ file_from_ours) > 1 + 2 * np.cos(np.radians(12.0))


def test_a_size_that_no_unit_explains_is_refused() -> None:
    with pytest.raises(ToileError, match="neither mm, cm, m nor inches"):
        fit_surface(man().vertices * 7.0, man().triangles, "big.obj")


def test_a_noisy_scan_becomes_the_person(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    points, triangles = with_floor(
        man().vertices + rng.normal(scale=0.001, size=man().vertices.shape), man().triangles
    )
    path = tmp_path / "me.stl"
    write_stl(path, points @ Z_UP.T * 100, triangles)
    fit = fit_scan(path)
    assert fit.mean_error < 0.0015
    assert fit.high_error < 0.004
    for name in ("height", "bust", "waist", "hips", "thigh", "inseam"):
        assert fit.body.measurements[name] == pytest.approx(man().measurements[name], abs=0.015), name
    off = np.linalg.norm(fit.body.vertices - man().vertices, axis=1)
    assert off[~limb_mask(man().limb, *ROUGH)].mean() < 0.015
    assert "unit cm" in fit.summary()


PERSON = Findings(dict.fromkeys(LIMBS, 0.02), False, 0.01, 0.03, 8.0, 0.05, 0.1)
"""what a complete person shows"""


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({}, "^$"),
        ({"bare": {"head": 0.9}}, "head is missing"),
        ({"bare": {"left_forearm": 0.8, "left_hand": 1.0}}, "^missing: left forearm, left hand:"),
        ({"bare": {"left_hand": 0.5}}, "^$"),
        (
            {"bare": {"right_thigh": 0.5, "right_shin": 0.9}, "leg_bend": 0.8},
            "^missing: right thigh",
        ),
        ({"bare": {"torso": 0.4, "pelvis": 0.5, "head": 0.6}, "back": True}, "back is missing"),
        ({"bare": {"torso": 0.4, "pelvis": 0.5}, "back": False}, "front is missing"),
        ({"trunk_bend": 0.9}, "sits or bends"),
        ({"leg_bend": 0.75}, "sits or bends"),
        ({"off": 0.2, "strange": 25.0, "bare": {"pelvis": 0.4}}, "20% .* 2 cm .* clothing"),
        ({"rough": 0.08, "strange": 16.0}, "8% .* 1 cm .* clothing"),
        ({"rough": 0.06, "strange": 11.0}, "^$"),
        (
            {"lie": {"trunk": SurfaceOffset(0.008, 0.004)}},
            "round the trunk like cloth, 8 mm .* remove clothing",
        ),
        (
            {"lie": {"trunk": SurfaceOffset(0.004, 0.004), "leg": SurfaceOffset(0.004, 0.009)}},
            "hem on the leg.* 9 mm: remove",
        ),
        ({"lie": {"trunk": SurfaceOffset(0.004, 0.005), "arm": SurfaceOffset(0.004, 0.004)}}, "^$"),
        ({"off": 0.3, "strange": 45.0}, "not a person"),
        ({"off": 0.6}, "not a person"),
        ({"off": 0.4, "bare": {"left_hand": 1.0, "right_hand": 0.9, "neck": 0.6}}, "not a person"),
        ({"off": 0.2, "bare": {"left_foot": 1.0, "right_foot": 0.9}}, "sits or bends"),
    ],
)
def test_refusals_have_their_words(change: dict[str, object], word: str) -> None:
    values = {f.name: getattr(PERSON, f.name) for f in fields(PERSON)} | change
    values["bare"] = {**PERSON.bare, **change.get("bare", {})}  # type: ignore[dict-item]
    assert re.search(word, refusal(Findings(**values)))  # type: ignore[arg-type]


def test_the_findings_of_a_complete_person() -> None:
    model = scan_model()
    pose = start_pose(model, "male", np.radians(45.0))
    skin = posed_skin(model, pose)
    triangles = load_template().triangles
    found = inspect_fit(model, pose, Cloud(skin, vertex_normals(skin, triangles)))
    assert refusal(found) == ""
    assert found.off == 0.0
    assert max(found.bare.values()) < 0.02


@pytest.mark.parametrize(
    ("surface", "word"),
    [
        ((bent(man(), STOOPED["on a chair"]), man().triangles), "sits or bends"),
        ((bent(man(), STOOPED["squatting"]), man().triangles), "sits or bends"),
        (THINGS["bear"](), "not a person"),
    ],
)
def test_people_who_sit_and_toys_are_told_apart(surface: tuple[Floats, Ints], word: str) -> None:
    with pytest.raises(ToileError, match=word):
        fit_surface(*surface, "thing.obj")


def test_hems_and_folds_are_seen_ring_by_ring() -> None:
    gap = np.random.default_rng(0).normal(scale=0.001, size=len(man().vertices))
    smooth = surface_offsets(gap)
    assert max(lie.step for lie in smooth.values()) < 0.002
    assert max(lie.uneven for lie in smooth.values()) < 0.002
    # a sleeve that ends in the middle of the left arm: one step, even on both sides of it
    sleeve = template_rings()["left_arm"]
    half = sleeve.rows[: sleeve.start[len(sleeve.start) // 2]]
    gap[half] += 0.01
    assert surface_offsets(gap)["arm"].step == pytest.approx(0.01, abs=0.001)
    assert surface_offsets(gap)["leg"].step == smooth["leg"].step
    # folds all down the trunk
    trunk = template_rings()["trunk"].rows
    gap[trunk] += 0.01 * np.sin(12 * np.arctan2(man().vertices[trunk, 0], man().vertices[trunk, 2]))
    assert surface_offsets(gap)["trunk"].uneven > 0.006
    # holes tell nothing
    gap[:] = np.nan
    assert all(lie == SurfaceOffset(0.0, 0.0) for lie in surface_offsets(gap).values())


def test_simulated_clothes_are_refused_and_underwear_is_not() -> None:
    shirt = dress([draft("tshirt", man().measurements)], man(), edge_length=0.03)
    surface = dressed(man(), shirt.positions[-1], shirt.garment.triangles)
    with pytest.raises(ToileError, match="remove clothing"):
        fit_surface(*surface, "shirt.obj")
    with pytest.raises(ToileError, match=r"hem on the (trunk|arm).*remove clothing"):
        fit_surface(*in_shirt(man(), man().vertices, 0.015), "close_shirt.obj")
    worn = in_underwear(man(), bent(man(), POSES["arms down"]), 0.003)
    fit = fit_surface(*worn, "briefs.obj")
    assert fit.body.measurements["waist"] == pytest.approx(man().measurements["waist"], abs=0.01)


def test_a_torn_scan_in_t_pose_comes_back_to_the_a_pose() -> None:
    surface = in_parts(bent(man(), POSES["T"]), man().triangles[:, ::-1].copy())
    points, triangles = with_floor(*with_holes(*surface))
    fit = fit_surface(points @ Z_UP.T / 0.0254, triangles, "torn.obj")
    assert fit.facing.unit == "inch"
    assert fit.mean_error < 0.0015
    assert fit.high_error < 0.004
    # dark in the picture: some of the holes
    assert 0.005 < np.isnan(fit.gap).mean() < 0.1
    keep = ~limb_mask(man().limb, *ROUGH)
    moved = fit.body.vertices - (fit.body.vertices - man().vertices)[keep].mean(axis=0)
    assert surface_gap(man().vertices[keep], moved, man().triangles).mean() < 0.002
    for name in ("bust", "waist", "hips", "shoulder_width", "arm_length", "height"):
        assert fit.body.measurements[name] == pytest.approx(man().measurements[name], abs=0.015), name


def test_a_glb_without_a_skin_is_a_scan(tmp_path: Path) -> None:
    path = tmp_path / "scan.glb"
    points, faces = man().vertices.astype("<f4").tobytes(), man().triangles.astype("<u4").tobytes()
    tree = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0, "scale": [2, 2, 2], "translation": [1, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": len(man().vertices)},
            {"bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": man().triangles.size},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(faces)},
        ],
        "buffers": [{"byteLength": len(points) + len(faces)}],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text
    body += struct.pack("<I4s", len(points) + len(faces), b"BIN\0") + points + faces
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)
    assert is_scan(path)
    found, triangles = read_triangles(path)
    wanted = 2 * man().vertices + np.array([1.0, 0.0, 0.0])
    assert np.abs(found[triangles] - wanted[man().triangles]).max() < 1e-5


def test_doubts_are_told() -> None:
    tall = fit_surface(man().vertices * 1.12, man().triangles, "tall.obj")
    assert any("height of 200 cm" in doubt for doubt in tall.doubts)


def test_a_scan_without_a_head_is_refused() -> None:
    left = ~limb_mask(man().limb, "head", "neck")
    with pytest.raises(ToileError, match="head is missing"):
        fit_surface(man().vertices, man().triangles[left[man().triangles].all(axis=1)], "part.obj")


@pytest.mark.skipif("TOILE_SAMPLES" not in os.environ, reason="needs the sample files")
def test_a_foreign_body_is_fitted_and_measured() -> None:
    path = Path(os.environ["TOILE_SAMPLES"]) / "garmentcode_mean_female.obj"
    if not path.is_file():
        pytest.skip("no sample body")
    found = open_body(str(path)).measurements
    for name, wanted in {
        "height": 1.662,
        "bust": 0.974,
        "underbust": 0.807,
        "waist": 0.803,
        "hips": 1.041,
    }.items():
        assert found[name] == pytest.approx(wanted, abs=0.015), name
