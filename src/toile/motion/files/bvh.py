"""BVH motion files: any joint order, channel order, unit and frame rate.

The reader walks the text once, line by line, with caps on everything a file may claim, and names the line
where something is wrong. Rotations of a joint multiply in the order of its channels.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from toile.core.errors import ToileError
from toile.core.reading import read_plain
from toile.core.records import Floats, Motion
from toile.geometry.rotation import from_euler, to_euler_zyx
from toile.motion.files.prepare import prepare_motion

MAX_BYTES = 128 * 2**20
MAX_JOINTS = 1000
MAX_DEPTH = 200
MAX_FRAMES = 1_000_000
MAX_VALUES = 30_000_000

_CHANNELS = {f"{axis}{kind}": (kind, axis.lower()) for axis in "XYZ" for kind in ("position", "rotation")}


@dataclass
class _Joint:
    name: str
    parent: int
    line: int
    offset: tuple[float, float, float] | None = None
    end: tuple[float, float, float] | None = None
    channels: list[tuple[str, str]] = field(default_factory=list)
    first_channel: int = 0


def read_bvh(
    path: str | os.PathLike[str],
    *,
    unit: float | None = None,
    table: Mapping[str, str] | None = None,
) -> Motion:
    """Read a BVH file; unit is metres per file unit (None: guessed from the skeleton's height)."""
    path = Path(path)
    data = read_plain(path, MAX_BYTES, "cut the motion into parts")
    lines = data.decode("utf-8-sig", errors="replace").splitlines()
    joints, at = _read_hierarchy(lines, path.name)
    frames, fps, at = _read_header(lines, at, joints, path.name)
    values = _read_frames(lines, at, frames, joints, path.name)
    return prepare_motion(_to_motion(path, joints, values, fps), unit=unit, table=table)


def _read_hierarchy(lines: list[str], source: str) -> tuple[list[_Joint], int]:
    """Return the joints and the line index of MOTION."""
    joints: list[_Joint] = []
    stack: list[int] = []  # joints whose braces are open; -1 stands for an end site
    waiting: int | None = None  # joint that waits for its brace
    started = False
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        key = words[0].upper()
        if not started:
            if key != "HIERARCHY":
                raise ToileError(
                    f"{source}: line {number} does not start with HIERARCHY, so this is no BVH file"
                )
            started = True
        elif key in ("ROOT", "JOINT"):
            waiting = _add_joint(joints, stack, key, words, number, source)
        elif key == "END":
            if not stack or stack[-1] < 0:
                raise ToileError(f"{source}: line {number}: an end site outside of any joint")
            waiting = -1
        elif key == "{":
            if waiting is None:
                raise ToileError(f"{source}: line {number}: a brace opens without a joint before it")
            stack.append(waiting)
            waiting = None
            if len(stack) > MAX_DEPTH:
                raise ToileError(f"{source}: line {number}: joints nest deeper than {MAX_DEPTH} levels")
        elif key == "}":
            if not stack:
                raise ToileError(f"{source}: line {number}: a brace closes that was never opened")
            stack.pop()
        elif key == "OFFSET":
            _set_offset(joints, stack, words, number, source)
        elif key == "CHANNELS":
            _set_channels(joints, stack, words, number, source)
        elif key == "MOTION":
            _check_closed(joints, stack, waiting, number, source)
            return joints, number - 1
        else:
            raise ToileError(f"{source}: line {number}: '{words[0][:30]}' is no word of a BVH hierarchy")
    raise ToileError(f"{source}: line {len(lines)}: the file ends before MOTION")


def _add_joint(
    joints: list[_Joint], stack: list[int], key: str, words: list[str], number: int, source: str
) -> int:
    if (key == "ROOT") != (not stack) or (key == "ROOT" and joints):
        raise ToileError(f"{source}: line {number}: {key} in the wrong place; one person (one ROOT) per file")
    if stack and stack[-1] < 0:
        raise ToileError(f"{source}: line {number}: a joint inside an end site")
    if len(joints) >= MAX_JOINTS:
        raise ToileError(f"{source}: line {number}: more than {MAX_JOINTS} joints")
    name = " ".join(words[1:])[:100] or f"joint{len(joints)}"
    first = joints[-1].first_channel + len(joints[-1].channels) if joints else 0
    joints.append(_Joint(name, stack[-1] if stack else -1, number, first_channel=first))
    return len(joints) - 1


def _set_offset(joints: list[_Joint], stack: list[int], words: list[str], number: int, source: str) -> None:
    numbers = _numbers(words[1:], number, source)
    if not stack or len(numbers) != 3:
        raise ToileError(f"{source}: line {number}: OFFSET takes three numbers, inside a joint")
    offset = (float(numbers[0]), float(numbers[1]), float(numbers[2]))
    if stack[-1] < 0:
        joints[stack[-2]].end = offset
    else:
        joints[stack[-1]].offset = offset


def _set_channels(joints: list[_Joint], stack: list[int], words: list[str], number: int, source: str) -> None:
    if not stack or stack[-1] < 0 or stack[-1] != len(joints) - 1:
        raise ToileError(f"{source}: line {number}: CHANNELS outside of the joint they belong to")
    names = words[2:]
    if len(words) < 2 or words[1] != str(len(names)) or len(names) > 6:
        raise ToileError(f"{source}: line {number}: CHANNELS announces {words[1:2]} but names {len(names)}")
    known = {name.lower(): channel for name, channel in _CHANNELS.items()}
    channels = [known.get(name.lower()) for name in names]
    if None in channels or len(set(channels)) < len(channels):
        raise ToileError(
            f"{source}: line {number}: CHANNELS must be different ones of {', '.join(_CHANNELS)}"
        )
    joints[-1].channels = [channel for channel in channels if channel is not None]


def _check_closed(
    joints: list[_Joint], stack: list[int], waiting: int | None, number: int, source: str
) -> None:
    if stack or waiting is not None:
        raise ToileError(f"{source}: line {number}: MOTION begins while {len(stack)} braces are still open")
    bad = next((joint for joint in joints if joint.offset is None), None)
    if not joints or bad is not None:
        raise ToileError(f"{source}: line {bad.line if bad else number}: a joint without OFFSET")
    if not any(joint.channels for joint in joints):
        raise ToileError(f"{source}: line {number}: no joint has channels, so nothing can move")


def _read_header(lines: list[str], at: int, joints: list[_Joint], source: str) -> tuple[int, float, int]:
    """Return frame count, frames per second and the index of the first line of numbers."""
    found: dict[str, tuple[float, int]] = {}
    for index in range(at + 1, min(at + 20, len(lines))):
        key, _, value = lines[index].partition(":")
        if not lines[index].strip():
            continue
        key = " ".join(key.lower().split())
        if key not in ("frames", "frame time"):
            break
        found[key] = (float(_numbers(value.split()[:1] or [""], index + 1, source)[0]), index + 1)
    if len(found) < 2:
        raise ToileError(f"{source}: line {at + 1}: MOTION must be followed by Frames: and Frame Time:")
    (count, line), (period, period_line) = found["frames"], found["frame time"]
    if not (count == int(count) and 1 <= count <= MAX_FRAMES):
        raise ToileError(f"{source}: line {line}: {count:g} frames; 1 to {MAX_FRAMES} can be read")
    if not 1e-4 <= period <= 10.0:
        raise ToileError(f"{source}: line {period_line}: a frame time of {period:g} s is no motion")
    channels = sum(len(joint.channels) for joint in joints)
    if count * channels > MAX_VALUES:
        raise ToileError(f"{source}: line {line}: {count:g} frames of {channels} channels are too many")
    return int(count), 1.0 / period, max(line, period_line)


def _read_frames(lines: list[str], at: int, frames: int, joints: list[_Joint], source: str) -> Floats:
    """Return the channel values (frames, channels)."""
    channels = sum(len(joint.channels) for joint in joints)
    if frames * channels * 2 > sum(len(line) + 1 for line in lines[at:]):
        raise ToileError(
            f"{source}: line {at}: {frames} frames are announced, but the file is too short for them"
        )
    rows: list[Floats] = []
    total = 0
    for index in range(at, len(lines)):
        row = _numbers(lines[index].split(), index + 1, source)
        total += len(row)
        if len(row):
            rows.append(row)
        if total > frames * channels:
            raise ToileError(
                f"{source}: line {index + 1}: more numbers than {frames} frames of {channels} channels"
            )
    if total != frames * channels:
        short = next(
            (i for i in range(at, len(lines)) if len(lines[i].split()) not in (0, channels)), len(lines) - 1
        )
        raise ToileError(
            f"{source}: line {short + 1}: {total} numbers in all, but {frames} frames of {channels} channels "
            f"need {frames * channels}"
        )
    return np.concatenate(rows).reshape(frames, channels)


def _numbers(words: list[str], number: int, source: str) -> Floats:
    try:
        values = np.array([float(word) for word in words])
    except ValueError:
        raise ToileError(
            f"{source}: line {number}: '{' '.join(words)[:40]}' is not a row of numbers"
        ) from None
    if len(values) and not (np.isfinite(values).all() and np.abs(values).max() < 1e9):
        raise ToileError(f"{source}: line {number}: NaN, infinite or absurdly large number")
    return values


def _to_motion(path: Path, joints: list[_Joint], values: Floats, fps: float) -> Motion:
    parents = np.array([joint.parent for joint in joints])
    offsets = np.array([joint.offset for joint in joints], dtype=np.float64)
    rotations = np.zeros((len(values), len(joints), 4))
    translation = np.tile(offsets[0], (len(values), 1))
    for index, joint in enumerate(joints):
        columns = [
            (place, kind, axis)
            for place, (kind, axis) in enumerate(joint.channels, start=joint.first_channel)
        ]
        angle_columns = [(place, axis) for place, kind, axis in columns if kind == "rotation"]
        angles = np.radians(values[:, [place for place, _ in angle_columns]])
        rotations[:, index] = from_euler("".join(axis for _, axis in angle_columns), angles)
        if index == 0:
            for place, kind, axis in columns:
                if kind == "position":
                    translation[:, "xyz".index(axis)] = values[:, place]
    return Motion(
        name=path.stem,
        fps=fps,
        names=tuple(joint.name for joint in joints),
        parents=parents,
        offsets=offsets,
        tails=_tails(joints, offsets),
        rotations=rotations,
        translation=translation,
        source=path.name,
    )


def _tails(joints: list[_Joint], offsets: Floats) -> Floats:
    """Return where each bone ends: its end site, or its first child away from it."""
    tails = np.zeros_like(offsets)
    for index, joint in enumerate(joints):
        children = [offsets[i] for i, other in enumerate(joints) if other.parent == index]
        children = [child for child in children if np.linalg.norm(child) > 1e-9]
        tails[index] = joint.end if joint.end is not None else children[0] if children else np.zeros(3)
    return tails


def write_bvh(motion: Motion, path: str | os.PathLike[str], *, unit: float = 0.01) -> None:
    """Write a BVH file with channels Zrotation Yrotation Xrotation; unit is metres per file unit (cm)."""
    text = "\n".join([*_hierarchy_lines(motion, unit), *_motion_lines(motion, unit), ""])
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _hierarchy_lines(motion: Motion, unit: float) -> list[str]:
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(motion.parents):
        children.setdefault(int(parent), []).append(index)
    lines = ["HIERARCHY"]
    pending: list[tuple[int, int]] = [(children[-1][0], 0)]  # (joint, depth); joint -1 closes a brace
    while pending:
        index, depth = pending.pop()
        tab = "\t" * depth
        if index < 0:
            lines.append(tab + "}")
            continue
        root = depth == 0
        offset = np.zeros(3) if root else motion.offsets[index] / unit
        position = "6 Xposition Yposition Zposition" if root else "3"
        lines += [
            f"{tab}{'ROOT' if root else 'JOINT'} {motion.names[index]}",
            tab + "{",
            f"{tab}\tOFFSET {_row(offset)}",
            f"{tab}\tCHANNELS {position} Zrotation Yrotation Xrotation",
        ]
        pending.append((-1, depth))
        below = children.get(index, [])
        if not below:
            end = motion.tails[index] / unit
            lines += [f"{tab}\tEnd Site", tab + "\t{", f"{tab}\t\tOFFSET {_row(end)}", tab + "\t}"]
        pending += [(child, depth + 1) for child in reversed(below)]
    return lines


def _file_order(motion: Motion) -> list[int]:
    """Return the joints in the order in which the hierarchy lists them."""
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(motion.parents):
        children.setdefault(int(parent), []).append(index)
    order, pending = [], [children[-1][0]]
    while pending:
        order.append(pending.pop())
        pending += reversed(children.get(order[-1], []))
    return order


def _motion_lines(motion: Motion, unit: float) -> list[str]:
    angles = np.degrees(to_euler_zyx(motion.rotations[:, _file_order(motion)]))
    rows = np.concatenate([motion.translation / unit, angles.reshape(len(angles), -1)], axis=1)
    lines = ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1.0 / motion.fps:.8g}"]
    return lines + [_row(row) for row in rows]


def _row(values: Floats) -> str:
    return " ".join(f"{value if math.fabs(value) > 5e-7 else 0.0:.6f}" for value in values)
