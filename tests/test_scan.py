"""Scans: readers, orientation, unit, fit, refusals."""

from __future__ import annotations

import functools
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from toile.body import fit_scan, named_body, open_body
from toile.body.landmarks import limb_mask
from toile.body.scan import ROUGH, check_cover, fit_surface
from toile.body.scan_clean import Cloud, clean
from toile.body.scan_model import Pose, posed, scan_model, slopes, start_pose, stepped
from toile.body.scan_orient import find_facing
from toile.body.scan_read import read_triangles
from toile.body.skin import vertex_normals
from toile.errors import ToileError
from toile.types import Body, Bools, Floats, Ints

Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""file_from_ours"""


@functools.cache
def man() -> Body:
    return named_body("man")


def with_floor(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Return a surface that stands on a square of 2 m."""
    x, z = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-1, 1, 21))
    grid = np.stack([x.ravel(), np.zeros(441), z.ravel()], axis=1)
    i = np.arange(441).reshape(21, 21)
    a, b, c, d = (v.ravel() for v in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    floor = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]) + len(points)
    return np.concatenate([points, grid]), np.concatenate([triangles, floor]).astype(np.int32)


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

    def along(at: Pose) -> Floats:
        return np.asarray((posed(model, at, rows) * normals).sum(axis=1))

    change = along(stepped(model, pose, step)) - along(stepped(model, pose, -step))
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
    facing = find_facing(cloud.points, "scan")
    assert facing.unit == unit
    assert np.trace(facing.turn @ file_from_ours) > 1 + 2 * np.cos(np.radians(12.0))


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


@pytest.mark.parametrize(
    ("gone", "word"),
    [
        (limb_mask(man().limb, "head", "neck"), "head is missing"),
        (limb_mask(man().limb, "left_forearm", "left_hand"), "left forearm, left hand"),
        (man().vertices[:, 2] < -0.02, "back is missing"),
    ],
)
def test_missing_parts_are_named(gone: Bools, word: str) -> None:
    body = man()
    normals = vertex_normals(body.vertices, body.triangles)
    check_cover(body.vertices, Cloud(body.vertices, normals), 0.0, "part.obj")
    with pytest.raises(ToileError, match=word):
        check_cover(body.vertices, Cloud(body.vertices[~gone], normals[~gone]), 0.0, "part.obj")


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
