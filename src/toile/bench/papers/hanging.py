"""Cloth hung up by a corner and by an edge, in different fabrics: Shi et al. 2010, figures 3 and 5."""

from __future__ import annotations

from typing import Any

import numpy as np

from toile.bench.papers.records import Bench, Picture, Section, Table, at_least, at_most, clock
from toile.bench.papers.scene import draw, quality
from toile.core.records import Floats, Garment, Ints, Scene, State
from toile.garment.fabric import FABRICS, bending_length
from toile.garment.shapes import flat_position, square_cloth
from toile.geometry.topology import hinges
from toile.render.picture import garment_mesh
from toile.sim.colliders.base import no_contacts
from toile.sim.frame.advance import GRAVITY, STILL_AIR
from toile.sim.solvers.table import make_solver

CELLS, SIDE = 12, 0.5
"""12 × 12 cells are 288 triangles, the paper's "about 300"; side [m]"""
FIGURES = {"corner": "fixed on one corner (figure 3)", "edge": "blocked on one edge (figure 5)"}
FOLDS = 0.7
"""the mean fold with limits is at least this share of that without, and at most its inverse"""
SHOWN = ("silk", "cotton", "wool", "denim", "leather")


def held_points(garment: Garment, how: str) -> Ints:
    """Return the particles that are fixed."""
    uv = garment.uv
    top = uv[:, 1] > uv[:, 1].max() - 1e-9
    corner = top & (uv[:, 0] < uv[:, 0].min() + 1e-9)
    return np.flatnonzero(corner if how == "corner" else top).astype(np.int32)


def hang(
    solver: str, how: str, fabric: str, seconds: float, cells: int = CELLS, **settings: Any
) -> tuple[Garment, Floats, float]:
    """Return the cloth after it has hung for some time, and the CPU time per frame of 1/60 s [s]."""
    garment = square_cloth(cells, cells, SIDE, SIDE, fabric)
    flat = flat_position(garment)
    # held out level, it falls and swings
    start = np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1] - flat[:, 1].max()], axis=1)
    method = make_solver(solver, garment, **settings)
    method.pin(held_points(garment, how))
    state, frames, began = State(start, np.zeros_like(start)), round(60 * seconds), clock()
    scene = Scene(None, no_contacts, GRAVITY, STILL_AIR)
    for _ in range(frames):
        state = method.step(state, scene, 1 / 60)
    return garment, state.position, (clock() - began) / frames


def fabric_table() -> Table:
    """Return the figures of our fabric database."""
    columns = (
        "fabric",
        "g/m²",
        "stretch warp / weft [N/m]",
        "shear [N/m]",
        "bending warp / weft [µN·m]",
        "bending length [cm]",
        "source",
    )
    rows = (
        (
            f.name,
            f"{1000 * f.mass:.0f}",
            f"{f.stretch_warp:.0f} / {f.stretch_weft:.0f}",
            f"{f.shear:.0f}",
            f"{1e6 * f.bend_warp:.3g} / {1e6 * f.bend_weft:.3g}",
            f"{100 * bending_length(f)[0]:.1f}",
            " ".join(f.source.split())[:60],
        )
        for f in FABRICS.values()
    )
    return Table("The fabric database", columns, tuple(rows))


def hanging(bench: Bench) -> Section:
    """Repeat figures 3 and 5."""
    seconds, cells = (3.0, CELLS) if not bench.quick else (0.4, 6)
    fabrics = SHOWN if not bench.quick else SHOWN[:2]
    rows, pictures, stretch, fold, frame = [], list[Picture](), [], [], []
    for i, (how, caption) in enumerate(FIGURES.items()):
        shown = []
        for k, name in enumerate(fabrics):
            bench.progress("hanging cloth", 0.5 * i + 0.5 * k / len(fabrics))
            garment, position, each = hang("implicit", how, name, seconds, cells)
            _, engine, engine_each = hang("xpbd", how, name, seconds, cells)
            found, default = quality(garment, position), quality(garment, engine)
            stretch.append(found.stretch)
            frame.append(each)
            # the same cloth free to stretch: limits shall leave its folds as they are
            _, free, _ = hang("implicit", how, name, seconds, cells, limit_sweeps=0)
            fold.append(mean_fold(garment, position) / max(mean_fold(garment, free), 1e-9))
            span = np.ptp(position, axis=0)
            rows.append(
                (
                    how,
                    name,
                    f"{span[1] / SIDE:.2f} / {np.hypot(span[0], span[2]) / SIDE:.2f}",
                    f"{1000 * each:.1f}",
                    f"{found.stretch:.2%}",
                    f"{1000 * engine_each:.1f}",
                    f"{default.stretch:.2%}",
                )
            )
            shown.append(garment_mesh(garment, position + np.array([1.1 * SIDE * k, 0.0, 0.0])))
        words = f"{caption}: {', '.join(fabrics)}"
        pictures.append(draw(bench, f"hanging_{how}", words, shown, (15.0,), 200 * len(fabrics) + 100))
    return Section(
        title="Hanging cloth and the fabric database",
        source="Shi et al. 2010, figures 3 and 5",
        text=f"A square of {SIDE:g} m in {2 * cells * cells} triangles, let go level, after {seconds:g} s, "
        "with the implicit solver and the figures of our fabric database. The paper shows pictures, no "
        "figures. The shape is height / width of what hangs, over the side.",
        tables=(
            Table(
                "After hanging",
                (
                    "held by",
                    "fabric",
                    "height / width",
                    "implicit: ms / frame",
                    "stretch",
                    "default engine: ms / frame",
                    "stretch",
                ),
                tuple(rows),
            ),
            fabric_table(),
        ),
        pictures=tuple(pictures),
        claims=(
            at_most("distance constraints limit elongation in the plane", max(stretch), 0.05, "%"),
            at_least("… without breaking bending: cloth folds as without constraints", min(fold), FOLDS, "x"),
            at_most("… nor folding more than without", max(fold), 1 / FOLDS, "x"),
            at_most("interactive: a frame of 300 triangles", float(np.median(frame)), 0.005, "ms"),
        ),
    )


def mean_fold(garment: Garment, position: Floats) -> float:
    """Return the mean angle between neighbouring triangles [rad]."""
    _, pairs = hinges(garment.triangles)
    corner = position[garment.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    return float(np.arccos(np.clip((normal[pairs[:, 0]] * normal[pairs[:, 1]]).sum(axis=1), -1, 1)).mean())
