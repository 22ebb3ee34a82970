"""Fold lines: cloth creased by an angle comes to rest at that angle."""

from __future__ import annotations

import numpy as np
import pytest

from toile.core.records import Floats, Scene, State
from toile.garment.build import build
from toile.pattern.formats.text.read import parse
from toile.sim.colliders.base import NO_CONTACTS
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

TEXT = """
garment strip
panel strip
  from -6 0
  line to 6 0
  line to 6 8
  line to -6 8
  line to start
  mark fold angle {angle} 0 0 0 8
"""


def angle_at_rest(angle: float) -> float:
    """Return the angle between both halves of a creased strip that floats freely [degrees]."""
    garment = build(parse(TEXT.format(angle=angle), "strip", "strip.txt"), "denim", 0.01)
    assert len(garment.fold_uv) > 5
    solver = XpbdSolver(garment, XpbdSettings(drag=6.0))
    start = np.column_stack([garment.uv, np.zeros(len(garment.uv))])
    scene = Scene(None, lambda _: NO_CONTACTS, np.zeros(3), np.zeros(3))
    state = State(position=start, velocity=np.zeros_like(start))
    for _ in range(60):
        state = solver.step(state, scene, 1 / 30)
    x = garment.uv[:, 0]
    slopes = [_normal(state.position[part]) for part in (x < -0.02, x > 0.02)]
    turn = np.arccos(np.clip(slopes[0] @ slopes[1], -1.0, 1.0))
    # folded towards the outside: the halves rise above the line
    middle = state.position[np.abs(x) < 1e-3].mean(axis=0)
    rise = (state.position[np.abs(x) > 0.03].mean(axis=0) - middle)[2]
    return float(np.degrees(turn) * np.sign(rise))


def _normal(points: Floats) -> Floats:
    """Return the upper normal of a nearly flat set of points, (3,)."""
    normal = np.linalg.svd(points - points.mean(axis=0))[2][2]
    return np.asarray(normal if normal[2] > 0 else -normal)


@pytest.mark.parametrize("angle", [60.0, -40.0, 90.0])
def test_a_crease_rests_at_its_angle(angle: float) -> None:
    assert angle_at_rest(angle) == pytest.approx(angle, rel=0.2)


def test_flat_cloth_stays_flat() -> None:
    garment = build(parse(TEXT.format(angle=0), "strip", "strip.txt"), "denim", 0.01)
    assert len(garment.fold_uv) == 0
