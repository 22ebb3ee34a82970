"""Which pieces of a file make one garment: versions, twins, pockets, bands that are too long."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from toile.body.model.make import named_body
from toile.core.records import Pattern
from toile.fit.size import fitted_size
from toile.pattern.formats.text.read import parse
from toile.pattern.library import read_pattern, write_pattern, write_seams
from toile.pattern.model.compare import same_pattern
from toile.pattern.model.lengths import seam_lengths
from toile.pattern.pieces.placement import propose_seams_and_places
from toile.pattern.seams.review import check_seams
from toile.sim.dress.dress import dress
from toile.sim.dress.sew import SewSettings

LEG = """
panel {name}
  from 0 0
  line to 24 0 as hem
  line to {knee} 40
  line to {fork} 80 as inner
  curve {hollow} 80 to {centre} {rise} as crotch
  line to {side} {rise} as waist
  line to start as side
"""
FRONT = {"knee": 25, "fork": 34, "hollow": 27, "centre": 26, "rise": 106, "side": 0}
BACK = {"knee": 26, "fork": 38, "hollow": 28, "centre": 27, "rise": 106, "side": 0}
POCKET = """
panel front_with_pocket
  from 0 0
  line to 24 0 as hem
  line to 25 40
  line to 34 80 as inner
  curve 27 80 to 26 106 as crotch
  line to 8 106 as waist
  line to 0 88 as pocket
  line to start as side
"""
OTHERS = """
panel pocket_bag
  from 0 0
  line to 15 0
  line to 15 25
  line to 0 25
  line to start
panel fly
  from 0 0
  line to 4 0
  line to 4 20
  line to start
panel waistband1
  from 60 120
  line to 116 120
  line to 116 124
  line to 60 124
  line to start
panel waistband2
  from 120 120
  line to 180 120
  line to 180 124
  line to 120 124
  line to start
"""


def trousers() -> Pattern:
    """Return half a pair of trousers as files have it: two fronts to choose from, a band with an overlap."""
    pieces = LEG.format(name="front_plain", **FRONT) + POCKET + LEG.format(name="back", **BACK) + OTHERS
    return parse("garment trousers" + pieces, "trousers", "trousers.txt")


def test_one_version_is_taken_and_halves_get_their_twins() -> None:
    proposal = propose_seams_and_places(trousers())
    names = {panel.name for panel in proposal.pattern.panels}
    assert names == {
        "front_plain",
        "back",
        "front_plain_mirrored",
        "back_mirrored",
        "waistband1",
        "waistband2",
    }
    told = "\n".join(proposal.pieces)
    for line in (
        "front_with_pocket left out: another version of front_plain",
        "pocket_bag left out: pockets lie on or under the cloth",
        "fly left out: it finishes an opening",
        "back_mirrored added: cut twice",
        "waistband2 shortened by 7.0 cm: the band is 116.0 cm long, the waist 106.0 cm",
    ):
        assert line in told


def test_the_band_is_sewn_on_and_nothing_is_left_to_look_at() -> None:
    proposal = propose_seams_and_places(trousers())
    pattern = proposal.pattern
    (waist,) = [s for s in pattern.seams if {r.panel[:5] for r in (*s.a, *s.b)} >= {"waist", "front"}]
    assert seam_lengths(pattern, waist) == pytest.approx((1.06, 1.06))
    assert not check_seams(pattern)
    # the joints of the band meet the middle seams: its halves stand at the sides of the body
    bands = [pattern.panel(f"waistband{k}").placement for k in (1, 2)]
    assert sorted(round(float(b.rotation[0, 2])) for b in bands if b is not None) == [-1, 1]


def test_what_somebody_chose_stays(tmp_path: Path) -> None:
    sewn = propose_seams_and_places(trousers()).pattern
    again = propose_seams_and_places(sewn)
    assert same_pattern(again.pattern, sewn)
    assert not again.pieces


def test_the_choice_is_written_into_the_seam_file(tmp_path: Path) -> None:
    write_pattern(trousers(), tmp_path / "trousers.dxf")
    base = read_pattern(tmp_path / "trousers.dxf")
    proposal = propose_seams_and_places(base)
    write_seams(proposal.pattern, tmp_path / "trousers.seams", base=base)
    lines = (tmp_path / "trousers.seams").read_text()
    for line in ("remove front_with_pocket", "panel back_mirrored mirror of back", " out -7"):
        assert line in lines
    back = read_pattern(tmp_path / "trousers.dxf")
    assert len(back.seams) == len(proposal.pattern.seams)
    assert not check_seams(back)


def _held_stretch(relax: float) -> float:
    """Return by how much the longest held edge is too long after sewing."""
    body = named_body("woman")
    pattern = fitted_size(propose_seams_and_places(trousers()).pattern, body).pattern
    settings = SewSettings(drape=0.1, repair_frames=0, relax=relax)
    recording = dress([pattern], body, edge_length=0.03, settings=settings)
    garment, position = recording.garment, recording.positions[-1]
    found = [0.0]
    for k in range(3):
        ends = garment.triangles[:, [k, (k + 1) % 3]]
        held = np.isin(ends, garment.hold_particle).all(axis=1)
        uv = garment.uv[garment.triangles_uv[held][:, [k, (k + 1) % 3]]]
        now, rest = (np.linalg.norm(x[:, 0] - x[:, 1], axis=1) for x in (position[ends[held]], uv))
        found += list(now / rest - 1.0)
    return float(max(found))


def test_a_held_waist_finds_its_length_again_before_it_is_fixed() -> None:
    before, after = _held_stretch(0.0), _held_stretch(0.2)
    assert before > 0.06
    assert after < 0.7 * before
