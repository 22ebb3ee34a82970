"""A body's joints over time, at any time: smooth between frames, endless where the motion loops.

Between frames the joints' turns follow a cubic through the four nearest frames (Catmull and Rom 1974, on unit
quaternions of one sign, normalised), so that positions and velocities are continuous; bones keep their
length because positions come from the turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from toile._kernels import track_pose
from toile.body.model.skin import pose_body
from toile.core.arrays import STORED
from toile.core.records import Body, Floats, Ints, Motion, as_floats, as_ints
from toile.geometry.rotation import (
    continuous,
    from_matrix,
    heading,
    inverse,
    multiply,
    normalise,
    rotate,
    slerp,
    to_matrix,
    yaw,
)
from toile.motion.kinematics import world_rotations


@dataclass(frozen=True, eq=False, slots=True)
class Track:
    """A motion on one body."""

    name: str
    fps: float
    """frames per second"""
    parents: Ints
    """index of the parent joint, -1 for the root, (j,)"""
    offsets: Floats
    """joint position in its parent's axes [m], (j, 3)"""
    rotations: Floats = field(metadata={STORED: "turns"})
    """parent_from_joint, unit quaternions, (f, j, 4); the root's is world_from_joint"""
    root: Floats
    """position of the root joint [m], (f, 3)"""
    loop: bool = False
    report: Mapping[str, float] = field(default_factory=dict)
    """numbers about the retargeting: foot slide, floor, self-penetration … (metres, degrees)"""

    def __post_init__(self) -> None:
        frames, joints = self.rotations.shape[:2]
        checked = {
            "parents": as_ints(self.parents, joints, name="track parents"),
            "offsets": as_floats(self.offsets, joints, 3, name="track offsets"),
            "rotations": as_floats(
                continuous(np.asarray(self.rotations)), frames, joints, 4, name="track rotations"
            ),
            "root": as_floats(self.root, frames, 3, name="track root"),
        }
        for key, value in checked.items():
            object.__setattr__(self, key, value)

    @property
    def frame_count(self) -> int:
        """Return the number of stored frames; the last of a loop repeats the first."""
        return len(self.rotations)

    @property
    def duration(self) -> float:
        """Return the time from the first frame to the last [s]."""
        return (len(self.rotations) - 1) / self.fps

    @property
    def world_from_joint(self) -> Floats:
        """Return every stored frame, (f, j, 4, 4)."""
        return place_joints(self.parents, self.offsets, self.rotations, self.root)


def track_of(
    body: Body,
    world_from_joint: Floats,
    fps: float,
    *,
    name: str = "track",
    loop: bool = False,
    report: Mapping[str, float] | None = None,
) -> Track:
    """Return the track of given joint transforms (f, j, 4, 4) of a body."""
    skeleton = body.skeleton
    world = from_matrix(world_from_joint[..., :3, :3])
    local = np.array(world)
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            local[:, joint] = multiply(inverse(world[:, parent]), world[:, joint])
    return Track(
        name=name,
        fps=fps,
        parents=skeleton.parents,
        offsets=local_offsets(body),
        rotations=local,
        root=world_from_joint[:, 0, :3, 3],
        loop=loop,
        report=report or {},
    )


def local_offsets(body: Body) -> Floats:
    """Return each joint's rest position in its parent's axes [m], (j, 3)."""
    rest = body.skeleton.world_from_joint
    offsets = np.array(rest[:, :3, 3])
    for joint, parent in enumerate(body.skeleton.parents):
        if parent >= 0:
            offsets[joint] = rest[parent, :3, :3].T @ (rest[joint, :3, 3] - rest[parent, :3, 3])
    return offsets


def place_joints(parents: Ints, offsets: Floats, rotations: Floats, root: Floats) -> Floats:
    """Return world_from_joint (..., j, 4, 4) from local turns (..., j, 4) and the root's place (..., 3)."""
    local = np.zeros((*rotations.shape[:-1], 4, 4))
    local[..., :3, :3] = to_matrix(rotations)
    local[..., :3, 3] = offsets
    local[..., 0, :3, 3] = root
    local[..., 3, 3] = 1.0
    for level, above in _levels(tuple(parents.tolist())):
        local[..., level, :, :] = local[..., above, :, :] @ local[..., level, :, :]
    return local


@lru_cache(maxsize=64)
def _levels(parents: tuple[int, ...]) -> list[tuple[Ints, Ints]]:
    """Return the joints by depth, without the root, with their parents: each level needs the one before."""
    depth = [0] * len(parents)
    for joint, parent in enumerate(parents):
        depth[joint] = depth[parent] + 1 if parent >= 0 else 0
    above = np.array(parents, dtype=np.int32)
    levels = [
        np.flatnonzero(np.array(depth) == d).astype(np.int32) for d in range(1, max(depth, default=0) + 1)
    ]
    return [(level, above[level]) for level in levels]


