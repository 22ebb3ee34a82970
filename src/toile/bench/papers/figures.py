"""Dressed and walking people: Vassilev & Spanlang 2001, figures 6, 7; Vassilev et al. 2001, figure 9."""

from __future__ import annotations

from typing import Any

import numpy as np

from toile.bench.papers.records import Bench, Claim, Picture, Section, Table, at_most
from toile.bench.papers.scene import draw, quality, worn_meshes
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import Body, PosedBody, Recording
from toile.garment.build import build
from toile.motion.library import read_motion
from toile.pattern.drafts.library import draft
from toile.sim.dress.dress import dress_garments
from toile.sim.papers import PAPERS
from toile.sim.walk.animate import AnimateSettings, animate

Worn = tuple[tuple[str, dict[str, Any]], ...]
"""drafts with their style, inner garments first"""
FIGURES: dict[str, tuple[str, Worn]] = {
    "figure 6, left: dress": ("woman", (("top", {"length": 0.45}),)),
    "figure 6, right: shirt and skirt": ("woman", (("skirt", {}), ("top", {}))),
    "figure 7, left: vest and shorts": ("man", (("trousers", {"length": "knee"}), ("top", {}))),
    "figure 7, right: shirt and trousers": ("man", (("trousers", {}), ("tshirt", {}))),
}
"""caption → body, and drafts with their style, inner garments first"""
WALKING: dict[str, Worn] = {"woman": (("skirt", {}),), "man": (("trousers", {}),)}
"""figure 9: who walks in what"""
EDGE = 0.03
"""[m]"""
DEEP = 0.005
"""deepest that cloth may be under the skin of a still body [m]"""


def dressed(body: Body, worn: Worn, number: str, edge: float) -> Recording:
    """Return a body dressed as a paper does."""
    chosen, measures = PAPERS[number], dict(body.measurements)
    # rectangular patches have no darts
    measures["waist"] = measures["hips"] - 0.01
    garments = [
        build(draft(kind, measures, **style), edge_length=edge, mesh=chosen.mesh) for kind, style in worn
    ]
    return dress_garments(garments, body, method=chosen.method())


def figures(bench: Bench) -> Section:
    """Draw the figures."""
    edge = bench.size(1, 2) * EDGE
    shown = list(FIGURES.items()) if not bench.quick else list(FIGURES.items())[:1]
    rows, pictures, claims = list[tuple[str, ...]](), list[Picture](), list[Claim]()
    for k, (caption, (who, worn)) in enumerate(shown):
        bench.progress("figures", 0.6 * k / len(shown))
        body = named_body(who)
        try:
            found = dressed(body, worn, "001", edge)
        except ToileError as error:
            rows.append((caption, who, f"could not: {error}"))
            continue
        still = rest_pose(body)
        how = quality(found.garment, found.positions[-1], still)
        rows.append((caption, who, str(how)))
        claims.append(at_most(f"{caption}: cloth lies on the body", how.deepest, DEEP, "mm"))
        meshes = worn_meshes(found.garment, found.positions[-1], still)
        pictures.append(
            draw(bench, f"figure_{k}", f"{caption}, by --paper 001", meshes, ("front", "back"), 320)
        )
    pictures += _walking(bench, edge)
    return Section(
        title="Dressed people",
        source="Vassilev & Spanlang 2001, figures 6 and 7; Vassilev, Spanlang & Chrysanthou 2001, figure 9",
        text="Female and male bodies dressed by elastic sewing and walking, to the letter (`--paper 001`, "
        "`--paper 000`). The patterns are our drafts without darts: the papers' own are not published.",
        tables=(Table("Dressed", ("figure", "body", "stretch / depth"), tuple(rows)),),
        pictures=tuple(pictures),
        claims=tuple(claims),
    )


def _walking(bench: Bench, edge: float) -> list[Picture]:
    """Return two frames of each walker from two sides."""
    found = []
    for who, worn in list(WALKING.items())[: bench.size(2, 1)]:
        bench.progress("figures", 0.7)
        body, options = named_body(who), PAPERS["000"].options()
        settings = AnimateSettings(fps=25, seconds=bench.size(12, 2) / 25)
        walked = animate(
            dressed(body, worn, "000", edge), body, read_motion("walk"), settings=settings, **options
        )
        for frame in (len(walked.positions) // 2, len(walked.positions) - 1):
            posed = PosedBody(
                body, walked.body_vertices[frame], np.zeros_like(body.vertices), np.zeros((0, 4, 4))
            )
            meshes = worn_meshes(walked.garment, walked.positions[frame], posed)
            words = f"figure 9: {who}, frame {frame}, by --paper 000"
            found.append(draw(bench, f"walking_{who}_{frame}", words, meshes, ("three_quarter", "back"), 320))
    return found
