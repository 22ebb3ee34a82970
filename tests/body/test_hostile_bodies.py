"""Broken and hostile bodies, opened in another process: one line each, in little time and memory."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

from folders import SUPPORT

# 5 s on a quiet machine; processor time grows where others share the caches
SECONDS, BYTES = 10.0, 2**30


def glb(tree: bytes, data: bytes = b"", *, lie: int = 0) -> bytes:
    """Return a GLB file of these chunks; lie is added to the length of the first."""
    tree += b" " * (-len(tree) % 4)
    body = (
        struct.pack("<I4s", len(tree) + lie, b"JSON") + tree + struct.pack("<I4s", len(data), b"BIN\0") + data
    )
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def many_nodes() -> bytes:
    """Return a GLB in which 4000 nodes show the same mesh of 50,000 triangles."""
    count = 50_000
    data = np.zeros((3 * count, 3), dtype="<f4").tobytes()
    tree = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}] * 4000,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3 * count}],
        "bufferViews": [{"buffer": 0, "byteLength": len(data)}],
        "buffers": [{"byteLength": len(data)}],
    }
    return glb(json.dumps(tree).encode(), data)


def outside() -> bytes:
    """Return a GLB whose data lies in another file."""
    tree = {
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1}],
        "bufferViews": [{"buffer": 0, "byteLength": 12}],
        "buffers": [{"uri": "../../secret.bin"}],
    }
    return glb(json.dumps(tree).encode())


def zip_bomb(names: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in names.items():
            file.writestr(name, data)
    return buffer.getvalue()


def huge_npy() -> bytes:
    """Return 136 bytes that ask for 745 GiB."""
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,), }"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head) + 1) + head + b"\n"


EVIL = b"cbuiltins\nprint\n(S'the sender ran code'\ntR."
"""a pickle that speaks when it is opened"""
OBJECTS = (
    b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(117) + b"\n"
)


def files() -> dict[str, bytes]:
    deep = b'{"a":' * 200_000
    axes = b"property float x\nproperty float y\nproperty float z\n"
    head = b"ply\nformat %s 1.0\nelement vertex 4000000000\n" + axes
    return {
        "vertices.ply": head % b"binary_little_endian" + b"end_header\n1234",
        "text.ply": head % b"ascii" + b"end_header\n1 2 3\n",
        "lines.ply": b"ply\nformat ascii 1.0\nelement vertex 0\n" + axes + b"element face 1000000\n"
        b"property list uchar int v\nend_header\n" + b"3 0 0 0\n" * 1_000_000,
        "triangles.stl": b" " * 80 + struct.pack("<I", 4_000_000_000) + b"123",
        "flat.stl": b" " * 80 + struct.pack("<I", 400_000) + b"\0" * 50 * 400_000,
        "text.stl": b"solid x\n" + b"vertex 1 2 3\n" * 2_200_000,
        "nan.obj": b"v nan 1 2\n" * 4 + b"f 1 2 3\n" * 600,
        "points.obj": b"v 0 0 0\n" * 5_000_000,
        "faces.obj": b"v 0 0 0\n" * 4 + b"f 1 2 3\n" * 2_200_000,
        "polygon.obj": b"v 0 0 0\n" * 4 + b"f" + b" 1" * 10_000_000,
        "one.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "none.obj": b"",
        "chunk.glb": glb(b"{}", lie=2**31),
        "deep.glb": glb(deep),
        "numbers.glb": glb(b'{"nodes": [{"translation": [1e999, NaN, 0]}]}'),
        "nodes.glb": many_nodes(),
        "outside.glb": outside(),
        "bomb.vtp": b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaaaaaaaa">]><VTKFile type="PolyData">&a;</VTKFile>',
        "deep.vtp": b"<a>" * 2_000_000,
        "empty.toile": b"",
        "bomb.toile": zip_bomb({"vertices.npy": b"\0" * 300_000_000, "meta.json": b"{}"}),
        "huge.toile": zip_bomb({"vertices.npy": huge_npy(), "meta.json": b'{"kind": "body"}'}),
        "pickle.npz": zip_bomb({"poses.npy": OBJECTS + EVIL}),
        "deep.bvh": b"HIERARCHY\nROOT a\n{\n" + b"JOINT b\n{\n" * 300_000,
    }  # fmt: skip


def test_hostile_bodies_cost_little(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, data in files().items():
        (folder / name).write_bytes(data)
    worker = SUPPORT / "hostile_bodies.py"
    done = subprocess.run(
        [sys.executable, str(worker), str(folder)], capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "the sender ran code" not in done.stdout
    *results, last = (json.loads(line) for line in done.stdout.splitlines())
    assert {r["name"] for r in results} == set(files())
    for result in results:
        assert result["said"], f"{result['name']} was accepted"
        assert "\n" not in result["said"]
        assert result["seconds"] < SECONDS, result
    assert last["peak"] < BYTES, f"{last['peak'] >> 20} MB"
