"""Which limb each panel goes round, read like a tailor would.

What the pattern says comes first (`around`), then the words in names and labels, then the shape of the
whole: panels beside the trunk that are sewn to a tube are a sleeve, tubes beside each other that are sewn
together in the middle are legs. Only positions relative to each other count, never the file's origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Floats, Panel, Pattern, Seam
from toile.garment.place.limb_axes import PANEL_LIMBS
from toile.pattern.model.curves import edge_points
from toile.pattern.understand.names import meaning

_WORDS: dict[str, tuple[str, ...]] = {
    "arm": ("sleeve", "sleeves", "arm", "sl"),
    "leg": ("pant", "pants", "leg", "trouser", "trousers", "shorts", "jeans"),
    "head": ("hood",),
    "neck": ("collar", "neckband"),
    "torso": (
        "torso",
        "ftorso",
        "btorso",
        "bodice",
        "skirt",
        "wb",
        "waistband",
        "belt",
        "yoke",
        "band",
        "top",
    ),
}
"""words in panel names and labels, in the order in which they are tried"""

_PARTS = {
    "sleeve": "arm", "leg": "leg", "hood": "head", "collar": "neck", "stand": "neck", "neckband": "neck",
    "waistband": "torso", "yoke": "torso", "skirt": "torso", "cuff": "cuff",
}  # fmt: skip
"""part of the trade's vocabulary → limb: also of words within others, such as lfsleeve"""

_SIDES = {"left": "left", "l": "left", "right": "right", "r": "right"}
BESIDE = 0.02
"""a panel that keeps so far from the middle of a file lies on one side of the body [m]"""


def panel_limbs(pattern: Pattern) -> dict[str, str]:
    """Return for each panel what it goes round: torso, left_arm, right_leg … (limb_axes.PANEL_LIMBS)."""
    legs, arms = _leg_panels(pattern), _arm_panels(pattern)
    kinds = {panel.name: _kind(panel, pattern, legs, arms) for panel in pattern.panels}
    kinds = _cuffs_follow(pattern, kinds)
    return {panel.name: _limb(panel, pattern, kinds[panel.name]) for panel in pattern.panels}


def words_of(panel: Panel) -> list[str]:
    """Return the words in a panel's name and label, in lower case."""
    return split_words(f"{panel.name} {panel.label}")


def split_words(text: str) -> list[str]:
    """Return the words of a name in lower case: leftSleeve_f is left, sleeve, f."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)]


def world_points(panel: Panel, points: Floats) -> Floats:
    """Return panel coordinates in the file's space [m], (n, 3)."""
    assert panel.placement is not None
    rotation = panel.placement.rotation
    return np.asarray(panel.placement.translation + points @ rotation[:, :2].T)


def corners_of(panel: Panel) -> Floats:
    """Return a panel's corners in the file's space [m], (n, 3)."""
    return world_points(panel, panel.vertices)


def middle_of_box(points: Floats) -> Floats:
    """Return the middle of the box round points [m], (3,)."""
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2.0)


# ---------------------------------------------------------------------------- by words


def _kind(panel: Panel, pattern: Pattern, legs: set[str], arms: set[str]) -> str:
    """Return arm, leg, head, neck, torso or cuff; an `around` as it is given."""
    if panel.placement is not None and panel.placement.around:
        around = panel.placement.around
        if around not in PANEL_LIMBS:
            raise ToileError(
                f"panel '{panel.name}': around '{around}' is not one of {', '.join(PANEL_LIMBS)}"
            )
        return around
    # labels name a region of the body: files call the panels of a narrow skirt "leg"
    kind = _said(panel.name) or ("arm" if panel.name in arms else "leg" if panel.name in legs else "")
    label = _said(panel.label)
    return kind or (label if label != "leg" or _keeps_to_one_side(panel, pattern) else "") or "torso"


