"""Ordinary garments walk with every paper's method, to the letter and mended, and with the default engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from toile.audit.check import Auditor
from toile.bench.papers.records import Bench, Claim, Picture, Section, Table, at_least, at_most, clock
from toile.bench.papers.scene import draw, worn_meshes
from toile.body.model.make import named_body
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, PosedBody, Recording
from toile.garment.build import build
from toile.motion.library import read_motion
from toile.pattern.drafts.library import draft
from toile.sim.dress.dress import dress_garments
from toile.sim.method import make_method
from toile.sim.papers import PAPERS
from toile.sim.walk.animate import AnimateSettings, animate

GARMENTS = ("tshirt", "trousers", "skirt", "dress")
EDGE = 0.025
"""of the meshes [m]"""
FPS, SECONDS = 30.0, 1.2
INSIDE = 0.005
"""a frame is clean where no vertex is deeper inside the body [m]"""
CLEAN = 0.9
"""our own goal: share of clean frames"""
MENDED = {
    "000": ("spring", "maps"),
    "002": ("follow", "ellipsoids"),
    "003": ("implicit", "bones"),
    "004": ("verlet", "limb_maps"),
}
"""paper → solver and collider; 001 is for still bodies"""
BEHIND_ARMS = ("verlet", "maps")
"""what paper 004 compares limb maps with"""


@dataclass(frozen=True, slots=True)
class Way:
    """One method."""

    name: str
    options: Mapping[str, Any]
    mesh: str = "triangles"


def ways(papers: tuple[str, ...]) -> list[Way]:
    """Return the methods of the papers, letter and mended, one for comparison, and the default engine."""
    found = []
    for number in papers:
        solver, collider = MENDED[number]
        found.append(Way(f"{number} to the letter", PAPERS[number].options(), PAPERS[number].mesh))
        found.append(Way(f"{number} mended: {solver}, {collider}", {"solver": solver, "collider": collider}))
    if "004" in papers:
        solver, collider = BEHIND_ARMS
        found.append(Way(f"{solver}, {collider}", {"solver": solver, "collider": collider}))
    return [*found, Way("default engine", {})]


@dataclass(frozen=True, eq=False, slots=True)
class Walked:
    """A garment that walked, every frame looked at."""

    deepest: Floats
    """in each frame [m], (f,)"""
    stretch: Floats
    """99 % of the edges of each frame are longer by less, (f,)"""
    pairs: int
    """most crossing pairs of cloth and body in a frame"""
    each: float
    """CPU time of a frame [s]"""
    recording: Recording

    @property
    def clean(self) -> float:
        """Return the share of clean frames."""
        return float((self.deepest <= INSIDE).mean())


def wear(kind: str, way: Way, body: Body, edge: float, seconds: float, fps: float = FPS) -> Walked:
    """Return a garment dressed and walking with a method."""
    method = make_method(**way.options)
    garment = build(draft(kind, body.measurements), edge_length=edge, mesh=way.mesh)
    dressed = dress_garments([garment], body, method=method)
    settings, began = AnimateSettings(fps=fps, seconds=seconds), clock()
    walked = animate(dressed, body, read_motion("walk"), settings=settings, **way.options)
    each = (clock() - began) / len(walked.positions)
    auditor = Auditor(walked.garment, body)
    found = [
        auditor.audit(position, skin)
        for position, skin in zip(walked.positions, walked.body_vertices, strict=True)
    ]
    return Walked(
        np.array([a.deepest for a in found]),
        np.array([a.stretch.percentile_99 for a in found]),
        max(a.body_pairs for a in found),
        each,
        walked,
    )


def wardrobe(bench: Bench) -> Section:
    """Walk the garments with all methods."""
    body = named_body("woman")
    kinds = GARMENTS if not bench.quick else ("skirt",)
    chosen = ways(tuple(MENDED) if not bench.quick else ("004",))
    edge, seconds = (EDGE, SECONDS) if not bench.quick else (0.06, 0.1)
    rows, pictures = list[tuple[str, ...]](), list[Picture]()
    walked = dict[tuple[str, str], Walked]()
    for k, kind in enumerate(kinds):
        for j, way in enumerate(chosen):
            bench.progress("wardrobe", (k + j / len(chosen)) / len(kinds))
            try:
                found = wear(kind, way, body, edge, seconds)
            except ToileError as error:
                rows.append((kind, way.name, f"could not: {error}", "–", "–", "–", "–"))
                continue
            walked[kind, way.name] = found
            rows.append((kind, way.name, *_figures(found)))
            pictures.append(_picture(bench, body, kind, way, found))
    return Section(
        title="Ordinary garments on a walking body",
        source="all papers; our own goals",
        text=f"Drafts for the standard woman, edges of {100 * edge:g} cm, {seconds:g} s of walking at "
        f"{FPS:g} frames a second after the way into the walk; figures are over all frames. A frame is clean "
        f"where no vertex is more than {1000 * INSIDE:g} mm inside the body. To the letter is `--paper`, "
        "mended the defaults of the same solver and collider; differences stand on each solver's page.",
        tables=(
            Table(
                "Over all frames",
                (
                    "garment",
                    "method",
                    "clean",
                    "deepest",
                    "99 % of edges, worst frame",
                    "pairs",
                    "CPU / frame",
                ),
                tuple(rows),
            ),
        ),
        pictures=tuple(pictures),
        claims=claims(walked),
    )


def _figures(found: Walked) -> tuple[str, ...]:
    return (
        f"{found.clean:.0%}",
        f"{1000 * found.deepest.max():.1f} mm",
        f"{found.stretch.max():.1%}",
        str(found.pairs),
        f"{1000 * found.each:.0f} ms",
    )


def _picture(bench: Bench, body: Body, kind: str, way: Way, found: Walked) -> Picture:
    worst = int(found.deepest.argmax())
    shown = found.recording
    posed = PosedBody(body, shown.body_vertices[worst], np.zeros_like(body.vertices), np.zeros((0, 4, 4)))
    meshes = worn_meshes(shown.garment, shown.positions[worst], posed)
    name = "".join(c if c.isalnum() else "_" for c in f"wardrobe_{kind}_{way.name}")
    return draw(bench, name, f"{kind}, {way.name}: the deepest frame", meshes, ("three_quarter", "back"), 300)


def claims(walked: Mapping[tuple[str, str], Walked]) -> tuple[Claim, ...]:
    """Judge each mended method by its worst garment, and what paper 004 says of maps of limbs."""
    found = []
    for number, (solver, collider) in MENDED.items():
        own = {k: w for (k, name), w in walked.items() if name.startswith(f"{number} mended")}
        if own:
            kind = min(own, key=lambda k: own[k].clean)
            text = (
                f"our own goal: {CLEAN:.0%} of the frames clean with {solver} and {collider}, worst: {kind}"
            )
            found.append(at_least(text, own[kind].clean, CLEAN, "%"))
    for kind in ("tshirt", "dress"):
        limbs = walked.get((kind, "004 mended: verlet, limb_maps"))
        whole = walked.get((kind, ", ".join(BEHIND_ARMS)))
        if limbs and whole:
            text = f"where arms pass the trunk, limb_maps keep cloth out better than maps: {kind}"
            found.append(at_most(text, limbs.deepest.max(), whole.deepest.max(), "mm"))
    return tuple(found)
