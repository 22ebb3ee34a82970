"""What all exports share: the table of suffixes, a full disk, damaged frames."""

import importlib.util
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dressed_samples import recording
from folders import SUPPORT
from toile.cli import main
from toile.core.errors import ToileError
from toile.export.gltf_motion import write_glb
from toile.export.library import EXPORTS, export
from toile.export.page import built_page
from toile.export.point_cache import write_point_cache
from toile.jobs import exporting
from toile.render.film import Shot
from toile.store import clip
from toile.store.record import RecordedFile, save_recording, sound_frames

NEEDS = {".abc": "alembic3d", ".mp4": "imageio_ffmpeg"} | dict.fromkeys(
    (".usd", ".usdc", ".usda", ".usdz"), "pxr"
)
LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from dressed_samples import recording
from toile.core.errors import ToileError
from toile.export.library import export
from toile.render.film import Shot
from toile.render.picture import Studio
film = {"shot": Shot(width=96, height=128), "studio": Studio(sky_count=12, key_count=2, samples=1)}
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
for suffix in sys.argv[3:]:
    try:
        options = film if suffix in (".gif", ".mp4", ".png") else {}
        export(recording(40), sys.argv[1] + "/look" + suffix, **options)
    except ToileError as error:
        print(suffix, error)
"""


def page_is_built() -> bool:
    try:
        built_page()
    except ToileError:
        return False
    return True


def installed(suffix: str) -> bool:
    if suffix in (".html", ""):
        return page_is_built()
    return suffix not in NEEDS or importlib.util.find_spec(NEEDS[suffix]) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="uses a limit of Linux on the size of files")
def test_nothing_half_written_is_left_when_the_disk_is_full(tmp_path: Path) -> None:
    for suffix in EXPORTS:
        # a result from before stays as it was
        (tmp_path / f"look{suffix}").write_bytes(b"from before")
    # a folder's files are of other sizes, and .play fits into what is allowed here
    suffixes = [suffix for suffix in EXPORTS if suffix not in ("", ".play") and installed(suffix)]
    command = [sys.executable, "-c", LIMITED, str(tmp_path), str(SUPPORT), *suffixes]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == suffixes
    for line, suffix in zip(lines, suffixes, strict=True):
        assert "cannot write" in line
        assert f"{tmp_path}/look" in line, line
        assert "File too large" in line or suffix == ".mp4", line  # the encoder does not say why it ended
        assert (tmp_path / f"look{suffix}").read_bytes() == b"from before"
    left = {p.name for p in tmp_path.iterdir()} - {f"look{suffix}" for suffix in EXPORTS}
    assert left <= {"look.mtl"}  # whole, and small enough


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can write")
@pytest.mark.parametrize("suffix", EXPORTS)
def test_a_folder_that_cannot_be_written_is_one_line(suffix: str) -> None:
    if not installed(suffix):
        pytest.skip(f"{NEEDS.get(suffix, 'the page')} is not there")
    with pytest.raises(ToileError, match="cannot write /proc/look") as caught:
        export(recording(3), f"/proc/look{suffix}")
    assert "\n" not in str(caught.value)


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


def test_the_whole_frames_of_a_file_that_breaks_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "look.toile"
    save_recording(recording(6), path)
    with RecordedFile(path) as recorded:
        end = recorded._reader.frame_end(4)
    path.write_bytes(path.read_bytes()[: end + 500])
    assert main(["export", str(path), "-o", str(tmp_path / "look.mdd")]) == 0
    assert "it has 4 whole frames, frame 4 is missing or cut" in capsys.readouterr().out
    assert np.frombuffer((tmp_path / "look.mdd").read_bytes(), ">i4", 2)[0] == 4


@pytest.mark.parametrize("suffix", [".toile", ".glb", ".obj", ".pc2", ".mdd", ".PNG"])
def test_export_picks_by_suffix(tmp_path: Path, suffix: str) -> None:
    assert suffix.lower() in EXPORTS
    options = {"height": 64, "views": ["front"]} if suffix == ".PNG" else {}
    export(recording(2), tmp_path / f"look{suffix}", **options)
    assert (tmp_path / f"look{suffix}").stat().st_size > 500


# ---------------------------------------------------------------------------- the command line


def test_what_moves_is_a_strip_and_a_sequence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    look = tmp_path / "look.toile"
    save_recording(recording(5), look)
    assert main(["export", str(look), "-o", str(tmp_path / "a.obj"), "-o", str(tmp_path / "a.png")]) == 0
    names = {p.name for p in tmp_path.iterdir()}
    assert names == {"look.toile", "a.mtl", "a.png", *(f"a_{n:04d}.obj" for n in range(1, 6))}
    assert "a_0001.obj … a_0005.obj" in capsys.readouterr().out
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (5 * 300, 480)
    one = ["--frame", "2", "--view", "front"]
    assert (
        main(["export", str(look), *one, "-o", str(tmp_path / "b.obj"), "-o", str(tmp_path / "b.png")]) == 0
    )
    points = [line.split()[1:] for line in (tmp_path / "b.obj").read_text().splitlines() if line[:2] == "v "]
    body = len(recording(1).body.vertices)  # type: ignore[union-attr]
    np.testing.assert_allclose(np.array(points[body:], float), recording(5).positions[2], atol=1e-5)
    with Image.open(tmp_path / "b.png") as image:
        assert image.size[0] < image.size[1]  # one view


def test_a_turntable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = tmp_path / "look.toile"
    save_recording(recording(5), look)
    monkeypatch.setitem(exporting.SHOTS, ".gif", Shot(width=48, height=64))
    asked = ["--turns", "1", "--view", "0", "--camera", "stand"]
    assert main(["export", str(look), *asked, "-o", str(tmp_path / "a.gif")]) == 0
    with Image.open(tmp_path / "a.gif") as image:
        front = np.asarray(image.convert("RGB")).astype(int)
        image.seek(image.n_frames // 2)
        back = np.asarray(image.convert("RGB")).astype(int)
    assert (front[..., 0] > 1.5 * front[..., 2]).mean() > 0.1  # red in front
    assert (back[..., 2] > 1.5 * back[..., 0]).mean() > 0.1  # blue behind


@pytest.mark.parametrize(
    "wrong", [["--frame", "5"], ["--frame", "-1"], ["--view", "below"], ["--view", "nan"], ["--turns", "1e9"]]
)
def test_what_cannot_be_shown_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    save_recording(recording(5), tmp_path / "look.toile")
    assert main(["export", str(tmp_path / "look.toile"), *wrong, "-o", str(tmp_path / "a.png")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["look.toile"]
