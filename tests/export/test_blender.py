"""Exports opened in Blender: the right vertices at the right frames.

Needs a Python that has bpy (it wants its own NumPy, so its own environment): the path of that Python in
TOILE_BLENDER_PYTHON, or `make readers`, which puts it into .venv-bpy. Without it these tests are skipped.
"""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

import toile
from dressed_samples import recording
from folders import ROOT, SUPPORT
from toile.cli import main
from toile.core.records import Recording
from toile.export.gltf_motion import write_body_glb
from toile.export.library import export
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget

PYTHON = Path(os.environ.get("TOILE_BLENDER_PYTHON", ROOT / ".venv-bpy" / "bin" / "python"))
pytestmark = [
    pytest.mark.readers,
    pytest.mark.skipif(
        not PYTHON.exists(), reason="no Blender: run 'make readers' or set TOILE_BLENDER_PYTHON"
    ),
]
NEEDS = {".usdc": "pxr", ".usdz": "pxr", ".abc": "alembic3d"}


def run_blender(script: str, path: Path, out: Path, *words: object) -> None:
    command = [str(PYTHON), str(SUPPORT / script), str(path), str(out), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert out.exists(), done.stdout[-2000:] + done.stderr[-2000:]


def opened(path: Path, tmp_path: Path, frames: list[int], fps: int = 30) -> dict[str, np.ndarray]:
    out = tmp_path / "dump.npz"
    out.unlink(missing_ok=True)
    run_blender("blender_dump.py", path, out, fps, *frames)
    with np.load(out, allow_pickle=False) as found:
        return dict(found)


def compare(found: dict[str, np.ndarray], name: str, frame: int, want: np.ndarray, tolerance: float) -> None:
    key = next(k for k in found if k.lower().startswith(name) and k.endswith(f"@{frame}"))
    got = found[key]
    assert cKDTree(got).query(want)[0].max() < tolerance
    assert cKDTree(want).query(got)[0].max() < tolerance


def check(take: Recording, path: Path, tmp_path: Path, first: int, tolerance: float) -> None:
    export(take, path)
    numbers = [0, len(take.times) // 2, len(take.times) - 1]
    found = opened(path, tmp_path, [first + n for n in numbers])
    for n in numbers:
        compare(found, "tube", first + n, take.positions[n], tolerance)
        compare(found, "ball", first + n, take.body_vertices[n], tolerance)
    assert next(v for k, v in found.items() if k.startswith("tube") and k.endswith(":uv")) == 1


@pytest.mark.parametrize("suffix", [".usdc", ".usdz", ".abc"])
def test_points_in_order_at_the_right_frames(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip(NEEDS[suffix])
    check(recording(9), tmp_path / f"look{suffix}", tmp_path, first=1, tolerance=1e-5)


def test_glb(tmp_path: Path) -> None:
    check(recording(9), tmp_path / "look.glb", tmp_path, first=0, tolerance=1e-3)


def test_obj(tmp_path: Path) -> None:
    take = recording(2)
    export(take, tmp_path / "look.obj")
    found = opened(tmp_path / "look.obj", tmp_path, [1])
    compare(found, "tube", 1, take.positions[1], 1e-5)
    compare(found, "ball", 1, take.body_vertices[1], 1e-5)


# ---------------------------------------------------------------------------- the way back


@pytest.mark.parametrize(("suffix", "first"), [(".usdc", 1), (".glb", 0)])
def test_an_avatar_from_blender_goes_back_to_blender(
    tmp_path: Path, suffix: str, first: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """The body in the dressed file and the avatar as Blender itself poses it: the same skin in each frame."""
    pytest.importorskip("pxr")
    fps, frames = 25, 4
    made, avatar, back = tmp_path / "made.glb", tmp_path / f"avatar{suffix}", tmp_path / f"back{suffix}"
    body = toile.named_body("woman")
    track = replace(retarget(read_motion("walk"), body, fps=fps), fps=float(fps))
    write_body_glb(body, track, made)
    run_blender("blender_convert.py", made, avatar, fps)
    assert main(["draft", "skirt", "-o", str(tmp_path / "skirt.txt")]) == 0
    asked = ["walk", str(tmp_path / "skirt.txt"), "--edge", "10cm", "--seconds", str(frames / fps)]
    assert main([*asked, "--body", str(avatar), "--motion", str(avatar), "-o", str(back)]) in (0, 1), (
        capsys.readouterr()
    )
    numbers = [first, first + frames - 1]
    theirs, ours = opened(avatar, tmp_path, numbers, fps), opened(back, tmp_path, numbers, fps)
    for number in numbers:
        # Blender's exports start at its frame 1: the clip's first frame
        want = next(
            v
            for k, v in theirs.items()
            if k.lower().startswith(("body", "woman")) and k.endswith(f"@{number}")
        )
        compare(ours, "avatar", number, want, 1e-4)
        skirt = next(v for k, v in ours.items() if k.lower().startswith("skirt") and k.endswith(f"@{number}"))
        # and the skirt is on it
        assert np.linalg.norm((skirt.mean(axis=0) - want.mean(axis=0))[[0, 2]]) < 0.15
