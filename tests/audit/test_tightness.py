"""Tight is not broken: the place, the centimetres and the remedy are named, against what the fabric gives."""

from dataclasses import replace

import numpy as np
import pytest

from toile.audit.check import audit_drape
from toile.audit.tightness import levels, tightest_level
from toile.body.model.make import named_body
from toile.core.records import LIMBS, Pattern, Recording
from toile.garment.build import build
from toile.garment.place.limb_axes import heights
from toile.pattern.formats.text.read import parse
from toile.render.surface import MARK, with_open_seams
from toile.sim.dress.dress import dress
from toile.sim.dress.open_seams import open_seams, without_open

EDGE = 0.04


def skirt(less: float) -> Pattern:
    """A straight skirt for the woman, that much narrower than her hips [m]."""
    waist, hips = (100.0 * named_body("woman").measurements[name] for name in ("waist", "hips"))
    half = hips / 4 - 25 * less
    top = min(waist / 4, half)
    piece = f"""
      from {-half} -60
      line to {half} -60 as hem
      line to {half} -20 as left_side
      line to {top} 0 as left_hip
      line to {-top} 0 as waist
      line to {-half} -20 as right_hip
      line to start as right_side
    """
    text = f"""
    garment skirt
    panel front
      place front
      {piece}
    panel back
      place back
      {piece}
    seam left: front.left_side, front.left_hip = -back.right_side, -back.right_hip
    seam right: front.right_side, front.right_hip = -back.left_side, -back.left_hip
    pin front.waist, back.waist
    """
    return parse(text, "skirt", "skirt.txt")


@pytest.fixture(scope="module")
def narrow() -> Recording:
    return dress([skirt(0.08)], named_body("woman"), edge_length=EDGE)


def test_cut_girths_are_those_of_the_pattern() -> None:
    worn = dress([skirt(-0.06)], named_body("woman"), edge_length=EDGE)
    body = named_body("woman")
    found = levels(worn.garment, worn.positions[-1], body)
    low = heights(body)["hip"]
    hips = [one for one in found if one.limb == "torso" and one.height < low]
    assert hips
    for one in hips:
        assert one.cut == pytest.approx(body.measurements["hips"] + 0.06, abs=0.06)
        assert one.worn == pytest.approx(one.cut, rel=0.03)
        assert one.lacks < 0.0


def test_a_tight_skirt_is_worn_and_the_place_is_named(narrow: Recording) -> None:
    found = audit_drape(narrow)
    assert found.tight
    assert not found.broken, found.broken
    assert "too tight at the hips by" in found.tight[0]
    assert "cotton gives 5%" in found.tight[0]
    assert not found.ok


def test_what_a_fabric_gives_is_not_tight(narrow: Recording) -> None:
    jersey = tuple(replace(f, name="jersey", strain_limit=0.4) for f in narrow.garment.fabrics)
    found = audit_drape(replace(narrow, garment=replace(narrow.garment, fabrics=jersey)))
    assert found.ok, found.problems


def test_lacking_centimetres_follow_from_girths(narrow: Recording) -> None:
    body = named_body("woman")
    worst = tightest_level(narrow.garment, narrow.positions[-1], body)
    assert worst is not None
    # a polygon of 4 cm chords outside the skin is a few centimetres longer than the tape
    assert worst.worn == pytest.approx(body.measurements["hips"] + 0.05, abs=0.05)
    assert worst.cut == pytest.approx(body.measurements["hips"] - 0.08, abs=0.02)
    assert worst.lacks == pytest.approx(worst.worn / 1.05 - worst.cut)


def test_a_seam_that_stays_open_is_told_with_its_reason(narrow: Recording) -> None:
    """Nothing but an error came of it: nobody could see what to change."""
    body = named_body("woman")
    unsewn = build(skirt(0.08), "cotton", EDGE)
    shut = narrow.positions[-1][narrow.garment.uv_particle]
    side = unsewn.seam_uv[unsewn.seam_id == unsewn.seam_names.index("left")]
    torn = shut.copy()
    torn[side[3:7, 0]] += [0.05, 0.0, 0.0]
    (found,) = open_seams(unsewn, torn, 0.02, body)
    assert (found.seam, found.panels) == ("left", ("front", "back"))
    assert found.gap == pytest.approx(0.05)
    assert found.length == pytest.approx(3 * EDGE, rel=0.3)
    assert "stays open by 5" in str(found)
    assert "\n" not in str(found)
    part = without_open(unsewn, torn, 0.02)
    assert len(unsewn.seam_uv) - len(part.seam_uv) == 4
    # the picture marks the place and little else
    colour = with_open_seams(unsewn, torn, np.full(3, 0.7))
    marked = (colour == MARK).all(axis=-1)
    assert 4 <= marked.sum() < 0.2 * len(unsewn.triangles)
    # and the audit tells it instead of a bare gap
    told = replace(narrow, provenance=replace(narrow.provenance, left_open=(str(found),)))
    assert str(found) in audit_drape(told).broken


def test_a_limb_between_the_sides_is_named() -> None:
    body = named_body("woman")
    unsewn = build(skirt(0.08), "cotton", EDGE)
    thigh = body.vertices[body.limb == LIMBS.index("left_thigh")].mean(axis=0)
    torn = np.zeros((unsewn.particle_count, 3)) + thigh
    side = unsewn.seam_uv[unsewn.seam_id == unsewn.seam_names.index("left")]
    torn[side[:, 0], 2] += 0.12
    torn[side[:, 1], 2] -= 0.12
    found = open_seams(unsewn, torn, 0.2, body)
    assert "the left thigh lies between its sides" in found[0].why
