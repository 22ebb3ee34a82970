"""How each panel lies unrolled beside its limb; only positions relative to each other count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Panel, Pattern, Placement
from toile.garment.place.limbs import corners_of, middle_of_box, panel_limbs, words_of, world_points
from toile.pattern.model.curves import edge_points, outline

_FACES = {"front": 0.0, "f": 0.0, "ftorso": 0.0, "back": np.pi, "b": np.pi, "btorso": np.pi}


@dataclass(frozen=True, eq=False, slots=True)
class UnrolledPanel:
    """A panel as it lies unrolled beside its limb."""

    panel: Panel
    limb: str
    faces: float
    """where its outer side looks: angle about the limb from the front towards the left [rad]"""
    matrix: Floats
    """(s, u) = matrix · (x, y) + shift: along the girth, along the limb, (2, 2)"""
    shift: Floats
    """[m], (2,)"""

    def __call__(self, points: Floats) -> Floats:
        """Return panel coordinates unrolled: (s, u) [m], (n, 2)."""
        return np.asarray(points @ self.matrix.T + self.shift)

    def outline(self) -> Floats:
        """Return the panel's outline unrolled: (s, u) [m], (k, 2)."""
        return self(outline(self.panel, tolerance=1e-3))

    def moved(self, s: float = 0.0, u: float = 0.0) -> UnrolledPanel:
        """Return the panel moved along girth and limb [m]."""
        return replace(self, shift=self.shift + np.array([s, u]))


@lru_cache(maxsize=16)
def unroll_panels(pattern: Pattern) -> Mapping[str, UnrolledPanel]:
    """Return every panel unrolled beside its limb; heights are still those of the pattern.

    It is kept for the last patterns: waistbands, the order of dressing and placing all ask for it.
    """
    limbs = panel_limbs(pattern)
    stood = {p.name: _stand(p, limbs[p.name]) for p in pattern.panels}
    groups: dict[str, list[str]] = {}
    for name, limb in limbs.items():
        groups.setdefault(limb, []).append(name)
    laid: dict[str, UnrolledPanel] = {}
    for limb, names in groups.items():
        rotation = _hang(pattern, limb, names, stood)
        centre = _group_centre(pattern, names, stood, rotation)
        for name in names:
            laid[name] = _lay(pattern.panel(name), limb, stood[name], rotation, centre)
        if limb.endswith("_arm") and pattern.origin != "body" and _is_tube(pattern, names):
            # a sleeve in one piece opens under the arm
            outside = np.pi / 2 if limb.startswith("left") else -np.pi / 2
            laid[names[0]] = replace(laid[names[0]], faces=outside)
    return MappingProxyType({panel.name: laid[panel.name] for panel in pattern.panels})


# ---------------------------------------------------------------------------- how it lies


@dataclass(frozen=True, eq=False, slots=True)
class _Stood:
    """A panel in the file's space: p = origin + x · right + y · up."""

    origin: Floats
    right: Floats
    up: Floats
    points: Floats
    flat: bool


def _stand(panel: Panel, limb: str) -> _Stood:
    placement = panel.placement or _guess(panel, limb)
    right, up = placement.rotation[:, 0], placement.rotation[:, 1]
    points = outline(panel, tolerance=1e-3)
    world = placement.translation + points[:, :1] * right + points[:, 1:] * up
    return _Stood(placement.translation, right, up, world, not placement.around)


def _guess(panel: Panel, limb: str) -> Placement:
    """Return a placement for a panel that has none: its name says where it looks."""
    words = words_of(panel)
    faces = next((_FACES[w] for w in words if w in _FACES), None)
    if faces is None and limb.endswith("_arm"):
        faces = np.pi / 2 if limb.startswith("left") else -np.pi / 2
    if faces is None:
        raise ToileError(
            f"panel '{panel.name}' has no placement and its name does not say front or back: "
            "write where it goes under its name, such as 'place front', 'place left sleeve' or 'place collar'"
        )
    c, s = np.cos(faces), np.sin(faces)
    return Placement(np.zeros(3), np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]), limb)


