"""What all exports share: the table of suffixes, a full disk, damaged frames."""

import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from dressed_samples import recording
from toile.errors import ToileError
from toile.export import EXPORTS, clip, export
from toile.export.gltf_motion import write_glb
from toile.export.point_cache import write_point_cache
from toile.run.record import RecordedFile, save_recording, sound_frames

LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from dressed_samples import recording
from toile.errors import ToileError
from toile.export import export
resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
for suffix in (".glb", ".obj", ".pc2", ".toile"):
    try:
        export(recording(40), sys.argv[1] + "/look" + suffix)
    except ToileError as error:
        print(suffix, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="uses a limit of Linux on the size of files")
def test_nothing_half_written_is_left_when_the_disk_is_full(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, str(tmp_path), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [".glb", ".obj", ".pc2", ".toile"]
    assert all("cannot write" in line and "File too large" in line for line in lines)
    left = {p.name for p in tmp_path.iterdir()}
    assert left <= {"look.mtl"}  # whole, and small enough


def test_no_room_is_said_before_the_work_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(clip.shutil, "disk_usage", lambda _: usage(10, 9, 1))
    with pytest.raises(ToileError, match="no room for about"):
        write_point_cache(recording(4), tmp_path / "look.pc2")
    assert not list(tmp_path.iterdir())


def test_whole_frames_of_a_damaged_file_can_be_exported(tmp_path: Path) -> None:
    path = tmp_path / "look.toile"
    save_recording(recording(6), path)
    data = bytearray(path.read_bytes())
    with RecordedFile(path) as recorded:
        data[recorded._reader.frame_end(2) + 2000] ^= 1
    path.write_bytes(data)
    with pytest.raises(ToileError, match=r"look\.toile: frame 2 is damaged"):
        write_glb(path, tmp_path / "look.glb")
    with RecordedFile(path) as recorded:
        whole = [n for n, _ in sound_frames(recorded)]
        write_point_cache(recorded, tmp_path / "look.mdd", frames=whole)
    data_points = np.frombuffer((tmp_path / "look.mdd").read_bytes(), ">i4", 2)
    assert data_points[0] == 5


@pytest.mark.parametrize("suffix", [".toile", ".glb", ".obj", ".pc2", ".mdd", ".PNG"])
def test_export_picks_by_suffix(tmp_path: Path, suffix: str) -> None:
    assert suffix.lower() in EXPORTS
    options = {"height": 64, "views": ["front"]} if suffix == ".PNG" else {}
    export(recording(2), tmp_path / f"look{suffix}", **options)
    assert (tmp_path / f"look{suffix}").stat().st_size > 500
