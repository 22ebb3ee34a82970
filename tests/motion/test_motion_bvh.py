"""BVH files: what is read is what was meant, and broken files say where they are broken."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.core.records import Motion
from toile.geometry.rotation import from_euler, from_vector, multiply, to_matrix
from toile.motion.files.bvh import read_bvh, write_bvh
from toile.motion.kinematics import joint_positions

BONES = {  # name: (parent, offset in cm)
    "Hips": ("", (0, 90, 0)),
    "Spine": ("Hips", (0, 20, 0)),
    "Neck": ("Spine", (0, 30, 0)),
    "Head": ("Neck", (0, 10, 0)),
    "LeftUpLeg": ("Hips", (9, 0, 0)),
    "LeftLeg": ("LeftUpLeg", (0, -42, 0)),
    "LeftFoot": ("LeftLeg", (0, -42, 0)),
    "RightUpLeg": ("Hips", (-9, 0, 0)),
    "RightLeg": ("RightUpLeg", (0, -42, 0)),
    "RightFoot": ("RightLeg", (0, -42, 0)),
}


def person(frames: int = 5, seed: int = 3, scale: float = 0.01) -> Motion:
    names = tuple(BONES)
    random = np.random.default_rng(seed)
    turns = from_vector(0.4 * random.normal(size=(frames, len(names), 3)))
    offsets = np.array([offset for _, offset in BONES.values()]) * scale
    return Motion(
        name="person",
        fps=50.0,
        names=names,
        parents=np.array([names.index(p) if p else -1 for p, _ in BONES.values()]),
        offsets=offsets,
        tails=np.tile([0.0, 0.05, 0.0], (len(names), 1)),
        rotations=turns,
        translation=np.array([0, 0.9, 0]) + 0.1 * random.normal(size=(frames, 3)),
    )


def text_of(tmp_path: Path, motion: Motion | None = None) -> str:
    write_bvh(motion or person(), tmp_path / "person.bvh")
    return (tmp_path / "person.bvh").read_text()


def read_text(tmp_path: Path, text: str) -> Motion:
    (tmp_path / "file.bvh").write_text(text)
    return read_bvh(tmp_path / "file.bvh")


def test_written_motion_reads_back(tmp_path: Path) -> None:
    motion = person()
    back = read_text(tmp_path, text_of(tmp_path))
    assert back.names == motion.names
    assert back.fps == pytest.approx(50.0)
    assert np.abs(joint_positions(back) - joint_positions(motion)).max() < 1e-6


@pytest.mark.parametrize("unit", [1.0, 0.01, 0.001, 0.0254])
def test_units_are_guessed_from_the_height(tmp_path: Path, unit: float) -> None:
    write_bvh(person(), tmp_path / "a.bvh", unit=unit)
    back = read_bvh(tmp_path / "a.bvh")
    assert np.linalg.norm(back.offsets[5]) == pytest.approx(0.42, abs=1e-4)


def test_channel_order_is_the_order_of_multiplication(tmp_path: Path) -> None:
    lines = text_of(tmp_path).splitlines()
    at = next(i for i, line in enumerate(lines) if "JOINT Spine" in line)
    lines[at + 3] = "CHANNELS 3 Yrotation Xrotation Zrotation"
    back = read_text(tmp_path, "\n".join(lines))
    row = np.radians([float(word) for word in lines[-1].split()][6:9])
    assert np.allclose(to_matrix(back.rotations[-1, 1]), to_matrix(from_euler("yxz", row)), atol=1e-9)


def test_euler_order_against_plain_matrices() -> None:
    # R = Rz·Ry·Rx, written out
    a, b, c = 0.3, -0.7, 1.1
    rz = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    ry = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    rx = np.array([[1, 0, 0], [0, np.cos(c), -np.sin(c)], [0, np.sin(c), np.cos(c)]])
    assert np.allclose(to_matrix(from_euler("zyx", np.array([a, b, c]))), rz @ ry @ rx)


def test_a_world_with_z_up_is_stood_up(tmp_path: Path) -> None:
    flat = person(seed=4)
    quarter = from_vector([np.pi / 2, 0, 0])
    turned = np.array(flat.rotations)
    turned[:, 0] = multiply(quarter, turned[:, 0])
    z_up = flat.translation @ to_matrix(quarter).T
    lying = Motion(flat.name, flat.fps, flat.names, flat.parents, flat.offsets, flat.tails, turned, z_up)
    back = read_text(tmp_path, text_of(tmp_path, lying))
    assert np.abs(joint_positions(back) - joint_positions(flat)).max() < 1e-5


def test_a_calibration_pose_before_the_motion_is_dropped(tmp_path: Path) -> None:
    still = person(frames=20)
    turns = np.repeat(still.rotations[1:2], 20, axis=0)
    turns[0] = [1, 0, 0, 0]
    motion = Motion(
        still.name,
        still.fps,
        still.names,
        still.parents,
        still.offsets,
        still.tails,
        turns,
        still.translation,
    )
    assert len(read_text(tmp_path, text_of(tmp_path, motion)).translation) == 19


BROKEN = {
    "not a bvh": lambda t: "solid cube\n" + t,
    "empty": lambda t: "",
    "no frames": lambda t: t.replace("Frames: 5", "Frames: 0"),
    "too many frames": lambda t: t.replace("Frames: 5", "Frames: 6"),
    "too few frames": lambda t: t.replace("Frames: 5", "Frames: 4"),
    "huge claim": lambda t: t.replace("Frames: 5", "Frames: 999999"),
    "absurd claim": lambda t: t.replace("Frames: 5", "Frames: 1e300"),
    "negative": lambda t: t.replace("Frames: 5", "Frames: -5"),
    "no time": lambda t: t.replace("Frame Time: 0.02", "Frame Time: 0"),
    "nan time": lambda t: t.replace("Frame Time: 0.02", "Frame Time: nan"),
    "nan": lambda t: t[: t.rindex(" ")] + " nan\n",
    "inf": lambda t: t[: t.rindex(" ")] + " 1e999\n",
    "word": lambda t: t[: t.rindex(" ")] + " twelve\n",
    "short row": lambda t: t[: t.rindex(" ")] + "\n",
    "channels": lambda t: t.replace("CHANNELS 3", "CHANNELS 4", 1),
    "channel name": lambda t: t.replace("Zrotation", "Wrotation", 1),
    "brace": lambda t: t.replace("}", "", 1),
    "extra brace": lambda t: t.replace("MOTION", "}\nMOTION"),
    "no motion": lambda t: t[: t.index("MOTION")],
    "no offset": lambda t: t.replace("OFFSET 0.000000 20.000000 0.000000", ""),
    "two people": lambda t: t.replace("MOTION", t[len("HIERARCHY") : t.index("MOTION")] + "MOTION"),
    "binary": lambda t: "\x00\x01\x02" * 100,
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_broken_files_say_where(tmp_path: Path, name: str) -> None:
    with pytest.raises(ToileError) as caught:
        read_text(tmp_path, BROKEN[name](text_of(tmp_path)))
    message = str(caught.value)
    assert message.startswith("file.bvh: line" if name != "empty" else "file.bvh")
    assert "\n" not in message


def test_deep_nesting_and_many_joints_end_quickly(tmp_path: Path) -> None:
    start = time.perf_counter()
    deep = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + "JOINT b\n{\nOFFSET 0 1 0\n" * 100_000
    wide = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + "JOINT b\n{\nOFFSET 0 1 0\n}\n" * 100_000
    for text in (deep, wide):
        with pytest.raises(ToileError, match=r"line \d+"):
            read_text(tmp_path, text)
    assert time.perf_counter() - start < 5.0


def test_an_animal_is_refused_with_the_missing_bones(tmp_path: Path) -> None:
    text = text_of(tmp_path).replace("LeftLeg", "Tentacle")
    with pytest.raises(ToileError, match="left_shin"):
        read_text(tmp_path, text)


def test_recorded_walk_from_the_archive() -> None:
    folder = os.environ.get("TOILE_SAMPLES", "")
    path = Path(folder) / "cmu_07_01.bvh"
    if not folder or not path.exists():
        pytest.skip("TOILE_SAMPLES does not hold the recorded walk")
    motion = read_bvh(path)
    assert len(motion.names) == 31
    assert motion.fps == pytest.approx(120.0, rel=1e-3)
    assert len(motion.translation) == 316  # the first of 317 frames is a T-pose
    head = joint_positions(motion)[:, motion.names.index("Head"), 1]
    assert 1.3 < head.mean() < 1.9
