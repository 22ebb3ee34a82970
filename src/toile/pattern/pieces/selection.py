"""Which pieces of a file make one garment: versions of a piece, twins that are not drawn, bands too long.

Cutting-room files hold more than is sewn: a front with and without pocket, pocket bags, half of what is cut
twice. What is proposed here can be changed in the seam file: `remove`, `mirror of`, `move`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from toile.core.records import Panel, Pattern
from toile.core.units import cm
from toile.pattern.grading.rules import moved_out
from toile.pattern.model import curves
from toile.pattern.model.mirror import mirror_panel
from toile.pattern.model.sides import (
    SewnCorners,
    Side,
    free_sides,
    make_side,
    open_loops,
    panel_box,
    side_chains,
)
from toile.pattern.seams.suggest import (
    BACK_WORDS,
    CROTCH,
    FRONT_WORDS,
    SLEEVE_WORDS,
    Suggestion,
    base_name,
    suggest_seams,
)

INNER_WORDS = re.compile(
    r"((front|back|side)[ _-]?)?"
    r"(pocket|tasche|poche|bolsillo|facing|beleg|interfac|einlage|lining|futter|doublure|fusible)",
    re.IGNORECASE,
)
"""how the names of pieces begin that lie under the cloth or on it"""
SAME = 0.005
"""sides are equal within this share of their length"""
STRIP = 0.12
"""pieces narrower than this are bands [m]"""
TOO_LONG = (1.02, 1.3)
"""length of a band / of the waist for which it is shortened"""
SMALL = 0.1
"""a piece without seam is left out if its area is under this share of the largest"""


def choose_pieces(pattern: Pattern) -> tuple[Pattern, list[str]]:
    """Return the pattern with one version of each piece and with missing twins, and what was done."""
    if pattern.seams:  # the choice was made already
        return pattern, []
    chosen, notes = _without_inner_pieces(pattern)
    chosen, more = _one_version(chosen)
    twins = [
        mirror_panel(panel, f"{panel.name}_mirrored") for panel in chosen.panels if _lacks_twin(panel, chosen)
    ]
    notes += more + [f"{twin.name} added: cut twice, once for each side of the body" for twin in twins]
    return replace(chosen, panels=(*chosen.panels, *twins)), notes


def _without_inner_pieces(pattern: Pattern) -> tuple[Pattern, list[str]]:
    inner = [p.name for p in pattern.panels if INNER_WORDS.match(p.name)]
    if len(inner) == len(pattern.panels):
        return pattern, []
    kept = tuple(p for p in pattern.panels if p.name not in inner)
    return replace(pattern, panels=kept), [f"{name} left out: it lies under the cloth" for name in inner]


# ---------------------------------------------------------------------------- versions


def _one_version(pattern: Pattern) -> tuple[Pattern, list[str]]:
    """Return the pattern with the best of several versions of a piece."""
    notes: list[str] = []
    for group in _versions(pattern.panels):
        names = [panel.name for panel in group]
        scores = [_score(_only(pattern, names, name)) for name in names]
        # versions that fit about as well: the first in the file
        best = names[int(np.argmax(np.round(np.array(scores) * 4.0)))]
        pattern = _only(pattern, names, best)
        notes += [f"{name} left out: another version of {best}" for name in names if name != best]
    return pattern, notes


def _only(pattern: Pattern, names: Sequence[str], name: str) -> Pattern:
    kept = tuple(p for p in pattern.panels if p.name not in names or p.name == name)
    return replace(pattern, panels=kept)


def _score(pattern: Pattern) -> float:
    """Return how surely the pieces join others than themselves and their twins."""
    twins = [mirror_panel(p, f"{p.name}_mirrored") for p in pattern.panels if _lacks_twin(p, pattern)]
    found = suggest_seams(replace(pattern, panels=(*pattern.panels, *twins)))
    others = [s for s in found if base_name(s.seam.a[0].panel) != base_name(s.seam.b[0].panel)]
    return sum(s.confidence for s in others)


def _versions(panels: Sequence[Panel]) -> list[list[Panel]]:
    """Return groups of pieces that are drawn for the same place of the garment."""
    groups: list[list[Panel]] = []
    for panel in panels:
        for group in groups:
            if _are_versions(group[0], panel):
                group.append(panel)
                break
        else:
            groups.append([panel])
    return [group for group in groups if len(group) > 1]


def _are_versions(a: Panel, b: Panel) -> bool:
    """Return whether two pieces share a name's first word, their size and three sides, but not all."""
    words = [re.split(r"[\s_\-.]+", panel.name.lower())[0] for panel in (a, b)]
    if words[0] != words[1] or base_name(a.name) == base_name(b.name):
        return False
    size = [np.ptp(panel_box(panel), axis=0) for panel in (a, b)]
    if np.any(np.minimum(*size) < 0.8 * np.maximum(*size)):
        return False
    sides = [[make_side(panel, chain).length for chain in side_chains(panel)] for panel in (a, b)]
    long = [sorted(length for length in side if length > 0.05) for side in sides]
    shared = sum(any(abs(x - y) < SAME * x for y in long[1]) for x in long[0])
    return shared >= 3 and (len(long[0]) != len(long[1]) or shared < len(long[0]))


