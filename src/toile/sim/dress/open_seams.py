"""Seams that did not close: where, how far, and why, in a tailor's words; the rest is sewn all the same."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from toile._kernels import SurfaceTree
from toile.core.records import LIMBS, Body, Bools, Floats, Garment, Ints
from toile.core.units import cm
from toile.garment.build import seam_gaps
from toile.garment.place.facing import twisted_seams
from toile.geometry.triangles import edge_elongation

UNEVEN = 0.15
"""sides whose lengths differ by more hold each other open, unless they were to be gathered"""
TAUT = 0.5
"""share of what a fabric gives, from which on cloth beside an open seam counts as pulled tight"""


@dataclass(frozen=True, slots=True)
class OpenSeam:
    """A seam that stays open, as a person is told of it."""

    garment: str
    seam: str
    panels: tuple[str, ...]
    gap: float
    """widest [m]"""
    length: float
    """of the open part [m]"""
    place: tuple[float, float, float]
    """middle of the open part [m]"""
    why: str

    def __str__(self) -> str:
        """Return one line."""
        between = " and ".join(self.panels)
        return (
            f"{self.garment}: seam {self.seam} between panels {between} stays open by {cm(self.gap)} "
            f"along {cm(self.length)}: {self.why}"
        )


def without_open(garment: Garment, position: Floats, largest_gap: float) -> Garment:
    """Return the garment with only those pairs to be welded that came together."""
    shut = seam_gaps(garment, position) <= largest_gap
    return replace(garment, seam_uv=garment.seam_uv[shut], seam_id=garment.seam_id[shut])


def open_seams(garment: Garment, position: Floats, largest_gap: float, body: Body) -> tuple[OpenSeam, ...]:
    """Return the seams that are open by more than a gap [m], the widest first."""
    gap = seam_gaps(garment, position)
    wide = gap > largest_gap
    if not wide.any():
        return ()
    tree, strain = SurfaceTree(body.triangles, body.vertices), _strain(garment, position)
    found = [
        _open_seam(garment, position, body, tree, strain, wide & (garment.seam_id == number), gap)
        for number in np.unique(garment.seam_id[wide])
    ]
    return tuple(sorted(found, key=lambda one: -one.gap))


def _open_seam(
    garment: Garment,
    position: Floats,
    body: Body,
    tree: SurfaceTree,
    strain: Floats,
    mine: Bools,
    gap: Floats,
) -> OpenSeam:
    pairs = garment.seam_uv[mine]
    ends = position[garment.uv_particle[pairs]]
    number = int(garment.seam_id[mine][0])
    panels = tuple(dict.fromkeys(garment.panel_names[k] for k in garment.uv_panel[pairs].ravel().tolist()))
    owner = int(garment.particle_garment[garment.uv_particle[pairs[0, 0]]])
    return OpenSeam(
        garment=garment.garment_names[owner],
        seam=garment.seam_names[number],
        panels=panels[:3],
        gap=float(gap[mine].max()),
        length=_along(garment, pairs[:, 0]),
        place=tuple(ends.mean(axis=(0, 1)).tolist()),
        why=_why(garment, body, tree, strain, pairs, ends, garment.seam_names[number]),
    )


def _why(
    garment: Garment, body: Body, tree: SurfaceTree, strain: Floats, pairs: Ints, ends: Floats, name: str
) -> str:
    """Return the likeliest reason and what to do about it."""
    if any(name in twisted_seams(pattern) for pattern in garment.patterns):
        return "its sides run against each other: put '-' before the edges of one side"
    one, other = (_along(garment, _whole_side(garment, name, k)) for k in (0, 1))
    taut = float(strain[garment.uv_particle[pairs]].mean())
    if between := _limb_between(body, tree, ends):
        return (
            f"the {between} lies between its sides: say where the pieces go, such as 'place left sleeve' or "
            "'place back' under the panel's name, or check that the seam joins the right edges"
        )
    if max(one, other) > (1.0 + UNEVEN) * min(one, other) and taut > TAUT:
        return (
            f"one side is {cm(one)} long, the other {cm(other)}: check which edges it joins, or declare the "
            f"fullness: ease {max(one, other) / max(min(one, other), 1e-6):.2f}"
        )
    if taut > TAUT:
        return "the cloth beside it is pulled tight: the garment is too small here; take a larger size"
    return "its pieces stand too far apart: say where they go, such as 'place front' or 'place collar'"


def _whole_side(garment: Garment, name: str, side: int) -> Ints:
    return np.asarray(garment.seam_uv[garment.seam_id == garment.seam_names.index(name), side])


def _along(garment: Garment, points: Ints) -> float:
    """Return the length along points of a seam's side in the flat pieces [m]; from panel to panel nothing."""
    steps = np.linalg.norm(np.diff(garment.uv[points], axis=0), axis=1)
    return float(steps[garment.uv_panel[points[1:]] == garment.uv_panel[points[:-1]]].sum())


def _strain(garment: Garment, position: Floats) -> Floats:
    """Return how much of what its fabric gives the cloth at each particle is stretched, (n,)."""
    longer = edge_elongation(position, garment.triangles, garment.uv, garment.triangles_uv).max(axis=1)
    limit = np.array([f.strain_limit for f in garment.fabrics])[garment.triangle_fabric]
    total = np.bincount(garment.triangles.ravel(), np.repeat(longer / limit, 3), garment.particle_count)
    return np.asarray(total / np.maximum(np.bincount(garment.triangles.ravel(), minlength=len(total)), 1))


def _limb_between(body: Body, tree: SurfaceTree, ends: Floats) -> str:
    """Return the limb that lies between the sides of a seam, if one does."""
    share = np.linspace(0.1, 0.9, 9)[:, None, None]
    points = (ends[:, 0] + share * (ends[:, 1] - ends[:, 0])).reshape(-1, 3)
    inside = points[tree.winding(np.ascontiguousarray(points)) > 0]
    if len(inside) < 0.25 * len(points):
        return ""
    triangle = tree.nearest(np.ascontiguousarray(inside), 1.0)[0]
    limb = body.limb[body.triangles[np.asarray(triangle).astype(int), 0]]
    return LIMBS[int(np.bincount(limb).argmax())].replace("_", " ")
