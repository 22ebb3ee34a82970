"""Pose files of SMPL bodies (.npz, as AMASS publishes them): joint turns and the root's path, no body model.

Only plain number arrays are read, by name, after the archive's own list has been checked against caps;
nothing in the file is ever run. The skeleton is a plain adult in SMPL's T-pose.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from toile.core.errors import ToileError
from toile.core.reading import open_plain
from toile.core.records import Floats, Motion
from toile.geometry.rotation import from_vector
from toile.motion.files.prepare import prepare_motion

MAX_BYTES = 128 * 2**20
"""of all arrays, unpacked: half an hour at 60 frames a second"""
MAX_FRAMES = 500_000

# joint: (parent, rest offset from it [m]); a plain adult, our own figures
JOINTS: dict[str, tuple[str, tuple[float, float, float]]] = {
    "pelvis": ("", (0.0, 0.0, 0.0)),
    "left_hip": ("pelvis", (0.07, -0.09, 0.0)),
    "right_hip": ("pelvis", (-0.07, -0.09, 0.0)),
    "spine1": ("pelvis", (0.0, 0.11, -0.02)),
    "left_knee": ("left_hip", (0.02, -0.40, 0.0)),
    "right_knee": ("right_hip", (-0.02, -0.40, 0.0)),
    "spine2": ("spine1", (0.0, 0.14, 0.0)),
    "left_ankle": ("left_knee", (0.0, -0.42, -0.03)),
    "right_ankle": ("right_knee", (0.0, -0.42, -0.03)),
    "spine3": ("spine2", (0.0, 0.06, 0.02)),
    "left_foot": ("left_ankle", (0.03, -0.06, 0.12)),
    "right_foot": ("right_ankle", (-0.03, -0.06, 0.12)),
    "neck": ("spine3", (0.0, 0.21, -0.03)),
    "left_collar": ("spine3", (0.08, 0.12, -0.02)),
    "right_collar": ("spine3", (-0.08, 0.12, -0.02)),
    "head": ("neck", (0.0, 0.09, 0.05)),
    "left_shoulder": ("left_collar", (0.10, 0.03, -0.01)),
    "right_shoulder": ("right_collar", (-0.10, 0.03, -0.01)),
    "left_elbow": ("left_shoulder", (0.26, -0.01, -0.02)),
    "right_elbow": ("right_shoulder", (-0.26, -0.01, -0.02)),
    "left_wrist": ("left_elbow", (0.25, 0.01, 0.0)),
    "right_wrist": ("right_elbow", (-0.25, 0.01, 0.0)),
}
_RATES = ("mocap_framerate", "mocap_frame_rate", "fps", "framerate")


def read_npz(path: str | os.PathLike[str], *, table: Mapping[str, str] | None = None) -> Motion:
    """Read poses (axis times angle, 66 or more numbers a frame) and trans [m] of an .npz file."""
    path = Path(path)
    if table:
        raise ToileError(f"{path.name}: SMPL poses have no bone names: leave the bone table out")
    try:
        with open_plain(path) as file, zipfile.ZipFile(file) as archive:
            if (
                sum(info.file_size for info in archive.infolist() if info.filename[:-4] in _WANTED)
                > MAX_BYTES
            ):
                raise ToileError(f"{path.name}: unpacks to more than {MAX_BYTES // 2**20} MB: cut the motion")
            arrays = {
                name: array
                for name in _WANTED
                if (array := _read_array(archive, name, path.name)) is not None
            }
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise ToileError(f"{path.name}: not a readable .npz file ({error})") from error
    poses = _find_poses(arrays, path.name)
    frames = len(poses)
    path_of_root = np.asarray(
        arrays.get("trans", arrays.get("transl", np.zeros((frames, 3)))), dtype=np.float64
    )
    if path_of_root.shape != (frames, 3):
        raise ToileError(f"{path.name}: trans has shape {path_of_root.shape}, wanted ({frames}, 3)")
    rotations = from_vector(poses[:, :66].reshape(frames, 22, 3))
    names = tuple(JOINTS)
    offsets = np.array([offset for _, offset in JOINTS.values()])
    motion = Motion(
        name=path.stem,
        fps=_find_rate(arrays, path.name),
        names=names,
        parents=np.array([names.index(parent) if parent else -1 for parent, _ in JOINTS.values()]),
        offsets=offsets,
        tails=_tails(offsets),
        rotations=rotations,
        translation=path_of_root,
        source=path.name,
    )
    return prepare_motion(motion, unit=1.0)


_WANTED = (
    "poses",
    "pose",
    "root_orient",
    "pose_body",
    "global_orient",
    "body_pose",
    "trans",
    "transl",
    *_RATES,
)


def _tails(offsets: Floats) -> Floats:
    tails = np.tile([0.0, 0.1, 0.0], (len(offsets), 1))
    for index, (parent, offset) in enumerate(JOINTS.values()):
        if parent and index > 0:
            tails[list(JOINTS).index(parent)] = offset
    return tails


def _read_array(archive: zipfile.ZipFile, name: str, source: str) -> NDArray[Any] | None:
    """Return one array of the archive, or None where it has none of that name."""
    try:
        info = archive.getinfo(f"{name}.npy")
    except KeyError:
        return None
    if info.file_size > MAX_BYTES:
        raise ToileError(f"{source}: array '{name}' claims {info.file_size // 2**20} MB, which is too large")
    with archive.open(info) as stream:
        try:
            shape, kind = _header(stream)
        except (ValueError, EOFError) as error:
            raise ToileError(f"{source}: array '{name}' has a broken header") from error
        if kind.kind not in "fiu" or kind.hasobject:
            raise ToileError(f"{source}: array '{name}' does not hold plain numbers")
        count = int(np.prod([int(size) for size in shape], dtype=object)) if shape else 1
        if not 0 <= count * kind.itemsize <= info.file_size:
            raise ToileError(f"{source}: array '{name}' claims {shape}, more than the file holds")
        data = stream.read(count * kind.itemsize)
    if len(data) != count * kind.itemsize:
        raise ToileError(f"{source}: array '{name}' is cut short")
    return np.frombuffer(data, dtype=kind).reshape(shape)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy_format.read_magic(stream)
    read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    shape, fortran, kind = read(stream)
    if fortran and len(shape) > 1:
        raise ValueError("column-major arrays are not read")
    return shape, kind


def _find_poses(arrays: dict[str, NDArray[Any]], source: str) -> Floats:
    """Return the turns of root and body, (f, 66 or more) [rad]."""
    for whole in ("poses", "pose"):
        if whole in arrays:
            poses = np.asarray(arrays[whole], dtype=np.float64)
            break
    else:
        for root, rest in (("root_orient", "pose_body"), ("global_orient", "body_pose")):
            if root in arrays and rest in arrays:
                parts = [np.asarray(arrays[key], dtype=np.float64) for key in (root, rest)]
                if any(part.ndim < 2 or not part.size or len(part) != len(parts[0]) for part in parts):
                    raise ToileError(f"{source}: {root} and {rest} do not have the same frames")
                poses = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
                break
        else:
            raise ToileError(f"{source}: holds neither 'poses' nor 'root_orient' and 'pose_body'")
    poses = poses.reshape(len(poses), -1) if poses.ndim > 1 and poses.size else poses
    if poses.ndim != 2 or poses.shape[1] < 66 or not 1 <= len(poses) <= MAX_FRAMES:
        raise ToileError(f"{source}: poses have shape {poses.shape}, wanted frames × 66 or more")
    if not np.isfinite(poses[:, :66]).all() or np.abs(poses[:, :66]).max() > 1000:
        raise ToileError(f"{source}: poses hold NaN, infinite or absurd angles")
    return poses


def _find_rate(arrays: dict[str, NDArray[Any]], source: str) -> float:
    for name in _RATES:
        if name in arrays and arrays[name].size == 1:
            rate = float(arrays[name].reshape(-1)[0])
            if not 1.0 <= rate <= 1000.0:
                raise ToileError(f"{source}: {name} is {rate:g} frames per second, which cannot be")
            return rate
    return 30.0
