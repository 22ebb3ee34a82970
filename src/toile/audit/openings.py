"""Which limbs pass through which openings of a garment.

A sewn garment is a surface with holes: waist, hem, neck, cuffs. The body is seen as five branches (head, two
arms, two legs) that leave the chest and run off to infinity. How often the border of an opening winds round
each branch is a whole number that no pulling or folding changes, only passing through the limb does. On a
garment that is worn well every branch passes through exactly one opening, once, and no opening is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.core.records import LIMBS, Body, Floats, Garment, Ints
from toile.geometry.topology import boundary_loops, components

BRANCHES = ("head", "left_arm", "right_arm", "left_leg", "right_leg")

_RINGS = {
    "shoulders": (("torso", "left_upper_arm"), ("torso", "right_upper_arm")),
    "head": (("torso", "neck"), ("neck", "head")),
    "left_arm": (
        ("torso", "left_upper_arm"),
        ("left_upper_arm", "left_forearm"),
        ("left_forearm", "left_hand"),
    ),
    "right_arm": (
        ("torso", "right_upper_arm"),
        ("right_upper_arm", "right_forearm"),
        ("right_forearm", "right_hand"),
    ),
    "left_leg": (
        ("torso", "pelvis"),
        ("pelvis", "left_thigh"),
        ("left_thigh", "left_shin"),
        ("left_shin", "left_foot"),
    ),
    "right_leg": (
        ("torso", "pelvis"),
        ("pelvis", "right_thigh"),
        ("right_thigh", "right_shin"),
        ("right_shin", "right_foot"),
    ),
}
"""joints along each branch as borders between two limbs: the middle of such a ring lies inside the body;
the head's branch goes on to the middle of the head and leaves between the eyes: a hood covers the crown; an
arm's goes on through the hand to its fingertips: a long cuff may lie round them"""

_FAR = 1e4
"""where a branch ends [m]"""


@dataclass(frozen=True, slots=True)
class Opening:
    """One closed border of a garment and what passes through it."""

    garment: str
    panels: tuple[str, ...]
    """panels along the border, the longest share first"""
    girth: float
    """length of the border [m]"""
    branches: tuple[str, ...]
    """what passes through it once"""
    turns: int
    """how often it winds: 0 round nothing, 1 as it should, more: wound several times"""
    wanted: str = ""
    """limb that the panels were made for, where that is one arm or one leg"""

    @property
    def problem(self) -> str:
        """Return what is wrong, or an empty string."""
        where = f"{self.garment}: the opening at {' and '.join(self.panels[:2])} ({100 * self.girth:.0f} cm)"
        if self.turns > 1:
            return f"{where} winds {self.turns} times round {' and '.join(self.branches)}"
        rest = tuple(b for b in BRANCHES if b not in self.branches)
        if self.wanted and (self.wanted,) not in (self.branches, rest):
            goes = f"round {' and '.join(self.branches)}" if self.branches else "round nothing"
            return f"{where} goes {goes}, not round the {self.wanted.replace('_', ' ')}"
        return "" if self.branches else f"{where} goes round nothing"


class Branches:
    """The five branches of one body, for any pose."""

    def __init__(self, body: Body) -> None:
        """Find the rings of vertices between neighbouring limbs."""
        self._rings = {
            pair: _ring(body, *pair) for pairs in _RINGS.values() for pair in pairs
        }  # fmt: skip
        self._head = np.flatnonzero(body.limb == LIMBS.index("head")).astype(np.int32)
        self._brow = _brow(body.vertices, self._head)
        self._hands = {f"{side}_arm": _hand(body, side) for side in ("left", "right")}
        self.known = all(len(ring) for ring in self._rings.values()) and len(self._head) > 0
        """the body has all limbs, so branches can be drawn"""

    def at(self, vertices: Floats) -> list[Floats]:
        """Return one chain of points per branch, from the chest to far away [m], (k, 3) each."""
        chest = np.mean([self._middle(pair, vertices) for pair in _RINGS["shoulders"]], axis=0)
        chains = []
        for name in BRANCHES:
            points = [chest, *(self._middle(pair, vertices) for pair in _RINGS[name])]
            if name == "head":
                points += [vertices[self._head].mean(axis=0), vertices[self._brow]]
            if name in self._hands:
                points += [vertices[some].mean(axis=0) for some in self._hands[name]]
            # away from where it started: middle of the head → face, chest → fingertips, waist → foot
            away = points[-1] - points[-2 if name == "head" else 1 if name.endswith("leg") else 0]
            chains.append(np.array([*points, points[-1] + _FAR * away / max(np.linalg.norm(away), 1e-9)]))
        return chains

    def hips(self, vertices: Floats) -> tuple[Floats, Floats]:
        """Return the middle of the hip joints and the direction up the trunk, (3,) each."""
        hips = np.mean(
            [self._middle(("pelvis", f"{side}_thigh"), vertices) for side in ("left", "right")], axis=0
        )
        up = self._middle(("torso", "neck"), vertices) - hips
        return hips, up / max(float(np.linalg.norm(up)), 1e-9)

    def _middle(self, pair: tuple[str, str], vertices: Floats) -> Floats:
        return np.asarray(vertices[self._rings[pair]].mean(axis=0))


def _brow(vertices: Floats, head: Ints) -> int:
    """Return the foremost vertex of a head a little above half its height: between the eyes."""
    if not len(head):
        return 0
    points = vertices[head]
    low, high = points[:, 1].min(), points[:, 1].max()
    level = np.abs(points[:, 1] - (0.42 * low + 0.58 * high)) < 0.08 * (high - low)
    return int(head[np.where(level, points[:, 2], -np.inf).argmax()])


