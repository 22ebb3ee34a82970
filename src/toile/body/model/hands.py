"""Hands made narrow, as one slips into a sleeve: the thumb laid along, fingers together.

A sleeve is sewn round its arm. A thumb that stands out would keep it wide open, or come to lie outside the
seam that closes over it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.records import LIMBS, Body, Floats

SIDES = ("left", "right")
NARROW = 0.2
"""share of its width that is left of a narrow hand"""
RAMP = 0.25
"""share of a hand's length, from the wrist, in which it becomes narrow"""


def narrow_hands(body: Body, vertices: Floats) -> Floats:
    """Return a body's skin [m], (n, 3), with hands that are narrower than their wrists."""
    skin, corners = np.array(vertices), body.limb[body.triangles]
    for side in SIDES:
        forearm, hand = (LIMBS.index(f"{side}_{part}") for part in ("forearm", "hand"))
        wrist = body.triangles[(corners == forearm).any(axis=1) & (corners == hand).any(axis=1)]
        mine = np.flatnonzero(body.limb == hand)
        if len(wrist) and len(mine):
            skin[mine] = _drawn_in(skin[mine], skin[np.unique(wrist)])
    return skin


def slipping_in(body: Body) -> Body:
    """Return the body in its rest pose with narrow hands, round which sleeves are placed."""
    return replace(body, vertices=narrow_hands(body, body.vertices))


def _drawn_in(hand: Floats, wrist: Floats) -> Floats:
    """Return a hand drawn in to its axis, all round and in proportion: nothing crosses; points are (n, 3)."""
    root = wrist.mean(axis=0)
    axis = hand.mean(axis=0) - root
    axis /= max(float(np.linalg.norm(axis)), 1e-9)
    along = (hand - root) @ axis
    # the wrist stays as it is
    ramp = np.clip((along - ((wrist - root) @ axis).max()) / max(RAMP * float(along.max()), 1e-9), 0.0, 1.0)
    out = hand - root - np.outer(along, axis)
    return np.asarray(hand - out * ((1.0 - NARROW) * ramp)[:, None])
