"""What each piece of a file is: by its outline and by its name and label together, with a confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from toile.core.records import Panel, Pattern
from toile.pattern.model import curves
from toile.pattern.understand.names import LEFT_OUT, Meaning, meanings
from toile.pattern.understand.outline import Reading, Stretch, read_outline
from toile.pattern.understand.templates import KINDS, STRIPS, TEMPLATES
from toile.pattern.understand.upright import STRIP_WIDTH

UNNAMED = 1.2
"""penalty of a part that no word speaks for where words speak for another"""
UNNAMED_STRIP = 0.8
"""… of a strip that no word speaks for"""
BESIDE = 0.4
"""… of a part that is named beside another"""
NO_YOKE = 0.8
"""… of a piece that ends below a yoke where no piece is named so"""
UNLIKELY = 1.1
"""pieces whose penalty is larger are not of that kind"""
STRIP_SHARE = 0.4
"""of a strip's penalty that counts if words say what it is: collars and stands are bent freely"""
SCALE = 1.3
"""penalty at which the confidence has fallen to a third"""
DEEPER = 0.01
"""a front's neckline is deeper than a back's by at least this [m]"""


@dataclass(frozen=True, slots=True)
class Known:
    """A piece and what it is."""

    panel: Panel
    part: str
    """of the vocabulary: front, sleeve, stand …; body, where the face is open; empty: unknown"""
    kind: str = ""
    """of the templates"""
    face: str = ""
    """front or back, where it has one"""
    side: str = ""
    """left or right of the wearer, where its name says so"""
    confidence: float = 0.0
    stretches: tuple[Stretch, ...] = ()
    others: tuple[str, ...] = ()
    """parts that its name speaks of besides"""

    def stretch(self, role: str, side: int | None = None) -> Stretch | None:
        """Return the stretch of a role, on one side of the drawing where there are two."""
        return next((s for s in self.stretches if s.role == role and side in (None, s.side)), None)

    @property
    def family(self) -> str:
        """Return the first word of its kind: bodice, leg, skirt, sleeve, strip …"""
        return self.kind.partition(" ")[0]


def recognise(pattern: Pattern) -> list[Known]:
    """Return what each piece of a pattern is, in the pattern's order."""
    said = meanings(pattern.panels)
    yoked = any(one.part == "yoke" for one in said)
    found = [_known(panel, one, yoked) for panel, one in zip(pattern.panels, said, strict=True)]
    return _faces_told(found)


def _known(panel: Panel, said: Meaning, yoked: bool) -> Known:
    if said.part in LEFT_OUT:
        return Known(panel, said.part, confidence=0.5 if said.weak else 0.9, others=said.others)
    options = []
    for part, kinds in KINDS.items():
        word = _word_penalty(part, said)
        for kind in kinds:
            if part in ("front", "back") and not said.face and said.part == "leg" and kind == "leg whole":
                continue
            reading = _read(panel, kind)
            if reading is not None and reading.penalty + word < UNLIKELY:
                more = 0.0 if yoked or "yoke" not in kind or part == "yoke" else NO_YOKE
                named = kind == "strip" and part == said.part and not said.weak
                share = STRIP_SHARE if named else 1.0
                options.append((share * reading.penalty + word + more, part, kind, reading))
    if not options:
        # a strip that bends too far for a template is still what its name says
        sure = 0.5 if said.part and not said.weak else 0.0
        return Known(panel, said.part, "", said.face, said.side, sure, (), said.others)
    options.sort(key=lambda option: option[0])
    penalty, part, kind, reading = options[0]
    face = said.face or (part if part in ("front", "back") else "")
    if not said.part and part in ("front", "back", "yoke", *STRIPS):
        part = "body" if kind not in ("strip", "yoke") else "band" if kind == "strip" else part
        face = ""
    if kind == "leg whole" and part == "body":
        part = "leg"
    if kind == "strip" and not said.part:  # what it goes on is told by its length alone
        penalty += UNNAMED_STRIP
    return Known(
        panel,
        part,
        kind,
        face,
        said.side,
        math.exp(-((penalty / SCALE) ** 2)),
        reading.stretches,
        said.others,
    )


