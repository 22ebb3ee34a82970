"""Motions by name and by file; pose files without pickle."""

import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

from toile.body.model.make import named_body
from toile.body.model.skin import pose_body
from toile.core.errors import ToileError
from toile.core.records import LIMBS
from toile.geometry.rotation import inverse, multiply, to_vector
from toile.motion.files.bvh import write_bvh
from toile.motion.kinematics import joint_positions
from toile.motion.library import MOTIONS, read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import pose_at


@pytest.mark.parametrize("name", list(MOTIONS))
def test_our_motions_loop_smoothly(name: str) -> None:
    motion = read_motion(name)
    assert motion.loop or name == "tour"  # which travels along a bend and ends there
    if motion.loop:
        ends = to_vector(multiply(inverse(motion.rotations[0]), motion.rotations[-1]))
        assert np.abs(ends).max() < 1e-6
    at = joint_positions(motion)
    speed = np.linalg.norm(np.diff(at, axis=0), axis=-1) * motion.fps
    assert speed.max() < 9.0
    # nobody sinks into the floor or flies away
    assert -0.02 < at[..., 1].min() < 0.3
    assert 1.0 < at[..., 1].max() < 2.3


@pytest.mark.parametrize("name", ["idle", "turn", "sit", "reach"])
def test_acts_on_a_body(name: str) -> None:
    body = named_body("woman")
    track = retarget(read_motion(name, fps=15.0), body)
    # no arm goes through the head, nor its sleeve
    head = body.limb == LIMBS.index("head")
    arms = np.isin(body.limb, [n for n, limb in enumerate(LIMBS) if limb.endswith(("arm", "hand"))])
    for time in np.arange(0.0, track.duration, 0.2):
        skin = pose_body(body, pose_at(track, time)).vertices
        assert cKDTree(skin[head]).query(skin[arms])[0].min() > 0.03, time
    assert track.report["foot_slide"] < 0.01
    assert track.report["floor_depth"] < 0.002
    assert track.report["knee_least"] > 0.0
    assert track.report["arm_depth"] < 0.004
    if name == "sit":
        hips = track.world_from_joint[:, 0, 1, 3]
        assert hips.min() < 0.65 * hips.max()
    if name == "turn":
        ahead = pose_at(track, 0.5 * track.duration)[0, :3, 0] @ pose_at(track, 0.0)[0, :3, 0]
        assert ahead < -0.9


def test_unknown_motions_and_settings_are_named() -> None:
    with pytest.raises(ToileError, match="moonwalk"):
        read_motion("moonwalk")
    with pytest.raises(ToileError, match="speed"):
        read_motion("walk", speed=3.0)
    with pytest.raises(ToileError, match="cannot read"):
        read_motion("nothing_here.bvh")
    with pytest.raises(ToileError, match=r"nothing_here\.npz"):
        read_motion("nothing_here.npz")


def test_files_start_at_the_origin_facing_ahead(tmp_path: Path) -> None:
    aside = MOTIONS["walk"](heading=2.0)
    write_bvh(aside, tmp_path / "aside.bvh")
    motion = read_motion(tmp_path / "aside.bvh")
    assert np.allclose(motion.translation[0, [0, 2]], 0, atol=1e-6)
    way = motion.translation[-1] - motion.translation[0]
    assert np.hypot(way[0], way[2]) == pytest.approx(1.4, abs=1e-3)
    assert way[2] > 1.38


def poses(frames: int = 10) -> np.ndarray:
    """Standing in SMPL's T-pose in a world with z up, the left elbow bending."""
    turns = np.zeros((frames, 156))
    turns[:, 0] = np.pi / 2
    turns[:, 18 * 3 + 1] = -np.linspace(0, 1.2, frames)
    return turns


def test_smpl_poses_are_read(tmp_path: Path) -> None:
    path = tmp_path / "walk_poses.npz"
    way = np.column_stack([np.zeros(10), -np.linspace(0, 1, 10), np.full(10, 0.95)])
    np.savez(path, poses=poses(), trans=way, mocap_framerate=120.0, betas=np.zeros(16), gender="female")
    motion = read_motion(path)
    assert motion.fps == 120.0
    at = joint_positions(motion)
    head, hips = (at[:, motion.names.index(name)] for name in ("head", "pelvis"))
    assert (head[:, 1] - hips[:, 1] > 0.5).all()
    assert hips[-1, 2] - hips[0, 2] == pytest.approx(1.0, abs=1e-6)
    elbow, wrist = (at[:, motion.names.index(f"left_{name}")] for name in ("elbow", "wrist"))
    bend = wrist - elbow
    assert bend[0, 0] > 0.24
    assert bend[-1, 2] > 0.2
    report = retarget(motion, named_body("man"), 60.0).report
    assert report["elbow_most"] > 60


def test_parts_of_poses_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "parts.npz"
    np.savez_compressed(path, root_orient=poses()[:, :3], pose_body=poses()[:, 3:66], trans=np.zeros((10, 3)))
    assert len(read_motion(path).translation) == 10


def raw_npz(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return path


def npy(shape: tuple[int, ...], kind: str = "<f8", data: bytes = b"") -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}".encode()
    text += b" " * (64 - (len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("trap_was_sprung",)


def test_hostile_pose_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pickled = io.BytesIO()
    np.save(pickled, np.array([Trap()], dtype=object), allow_pickle=True)
    good = io.BytesIO()
    np.save(good, poses())
    bad = {
        "huge": raw_npz(tmp_path / "a.npz", poses=npy((10**9, 156))),
        "pickle": raw_npz(tmp_path / "b.npz", poses=pickled.getvalue()),
        "short": raw_npz(tmp_path / "c.npz", poses=npy((10, 156), data=b"\0" * 100)),
        "header": raw_npz(tmp_path / "d.npz", poses=b"\x93NUMPY\x01\x00\xff\xff"),
        "thin": raw_npz(tmp_path / "e.npz", poses=npy((10, 9), data=b"\0" * 720)),
        "empty": raw_npz(tmp_path / "f.npz"),
        "nan": raw_npz(tmp_path / "g.npz", poses=npy((2, 66), data=np.full(132, np.nan).tobytes())),
        "rate": raw_npz(
            tmp_path / "h.npz", poses=good.getvalue(), fps=npy((), data=np.array(-5.0).tobytes())
        ),
        "path": raw_npz(tmp_path / "i.npz", poses=good.getvalue(), trans=npy((2, 3), data=b"\0" * 48)),
    }
    (tmp_path / "j.npz").write_bytes(b"not a zip at all")
    for path in (*bad.values(), tmp_path / "j.npz"):
        with pytest.raises(ToileError, match=path.name):
            read_motion(path)
    assert not Path("trap_was_sprung").exists()
