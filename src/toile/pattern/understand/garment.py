"""A garment out of loose pieces: recognised, chosen, joined by the grammar, and put in their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from toile.core.records import Panel, Pattern, Placement
from toile.core.units import cm
from toile.pattern.grading.rules import moved_out
from toile.pattern.model import curves
from toile.pattern.model.angles import rotation_from_degrees
from toile.pattern.model.split import cut_parts
from toile.pattern.seams.suggest import LEAST_CONFIDENCE, Suggestion, suggest_seams
from toile.pattern.understand.choose import Chosen, choose, waist_length
from toile.pattern.understand.join import join
from toile.pattern.understand.outline import Stretch
from toile.pattern.understand.recognise import Known, recognise
from toile.pattern.understand.stitch import half_side, left_leg_first

GUESSED = 0.6
"""seams of pieces that were not recognised are at most so sure"""
TOO_LONG = (1.02, 1.3)
"""length of a waistband / of the waist for which its overlap is taken off"""


@dataclass(frozen=True, eq=False, slots=True)
class Understood:
    """A garment as its pieces were understood."""

    pattern: Pattern
    """with seams"""
    suggestions: tuple[Suggestion, ...]
    """one a seam"""
    known: tuple[Known, ...]
    notes: tuple[str, ...]
    """what was left out, added or doubted, one line each"""


def understand(pattern: Pattern) -> Understood | None:
    """Return the garment that loose pieces make; None if the grammar knows nothing to sew of them."""
    chosen = _fitted_bands(choose(pattern, recognise(pattern)))
    joined = join(chosen.pattern, chosen.known)
    trunk = {k.panel.name for k in chosen.known if k.family in ("bodice", "poncho", "skirt", "brief", "leg")}
    if not any({r.panel for r in (*s.seam.a, *s.seam.b)} <= trunk for s in joined.seams):
        return None
    bare = replace(chosen.pattern, seams=tuple(s.seam for s in joined.seams))
    sewn = cut_parts(bare)
    kept, refused = _fitting([replace(s, seam=x) for s, x in zip(joined.seams, sewn.seams, strict=True)])
    kept += _guessed(replace(sewn, seams=tuple(s.seam for s in kept)), chosen.known)
    sewn, kept, left = _one_part(sewn, kept)
    kept = _unique(kept)
    sewn = replace(sewn, seams=tuple(s.seam for s in kept))
    return Understood(sewn, tuple(kept), chosen.known, (*chosen.notes, *joined.notes, *refused, *left))


def _fitting(found: Sequence[Suggestion]) -> tuple[list[Suggestion], list[str]]:
    """Return the seams that are likely enough to be proposed, and notes on the others."""
    kept = [s for s in found if s.confidence >= LEAST_CONFIDENCE]
    return kept, [
        f"not sewn: {s.reason}: these lengths do not fit" for s in found if s.confidence < LEAST_CONFIDENCE
    ]


def _unique(found: Sequence[Suggestion]) -> list[Suggestion]:
    """Return the seams with names of their own."""
    used: set[str] = set()
    result = []
    for s in found:
        name, number = s.seam.name, 2
        while name in used:
            name, number = f"{s.seam.name} {number}", number + 1
        used.add(name)
        result.append(replace(s, seam=replace(s.seam, name=name)))
    return result


def _guessed(pattern: Pattern, known: Sequence[Known]) -> list[Suggestion]:
    """Return seams of the pieces that the grammar does not know, told by lengths and shapes alone."""
    used = {ref.panel for seam in pattern.seams for ref in (*seam.a, *seam.b)}
    strange = {k.panel.name for k in known if k.panel.name not in used and not k.stretches}
    darts = {s.name for s in pattern.seams}
    found = []
    for s in suggest_seams(pattern):
        panels = {ref.panel for ref in (*s.seam.a, *s.seam.b)}
        if s.seam.name.startswith("dart ") and s.seam.name not in darts:
            found.append(s)
        elif panels & strange:
            words = f"a guess, {'/'.join(sorted(panels & strange))} was not recognised: {s.reason}"
            found.append(Suggestion(s.seam, min(s.confidence, GUESSED), words[:200]))
    return found


def _one_part(pattern: Pattern, found: Sequence[Suggestion]) -> tuple[Pattern, list[Suggestion], list[str]]:
    """Return the garment without pieces that nothing holds to it: they would fall to the floor."""
    home = {panel.name: panel.name for panel in pattern.panels}
    for s in found:
        homes = {home[r.panel] for r in (*s.seam.a, *s.seam.b)}
        home = {name: min(homes) if at in homes else at for name, at in home.items()}
    area: dict[str, float] = {}
    for panel in pattern.panels:
        area[home[panel.name]] = area.get(home[panel.name], 0.0) + abs(curves.area(panel))
    main = max(area, key=lambda name: area[name])
    kept = tuple(panel for panel in pattern.panels if home[panel.name] == main)
    seams = [s for s in found if home[s.seam.a[0].panel] == main]
    gone = [panel.name for panel in pattern.panels if home[panel.name] != main]
    return replace(pattern, panels=kept), seams, [f"{n} left out: no seam was found for it" for n in gone]


# ---------------------------------------------------------------------------- bands


def _fitted_bands(chosen: Chosen) -> Chosen:
    """Return the pieces with waistbands as long as the waist: their overlap at the closing is not sewn."""
    bands = [k for k in chosen.known if k.part == "waistband" and k.kind == "strip"]
    lower = [k for k in chosen.known if k.family in ("leg", "skirt")]
    waist = waist_length(lower)
    total = sum(s.length for k in bands if (s := k.stretch("lower")))
    if not waist or not bands or not TOO_LONG[0] < total / waist < TOO_LONG[1]:
        return chosen
    known, notes = list(chosen.known), list(chosen.notes)
    for band in bands:
        own = band.stretch("lower")
        end = band.stretch("end", 1)
        if own is None or end is None or len(end.refs) != 1:
            return chosen
        wanted = waist / len(bands)
        panel = moved_out(band.panel, end.refs[0].edge, wanted - own.length)
        known[known.index(band)] = _again(band, panel)
        notes.append(
            f"{panel.name} shortened by {cm(own.length - wanted)}: the band is {cm(total)} long, the waist "
            f"{cm(waist)} (overlap, or another size)"
        )
    panels = tuple(k.panel for k in known)
    return Chosen(replace(chosen.pattern, panels=panels), tuple(known), tuple(notes))


def _again(one: Known, panel: Panel) -> Known:
    """Return a piece that was changed with its stretches measured again."""
    stretches = tuple(
        Stretch(s.role, s.side, s.refs, sum(curves.edge_length(panel, r.edge) for r in s.refs))
        for s in one.stretches
    )
    return replace(one, panel=panel, stretches=stretches)


# ---------------------------------------------------------------------------- places


def placements(understood: Understood, heights: dict[str, float]) -> Pattern:
    """Return the pattern with every recognised piece before, behind or beside the body.

    ``heights`` say how far each piece is lifted so that sewn sides stand level [m].
    """
    known = {one.panel.name: one for one in understood.known}
    where = _where(understood)
    panels = tuple(
        panel
        if panel.placement is not None or panel.name not in where
        else replace(panel, placement=_placement(known[panel.name], *where[panel.name], heights[panel.name]))
        for panel in understood.pattern.panels
    )
    return replace(understood.pattern, panels=panels)


def limbs(understood: Understood) -> dict[str, str]:
    """Return what each recognised piece goes round, by its name."""
    return {name: around for name, (around, _) in _where(understood).items()}


def _where(understood: Understood) -> dict[str, tuple[str, float]]:
    """Return limb and the angle at which a piece's outer face looks, from +z towards +x [degrees]."""
    found: dict[str, tuple[str, float]] = {}
    whole = [k for k in understood.known if k.kind == "leg whole"]
    for one, side in zip(left_leg_first(whole), ("left", "right"), strict=False):
        found[one.panel.name] = (f"{side}_leg", 90.0 if side == "left" else -90.0)
    arms = _arms(understood)
    for one in understood.known:
        name, behind = one.panel.name, 180.0 if "back" in (one.face, one.part) or one.part == "yoke" else 0.0
        if name in found:
            continue
        if one.family == "leg":
            found[name] = (f"{half_side(one)}_leg", behind)
        elif one.family in ("bodice", "poncho", "skirt", "brief", "yoke"):
            found[name] = ("torso", behind)
        elif name in arms:
            found[name] = (arms[name], 90.0 if arms[name] == "left_arm" else -90.0)
        elif one.part in ("collar", "stand", "neckband"):
            found[name] = ("neck", 180.0)
        elif one.part == "hood":
            found[name] = ("head", 90.0 if one.kind.endswith("turned") else -90.0)
    return found