def _word_penalty(part: str, said: Meaning) -> float:
    """Return how much the words speak against a part."""
    if part == "hood" and part not in (said.part, *said.others):
        return 2.0 * UNNAMED  # too plain a shape to be told by itself
    if not said.part:
        return 0.0
    if part == said.part:
        return 0.0
    if part in ("front", "back") and said.part in ("leg", "skirt", "side"):
        return 0.05 if said.face in ("", part) else UNNAMED
    if part == "leg" and said.part in ("front", "back") and said.face:
        return 0.1
    beside = part in said.others
    return (0.5 if said.weak else 1.0) * (BESIDE if beside else UNNAMED)


@lru_cache(maxsize=4096)
def _read(panel: Panel, kind: str) -> Reading | None:
    if kind == "strip" and not _is_strip(panel):
        return None
    return read_outline(panel, TEMPLATES[kind])


def _is_strip(panel: Panel) -> bool:
    width, height = np.ptp(curves.outline(panel, 1e-3), axis=0)
    return bool(height < STRIP_WIDTH and width > 1.8 * height)


# ---------------------------------------------------------------------------- front or back


def _faces_told(found: list[Known]) -> list[Known]:
    """Return the pieces with those named fronts and backs that only their shapes tell.

    Of bodices the one with the deeper neckline is the front; of legs the one with the longer crotch the back.
    """
    told = list(found)
    for family, measure, deep in (
        ("bodice", neck_depth, "front"),
        ("leg", crotch_length, "back"),
        ("skirt", waist_depth, "front"),
    ):
        group = [k for k, one in enumerate(told) if one.family == family and one.kind != "leg whole"]
        open_ones = [k for k in group if not told[k].face]
        if not open_ones:
            continue
        depths = {k: measure(told[k]) for k in group}
        named = {told[k].face for k in group}
        middle = (min(depths.values()) + max(depths.values())) / 2.0
        spread = max(depths.values()) - min(depths.values())
        for number, k in enumerate(open_ones):
            # where nothing differs, either may be the front
            deeper = depths[k] > middle if spread > 1e-4 else (number % 2 == 0) == (deep == "front")
            face = deep if deeper else {"front": "back", "back": "front"}[deep]
            if len(named - {""}) == 1 and spread < DEEPER:
                face = ({"front", "back"} - named).pop()
            sure = told[k].confidence * (1.0 if spread > DEEPER or family == "skirt" else 0.6)
            told[k] = replace(told[k], face=face, part=_part_of(told[k], face), confidence=sure)
    return [replace(one, part=_part_of(one, one.face)) for one in told]


def _part_of(one: Known, face: str) -> str:
    return face if one.part in ("body", "leg") and face and one.kind != "leg whole" else one.part


def neck_depth(one: Known) -> float:
    """Return how far a neckline drops below the shoulder [m]."""
    return _depth(one, "neck")


def waist_depth(one: Known) -> float:
    """Return how far a waist drops between the sides [m]."""
    return _depth(one, "waist")


def _depth(one: Known, role: str) -> float:
    stretch = one.stretch(role)
    if stretch is None:
        return 0.0
    rows = [curves.flatten_edge(one.panel, ref.edge, 1e-3) for ref in stretch.refs]
    return float(np.ptp(np.vstack(rows)[:, 1]))


def crotch_length(one: Known) -> float:
    """Return the length of the longest crotch seam of a leg [m]."""
    return max((s.length for s in one.stretches if s.role == "crotch"), default=0.0)


def left_out(found: Sequence[Known]) -> list[tuple[Panel, str]]:
    """Return the pieces that are not sewn as cloth of their own, and why; none if nothing would be left."""
    inner = [(one.panel, _WHY[one.part]) for one in found if one.part in LEFT_OUT]
    return inner if len(inner) < len(found) else []


_WHY = {
    "pattern": "it is no piece of cloth",
    "interlining": "it stiffens another piece",
    "lining": "it lies under the cloth",
    "pocket": "pockets lie on or under the cloth",
    "facing": "it lies under the cloth",
    "placket": "it finishes an opening",
    "binding": "it binds an edge",
    "trim": "it is sewn on afterwards",
}