def loop_travel(root_rotation: Floats, root: Floats) -> tuple[float, Floats]:
    """Return yaw [rad] and shift (3,) of one loop: the last root pose is yaw·first + shift, level."""
    angle = float(heading(multiply(root_rotation[-1], inverse(root_rotation[0]))))
    shift = root[-1] - rotate(yaw(angle), root[0])
    return angle, shift * np.array([1.0, 0.0, 1.0])


def _travel_power(angle: float, shift: Floats, count: int) -> tuple[float, Floats]:
    """Return yaw and shift of count loops (negative: backwards)."""
    total = np.zeros(3)
    if count >= 0:
        for k in range(count) if abs(angle) > 1e-9 else ():
            total = total + rotate(yaw(angle * k), shift)
    else:
        for k in range(count, 0) if abs(angle) > 1e-9 else ():
            total = total - rotate(yaw(angle * k), shift)
    return (angle * count, total) if abs(angle) > 1e-9 else (0.0, shift * count)


def pose_at(track: Track, time: float) -> Floats:
    """Return world_from_joint (j, 4, 4) at a time [s]; before the start and after the end the pose is held,
    a loop goes on for ever."""
    at = time * track.fps
    return np.asarray(track_pose(track.rotations, track.root, track.parents, track.offsets, at, track.loop))


def local_pose_at(track: Track, time: float) -> tuple[Floats, Floats]:
    """Return the local turns (j, 4) and the root's position (3,) at a time [s]."""
    last = track.frame_count - 1
    at = time * track.fps
    loops = 0
    if track.loop and last > 0:
        loops = int(np.floor(at / last))
        at -= loops * last
    at = float(np.clip(at, 0.0, last))
    first = min(int(at), max(last - 1, 0))
    frames = [_frame(track, index) for index in range(first - 1, first + 3)]
    weight = _catmull_rom(at - first)
    rotations = np.stack([frame[0] for frame in frames])
    rotations = np.where(np.sum(rotations * rotations[1], axis=-1, keepdims=True) < 0, -rotations, rotations)
    rotation = normalise(np.einsum("k,kjc->jc", weight, rotations))
    root = weight @ np.stack([frame[1] for frame in frames])
    if loops:
        angle, shift = _travel_power(*loop_travel(track.rotations[:, 0], track.root), loops)
        rotation[0] = multiply(yaw(angle), rotation[0])
        root = rotate(yaw(angle), root) + shift
    return rotation, root


def _catmull_rom(share: float) -> Floats:
    t, t2, t3 = share, share**2, share**3
    return 0.5 * np.array([-t + 2 * t2 - t3, 2 - 5 * t2 + 3 * t3, t + 4 * t2 - 3 * t3, -t2 + t3])


def _frame(track: Track, index: int) -> tuple[Floats, Floats]:
    """Return one frame's turns and root; neighbours beyond the ends come from the loop or by reflection."""
    last = track.frame_count - 1
    if 0 <= index <= last:
        return track.rotations[index], track.root[index]
    if not track.loop or last < 1:
        edge, inner = (0, min(1, last)) if index < 0 else (last, max(last - 1, 0))
        # the same velocity goes on for one frame: reflect the neighbour at the end
        reflected = normalise(2.0 * track.rotations[edge] - track.rotations[inner])
        return reflected, 2.0 * track.root[edge] - track.root[inner]
    count = -1 if index < 0 else 1
    angle, shift = _travel_power(*loop_travel(track.rotations[:, 0], track.root), count)
    rotations = np.array(track.rotations[index - count * last])
    rotations[0] = multiply(yaw(angle), rotations[0])
    return rotations, rotate(yaw(angle), track.root[index - count * last]) + shift


def resample(motion: Motion, fps: float) -> Motion:
    """Return the motion at another frame rate; a loop's period is kept exactly."""
    steps = max(round(motion.duration * fps), 1 if len(motion.translation) > 1 else 0)
    if steps == 0 or (motion.loop is False and abs(fps - motion.fps) < 1e-9):
        return motion
    fps = steps / motion.duration if motion.loop else fps
    track = Track(
        motion.name,
        motion.fps,
        motion.parents,
        motion.offsets,
        motion.rotations,
        motion.translation,
        motion.loop,
    )
    count = steps + 1 if motion.loop else int(np.floor(motion.duration * fps + 1e-9)) + 1
    poses = [local_pose_at(track, frame / fps) for frame in range(count)]
    rotations, root = np.stack([pose[0] for pose in poses]), np.stack([pose[1] for pose in poses])
    return Motion(
        motion.name, fps, motion.names, motion.parents, motion.offsets, motion.tails, rotations, root,
        motion.loop, motion.source,
    )  # fmt: skip


