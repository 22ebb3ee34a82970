"""Hands that slip into sleeves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from toile.audit.check import audit_drape
from toile.batches.catalogue import catalogue_body
from toile.body.model.make import named_body
from toile.body.model.slipping import coming_out, narrow_ends
from toile.core.records import LIMBS
from toile.pattern.drafts.library import draft
from toile.sim.dress.dress import dress


@pytest.mark.parametrize("name", ["woman", "man"])
def test_narrow_hands_fit_behind_their_wrists_and_all_else_stays(name: str) -> None:
    body = named_body(name)
    skin = narrow_ends(body, body.vertices)
    ends = np.isin(
        body.limb, [LIMBS.index(f"{s}_{end}") for s in ("left", "right") for end in ("hand", "foot")]
    )
    assert np.array_equal(skin[~ends], body.vertices[~ends])
    for side in ("left", "right"):
        hand, forearm = (body.limb == LIMBS.index(f"{side}_{part}") for part in ("hand", "forearm"))
        fingers, wrist = skin[hand], body.vertices[forearm]
        # seen along the hand, the tip of the thumb and all fingers lie within the wrist
        tip = hand.nonzero()[0][np.argsort(np.linalg.norm(fingers - wrist.mean(axis=0), axis=1))[-400:]]
        axis = skin[tip].mean(axis=0) - fingers.mean(axis=0)
        axis /= np.linalg.norm(axis)
        out = (skin[tip] - skin[tip].mean(axis=0)) @ (np.eye(3) - np.outer(axis, axis))
        assert np.linalg.norm(out, axis=1).max() < 0.5 * body.measurements["wrist"] / np.pi


def test_a_body_without_hands_keeps_its_skin() -> None:
    woman = named_body("woman")
    forearm = np.where(woman.limb == LIMBS.index("left_hand"), LIMBS.index("left_forearm"), woman.limb)
    bare = replace(woman, limb=forearm)
    moved = (narrow_ends(bare, bare.vertices) != bare.vertices).any(axis=1)
    assert moved.any()
    others = ("right_hand", "left_foot", "right_foot")
    assert set(woman.limb[moved].tolist()) == {LIMBS.index(name) for name in others}


@pytest.mark.parametrize("name", ["woman", "man"])
def test_narrow_feet_fit_into_the_leg_of_narrow_trousers(name: str) -> None:
    body = named_body(name)
    foot = body.limb == LIMBS.index("left_foot")
    skin = narrow_ends(body, body.vertices)[foot]
    low = skin[skin[:, 1] < 0.03]
    assert ConvexHull(low[:, [0, 2]]).area < 0.22


def test_hands_come_out_from_their_tips_on() -> None:
    body = named_body("woman")
    narrow, half = narrow_ends(body, body.vertices), coming_out(body, body.vertices, 0.5)
    assert np.array_equal(coming_out(body, body.vertices, 1.0), body.vertices)
    hand = np.flatnonzero(body.limb == LIMBS.index("left_hand"))
    moved = np.linalg.norm(half - narrow, axis=1)[hand]
    whole = np.linalg.norm(body.vertices - narrow, axis=1)[hand]
    shoulder = body.vertices[body.limb == LIMBS.index("left_upper_arm")].mean(axis=0)
    far = np.linalg.norm(body.vertices[hand] - shoulder, axis=1)
    tips, wrist = far > np.quantile(far, 0.8), far < np.quantile(far, 0.3)
    assert (moved[tips] / whole[tips]).mean() > 0.9
    assert moved[wrist].sum() < 0.5 * whole[wrist].sum()


@pytest.mark.parametrize(("name", "who"), [("hooded_jacket", "woman"), ("coat", "m200-130")])
def test_a_sleeve_to_the_wrist_is_sewn_round_its_hand(name: str, who: str) -> None:
    """The underarm seam closed beside the thumb: the cuff went round nothing."""
    body = catalogue_body(who)
    found = audit_drape(dress([draft(name, body.measurements)], body, edge_length=0.02))
    assert found.ok, found.problems
