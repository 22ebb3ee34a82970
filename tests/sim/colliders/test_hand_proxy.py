"""Hand proxies: contact sees the hull of each hand, the audit the hand."""

from dataclasses import replace

import numpy as np
import pytest

from toile.body.model.make import make_body, named_body
from toile.body.model.skin import pose_body, rest_pose, vertex_normals
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, Floats
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.sim.colliders.creases import AllSidesQuery
from toile.sim.colliders.hand_proxy import BEND, hand_proxies
from toile.sim.colliders.surface import SurfaceCollider, SurfaceSettings

HANDS = [LIMBS.index(f"{side}_hand") for side in ("left", "right")]


@pytest.fixture(scope="module", params=["woman", "heavy man"])
def body(request: pytest.FixtureRequest) -> Body:
    heavy = request.param != "woman"
    return make_body("male", 50, height=1.78, waist=1.3) if heavy else named_body("woman")


def test_no_skin_sticks_out(body: Body) -> None:
    made = hand_proxies(body)
    assert made is not None
    hand = body.vertices[np.isin(body.limb, HANDS)]
    gap = SurfaceCollider(body).tree(rest_pose(body)).nearest(hand, 0.2)[1]
    assert gap.max() < 1e-9
    # fingers are well inside, not all on the surface
    assert np.mean(gap < -0.002) > 0.2
    # the rest of the skin is as it was
    kept = {tuple(row) for row in made.triangles.tolist()}
    arm = ~np.isin(body.limb, HANDS)[body.triangles].all(axis=1)
    assert kept >= {tuple(row) for row in body.triangles[arm].tolist()}
    assert len(made.triangles) < 0.8 * len(body.triangles)


def between_thumb_and_finger(body: Body) -> Floats:
    """Return a point outside the left hand, inside its hull [m]."""
    hand = body.vertices[body.limb == HANDS[0]]
    bare = SurfaceCollider(body, SurfaceSettings(hand_proxies=False, tip_proxies=False))
    rng = np.random.default_rng(3)
    between = np.mean(hand[rng.integers(0, len(hand), (4000, 2))], axis=1)
    gap = bare.tree(rest_pose(body)).nearest(between, 0.2)[1]
    return between[np.where(gap < 0.012, gap, -1.0).argmax()]


def test_cloth_between_fingers_is_pushed_out(body: Body) -> None:
    point = between_thumb_and_finger(body)[None]
    bare = SurfaceCollider(body, SurfaceSettings(hand_proxies=False)).ask(rest_pose(body), point)
    gloved = SurfaceCollider(body).ask(rest_pose(body), point)
    assert bare.gap.min() > 0.005
    assert gloved.gap.min() < 0.0


@pytest.mark.parametrize("gloved", [True, False])
def test_hands_slide_over_cloth_and_nothing_else_does(body: Body, gloved: bool) -> None:
    """Where they stand still they grip: cloth may rest on a hand."""
    settings = SurfaceSettings(hand_proxies=gloved, hand_grip=0.25)
    collider = SurfaceCollider(body, settings)
    normal = vertex_normals(body.vertices, body.triangles)
    out = body.vertices + 0.003 * normal
    hand = np.isin(body.limb, HANDS)
    found = collider.ask(rest_pose(body), out)
    assert found.grip is not None
    assert set(np.unique(found.grip)) == {0.25, 1.0}
    near = np.abs(found.gap - 0.003) < 1e-4
    mostly = found.grip[near & hand[found.particle]] if not gloved else found.grip[hand[found.particle]]
    assert np.mean(mostly == 0.25) > 0.9
    elsewhere = found.grip[near & ~hand[found.particle]]
    assert np.mean(elsewhere == 1.0) > 0.99
    assert collider.ask(rest_pose(body), out[~hand][:50]).grip is None
    assert AllSidesQuery(collider.skin).at(rest_pose(body))(out).grip is None


def test_a_grip_of_more_than_all_is_refused() -> None:
    with pytest.raises(ToileError, match=r"hand_grip is 1\.5: choose 0 to 1"):
        SurfaceSettings(hand_grip=1.5)


def test_hand_proxies_fit_while_walking_and_are_left_when_fingers_bend(body: Body) -> None:
    made = hand_proxies(body)
    assert made is not None
    poses = retarget(read_motion("run"), body).world_from_joint[::7]
    assert all(made.fit(pose_body(body, pose).vertices) for pose in poses)
    bent = np.array(body.vertices)
    bent[made.watched[0][0]] += 3 * BEND
    assert not made.fit(bent)
    collider, rest = SurfaceCollider(body), rest_pose(body)
    counts = [collider.tree(p).triangle_count for p in (rest, replace(rest, vertices=bent), rest)]
    assert counts == [len(made.triangles), len(body.triangles), len(made.triangles)]


def test_a_body_without_hands_wears_none(body: Body) -> None:
    stump = replace(body, limb=np.where(np.isin(body.limb, HANDS), LIMBS.index("torso"), body.limb))
    assert hand_proxies(stump) is None
    assert SurfaceCollider(stump).ask(rest_pose(stump), stump.vertices[:5] + 0.001).gap.size