# ---------------------------------------------------------------------------- twins


def _lacks_twin(panel: Panel, pattern: Pattern) -> bool:
    """Return whether a piece is half of a pair whose other half is not there: a leg, a sleeve."""
    if any(p is not panel and base_name(p.name) == base_name(panel.name) for p in pattern.panels):
        return False
    if re.search(r"left|right", panel.name, re.IGNORECASE):
        return False
    if SLEEVE_WORDS.search(panel.name):
        return True
    if not (FRONT_WORDS.search(panel.name) or BACK_WORDS.search(panel.name)):
        return False
    sides = [make_side(panel, chain) for chain in side_chains(panel)]
    return sum(_is_crotch(side) for side in sides) == 1


def _is_crotch(side: Side) -> bool:
    """Return whether a side is the seat seam of a leg: long, hollow, at one side of its upper half."""
    return (
        side.bulge < CROTCH and 0.12 < side.length < 0.6 and abs(side.normal[0]) > 0.7 and side.height > 0.5
    )


# ---------------------------------------------------------------------------- bands, leftovers


def fit_bands(pattern: Pattern, found: Sequence[Suggestion]) -> tuple[Pattern, list[str]]:
    """Return the pattern with a ring of bands shortened to the waist that it goes on, and what was done.

    Bands are often drawn longer: for the overlap at the closing, or for another size. The overlap is not sewn
    here; the ring closes end to end.
    """
    seams = [*pattern.seams, *[s.seam for s in found]]
    used = {(ref.panel, ref.edge) for seam in seams for ref in (*seam.a, *seam.b)}
    sides = [
        side
        for panel in pattern.panels
        for side in free_sides(panel, {edge for name, edge in used if name == panel.name})
    ]
    loops = open_loops(pattern, sides, SewnCorners(pattern, seams))
    rings = [loop for loop in loops if all(_is_band(side.panel) for side in loop)]
    waists = [loop for loop in loops if not any(_is_band(s.panel) for s in loop) and _looks(loop) > 0.5]
    for ring in rings:
        if _looks(ring) < -0.5 and len({side.panel.name for side in ring}) == len(ring):
            for waist in waists:
                ratio = _length(ring) / _length(waist)
                if TOO_LONG[0] < ratio < TOO_LONG[1]:
                    return _shortened(pattern, ring, _length(waist))
    return pattern, []


def _is_band(panel: Panel) -> bool:
    return len(panel.edges) == 4 and float(min(np.ptp(panel_box(panel), axis=0))) < STRIP


def _length(loop: Sequence[Side]) -> float:
    return sum(side.length for side in loop)


def _looks(loop: Sequence[Side]) -> float:
    """Return where a loop's edges look on average: 1 up, -1 down."""
    return float(np.average([s.normal[1] for s in loop], weights=[s.length for s in loop]))


def _shortened(pattern: Pattern, ring: Sequence[Side], waist: float) -> tuple[Pattern, list[str]]:
    lengths = np.array([side.length for side in ring])
    # halves that differ by an overlap only become equal
    alike = lengths.min() > 0.85 * lengths.max()
    wanted = np.full(len(ring), waist / len(ring)) if alike else lengths * waist / lengths.sum()
    panels = {panel.name: panel for panel in pattern.panels}
    notes = []
    for side, length in zip(ring, wanted, strict=True):
        panel = panels[side.panel.name]
        end = min(range(4), key=lambda i: curves.edge_length(panel, i))
        panels[panel.name] = moved_out(panel, end, float(length - side.length))
        notes.append(
            f"{panel.name} shortened by {cm(side.length - length)}: the band is "
            f"{cm(_length(ring))} long, the waist {cm(waist)} (overlap, or another size)"
        )
    return replace(pattern, panels=tuple(panels.values())), notes


def without_leftovers(pattern: Pattern, found: Sequence[Suggestion]) -> tuple[Pattern, list[str]]:
    """Return the pattern without small pieces for which no seam was found, and what was done."""
    if not found:
        return pattern, []
    sewn = {ref.panel for s in found for ref in (*s.seam.a, *s.seam.b)}
    sewn |= {ref.panel for seam in pattern.seams for ref in (*seam.a, *seam.b)}
    area = {panel.name: abs(curves.area(panel)) for panel in pattern.panels}
    left = [name for name in area if name not in sewn and area[name] < SMALL * max(area.values())]
    kept = tuple(panel for panel in pattern.panels if panel.name not in left)
    return replace(pattern, panels=kept), [f"{name} left out: no seam was found for it" for name in left]
