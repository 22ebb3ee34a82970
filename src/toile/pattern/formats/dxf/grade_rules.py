"""Grade rule tables (.rul) that go with an AAMA or ASTM D6673 DXF file.

A text file: header lines (UNITS, SIZE LIST, SAMPLE SIZE), then per rule ``RULE: DELTA n`` and one pair dx, dy
for each size in the order of the list, relative to the sample size. In the DXF a text ``# n`` stands at each
point that rule n moves; some programs number the turn points through all pieces instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from toile.core.errors import ToileError
from toile.core.records import Floats
from toile.pattern.formats.dxf.entities import Entity
from toile.pattern.model.check import SIZE_LIMIT
from toile.pattern.pieces.panels import RING_LIMIT

RULE_LIMIT = 50_000
NEAR = 1e-3
"""a rule's text stands at its point within this share of the piece"""
_RULE = re.compile(r"RULE\s*:\s*DELTA\s+(\d{1,9})\s*$", re.IGNORECASE)
_HEADER = re.compile(r"(UNITS|SIZE LIST|SAMPLE SIZE|NUMBER OF SIZES)\s*:\s*(.*)$", re.IGNORECASE)
_LABEL = re.compile(r"#\s*(\d{1,9})$")
_PAIR = re.compile(r"^[-+.\deE,;\s]+$")


@dataclass(frozen=True, eq=False, slots=True)
class RuleTable:
    """How far the points of pieces move in each size."""

    sizes: tuple[str, ...]
    sample: str
    units: str
    """metric, english or empty"""
    rules: dict[int, Floats]
    """number → move per size in the table's units, (sizes, 2)"""

    def metres(self, drawing: float) -> float:
        """Return metres per unit of the table; drawing: of the DXF file, which metric tables share."""
        if self.units == "english":
            return 0.0254
        return drawing if self.units != "metric" or drawing in (0.001, 0.01) else 0.001

    def moves(self, number: int, size: str) -> Floats:
        """Return how far a rule moves its points in a size, in the table's units, (2,)."""
        return np.asarray(self.rules[number][self.sizes.index(size)])


def parse_rules(data: bytes, source: str) -> RuleTable:
    """Return the grade rules of a .rul file."""
    header: dict[str, str] = {}
    values: dict[int, list[float]] = {}
    current: list[float] | None = None
    for number, line in enumerate(data.decode("cp1252", "replace").splitlines(), start=1):
        text = line.strip()
        if match := _RULE.match(text):
            current = values.setdefault(int(match[1]), [])
            if len(values) > RULE_LIMIT:
                raise ToileError(f"{source}: more than {RULE_LIMIT} grade rules")
        elif current is None:
            if match := _HEADER.match(text):
                header.setdefault(match[1].lower(), match[2].strip())
        elif text.upper() == "END":
            break
        elif text:
            current += _numbers(text, f"{source}, line {number}")
    return _table(header, values, source)


def _numbers(text: str, where: str) -> list[float]:
    text = text.partition("#")[0]
    try:
        found = [float(word) for word in re.split(r"[,;\s]+", text.strip()) if word]
    except ValueError:
        found = [math.nan]
    if not _PAIR.match(text) or not all(math.isfinite(value) for value in found):
        raise ToileError(f"{where}: a pair 'dx, dy' is wanted, not '{text.strip()[:30]}'")
    return found


def _table(header: dict[str, str], values: dict[int, list[float]], source: str) -> RuleTable:
    sizes = tuple(header.get("size list", "").split())
    sample = header.get("sample size", "")
    if not sizes or not values:
        raise ToileError(f"{source}: no grade rules: SIZE LIST and RULE: DELTA are wanted")
    if len(sizes) > SIZE_LIMIT or len(set(sizes)) < len(sizes):
        raise ToileError(f"{source}: SIZE LIST names a size twice, or more than {SIZE_LIMIT}")
    if sample not in sizes:
        raise ToileError(
            f"{source}: sample size '{sample[:20]}' is not in its SIZE LIST: {' '.join(sizes[:9])}"
        )
    rules = {}
    for number, row in values.items():
        if len(row) != 2 * len(sizes):
            raise ToileError(
                f"{source}: rule {number} has {len(row)} numbers, "
                f"{2 * len(sizes)} are wanted for {len(sizes)} sizes"
            )
        rules[number] = np.array(row).reshape(-1, 2)
        if np.abs(rules[number][sizes.index(sample)]).max() > 1e-6:
            raise ToileError(f"{source}: rule {number} moves the sample size {sample}: columns are mixed up")
    return RuleTable(sizes, sample, header.get("units", "").lower(), rules)


# ---------------------------------------------------------------------------- points of a piece


def rule_points(texts: Sequence[Entity], points: Sequence[Floats]) -> list[tuple[Floats, int]]:
    """Return the points of a piece that have a text ``# n``, each with its rule."""
    labels = [(e.points[0], match[1]) for e in texts if (match := _LABEL.match(e.text.strip()))]
    if not labels or not len(points):
        return []
    drawn = np.array(points)
    reach = NEAR * float(np.ptp(drawn, axis=0).max())
    gap, nearest = cKDTree(drawn).query(np.array([at for at, _ in labels]))
    return [
        (drawn[k] if off <= reach else at, int(number))
        for (at, number), off, k in zip(labels, gap, nearest, strict=True)
    ]


class Mover:
    """Moves the points of one piece from the sample size to another."""

    def __init__(self, ring: Floats, at: Floats, move: Floats) -> None:
        """Take the boundary (k, 2), the graded points (g, 2) and how far they move (g, 2)."""
        if len(ring) > RING_LIMIT:
            raise ToileError(f"an outline has {len(ring)} points, at most {RING_LIMIT} are accepted")
        self.ring = shapely.LinearRing(ring)
        self.at, self.move = np.asarray(at), np.asarray(move)
        self.reach = NEAR * max(float(np.ptp(ring, axis=0).max()), 1e-9)
        along, off = self._project(self.at)
        on = off <= self.reach
        order = np.argsort(along[on], kind="stable")
        self.knots, self.knot_moves = along[on][order], self.move[on][order]
        ones = np.hstack([self.at, np.ones((len(self.at), 1))])
        self.affine = np.linalg.lstsq(ones, self.move, rcond=None)[0]

    def __call__(self, points: Floats) -> Floats:
        """Return points after grading: on the boundary between its graded points, inside with the whole."""
        points = np.asarray(points, dtype=np.float64)
        moved = points + np.hstack([points, np.ones((len(points), 1))]) @ self.affine
        along, off = self._project(points)
        on = off <= self.reach
        if len(self.knots):
            shift = np.stack(
                [np.interp(along, self.knots, m, period=self.ring.length) for m in self.knot_moves.T], axis=1
            )
            moved[on] = points[on] + shift[on]
        gap, nearest = cKDTree(self.at).query(points)
        own = gap <= 0.1 * self.reach
        moved[own] = points[own] + self.move[nearest[own]]
        return np.asarray(moved)

    def _project(self, points: Floats) -> tuple[Floats, Floats]:
        """Return for each point the nearest place along the boundary and its distance."""
        spots = shapely.points(points)
        return shapely.line_locate_point(self.ring, spots), shapely.distance(self.ring, spots)
