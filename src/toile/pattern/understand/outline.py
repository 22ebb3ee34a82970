"""The outline of a piece as a round of roles: hem, side, armhole, shoulder, neckline …

A template lists the roles of a kind of piece in the order in which its outline passes them, counter-clockwise
as seen from outside, hem down. Every stretch of the outline is judged for every role by where its cloth ends
look, how it curves, how long it is and how high it lies; the best division of the whole outline is found at
once (dynamic programming over stretches). How well it fits tells what the piece is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from toile.core.records import EdgeRef, Floats, Panel
from toile.pattern.model import curves
from toile.pattern.model.sides import corner_turns, dart_pairs, outer_face, side_chains

ATOM_LIMIT = 48
"""an outline of more edges is divided at its corners only"""
WORST = 9.0
"""penalty of one property that is all wrong"""
CORNER = math.radians(70.0)
"""a corner this sharp parts two roles for sure"""
SMOOTH = 0.8
"""penalty for parting two roles where the outline runs straight on"""
UNLIKE = ("crotch",)
"""roles that differ in front and behind where one piece has both"""
BROKEN = 1.5
"""penalty for a sharp corner within a role"""


@dataclass(frozen=True, slots=True)
class Role:
    """What is known about one stretch of a kind of piece; ranges hold for nearly all clothes of people."""

    name: str
    angle: float
    """where its cloth ends look: 0 right, 90 up [degrees]"""
    spread: float
    """how far that may be off [degrees]"""
    bulge: tuple[float, float]
    """area between curve and chord / length², negative: it curves into the cloth"""
    length: tuple[float, float]
    """[m]"""
    height: tuple[float, float] = (0.0, 1.0)
    """of its middle, 0 lowest point of the piece, 1 highest"""
    side: int = 0
    """1: on the right of the drawing, -1: on the left"""

    def mirrored(self) -> Role:
        """Return the same on the other side."""
        return Role(
            self.name, 180.0 - self.angle, self.spread, self.bulge, self.length, self.height, -self.side
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of an outline in its role."""

    role: str
    side: int
    refs: tuple[EdgeRef, ...]
    """counter-clockwise as seen from outside; darts within it are left out"""
    length: float
    """[m]"""


@dataclass(frozen=True, slots=True)
class Reading:
    """An outline read by a template."""

    penalty: float
    """per role, 0: everything as it should be"""
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Atoms:
    """The indivisible stretches of an outline, in order, counter-clockwise as seen from outside."""

    refs: tuple[tuple[EdgeRef, ...], ...]
    angle: Floats
    """(n, n): from atom i on, j + 1 atoms: where the cloth ends look [rad]"""
    bulge: Floats
    length: Floats
    height: Floats
    broken: Floats
    """sharp corners within, each 0 … 1"""
    corner: Floats
    """(n,): how sharp the corner before each atom is, 0 … 1"""


@lru_cache(maxsize=512)
def atoms_of(panel: Panel) -> Atoms:
    """Return the atoms of a panel's outline and the properties of all their chains."""
    darts = {edge for pair in dart_pairs(panel) for chain in pair for edge in chain}
    edges = [i for i in range(len(panel.edges)) if i not in darts]
    groups: list[tuple[int, ...]] = [(i,) for i in edges]
    if len(groups) > ATOM_LIMIT:
        groups = [kept for chain in side_chains(panel) if (kept := tuple(i for i in chain if i not in darts))]
    face = outer_face(panel)
    turned = curves.orientation(panel) * face < 0
    sign = curves.orientation(panel)
    turns = corner_turns(panel)
    order = [tuple(reversed(g)) for g in reversed(groups)] if turned else groups
    lines = []
    for group in order:
        rows = [curves.flatten_edge(panel, i, 5e-4) for i in group]
        rows = [row[::-1] for row in rows] if turned else rows
        lines.append(np.vstack(rows) * [face, 1.0])
    count = len(panel.edges)
    corner = [
        abs(sign * turns[(g[0] + 1) % count if turned else g[0]])
        if _runs_on(order, k, count, turned)
        else 0.0
        for k, g in enumerate(order)
    ]
    refs = tuple(tuple(EdgeRef(panel.name, i, turned) for i in group) for group in order)
    return _measured(refs, lines, np.minimum(np.array(corner) / CORNER, 1.0))


def _runs_on(order: list[tuple[int, ...]], k: int, count: int, turned: bool) -> bool:
    """Return whether an atom follows the one before without a dart between them."""
    before, here = order[k - 1][-1], order[k][0]
    return (before - 1) % count == here if turned else (before + 1) % count == here


