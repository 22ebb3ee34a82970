"""The cycle of a motion that does not say it loops."""

from dataclasses import replace

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.core.records import Motion
from toile.geometry.rotation import multiply, slerp, yaw
from toile.motion.cycle import as_loop, find_cycle
from toile.motion.kinematics import joint_positions
from toile.motion.library import read_motion
from toile.motion.track import loop_travel, unroll


def long_walk(fps: float = 30.0) -> tuple[Motion, int]:
    """Three strides of our walk as a clip that stands first, and the length of a stride in frames."""
    stride = read_motion("walk", fps=fps)
    clip = unroll(stride, 3)
    stand = 12
    turns = np.concatenate([np.repeat(clip.rotations[:1], stand, axis=0), clip.rotations])
    path = np.concatenate([np.repeat(clip.translation[:1], stand, axis=0), clip.translation])
    return replace(clip, rotations=turns, translation=path, loop=False), len(stride.translation) - 1


def test_a_stride_is_found_in_a_long_clip() -> None:
    clip, stride = long_walk()
    first, last = find_cycle(clip)
    assert abs((last - first) - stride) <= 1
    assert first >= 11  # standing is no cycle


def test_what_is_cut_out_closes() -> None:
    clip, _ = long_walk()
    # the person tires: the last stride is lower and bends more, so that nothing closes by itself
    drift = np.linspace(0, 1, len(clip.translation))
    turns = np.array(clip.rotations)
    turns[:, 3] = slerp(turns[:, 3], multiply(turns[:, 3], yaw(0.3)), drift)
    tired = replace(clip, rotations=turns, translation=clip.translation - [0, 0.03, 0] * drift[:, None])
    loop = as_loop(tired)
    assert loop.loop
    angle, shift = loop_travel(loop.rotations[:, 0], loop.translation)
    assert shift[2] > 0.5
    start, end = joint_positions(loop)[[0, -1]]
    turned = start @ np.array(
        [[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]]
    )
    np.testing.assert_allclose(end, turned + shift, atol=1e-9)
    # little by little: no frame is far from the clip it was cut from
    first, last = find_cycle(tired)
    gap = np.linalg.norm(joint_positions(loop) - joint_positions(tired)[first : last + 1], axis=2)
    assert gap.max() < 0.06
    step = np.linalg.norm(np.diff(joint_positions(loop), axis=0), axis=2).max()
    assert step < 1.3 * np.linalg.norm(np.diff(joint_positions(clip), axis=0), axis=2).max()


def test_a_loop_stays_as_it_is() -> None:
    walk = read_motion("walk")
    assert as_loop(walk) is walk


def test_motions_without_a_cycle_are_refused() -> None:
    clip, _ = long_walk()
    still = replace(clip, rotations=np.repeat(clip.rotations[:1], 60, 0), translation=np.zeros((60, 3)))
    raised = np.array(still.rotations)
    arm = still.names.index("LeftArm")
    lift = np.array([np.cos(0.8), 0, 0, np.sin(0.8)])
    raised[:, arm] = slerp(raised[:, arm], multiply(raised[:, arm], lift), np.linspace(0, 1, 60))
    for motion in (
        still,
        replace(still, rotations=raised),
        replace(still, rotations=raised[:5], translation=np.zeros((5, 3))),
    ):
        with pytest.raises(ToileError, match="no cycle was found"):
            as_loop(motion)