def _hang(pattern: Pattern, limb: str, names: list[str], stood: dict[str, _Stood]) -> Floats:
    """Return the rotation that lets a limb's flat panels hang straight down, (3, 3)."""
    hanging = all(not stood[n].flat and stood[n].up[1] > 0.999 for n in names)
    if not limb.endswith("_arm") or hanging:
        return np.eye(3)
    along = _tube_direction(pattern, limb, names)
    axis, cosine = np.cross(along, [0.0, 1.0, 0.0]), float(along[1])
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / max(1.0 + cosine, 1e-6))


def _is_tube(pattern: Pattern, names: list[str]) -> bool:
    """Say whether a limb's only panel is sewn to itself along its whole length."""
    return len(names) == 1 and any(
        {r.panel for r in (*seam.a, *seam.b)} == set(names) for seam in pattern.seams
    )


def _tube_direction(pattern: Pattern, limb: str, names: list[str]) -> Floats:
    """Return the direction of a sleeve in the file, from the hand to the shoulder, (3,)."""
    inside, joints = set(names), np.zeros((0, 3))
    total = np.zeros(3)
    for seam in pattern.seams:
        for ref in (*seam.a, *seam.b):
            if ref.panel not in inside:
                continue
            panel = pattern.panel(ref.panel)
            ends = world_points(panel, edge_points(panel, ref.edge)[[0, -1]])
            if {r.panel for r in (*seam.a, *seam.b)} <= inside:
                # seams along the sleeve show its direction, up to the sign
                total += (ends[1] - ends[0]) * (1.0 if (ends[1] - ends[0]) @ total >= 0.0 else -1.0)
            else:
                joints = np.vstack([joints, ends])
    corners = np.vstack([corners_of(pattern.panel(n)) for n in names])
    if not len(joints):
        raise ToileError(
            f"the {limb.replace('_', ' ')}'s panels ({', '.join(names)}) are not sewn to the body"
        )
    towards = joints.mean(axis=0) - corners.mean(axis=0)
    if np.linalg.norm(total) < 1e-6:
        total = towards
    total = total if total @ towards > 0.0 else -total
    return np.asarray(total / np.linalg.norm(total))


def _group_centre(pattern: Pattern, names: list[str], stood: dict[str, _Stood], rotation: Floats) -> Floats:
    """Return the middle of a limb's panels in the hanging file space [m], (3,)."""
    if pattern.origin == "body":
        return np.zeros(3)
    return middle_of_box(np.vstack([stood[n].points for n in names]) @ rotation.T)


def _lay(panel: Panel, limb: str, stood: _Stood, rotation: Floats, centre: Floats) -> UnrolledPanel:
    """Return the panel unrolled, where it stands beside its limb."""
    right, up, origin = rotation @ stood.right, rotation @ stood.up, rotation @ stood.origin
    points = stood.points @ rotation.T
    normal = np.cross(right, up)
    if stood.flat:
        outward = points.mean(axis=0) - centre
        outward[1] = 0.0
        if abs(normal @ outward) < 1e-4:
            outward = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) > 0.3 else outward
        normal = normal if normal @ outward >= 0.0 else -normal
    if np.hypot(normal[0], normal[2]) < 0.2:
        raise ToileError(
            f"panel '{panel.name}' lies flat: write where it goes under its name, such as 'place yoke' "
            "or 'place hood'"
        )
    faces = float(np.arctan2(normal[0], normal[2]))
    along = np.array([np.cos(faces), 0.0, -np.sin(faces)])
    rise = np.cross(normal, along)
    top = points[np.argmax(points[:, 1])]
    matrix = np.array([[along @ right, along @ up], [rise @ right, rise @ up]])
    shift = np.array([along @ (origin - centre), rise @ (origin - top) + top[1]])
    return UnrolledPanel(panel, limb, faces, matrix, shift)
