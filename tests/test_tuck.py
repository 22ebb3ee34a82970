"""Tucking in: fullness below the waist is folded away, the rest keeps its cut."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toile.body import named_body
from toile.garment.girths import girths, outlines
from toile.garment.tuck import EASE, tuck_in
from toile.pattern.drafts import draft


def test_a_tucked_shirt_is_narrow_below_the_waist_only() -> None:
    body = named_body("woman")
    skirt, shirt = draft("skirt", body.measurements), draft("tshirt", body.measurements)
    kept, tucked = tuck_in([skirt, replace(shirt, tuck="skirt")], body)
    assert kept is skirt
    before, after = ({g.name: g.garment for g in girths(p, body)} for p in (shirt, tucked))
    assert after["waist"] == pytest.approx(body.measurements["waist"] + EASE["waist"], abs=0.01)
    assert after["upper_arm"] == pytest.approx(before["upper_arm"])
    top = body.measurements["armpit_height"] - 0.01
    widths = [outlines(p, body).width(["front", "back"], top) for p in (shirt, tucked)]
    assert widths[1] == pytest.approx(widths[0], rel=0.01)
    assert tucked.seams == shirt.seams
