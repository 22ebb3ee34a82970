"""Hands that slip into sleeves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from toile.audit.check import audit_drape
from toile.batches.catalogue import catalogue_body
from toile.body.model.hands import narrow_hands
from toile.body.model.make import named_body
from toile.core.records import LIMBS
from toile.pattern.drafts.library import draft
from toile.sim.dress.dress import dress


@pytest.mark.parametrize("name", ["woman", "man"])
def test_narrow_hands_fit_behind_their_wrists_and_all_else_stays(name: str) -> None:
    body = named_body(name)
    skin = narrow_hands(body, body.vertices)
    hands = np.isin(body.limb, [LIMBS.index("left_hand"), LIMBS.index("right_hand")])
    assert np.array_equal(skin[~hands], body.vertices[~hands])
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
    moved = (narrow_hands(bare, bare.vertices) != bare.vertices).any(axis=1)
    assert moved.any()
    assert set(woman.limb[moved].tolist()) == {LIMBS.index("right_hand")}


@pytest.mark.parametrize(("name", "who"), [("hooded_jacket", "woman"), ("coat", "m200-130")])
def test_a_sleeve_to_the_wrist_is_sewn_round_its_hand(name: str, who: str) -> None:
    """The underarm seam closed beside the thumb: the cuff went round nothing."""
    body = catalogue_body(who)
    found = audit_drape(dress([draft(name, body.measurements)], body, edge_length=0.02))
    assert found.ok, found.problems
