"""How the person moves while one watches: into a motion and out of it again, at any speed, from any time."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from toile.body.model.skin import pose_body
from toile.core.records import Body, Floats, Motion
from toile.geometry.rotation import inverse, multiply, normalise, slerp
from toile.jobs.describe import Inputs
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import Track, local_pose_at, place_joints, still, track_of
from toile.studio.commands import SetMotion
from toile.studio.edit_project import STAND

FPS = 30.0
"""of a motion on a body; the poses between are smooth"""
SWAP = 0.8
"""time to go from standing into a motion, and back [s]"""


def motion_of(chosen: SetMotion, inputs: Inputs) -> Motion | None:
    """Return the motion that was chosen, trimmed; None: the person stands."""
    if not chosen.file and chosen.named == STAND:
        return None
    found = (
        read_motion(inputs.path(chosen.file))
        if chosen.file
        else read_motion(chosen.named, bones=None, **chosen.settings)
    )
    return trimmed(found, chosen)


def trimmed(motion: Motion, chosen: SetMotion) -> Motion:
    """Return a motion between two times; what was cut does not repeat itself without a jump."""
    count = len(motion.translation)
    first = min(int(chosen.start * motion.fps), count - 1)
    last = count - 1 if chosen.end is None else min(round(chosen.end * motion.fps), count - 1)
    if (first, last) == (0, count - 1):
        return motion if chosen.loop else replace(motion, loop=False)
    part = slice(first, max(last, first + 1) + 1)
    return replace(motion, rotations=motion.rotations[part], translation=motion.translation[part], loop=False)


def with_amplitude(track: Track, factor: float) -> Track:
    """Return a track whose joints turn so many times as far from their mean; the root goes its way."""
    if factor == 1.0 or track.frame_count < 2:
        return track
    turns = np.array(track.rotations)
    mean = turns.mean(axis=0)
    mean = normalise(mean)
    away = multiply(inverse(np.broadcast_to(mean, turns.shape)), turns)
    still_turn = np.zeros_like(turns)
    still_turn[..., 0] = 1.0
    away = np.where(away[..., :1] < 0, -away, away)
    scaled = normalise((1 - factor) * still_turn + factor * away)
    changed = multiply(np.broadcast_to(mean, turns.shape), scaled)
    changed[:, 0] = track.rotations[:, 0]
    return replace(track, rotations=changed)


class Mover:
    """The person's pose as time goes on."""

    def __init__(self, body: Body, motion: Motion | None, speed: float = 1.0, amplitude: float = 1.0) -> None:
        """Stand in the rest pose."""
        self.body, self.speed = body, speed
        self._motion, self._amplitude = motion, amplitude
        self.clock, self.on, self._share = 0.0, False, 0.0
        rest = track_of(body, np.asarray(body.skeleton.world_from_joint)[None], 1.0)
        self._rest_turns, self._rest_root = rest.rotations[0], rest.root[0]

    @cached_property
    def track(self) -> Track:
        """Return the motion on this body; it is made when it is first needed, which takes a second."""
        if self._motion is None:
            return still(self.body)
        return with_amplitude(retarget(self._motion, self.body, fps=FPS), self._amplitude)

    @property
    def duration(self) -> float:
        """Return how long the motion takes [s]."""
        return 0.0 if self._motion is None else self._motion.duration

    @property
    def rests(self) -> bool:
        """Return whether the person stands in the rest pose."""
        return self._share == 0.0

    def reset(self) -> None:
        """Stand in the rest pose, where the motion begins."""
        self.clock, self.on, self._share = 0.0, False, 0.0

    @property
    def share(self) -> float:
        """Return how far the person is in the motion: 0 stands, 1 moves."""
        return self._share

    def take_up(self, clock: float, share: float) -> None:
        """Be so far in the motion, at a time of it."""
        self.clock, self._share = clock, float(np.clip(share, 0.0, 1.0))

    def go_on_from(self, other: Mover) -> None:
        """Be as far in this motion as another was in its own."""
        self.on = other.on
        self.take_up(other.clock % max(self.duration, 1e-6), other.share)

    def seek(self, time: float) -> None:
        """Be in the motion, at a time."""
        self.clock, self._share, self.on = time, 1.0, True

    def advance(self, dt: float) -> Floats:
        """Return world_from_joint (j, 4, 4) dt seconds later."""
        self._share = float(np.clip(self._share + (dt if self.on else -dt) / SWAP, 0.0, 1.0))
        if self._share:
            self.clock += dt * self.speed * self._share
        return self.pose()

    def pose(self) -> Floats:
        """Return world_from_joint (j, 4, 4) now."""
        if not self._share:
            return np.asarray(self.body.skeleton.world_from_joint)
        turns, root = local_pose_at(self.track, self.clock)
        share = self._share**2 * (3 - 2 * self._share)
        if share < 1.0:
            start = local_pose_at(self.track, 0.0)[1]
            across = (root - start) * np.array([1.0, 0.0, 1.0])
            turns = slerp(self._rest_turns, turns, np.full(len(turns), share))
            stood = self._rest_root + across
            root = stood + share * (root - stood)
        world = place_joints(self.track.parents, self.track.offsets, turns, root)
        if share < 1.0:
            # mixed legs may reach under the floor: the person rises on them
            world[:, 1, 3] -= min(float(pose_body(self.body, world).vertices[:, 1].min()), 0.0)
        return np.asarray(world)