def _said(text: str) -> str:
    """Return the limb that words name, empty if they name none."""
    words = split_words(text)
    kind = next((kind for kind, known in _WORDS.items() if any(w in known for w in words)), "")
    return kind or _PARTS.get(meaning(text).part, "")


def _keeps_to_one_side(panel: Panel, pattern: Pattern) -> bool:
    """Say whether a placed panel does not reach across the middle of its file."""
    placed = _placed(pattern)
    if panel not in placed:
        return True
    middle = middle_of_box(np.vstack([corners_of(p) for p in placed]))[0]
    across = corners_of(panel)[:, 0] - middle
    return bool(max(across.min(), -across.max()) > -0.25 * np.ptp(across))


def _cuffs_follow(pattern: Pattern, kinds: dict[str, str]) -> dict[str, str]:
    """Return the kinds with each cuff round what it is sewn to."""
    kinds = dict(kinds)
    for _ in kinds:
        left = [name for name, kind in kinds.items() if kind == "cuff"]
        for name in left:
            beside = {kinds[other] for other in _neighbours(pattern, name)} - {"cuff"}
            kinds[name] = next((k for k in ("arm", "leg") if k in beside), kinds[name])
    return {name: "torso" if kind == "cuff" else kind for name, kind in kinds.items()}


def _neighbours(pattern: Pattern, name: str) -> set[str]:
    found: set[str] = set()
    for seam in pattern.seams:
        panels = {r.panel for r in (*seam.a, *seam.b)}
        found |= panels - {name} if name in panels else set()
    return found


def _limb(panel: Panel, pattern: Pattern, kind: str) -> str:
    return f"{_side(panel, pattern)}_{kind}" if kind in ("arm", "leg") else kind


def _side(panel: Panel, pattern: Pattern) -> str:
    for word in words_of(panel):
        if word in _SIDES:
            return _SIDES[word]
    if said := meaning(panel.name).side:
        return said
    if panel.placement is None:
        raise ToileError(
            f"panel '{panel.name}': cannot tell left from right: write 'place left sleeve' "
            "(or 'place right leg front' …) under the panel's name"
        )
    middle = np.mean([corners_of(p)[:, 0].mean() for p in pattern.panels if p.placement is not None])
    return "left" if corners_of(panel)[:, 0].mean() > middle else "right"


# ---------------------------------------------------------------------------- by seams


def _placed(pattern: Pattern) -> list[Panel]:
    """Return the panels that stand flat in the file's space."""
    return [p for p in pattern.panels if p.placement is not None and not p.placement.around]


def _leg_panels(pattern: Pattern) -> set[str]:
    """Return panels that make tubes beside the middle, sewn along two upright edges and to their twin."""
    placed = _placed(pattern)
    if not placed:
        return set()
    middle = middle_of_box(np.vstack([corners_of(p) for p in placed]))[0]
    side = {
        p.name: int(np.sign(corners_of(p)[:, 0].mean() - middle))
        for p in placed
        if np.ptp(np.sign(np.round(corners_of(p)[:, 0] - middle, 2))) < 2
    }
    upright: dict[frozenset[str], int] = {}
    crossed: set[str] = set()
    for seam in pattern.seams:
        for a, b in zip(seam.a, seam.b, strict=False):
            if a.panel in side and b.panel in side and a.panel != b.panel:
                if side[a.panel] != side[b.panel]:
                    crossed |= {a.panel, b.panel}
                elif _is_upright(pattern, a) and _is_upright(pattern, b):
                    pair = frozenset((a.panel, b.panel))
                    upright[pair] = upright.get(pair, 0) + 1
    return {name for pair, count in upright.items() if count >= 2 for name in pair if name in crossed}


def _is_upright(pattern: Pattern, ref: EdgeRef) -> bool:
    ends = _edge_ends(pattern, ref)
    return bool(abs(ends[1, 1] - ends[0, 1]) > np.hypot(ends[1, 0] - ends[0, 0], ends[1, 2] - ends[0, 2]))