def _measured(refs: tuple[tuple[EdgeRef, ...], ...], lines: list[Floats], corner: Floats) -> Atoms:
    n = len(lines)
    start = np.array([line[0] for line in lines])
    end = np.array([line[-1] for line in lines])
    lengths = np.array([float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in lines])
    swept = np.array([_cross(line[:-1], line[1:]).sum() for line in lines])
    middle = np.array([_mean_height(line) for line in lines])
    low = min(float(line[:, 1].min()) for line in lines)
    high = max(float(line[:, 1].max()) for line in lines)
    at = (np.arange(n)[:, None] + np.arange(n)[None, :]) % n  # atom reached from i after j steps
    length = np.cumsum(lengths[at], axis=1)
    # between two atoms with a dart between them the chain jumps over its mouth
    jump = _cross(end[at[:, :-1]], start[at[:, 1:]])
    area = np.cumsum(swept[at], axis=1) + np.concatenate([np.zeros((n, 1)), np.cumsum(jump, axis=1)], axis=1)
    first, last = start[:, None, :], end[at]
    chord = last - first
    area = area + _cross(last, np.broadcast_to(first, last.shape))
    size = np.maximum(length, 1e-9)
    height = np.cumsum((lengths * middle)[at], axis=1) / size
    inside = np.concatenate([np.zeros((n, 1)), np.cumsum(corner[at[:, 1:]] ** 2, axis=1)], axis=1)
    return Atoms(
        refs, np.arctan2(-chord[..., 0], chord[..., 1]), 0.5 * area / size**2, length,
        (height - low) / max(high - low, 1e-9), inside, corner,
    )  # fmt: skip


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _mean_height(line: Floats) -> float:
    step = np.hypot(*np.diff(line, axis=0).T)
    return float(((line[:-1, 1] + line[1:, 1]) / 2.0 @ step) / max(float(step.sum()), 1e-12))


# ---------------------------------------------------------------------------- reading


def read_outline(panel: Panel, template: tuple[Role, ...]) -> Reading | None:
    """Return the best division of an outline into the roles of a template; None if it has too few edges."""
    atoms = atoms_of(panel)
    n, count = len(atoms.refs), len(template)
    if n < count:
        return None
    costs = [_costs(atoms, role) for role in template]
    # best[s, o]: roles so far laid along o atoms from atom s on
    best = np.full((n, n + 1), np.inf)
    best[:, 0] = 0.0
    choice = np.zeros((count, n, n + 1), dtype=np.int64)
    rows = np.arange(n)[:, None]
    for k, cost in enumerate(costs):
        more = np.full((n, n + 1), np.inf)
        for o in range(k + 1, n + 1):
            before = np.arange(k, o)
            total = best[:, before] + cost[(rows + before) % n, o - before - 1]
            pick = total.argmin(axis=1)
            more[:, o] = total[np.arange(n), pick]
            choice[k, :, o] = before[pick]
        best = more
    first = int(best[:, n].argmin())
    cuts = [n]
    for k in range(count - 1, -1, -1):
        cuts.append(int(choice[k, first, cuts[-1]]))
    cuts.reverse()
    return Reading(
        float(best[first, n]) / count + _lopsided(atoms, template, first, cuts),
        tuple(_stretch(atoms, role, first, cuts[k], cuts[k + 1]) for k, role in enumerate(template)),
    )


def _costs(atoms: Atoms, role: Role) -> Floats:
    """Return the penalty of every chain of atoms (start, count - 1) in a role."""
    off = np.abs(np.mod(atoms.angle - math.radians(role.angle) + math.pi, 2 * math.pi) - math.pi)
    cost = np.minimum((off / math.radians(role.spread)) ** 2, WORST)
    cost = cost + _outside(atoms.bulge, *role.bulge, 0.04)
    cost = cost + _outside(np.log(atoms.length), math.log(role.length[0]), math.log(role.length[1]), 0.25)
    cost = cost + _outside(atoms.height, *role.height, 0.12)
    return np.asarray(cost + BROKEN * atoms.broken + SMOOTH * (1.0 - atoms.corner[:, None]))


def _outside(value: Floats, low: float, high: float, scale: float) -> Floats:
    """Return a penalty for being out of a range, 1 at one scale beyond it."""
    over = np.maximum(np.maximum(low - value, value - high), 0.0) / scale
    return np.asarray(np.minimum(over**2, WORST))


def _lopsided(atoms: Atoms, template: tuple[Role, ...], first: int, cuts: list[int]) -> float:
    """Return a penalty for a whole piece whose left and right are unlike."""
    n = len(atoms.refs)
    sums: dict[str, dict[int, float]] = {}
    for k, role in enumerate(template):
        length = float(atoms.length[(first + cuts[k]) % n, cuts[k + 1] - cuts[k] - 1])
        sums.setdefault(role.name, {})[role.side] = length
    pairs = [(one[1], one[-1]) for name, one in sums.items() if name not in UNLIKE and 1 in one and -1 in one]
    if not pairs:
        return 0.0
    return float(np.mean([min((math.log(a / b) / 0.35) ** 2, WORST) for a, b in pairs]))


def _stretch(atoms: Atoms, role: Role, first: int, low: int, high: int) -> Stretch:
    n = len(atoms.refs)
    refs = tuple(ref for k in range(low, high) for ref in atoms.refs[(first + k) % n])
    return Stretch(role.name, role.side, refs, float(atoms.length[(first + low) % n, high - low - 1]))