def _arms(understood: Understood) -> dict[str, str]:
    """Return the arm of each sleeve and of what is sewn onto it."""
    arms: dict[str, str] = {}
    sleeves = {k.panel.name for k in understood.known if k.part in ("sleeve", "cuff")}
    for s in understood.suggestions:
        for side in ("left", "right"):
            if s.seam.name.startswith((f"{side} sleeve", f"{side} raglan")):
                arms |= {r.panel: f"{side}_arm" for r in (*s.seam.a, *s.seam.b) if r.panel in sleeves}
    for s in understood.suggestions:
        names = {r.panel for r in (*s.seam.a, *s.seam.b)}
        if names <= sleeves and (home := names & set(arms)):
            arms |= dict.fromkeys(names, arms[min(home)])
    return arms


def _placement(one: Known, around: str, angle: float, height: float) -> Placement:
    rotation = rotation_from_degrees(0.0, angle, 0.0)
    line = curves.outline(one.panel, 1e-3)
    middle = float(line[:, 0].min() + line[:, 0].max()) / 2.0
    centre = one.stretch("centre") or (one.stretch("crotch") if one.kind in ("leg", "leg turned") else None)
    if around == "torso" and centre is not None:
        ends = [curves.sample_edge(one.panel, ref.edge, [0.0, 1.0])[:, 0].mean() for ref in centre.refs]
        middle = float(np.mean(ends))
    return Placement(np.array([0.0, height, 0.0]) - rotation[:, 0] * middle + 0.0, rotation, around)
