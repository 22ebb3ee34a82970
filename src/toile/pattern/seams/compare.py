"""Proposed seams beside the true ones: how many are right, and how many wrong ones carry no mark of doubt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from toile.core.records import EdgeRef, Floats, Pattern, Seam
from toile.pattern.model import curves
from toile.pattern.model.lengths import chain_length
from toile.pattern.model.mirror import mirror_panel

SAMPLES = 24
"""places along a seam that are compared"""
NEAR = 0.03
"""a place meets the right one when it is this near [m]"""
ENOUGH = 0.8
"""share of a seam's places that must meet the right ones"""


@dataclass(frozen=True, slots=True)
class Score:
    """What came of comparing."""

    right: int
    """true seams that were proposed so"""
    true: int
    wrong: int
    """proposed seams that are no true ones"""
    wrong_unmarked: int
    """of these the ones that nobody was asked to look at"""


Place = tuple[str, Floats]
"""piece as the file has it, and a place in it [m]"""


def seams_compared(found: Pattern, true: Pattern, unsure: Collection[int] = ()) -> Score:
    """Return how the seams of one pattern agree with those of another made of the same pieces.

    A piece and its mirrored twin count as one, so it does not matter which sleeve is sewn in at which side.
    """
    home = _homes(true)
    proposed = [_meetings(found, seam, _homes(found)) for seam in found.seams]
    wanted = [_meetings(true, seam, home) for seam in true.seams]
    right = _explained(wanted, [pair for one in proposed for pair in one])
    sound = _explained(proposed, [pair for one in wanted for pair in one])
    bad = [k for k, good in enumerate(sound) if not good]
    return Score(sum(right), len(wanted), len(bad), sum(k not in unsure for k in bad))


def _homes(pattern: Pattern) -> dict[str, tuple[str, float]]:
    """Return for each piece the one it is a twin of, and -1 if its drawing is turned over."""
    homes: dict[str, tuple[str, float]] = {}
    for panel in pattern.panels:
        for name, (home, side) in homes.items():
            other = pattern.panel(name)
            if side < 0.0 or other.vertices.shape[0] == 0:
                continue
            if _alike(mirror_panel(other, "").vertices, panel.vertices):
                homes[panel.name] = (home, -1.0)
                break
        else:
            homes[panel.name] = (panel.name, 1.0)
    return homes


def _alike(a: Floats, b: Floats) -> bool:
    """Return whether the corners of two outlines fall together, but for a few that one has more."""
    few, many = sorted((a, b), key=len)
    distance = cKDTree(many).query(few)[0]
    return bool(len(many) < 2 * len(few) and np.all(distance < 1e-6))


def _meetings(pattern: Pattern, seam: Seam, homes: dict[str, tuple[str, float]]) -> list[tuple[Place, Place]]:
    """Return pairs of places that a seam puts together."""
    at = (np.arange(SAMPLES) + 0.5) / SAMPLES
    sides = [_places(pattern, refs, at, homes) for refs in (seam.a, seam.b)]
    return list(zip(*sides, strict=True))


def _places(
    pattern: Pattern, refs: tuple[EdgeRef, ...], at: Floats, homes: dict[str, tuple[str, float]]
) -> list[Place]:
    lengths = np.array([chain_length(pattern, (ref,)) for ref in refs])
    ends = np.cumsum(lengths)
    which = np.minimum(np.searchsorted(ends, at * ends[-1], side="right"), len(refs) - 1)
    found: list[Place] = []
    for k, ref in enumerate(refs):
        along = (at[which == k] * ends[-1] - (ends[k] - lengths[k])) / lengths[k]
        points = curves.sample_edge(
            pattern.panel(ref.panel), ref.edge, 1.0 - along if ref.reversed else along
        )
        name, side = homes[ref.panel]
        found += [(name, point * [side, 1.0]) for point in points]
    return found


def _explained(seams: list[list[tuple[Place, Place]]], others: list[tuple[Place, Place]]) -> list[bool]:
    """Return for each seam whether most of its pairs are pairs of the others, either way round."""
    rows: dict[tuple[str, str], list[Floats]] = {}
    for (a, p), (b, q) in others:
        rows.setdefault((a, b), []).append(np.concatenate([p, q]))
        rows.setdefault((b, a), []).append(np.concatenate([q, p]))
    trees = {names: cKDTree(np.array(points)) for names, points in rows.items()}
    result = []
    for seam in seams:
        good = 0
        for (a, p), (b, q) in seam:
            tree = trees.get((a, b))
            good += tree is not None and float(tree.query(np.concatenate([p, q]))[0]) < 1.5 * NEAR
        result.append(good >= ENOUGH * len(seam))
    return result
