"""Places in words, as a tailor says them: ``place front``, ``place left sleeve``, ``place right leg front``.

No coordinates are needed: the words tell the limb and where the outer face looks; the seams tell the heights
of pieces relative to each other, and placing aligns the whole with the body (garment/place/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Panel, Pattern, Placement
from toile.pattern.model.angles import rotation_from_degrees
from toile.pattern.model.sides import panel_box
from toile.pattern.pieces.placement import seam_heights

SIDES = ("left", "right")
OTHER_SIDE = {"left": "right", "right": "left"}
FACES = {"front": 0.0, "back": 180.0, "side": 90.0}
"""where a piece's outer face looks, from the front towards the left [degrees]"""
PARTS = {
    "sleeve": "arm", "cuff": "arm", "arm": "arm", "leg": "leg", "collar": "neck", "stand": "neck",
    "neckband": "neck", "hood": "head", "yoke": "torso", "waistband": "torso", "skirt": "torso",
    "torso": "torso", "bodice": "torso", "band": "torso",
}  # fmt: skip
"""part → what it goes round"""
BEHIND = ("yoke", "collar", "stand", "neckband", "hood")
"""parts whose middle is behind the body, unless front is said"""
EXAMPLES = (
    "'place front', 'place back', 'place left sleeve', 'place right leg front', 'place collar', 'place hood'"
)


def limb_and_angle(words: Sequence[str]) -> tuple[str, float]:
    """Return what a piece goes round and where its outer face looks [degrees], from words in any order."""
    known = {*SIDES, *FACES, *PARTS}
    if not words or len(words) > 4 or (strange := [w for w in words if w not in known]):
        named = f"'{strange[0][:20]}' is no word of a place" if words and strange else "it is no place"
        raise ToileError(f"{named}: write {EXAMPLES}; the words are {', '.join(sorted(known))}")
    side, face, part = (_only(words, among) for among in (SIDES, FACES, PARTS))
    limb = PARTS.get(part, "torso")
    if limb in ("arm", "leg"):
        if not side:
            raise ToileError(f"say whose side: 'place left {part}' or 'place right {part}'")
        outside = FACES["side"] if side == "left" else -FACES["side"]
        return f"{side}_{limb}", outside if face in ("", "side") else FACES[face]
    if face == "side" or (limb == "head" and side and not face):
        if not side:
            raise ToileError("say which side: 'place left side' or 'place right side'")
        return limb, FACES["side"] if side == "left" else -FACES["side"]
    return limb, FACES[face] if face else FACES["back"] if part in BEHIND else FACES["front"]


def _only(words: Sequence[str], among: Sequence[str] | Mapping[str, object]) -> str:
    """Return the word that is among these, empty if none is."""
    found = [word for word in words if word in among]
    if len(found) > 1:
        raise ToileError(f"'{found[0]}' and '{found[1]}' exclude each other: write {EXAMPLES}")
    return found[0] if found else ""


def placed_by_words(pattern: Pattern, places: Mapping[str, Sequence[str]]) -> Pattern:
    """Return the pattern with these panels placed by words, at heights that bring sewn sides together."""
    if not places:
        return pattern
    where = {name: limb_and_angle(words) for name, words in places.items()}
    rounds = {panel.name: where.get(panel.name, ("", 0.0))[0] for panel in pattern.panels}
    lift = seam_heights(pattern, rounds)
    fixed = [
        float(p.placement.translation[1]) - lift[p.name]
        for p in pattern.panels
        if p.placement is not None and p.name not in places
    ]
    base = float(np.mean(fixed)) if fixed else 0.0
    panels = tuple(
        replace(p, placement=_placement(p, *where[p.name], places[p.name], base + lift[p.name]))
        if p.name in places
        else p
        for p in pattern.panels
    )
    return replace(pattern, panels=panels)


def _placement(panel: Panel, around: str, angle: float, words: Sequence[str], height: float) -> Placement:
    rotation = rotation_from_degrees(0.0, angle, 0.0)
    low, high = panel_box(panel)[:, 0].min(), panel_box(panel)[:, 0].max()
    anchor = (low + high) / 2.0
    side = _only(words, SIDES)
    if around == "torso" and side and angle in (FACES["front"], FACES["back"]):
        # half a front: its inner edge lies at the middle of the body
        inner_is_low = (side == "left") == (angle == FACES["front"])
        anchor = low if inner_is_low else high
    return Placement(np.array([0.0, height, 0.0]) - rotation[:, 0] * anchor + 0.0, rotation, around)
