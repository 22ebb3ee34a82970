"""Hands and feet made narrow, as one slips into sleeves and trousers, and how they come out again.

A sleeve is sewn round its arm. A thumb that stands out would keep it wide open, or come to lie outside the
seam that closes over it; so would toes in a trouser leg. They come out from their tips on: a cuff that is
narrower than the hand is pushed up over it to the wrist, as its wearer would do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from toile.core.records import LIMBS, Body, Floats, Ints

SIDES = ("left", "right")
NARROW = 0.2
"""share of its width that is left of a narrow hand or foot"""
RAMP = 0.25
"""share of its length, from wrist or ankle, in which it becomes narrow"""
WEDGE = 0.5
"""share of its length over which it widens while it comes out"""


@dataclass(frozen=True, eq=False, slots=True)
class _End:
    """A hand or a foot."""

    vertices: Ints
    narrow: Floats
    """where its skin is when it is narrow [m], (n, 3)"""
    far: Floats
    """how far each vertex is towards the tips: 0 at wrist or ankle … 1, (n,)"""


def narrow_ends(body: Body, vertices: Floats) -> Floats:
    """Return a body's skin [m], (n, 3), with hands and feet that are narrower than wrists and ankles."""
    return coming_out(body, vertices, 0.0)


def coming_out(body: Body, vertices: Floats, done: float) -> Floats:
    """Return a body's skin [m], (n, 3), with hands and feet that are wide again from their tips on.

    done: how far they have come, 0 (narrow) … 1 (as they are).
    """
    skin = np.array(vertices)
    for end in _ends(body, vertices):
        share = np.clip((done * (1.0 + WEDGE) - (1.0 - end.far)) / WEDGE, 0.0, 1.0)[:, None]
        skin[end.vertices] += (1.0 - share) * (end.narrow - skin[end.vertices])
    return skin


def slipping_in(body: Body) -> Body:
    """Return the body in its rest pose with narrow hands and feet, round which garments are placed."""
    return replace(body, vertices=narrow_ends(body, body.vertices))


def _ends(body: Body, vertices: Floats) -> list[_End]:
    """Return hands and feet as far as the body's labels tell them."""
    found = []
    for side in SIDES:
        for near, name in (("forearm", "hand"), ("shin", "foot")):
            joint = _border(body, f"{side}_{near}", f"{side}_{name}")
            mine = np.flatnonzero(body.limb == LIMBS.index(f"{side}_{name}")).astype(np.int32)
            if not len(joint) or not len(mine):
                continue
            root = vertices[joint].mean(axis=0)
            # fingers go on where the arm ends, toes turn off: a foot is drawn in to the line of its shin
            way = vertices[mine].mean(axis=0) - root
            knee = _border(body, f"{side}_thigh", f"{side}_shin") if name == "foot" else joint[:0]
            way = root - vertices[knee].mean(axis=0) if len(knee) else way
            found.append(_drawn_in(mine, vertices[mine], vertices[joint], way))
    return found


def _border(body: Body, above: str, below: str) -> Ints:
    """Return the vertices of the triangles between two limbs."""
    corners = body.limb[body.triangles]
    both = [(corners == LIMBS.index(name)).any(axis=1) for name in (above, below)]
    return np.unique(body.triangles[both[0] & both[1]])


def _drawn_in(mine: Ints, skin: Floats, joint: Floats, way: Floats) -> _End:
    """Return a hand or foot drawn in to its axis, all round and in proportion: nothing crosses."""
    root, axis = joint.mean(axis=0), way / max(float(np.linalg.norm(way)), 1e-9)
    along = (skin - root) @ axis
    # wrist and ankle stay as they are
    begin = float(((joint - root) @ axis).max())
    ramp = np.clip((along - begin) / max(RAMP * float(along.max()), 1e-9), 0.0, 1.0)
    out = skin - root - np.outer(along, axis)
    far = np.clip(along / max(float(along.max()), 1e-9), 0.0, 1.0)
    return _End(mine, skin - out * ((1.0 - NARROW) * ramp)[:, None], far)
