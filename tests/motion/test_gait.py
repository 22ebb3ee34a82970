"""Our own walk and run: what people do when they walk, and a loop without a seam."""

import numpy as np
import pytest

from toile.body.model.make import named_body
from toile.body.model.skin import pose_body
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Motion
from toile.geometry.rotation import heading, inverse, multiply, to_vector
from toile.motion.kinematics import joint_positions
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.synthesis.gait import RUN, WALK, angles_at, run, walk


def joint(motion: Motion, name: str) -> np.ndarray:
    return joint_positions(motion)[:, motion.names.index(name)]


@pytest.mark.parametrize("make", [walk, run])
def test_the_loop_has_no_seam(make) -> None:
    motion = make()
    assert motion.loop
    turn = to_vector(multiply(inverse(motion.rotations[0]), motion.rotations[-1]))
    assert np.abs(turn).max() < 1e-9
    shift = motion.translation[-1] - motion.translation[0]
    assert np.allclose(shift[:2], 0, atol=1e-9)
    # the step over the seam is like the steps before and after it
    steps = np.diff(motion.translation, axis=0)
    assert np.abs(steps[-1] - steps[0]).max() < 0.2 * np.abs(steps).max()


@pytest.mark.parametrize(("cadence", "stride"), [(112.0, 1.4), (90.0, 1.0), (130.0, 1.6)])
def test_cadence_and_stride_are_kept(cadence: float, stride: float) -> None:
    motion = walk(cadence=cadence, stride=stride)
    assert motion.duration == pytest.approx(120.0 / cadence)
    assert motion.translation[-1, 2] - motion.translation[0, 2] == pytest.approx(stride, rel=1e-6)
    assert (np.diff(motion.translation[:, 2]) > 0).all()


def test_fitted_curves_pass_their_key_angles() -> None:
    for curves in (WALK, RUN):
        for name, keys in curves.items():
            off = [abs(angles_at(curves, percent)[name] - angle) for percent, angle in keys.items()]
            assert max(off) < 1.5, name


def test_arms_swing_against_the_legs() -> None:
    motion = walk()
    foot = joint(motion, "RightFoot")[:-1, 2] - joint(motion, "Hips")[:-1, 2]
    same = joint(motion, "RightHand")[:-1, 2] - joint(motion, "RightArm")[:-1, 2]
    other = joint(motion, "LeftHand")[:-1, 2] - joint(motion, "LeftArm")[:-1, 2]
    assert np.corrcoef(foot, same)[0, 1] < -0.8
    assert np.corrcoef(foot, other)[0, 1] > 0.8


def test_knees_bend_backwards_only_and_swing_lifts_the_foot() -> None:
    motion = walk()
    hip, knee, ankle = (joint(motion, f"Left{name}") for name in ("UpLeg", "Leg", "Foot"))
    # with the body facing +z, the knee lies ahead of the line from hip to ankle
    share = (hip[:, 1] - knee[:, 1]) / (hip[:, 1] - ankle[:, 1])
    line = hip[:, 2] + share * (ankle[:, 2] - hip[:, 2])
    assert (knee[:, 2] > line - 1e-3).all()
    assert np.ptp(ankle[:, 1]) > 0.08


def test_heel_strikes_first_and_toes_leave_last() -> None:
    motion = walk()
    ankle, toe = joint(motion, "RightFoot"), joint(motion, "RightToeBase")
    flat = motion.offsets[motion.names.index("RightToeBase"), 1]
    pitch = (toe - ankle)[:, 1] - flat
    frames = len(pitch) - 1
    assert pitch[0] > 0.03
    assert pitch[round(0.6 * frames)] < -0.08


def test_arm_swing_and_heading_do_what_they_say() -> None:
    calm, lively = walk(arm_swing=0.3), walk(arm_swing=1.5)
    reach = [np.ptp(joint(m, "LeftHand")[:, 2] - joint(m, "LeftArm")[:, 2]) for m in (calm, lively)]
    assert reach[1] > 2.5 * reach[0]
    aside = walk(heading=np.pi / 2)
    shift = aside.translation[-1] - aside.translation[0]
    assert shift[0] == pytest.approx(1.4, rel=1e-6)
    assert abs(shift[2]) < 1e-9
    assert heading(aside.rotations[:-1, 0]).mean() == pytest.approx(np.pi / 2, abs=0.02)


def test_hip_sway_moves_the_hips_sideways() -> None:
    assert np.ptp(walk(hip_sway=2.0).translation[:, 0]) == pytest.approx(
        2 * np.ptp(walk(hip_sway=1.0).translation[:, 0])
    )


def test_runners_fly() -> None:
    motion = run()
    lowest = np.minimum(*(joint(motion, f"{side}Foot")[:, 1] for side in ("Left", "Right")))
    assert lowest.max() - lowest.min() > 0.05


@pytest.mark.parametrize("wrong", [{"cadence": 0.0}, {"stride": 9.0}, {"arm_swing": float("nan")}])
def test_impossible_gaits_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ToileError, match=next(iter(wrong))):
        walk(**wrong)


def test_a_tour_goes_ahead_turns_and_crosses_the_arms() -> None:
    motion = read_motion("tour", seconds=6.0, fps=30.0)
    way = np.diff(motion.translation, axis=0)
    # ahead at first, back at the end, as fast as the walk all the way
    assert way[:20, 2].mean() > 0.02
    assert way[-20:, 2].mean() < -0.02
    track = retarget(motion, named_body("woman"), 30.0)
    world, names = track.world_from_joint, list(named_body("woman").skeleton.names)
    hands = [names.index(f"{side}Hand") for side in ("Left", "Right")]
    middle = round(0.70 * len(world))
    apart = np.linalg.norm(world[:, hands[0], :3, 3] - world[:, hands[1], :3, 3], axis=1)
    assert apart[middle] < 0.5 * apart[0]
    assert track.report["foot_slide"] < 0.02
    with pytest.raises(ToileError, match="3 to 120 s"):
        read_motion("tour", seconds=0.1)


def test_thumbs_of_swinging_hands_point_forward() -> None:
    # pointing at the thighs, they hooked the skirt
    body = named_body("woman")
    poses = retarget(read_motion("walk"), body).world_from_joint[::6]
    hand = body.limb == LIMBS.index("left_hand")
    thumb = (body.weight * (body.weight_joint == body.skeleton.names.index("LThumb"))).sum(axis=1)
    for pose in poses:
        skin = pose_body(body, pose).vertices
        aim = skin[hand & (thumb > 0.5)].mean(axis=0) - skin[hand & (thumb < 0.1)].mean(axis=0)
        assert aim[2] > 0
        assert abs(aim[0]) < aim[2]
