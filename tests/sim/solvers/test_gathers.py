"""Gathers: a long edge sewn to a short one is drawn together, not a spring."""

from __future__ import annotations

import numpy as np
import pytest

from toile.garment.build import build, weld
from toile.pattern.formats.text.read import parse
from toile.sim.solvers.gathers import gathered_corners

TEXT = """
garment g
panel band
  from 0 0
  line to 20 0 as low
  line to 20 4
  line to 0 4
  line to start
panel skirt
  from 0 0
  line to {w} 0
  line to {w} 30
  line to 0 30 as top
  line to start
seam band.low = -skirt.top ease {ease}
"""


@pytest.mark.parametrize("ease", [1.0, 1.01, 1.5])
def test_the_longer_side_takes_the_length_of_the_shorter(ease: float) -> None:
    garment = weld(build(parse(TEXT.format(w=20 * ease, ease=ease), "g", "g.txt"), "cotton", 0.02))
    flat, drawn = garment.uv[garment.triangles_uv], gathered_corners(garment)
    changed = np.abs(flat - drawn).max(axis=(1, 2)) > 1e-9
    assert changed.any() == (ease > 1.02)
    # by definition: along every shared edge both triangles now agree
    length: dict[tuple[int, int], list[float]] = {}
    for corners, particles in zip(drawn, garment.triangles.tolist(), strict=True):
        for a, b in ((0, 1), (1, 2), (2, 0)):
            key = (min(particles[a], particles[b]), max(particles[a], particles[b]))
            length.setdefault(key, []).append(float(np.linalg.norm(corners[b] - corners[a])))
    seam = {int(garment.uv_particle[p]) for p in garment.seam_uv.ravel()}
    along = [v for k, v in length.items() if k[0] in seam and k[1] in seam and len(v) == 2]
    assert along
    assert max(max(v) / min(v) for v in along) < 1.03
    panel = garment.uv_panel[garment.triangles_uv[:, 0]]
    assert not changed[panel == 0].any()
