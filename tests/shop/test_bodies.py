"""Bodies from measures and scans; hostile files are refused with a reason, and the server lives on."""

import http.client
import io
import json
import struct
import time
import zipfile

import httpx
import numpy as np
import pytest

from shop_server import ShopServer
from toile.body.model.make import named_body


def head_of(data: bytes) -> tuple[dict[str, object], bytes]:
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def points_of(data: bytes) -> np.ndarray:
    head, blocks = head_of(data)
    steps = np.frombuffer(blocks, "<u2", 3 * head["count"]).reshape(-1, 3)
    low, high = np.array(head["low"]), np.array(head["high"])
    return low + steps / 65535 * (high - low)


def test_a_preview_is_the_body_that_is_kept(server: ShopServer) -> None:
    wanted = {"sex": "male", "measures": {"height": 1.83, "waist": 0.88}}
    with server.visitor() as visitor:
        preview = visitor.post("/api/bodies/preview", json=wanted)
        points = points_of(preview.content)
        assert head_of(preview.content)[0]["measures"]["waist"] == pytest.approx(0.88, abs=0.01)
        assert np.ptp(points[:, 1]) == pytest.approx(1.83, abs=0.02)
        body = visitor.post("/api/bodies", json=wanted).json()
        kept = visitor.get(body["vertices_url"]).content
        np.testing.assert_array_equal(points_of(kept), points)
        head, _ = head_of(visitor.get(body["mesh_url"]).content)
        assert head["vertices"] == len(points)


def test_what_nobody_measures_is_refused_in_words(server: ShopServer) -> None:
    with server.visitor() as visitor:
        answer = visitor.post("/api/bodies", json={"sex": "female", "measures": {"height": 3.4}})
        assert answer.status_code == 422
        assert "height" in answer.json()["error"]
        answer = visitor.post("/api/bodies", json={"sex": "female", "measures": {"waist": 7e9}})
        assert (answer.status_code, answer.json()["place"]) == (422, "measures.waist")


def scan(scale: float = 1.0) -> bytes:
    body = named_body("woman")
    lines = [f"v {x:.5f} {y:.5f} {z:.5f}" for x, y, z in body.vertices * scale]
    lines += [f"f {a} {b} {c}" for a, b, c in body.triangles + 1]
    return "\n".join(lines).encode()


def test_a_scan_becomes_a_body_and_its_height_is_asked(server: ShopServer) -> None:
    with server.visitor() as visitor:
        # millimetres, as many scanners write
        answer = visitor.post("/api/bodies/scan", params={"name": "Me"}, content=scan(1000.0))
        assert answer.status_code == 201, answer.text
        body = answer.json()
        tall = named_body("woman").measurements["height"]
        assert body["measures"]["height"] == pytest.approx(tall, abs=0.02)
        (question,) = [q for q in body["questions"] if q["id"] == "height"]
        assert question["text"].endswith("cm tall?")
        right = visitor.patch(f"/api/bodies/{body['id']}", json={"height": 1.6}).json()
        assert right["measures"]["height"] == pytest.approx(1.6)
        assert right["measures"]["waist"] == pytest.approx(
            body["measures"]["waist"] * 1.6 / question["value"]
        )
        assert right["questions"][0]["answered"]
        line = scan(1000.0).splitlines()[0]
        assert not any(line in path.read_bytes() for path in server.folder.rglob("*") if path.is_file())


def bomb() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scan.obj", b"0" * 50_000_000)
    return target.getvalue()


def lying_glb() -> bytes:
    return b"glTF" + struct.pack("<II", 2, 28) + struct.pack("<I4s", 0xFFFFFFF0, b"JSON") + b"{}  " * 2


def glb(content: dict[str, object]) -> bytes:
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    return b"glTF" + struct.pack("<III4s", 2, 20 + len(text), len(text), b"JSON") + text


PLY = (
    b"ply\nformat ascii 1.0\nelement vertex %d\n"
    + b"".join(b"property float %c\n" % c for c in b"xyz")
    + b"end_header\n"
)
ENTITY = (
    b"""<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><VTKFile>&x;</VTKFile>"""
)
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE z ['
    + b"".join(b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10 if i else b"ha") for i in range(10))
    + b"]><VTKFile>&a9;</VTKFile>"
)
HOSTILE = {
    "empty": b"",
    "a zip bomb": bomb(),
    "a glb that lies about its length": lying_glb(),
    "a glb with a way out": glb(
        {"asset": {"version": "2.0"}, "buffers": [{"uri": "../../secrets.txt", "byteLength": 99}]}
    ),
    "a glb with an address": glb(
        {"asset": {"version": "2.0"}, "buffers": [{"uri": "http://127.0.0.1/", "byteLength": 9}]}
    ),
    "a ply of four billion": PLY % 4_000_000_000,
    "a binary stl of four billion": b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 500,
    "an external entity": ENTITY,
    "a billion laughs": LAUGHS,
    "no numbers": b"v nan nan nan\nv inf 0 0\nv 0 0 0\nf 1 2 3\n",
    "huge numbers": b"v 1e300 1e300 1e300\nv 1e308 0 0\nv 0 0 0\nf 1 2 3\n",
    "one triangle": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "no triangle": b"v 0 0 0\n",
    "faces that are not there": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999\nf -5 1 2\n",
    "a program": b"\x7fELF" + bytes(5000),
    "a pickle": b"\x80\x04\x95cposix\nsystem\n(S'touch /tmp/toile-was-here'\ntR.",
    "deep": b'{"a":' * 200_000,
    "a cube": b"".join(b"v %d %d %d\n" % (i & 1, i >> 1 & 1, i >> 2) for i in range(8))
    + b"f 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 4 8 7\nf 1 3 7 5\nf 2 4 8 6\n",
}


SOME = ("a zip bomb", "a ply of four billion", "a pickle")
"""these are tried in every run, all of them by make test-shop"""


@pytest.mark.parametrize(
    "name", [*SOME, *(pytest.param(n, marks=pytest.mark.shop) for n in HOSTILE if n not in SOME)]
)
def test_hostile_scans_are_refused_with_a_reason(server: ShopServer, name: str) -> None:
    with server.visitor() as visitor:
        refused(server, visitor, "/api/bodies/scan", HOSTILE[name])


def refused(server: ShopServer, asker: httpx.Client, path: str, data: bytes, **params: str) -> None:
    start = time.monotonic()
    answer = asker.post(path, content=data, params=params)
    assert 400 <= answer.status_code < 500, answer.text
    assert len(answer.json()["error"]) > 10
    assert "Traceback" not in answer.text
    assert str(server.folder) not in answer.text
    # a bound against hanging, wide because other programs may keep the machine busy
    assert time.monotonic() - start < 30.0
    assert asker.get("/healthz").status_code == 200


def test_what_is_too_large_is_not_even_read(server: ShopServer) -> None:
    with server.visitor() as visitor:
        asked = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=30)
        asked.putrequest("POST", "/api/bodies/scan")
        asked.putheader("Content-Length", "99999999999")
        asked.endheaders()
        assert asked.getresponse().status == 413
        answer = visitor.post("/api/bodies", content=b"[" * 900_000)
        assert answer.status_code in (400, 422)
        answer = visitor.post("/api/bodies", content=b'{"sex": "female", "measures": {"height": NaN}}',
                              headers={"Content-Type": "application/json"})  # fmt: skip
        assert answer.status_code == 422