def _hand(body: Body, side: str) -> tuple[Ints, ...]:
    """Return a hand's vertices and its fingertips; nothing for a body without hands."""
    hand = np.flatnonzero(body.limb == LIMBS.index(f"{side}_hand"))
    wrist = _ring(body, f"{side}_forearm", f"{side}_hand")
    if not len(hand) or not len(wrist):
        return ()
    far = np.linalg.norm(body.vertices[hand] - body.vertices[wrist].mean(axis=0), axis=1)
    return hand.astype(np.int32), hand[far > 0.95 * far.max()].astype(np.int32)


def _ring(body: Body, one: str, other: str) -> Ints:
    """Return the vertices of triangles that belong to both limbs."""
    a, b = LIMBS.index(one), LIMBS.index(other)
    limb = body.limb[body.triangles]
    both = (limb == a).any(axis=1) & (limb == b).any(axis=1)
    return np.unique(body.triangles[both][(limb[both] == a) | (limb[both] == b)])


def half_winding(loop: Floats, chain: Floats) -> float:
    """Return Gauss's integral of a closed loop (n, 3) with an open chain (k, 3) of straight pieces.

    Each pair of segments contributes its signed solid angle / 4π (Klenin & Langowski 2000). The integrals
    of two chains from the same point to infinity differ by the linking number, a whole number.
    """
    a, b = loop[:, None], np.roll(loop, -1, axis=0)[:, None]
    c, d = chain[None, :-1], chain[None, 1:]
    r13, r14, r23, r24 = c - a, d - a, c - b, d - b
    normals = [_unit(np.cross(p, q)) for p, q in ((r13, r14), (r14, r24), (r24, r23), (r23, r13))]
    angle = sum(np.arcsin(np.clip((normals[k] * normals[(k + 1) % 4]).sum(-1), -1.0, 1.0)) for k in range(4))
    side = np.sign((np.cross(d - c, b - a) * r13).sum(-1))
    return float((angle * side).sum() / (4 * np.pi))


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300))


def openings(garment: Garment, position: Floats, branches: list[Floats], label: Ints) -> list[Opening]:
    """Return the openings of all tubes of a garment; label names sewn particles alike, (n,).

    Pieces without a hole or with one (a scarf) are no tubes and have no openings.
    """
    triangles = label[garment.triangles]
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    piece = components(triangles, garment.particle_count)
    loops = boundary_loops(triangles)
    found = []
    for number in sorted({int(piece[loop[0]]) for loop in loops}):
        mine = [loop for loop in loops if piece[loop[0]] == number]
        if len(mine) > 1:
            found += _piece_openings(garment, position, branches, mine, label)
    return found


def _piece_openings(
    garment: Garment, position: Floats, branches: list[Floats], loops: list[Ints], label: Ints
) -> list[Opening]:
    winding = np.array([[half_winding(position[loop], chain) for chain in branches] for loop in loops])
    # whole numbers, up to one common number per loop
    turns = np.round(winding - winding[:, :1]).astype(int)
    through = _through(turns)
    panels = _panels_at(garment, label)
    return [
        _opening(garment, position, loop, inside, int(np.ptp(row)), panels)
        for loop, inside, row in zip(loops, through, turns, strict=True)
    ]


def _through(turns: Ints) -> list[list[int]]:
    """Return the branches through each loop, (loops, branches) → lists.

    With the cloth on the left all openings wind the same way, say +1 round what passes through them; seen
    from the other side of the cloth it is −1. The right reading counts every branch once.
    """
    readings = []
    for sign in (-1, 1):
        rows = sign * turns
        readings.append([[i for i in range(rows.shape[1]) if r[i] == r.max() > r.min()] for r in rows])
    excess = [abs(sum(len(r) for r in reading) - turns.shape[1]) for reading in readings]
    return readings[int(np.argmin(excess))]


def _panels_at(garment: Garment, label: Ints) -> dict[int, list[int]]:
    """Return the panels that meet at each named particle."""
    panels: dict[int, list[int]] = {}
    for particle, panel in zip(label[garment.uv_particle].tolist(), garment.uv_panel.tolist(), strict=True):
        panels.setdefault(particle, []).append(panel)
    return panels


def _opening(
    garment: Garment,
    position: Floats,
    loop: Ints,
    inside: list[int],
    turns: int,
    panels: dict[int, list[int]],
) -> Opening:
    count = np.bincount([p for v in loop.tolist() for p in panels.get(v, [])], minlength=1).astype(np.int32)
    order = [int(p) for p in np.argsort(-count, kind="stable") if count[p] > 0]
    closed = position[loop]
    return Opening(
        garment=garment.garment_names[int(garment.particle_garment[loop[0]])],
        panels=tuple(garment.panel_names[p] for p in order),
        girth=float(np.linalg.norm(np.roll(closed, -1, axis=0) - closed, axis=1).sum()),
        branches=tuple(BRANCHES[i] for i in inside),
        turns=turns,
        wanted=_wanted(garment, order, count),
    )


def _wanted(garment: Garment, order: list[int], count: Ints) -> str:
    """Return the arm or leg that nearly all of a border's panels were placed round, or an empty string."""
    placed = [
        p.placement.around if p.placement else "" for pattern in garment.patterns for p in pattern.panels
    ]
    if len(placed) != len(garment.panel_names) or not order:
        return ""
    share: dict[str, int] = {}
    for panel in order:
        share[placed[panel]] = share.get(placed[panel], 0) + int(count[panel])
    limb = max(share, key=lambda name: share[name])
    return limb if limb.endswith(("_arm", "_leg")) and share[limb] > 0.8 * sum(share.values()) else ""
