"""Surface files: every encoding of the same small surface reads alike, lies are refused."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.core.records import Floats, Ints
from toile.io.surfaces import read_triangles

N = 24


def quads() -> tuple[Floats, Ints]:
    """Return a bumpy sheet of N × N squares."""
    x, z = np.meshgrid(np.arange(N + 1.0), np.arange(N + 1.0))
    points = np.stack([x.ravel(), np.sin(x.ravel()) / 2, z.ravel()], axis=1)
    i = np.arange((N + 1) ** 2).reshape(N + 1, N + 1)
    a, b, c, d = (v.ravel() for v in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    return points, np.stack([a, b, c, d], axis=1).astype(np.int32)


def faces() -> list[list[int]]:
    """Return the squares, every third one as two triangles."""
    found: list[list[int]] = []
    for i, (a, b, c, d) in enumerate(quads()[1].tolist()):
        found += [[a, b, c], [a, c, d]] if i % 3 == 0 else [[a, b, c, d]]
    return found


def wanted() -> Floats:
    points, squares = quads()
    a, b, c, d = squares.T
    triangles = np.stack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)], axis=1).reshape(-1, 3)
    return points[triangles]


def check(path: Path) -> None:
    points, triangles = read_triangles(path)
    assert np.abs(points[triangles] - wanted()).max() < 1e-5


def array(name: str, values: np.ndarray, form: str, header: str, packed: bool, appended: list[bytes]) -> str:
    """Return a DataArray; appended collects the data behind the tree."""
    kind = {"f": "Float32", "i": "Int64"}[values.dtype.kind]
    start = f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="3" '
    if form == "ascii":
        return start + 'format="ascii">' + " ".join(str(v) for v in values.ravel()) + "</DataArray>"
    raw = values.tobytes()
    length = {"UInt32": "<I", "UInt64": "<Q"}[header]
    if packed:
        size = 1000
        blocks = [zlib.compress(raw[i : i + size]) for i in range(0, len(raw), size)]
        numbers = [len(blocks), size, len(raw) % size, *(len(b) for b in blocks)]
        head, data = b"".join(struct.pack(length, n) for n in numbers), b"".join(blocks)
    else:
        head, data = b"", struct.pack(length, len(raw)) + raw
    if form == "raw":
        offset = sum(len(a) for a in appended)
        appended.append(head + data)
        return start + f'format="appended" offset="{offset}"/>'
    text = (base64.b64encode(head) + base64.b64encode(data)) if packed else base64.b64encode(data)
    if form == "appended":
        offset = sum(len(a) for a in appended)
        appended.append(text)
        return start + f'format="appended" offset="{offset}"/>'
    return start + f'format="binary">\n{text.decode()}\n</DataArray>'


def write_vtp(path: Path, form: str = "ascii", header: str = "UInt32", packed: bool = False) -> None:
    points, appended = quads()[0].astype("<f4"), list[bytes]()
    corners = np.array([c for face in faces() for c in face], dtype="<i8")
    ends = np.cumsum([len(face) for face in faces()]).astype("<i8")

    def part(name: str, values: np.ndarray) -> str:
        return array(name, values, form, header, packed, appended)

    compressor = ' compressor="vtkZLibDataCompressor"' if packed else ""
    text = f'<?xml version="1.0"?><VTKFile type="PolyData" byte_order="LittleEndian" header_type="{header}"'
    text += f"{compressor}><PolyData><Piece><PointData></PointData><Points>{part('Points', points)}</Points>"
    text += f"<Polys>{part('connectivity', corners)}{part('offsets', ends)}</Polys></Piece></PolyData>"
    behind = b""
    if appended:
        coding = "raw" if form == "raw" else "base64"
        behind = f'<AppendedData encoding="{coding}">_'.encode() + b"".join(appended) + b"</AppendedData>"
    path.write_bytes(text.encode() + behind + b"</VTKFile>")


@pytest.mark.parametrize("form", ["ascii", "binary", "appended", "raw"])
@pytest.mark.parametrize("header", ["UInt32", "UInt64"])
@pytest.mark.parametrize("packed", [False, True])
def test_every_coding_of_vtp(tmp_path: Path, form: str, header: str, packed: bool) -> None:
    write_vtp(tmp_path / "a.vtp", form, header, packed)
    check(tmp_path / "a.vtp")


def test_strips_of_vtp(tmp_path: Path) -> None:
    points, _ = quads()
    rows = np.arange((N + 1) ** 2).reshape(N + 1, N + 1)
    strips = np.stack([rows[:-1], rows[1:]], axis=2).reshape(N, -1)
    text = '<VTKFile type="PolyData"><PolyData><Piece><Points><DataArray type="Float64" format="ascii">'
    text += " ".join(str(v) for v in points.ravel()) + "</DataArray></Points><Strips>"
    text += '<DataArray type="Int32" Name="connectivity">' + " ".join(map(str, strips.ravel()))
    text += '</DataArray><DataArray type="Int32" Name="offsets">'
    text += " ".join(str((i + 1) * strips.shape[1]) for i in range(N)) + "</DataArray></Strips>"
    (tmp_path / "a.vtp").write_text(text + "</Piece></PolyData></VTKFile>")
    found, triangles = read_triangles(tmp_path / "a.vtp")
    a, b, c = (found[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    # a sheet seen from one side: the same area, all triangles the same way round
    assert (normal[:, 1] > 0).all() or (normal[:, 1] < 0).all()
    assert len(triangles) == 2 * N * N


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("extra", [False, True])
def test_polygons_of_ply(tmp_path: Path, form: str, extra: bool) -> None:
    points, _ = quads()
    order = ">" if "big" in form else "<"
    more = "property uchar red\nproperty float quality\n" if extra else ""
    header = (
        f"ply\nformat {form} 1.0\ncomment a sheet\nelement vertex {len(points)}\nproperty float x\n"
        f"property float y\nproperty float z\n{more}element face {len(faces())}\n"
        f"property list uchar int vertex_indices\n{more}end_header\n"
    )
    body = []
    if form == "ascii":
        behind = " 7 0.5" if extra else ""
        body += [f"{x} {y} {z}{behind}" for x, y, z in points]
        body += [f"{len(f)} {' '.join(map(str, f))}{behind}" for f in faces()]
        data = "\n".join(body).encode() + b"\n"
    else:
        behind_raw = struct.pack(order + "Bf", 7, 0.5) if extra else b""
        data = b"".join(struct.pack(order + "3f", *p) + behind_raw for p in points)
        data += b"".join(struct.pack(f"{order}B{len(f)}i", len(f), *f) + behind_raw for f in faces())
    (tmp_path / "a.ply").write_bytes(header.encode() + data)
    check(tmp_path / "a.ply")


@pytest.mark.parametrize("corner", ["{0}", "{0}/{0}", "{0}//{0}", "{0}/1/{0}"])
def test_polygons_of_obj(tmp_path: Path, corner: str) -> None:
    points, _ = quads()
    lines = ["# a sheet", "o sheet"] + [f"v  {x} {y}\t{z} 0.5 0.5 0.5" for x, y, z in points]
    lines += ["vn 0 1 0", "vt 0 0"] + ["f " + " ".join(corner.format(c + 1) for c in f) for f in faces()]
    (tmp_path / "a.obj").write_bytes("\r\n".join(lines).encode())
    check(tmp_path / "a.obj")


def test_obj_may_count_backwards(tmp_path: Path) -> None:
    points, _ = quads()
    half = len(points) // 2
    lines = [f"v {x} {y} {z}" for x, y, z in points[:half]]
    early = [f for f in faces() if max(f) < half]
    lines += ["f " + " ".join(str(c - half) for c in f) for f in early]
    lines += [f"v {x} {y} {z}" for x, y, z in points[half:]]
    lines += ["f " + " ".join(str(c - len(points)) for c in f) for f in faces()[len(early) :]]
    (tmp_path / "a.obj").write_text("\n".join(lines))
    check(tmp_path / "a.obj")


def test_text_stl(tmp_path: Path) -> None:
    lines = ["solid sheet"]
    for triangle in wanted():
        lines += ["facet normal 0 1 0", " outer loop"]
        lines += [f"  vertex {x:e} {y:e} {z:e}" for x, y, z in triangle] + [" endloop", "endfacet"]
    (tmp_path / "a.stl").write_text("\n".join([*lines, "endsolid"]))
    check(tmp_path / "a.stl")


VTP = (
    b'<VTKFile type="PolyData" header_type="UInt64"%s><PolyData><Piece><Points>%s</Points></Piece></PolyData>'
)
DATA = b'<DataArray type="Float32" format="%s" offset="%s">%s</DataArray>'
BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>'


def coded(*numbers: int) -> bytes:
    return base64.b64encode(struct.pack(f"<{len(numbers)}Q", *numbers))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bomb.vtp", BOMB + VTP % (b"", b"") + b"</VTKFile>"),
        ("deep.vtp", b"<a>" * 300_000),
        ("kind.vtp", b'<VTKFile type="ImageData"></VTKFile>'),
        ("short.vtp", VTP % (b"", DATA % (b"binary", b"0", coded(2**62))) + b"</VTKFile>"),
        ("no64.vtp", VTP % (b"", DATA % (b"binary", b"0", b"?!?!")) + b"</VTKFile>"),
        ("behind.vtp", VTP % (b"", DATA % (b"appended", b"999", b"")) + b'<AppendedData encoding="raw">_1'),
        (
            "blocks.vtp",
            VTP % (b' compressor="vtkZLibDataCompressor"', DATA % (b"binary", b"0", coded(2**60, 1, 1)))
            + b"</VTKFile>",
        ),
        (
            "zip.vtp",
            VTP % (b' compressor="vtkZLibDataCompressor"', DATA % (b"binary", b"0", coded(1, 2**50, 0, 4)))
            + b"</VTKFile>",
        ),
        ("lzma.vtp", VTP % (b' compressor="vtkLZMADataCompressor"', b"") + b"</VTKFile>"),
        (
            "faces.ply",
            b"ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
            b"property float z\nelement face 1000\nproperty list int int v\nend_header\n\xff\xff\xff\x7f",
        ),
        ("huge.obj", b"v 0 0 0\n" * 4 + b"f 1e300 2 3\n" * 600),
        ("words.obj", b"v 0 0 0\n" * 4 + b"f one two three\n" * 600),
    ],
)
def test_lies_are_refused_in_one_line(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ToileError) as caught:
        read_triangles(tmp_path / name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
