"""PC2 and MDD files, read back from their published layouts."""

import struct
from pathlib import Path

import numpy as np

from dressed_samples import recording
from toile.export.library import export


def test_pc2(tmp_path: Path) -> None:
    take = recording(4)
    export(take, tmp_path / "look.pc2")
    for name, want in (("look", take.positions), ("look_body", take.body_vertices)):
        data = (tmp_path / f"{name}.pc2").read_bytes()
        mark, version, points, start, rate, samples = struct.unpack_from("<12siiffi", data)
        assert (mark, version, start, rate) == (b"POINTCACHE2\0", 1, 0.0, 1.0)
        assert (samples, points) == want.shape[:2]
        got = np.frombuffer(data, "<f4", offset=32).reshape(want.shape)
        np.testing.assert_allclose(got, want, atol=1e-6)
        # the OBJ beside it has the same points in the same order
        text = (tmp_path / f"{name}.obj").read_text().splitlines()
        first = np.array([line.split()[1:] for line in text if line.startswith("v ")], dtype=float)
        np.testing.assert_allclose(first, want[0], atol=1e-6)


def test_mdd(tmp_path: Path) -> None:
    take = recording(4)
    export(take, tmp_path / "look.mdd", frames=[1, 2, 3])
    data = (tmp_path / "look.mdd").read_bytes()
    assert struct.unpack_from(">ii", data) == (3, take.garment.particle_count)
    np.testing.assert_allclose(np.frombuffer(data, ">f4", 3, 8), take.times[1:] - take.times[1], atol=1e-6)
    got = np.frombuffer(data, ">f4", offset=20).reshape(3, -1, 3)
    np.testing.assert_allclose(got, take.positions[1:], atol=1e-6)