def _edge_ends(pattern: Pattern, ref: EdgeRef) -> Floats:
    panel = pattern.panel(ref.panel)
    return world_points(panel, edge_points(panel, ref.edge)[[0, -1]])


def _arm_panels(pattern: Pattern) -> set[str]:
    """Return panels beside the trunk that are sewn to a tube, whose free end points away from the middle."""
    placed = _placed(pattern)
    if len(placed) < 3:
        return set()
    middle = middle_of_box(np.vstack([corners_of(p) for p in placed]))[0]
    found: set[str] = set()
    for sign in (-1.0, 1.0):
        beside = {p.name for p in placed if (sign * (corners_of(p)[:, 0] - middle)).min() > BESIDE}
        for group in _groups(pattern, beside):
            if _euler(pattern, group) <= 0 and _points_away(pattern, group, sign, middle):
                found |= group
    return found


def _groups(pattern: Pattern, names: set[str]) -> list[set[str]]:
    """Return the panels of these that are sewn together, group by group."""
    left, groups = set(names), []
    while left:
        group, queue = set(), [min(left)]
        while queue:
            here = queue.pop()
            if here not in group:
                group.add(here)
                queue += sorted((_neighbours(pattern, here) & left) - group)
        groups.append(group)
        left -= group
    return groups


def _euler(pattern: Pattern, group: set[str]) -> int:
    """Return corners − edges + faces of these panels sewn to each other: 1 a disc, 0 a tube."""
    panels = [p for p in pattern.panels if p.name in group]
    home = {(p.name, k): (p.name, k) for p in panels for k in range(len(p.vertices))}

    def root(corner: tuple[str, int]) -> tuple[str, int]:
        while home[corner] != corner:
            corner = home[corner]
        return corner

    edges = sum(len(p.edges) for p in panels)
    for seam in pattern.seams:
        if not {r.panel for r in (*seam.a, *seam.b)} <= group:
            continue
        for (a, b), (c, d) in _joined_steps(pattern, seam):
            home[root(a)] = root(c)
            home[root(b)] = root(d)
            edges -= 1
    return len({root(corner) for corner in home}) - edges + len(panels)


def _joined_steps(pattern: Pattern, seam: Seam) -> Iterable[tuple[Sequence[tuple[str, int]], ...]]:
    """Return pairs of edges that a seam makes one, each as its two corners."""
    a, b = ([_corners_along(pattern, r) for r in side] for side in (seam.a, seam.b))
    if len(a) == len(b):
        return list(zip(a, b, strict=True))
    return [((a[0][0], a[-1][1]), (b[0][0], b[-1][1]))]


def _corners_along(pattern: Pattern, ref: EdgeRef) -> tuple[tuple[str, int], tuple[str, int]]:
    edge = pattern.panel(ref.panel).edges[ref.edge]
    ends = ((ref.panel, edge.start), (ref.panel, edge.end))
    return ends[::-1] if ref.reversed else ends


def _points_away(pattern: Pattern, group: set[str], sign: float, middle: float) -> bool:
    """Say whether a tube leaves the trunk sideways: from what is sewn on to what is free."""
    joints, sewn = [], set()
    for seam in pattern.seams:
        refs = (*seam.a, *seam.b)
        mine = [r for r in refs if r.panel in group]
        sewn |= {(r.panel, r.edge) for r in mine}
        if mine and len(mine) < len(refs):
            joints += [_edge_ends(pattern, r).mean(axis=0) for r in mine]
    free = [
        _edge_ends(pattern, EdgeRef(p.name, k)).mean(axis=0)
        for p in pattern.panels
        if p.name in group
        for k in range(len(p.edges))
        if (p.name, k) not in sewn
    ]
    if not joints or not free:
        return False
    direction = np.mean(free, axis=0) - np.mean(joints, axis=0)
    return bool(sign * direction[0] > 0.3 * np.linalg.norm(direction))