def unroll(motion: Motion, count: int) -> Motion:
    """Return a loop repeated count times as one long motion, travelling on; frames are not doubled."""
    travel = loop_travel(motion.rotations[:, 0], motion.translation)
    rotations, roots = [], []
    for k in range(count):
        angle, shift = _travel_power(*travel, k)
        part = np.array(motion.rotations if k == count - 1 else motion.rotations[:-1])
        part[:, 0] = multiply(yaw(angle), part[:, 0])
        rotations.append(part)
        roots.append(rotate(yaw(angle), motion.translation[: len(part)]) + shift)
    return Motion(
        motion.name, motion.fps, motion.names, motion.parents, motion.offsets, motion.tails,
        continuous(np.concatenate(rotations)), np.concatenate(roots), False, motion.source,
    )  # fmt: skip


def lead_in(body: Body, track: Track, time: float, seconds: float = 1.5) -> Floats:
    """Return world_from_joint (j, 4, 4) at a time [s] from the body's rest pose into the track.

    During the first ``seconds`` the rest pose turns smoothly into the track's first pose, which starts to
    move near the end; from then on this is ``pose_at(track, time - seconds / 2)``.
    """
    if time >= seconds:
        return pose_at(track, time - 0.5 * seconds)
    share = np.clip(time / seconds, 0.0, 1.0)
    blend = share**3 * (10 - 15 * share + 6 * share**2)
    # the track's clock starts slowly: its speed grows from 0 to 1 over the lead-in
    clock = seconds * (share**3 - 0.5 * share**4)
    rotations, root = local_pose_at(track, clock)
    rest = track_of(body, np.asarray(body.skeleton.world_from_joint)[None], 1.0)
    start = rest.root[0] + (local_pose_at(track, 0.0)[1] - rest.root[0]) * np.array([1.0, 0.0, 1.0])
    mixed = slerp(rest.rotations[0], rotations, np.full(len(rotations), blend))
    world = place_joints(track.parents, track.offsets, mixed, start + blend * (root - start))
    # mixed legs may reach under the floor: the person rises on them
    world[:, 1, 3] -= min(float(pose_body(body, world).vertices[:, 1].min()), 0.0)
    return world


def smooth_rotations(rotations: Floats, sigma: float) -> Floats:
    """Return turns (f, ..., 4) smoothed over time by a Gaussian of sigma frames; ends go on as they came."""
    return normalise(smooth(continuous(rotations), sigma, goes_on=True))


def smooth(values: Floats, sigma: float, *, goes_on: bool = False) -> Floats:
    """Return values (f, ...) smoothed along frames by a Gaussian of sigma frames.

    Beyond the ends values are held, or go on as they came (reflected at the end's value).
    """
    radius = int(np.ceil(3.0 * sigma))
    if radius < 1 or len(values) < 2:
        return np.array(values)
    if goes_on:
        radius = min(radius, len(values) - 1)
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    before, after = np.repeat(values[:1], radius, 0), np.repeat(values[-1:], radius, 0)
    if goes_on:
        before = 2 * before - values[radius:0:-1]
        after = 2 * after - values[-2 : -radius - 2 : -1]
    padded = np.concatenate([before, values, after])
    result: Floats = sum(weight * padded[k : k + len(values)] for k, weight in enumerate(kernel))
    return result


def track_world_rotations(track: Track) -> Floats:
    """Return world_from_joint turns of every frame, (f, j, 4)."""
    return world_rotations(track.parents, track.rotations)


def motion_of(body: Body, track: Track) -> Motion:
    """Return a track as a motion on the body's own skeleton, for writing."""
    rest = np.asarray(body.skeleton.world_from_joint)
    world = multiply(track_world_rotations(track), inverse(from_matrix(rest[:, :3, :3])))
    local, offsets = np.array(world), np.array(rest[:, :3, 3])
    for joint, parent in enumerate(track.parents):
        if parent >= 0:
            local[:, joint] = multiply(inverse(world[:, parent]), world[:, joint])
            offsets[joint] = rest[joint, :3, 3] - rest[parent, :3, 3]
    tails = body.skeleton.tails - rest[:, :3, 3]
    return Motion(
        track.name,
        track.fps,
        body.skeleton.names,
        track.parents,
        offsets,
        tails,
        local,
        track.root,
        track.loop,
    )


def still(body: Body, fps: float = 30.0) -> Track:
    """Return a track that holds the body's rest pose."""
    rest = np.repeat(np.asarray(body.skeleton.world_from_joint)[None], 2, axis=0)
    return track_of(body, rest, fps, name="rest", loop=True)
