"""Tucking in: fullness below the waist is folded away, the rest keeps its cut."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toile.audit.check import audit_drape
from toile.body.model.make import named_body
from toile.fit.girths import body_girths, girths, pattern_outlines
from toile.fit.tuck import BELOW, EASE, tuck_in
from toile.garment.place.limb_axes import heights
from toile.pattern.drafts.library import draft
from toile.sim.dress.dress import cut_out, dress


def test_a_tucked_shirt_is_narrow_below_the_waist_only() -> None:
    body = named_body("woman")
    skirt, shirt = draft("skirt", body.measurements), draft("tshirt", body.measurements)
    (kept, tucked), notes = tuck_in([skirt, replace(shirt, tuck="skirt")], body)
    assert kept is skirt
    assert notes == []
    before, after = ({g.name: g.garment for g in girths(p, body)} for p in (shirt, tucked))
    level = heights(body)
    under = level["waist"] - BELOW
    narrow = body_girths(body.measurements, level)("waist", under) + EASE["waist"]
    assert pattern_outlines(tucked, body).width(["front", "back"], under) == pytest.approx(narrow, abs=0.01)
    assert after["waist"] == pytest.approx(before["waist"], rel=0.03)
    assert after["upper_arm"] == pytest.approx(before["upper_arm"])
    top = body.measurements["armpit_height"] - 0.01
    widths = [pattern_outlines(p, body).width(["front", "back"], top) for p in (shirt, tucked)]
    assert widths[1] == pytest.approx(widths[0], rel=0.01)
    assert tucked.seams == shirt.seams


@pytest.mark.parametrize(
    ("names", "tucked"),
    [
        (["tshirt", "skirt"], ["skirt", ""]),
        (["shirt", "trousers", "coat"], ["trousers", "", ""]),
        (["skirt", "tshirt"], ["", ""]),  # hangs over it
        (["top", "tshirt"], ["", ""]),  # no waistband
        (["dress", "skirt"], ["", ""]),  # ends below it
        (["tshirt"], [""]),
    ],
)
def test_a_top_under_a_waistband_is_tucked_in(names: list[str], tucked: list[str]) -> None:
    body = named_body("woman")
    patterns = [draft(name, body.measurements) for name in names]
    found, notes = tuck_in(patterns, body)
    assert [pattern.tuck for pattern in found] == tucked
    assert [note.split(", ")[0] for note in notes] == [
        f"{name} is tucked into {over}" for name, over in zip(names, tucked, strict=True) if over
    ]
    assert all(a is b for a, b in zip(found, patterns, strict=True) if not a.tuck)


@pytest.mark.parametrize("stated", ["skirt", ""])
@pytest.mark.parametrize("name", ["tshirt", "shirt", "top"])
def test_what_is_tucked_in_already_stays_as_it_is(name: str, stated: str) -> None:
    """A recording keeps garments as they are worn, and these can be worn again (`toile walk --from`)."""
    body = named_body("woman")
    shirt = replace(draft(name, body.measurements), tuck=stated)
    once, _ = tuck_in([shirt, draft("skirt", body.measurements)], body)
    again, notes = tuck_in(once, body)
    assert all(a is b for a, b in zip(again, once, strict=True))
    assert notes == []


def test_a_stated_tuck_and_an_order_that_asks_for_it_are_worn_alike() -> None:
    """Dressed in Python, a garment that says `tuck` kept all of its width under the waistband."""
    body = named_body("woman")
    shirt, skirt = draft("tshirt", body.measurements), draft("skirt", body.measurements)
    cotton = [[(top, "cotton"), (skirt, "cotton")] for top in (shirt, replace(shirt, tuck="skirt"))]
    (found, notes), (stated, silent) = (cut_out(patterns, body, 0.06) for patterns in cotton)
    assert found[0].uv.tobytes() == stated[0].uv.tobytes()
    assert (len(notes), len(silent)) == (1, 0)


@pytest.mark.parametrize("names", [("tshirt", "skirt"), ("top", "trousers")])
def test_a_top_listed_before_what_hangs_from_the_waist_is_worn_clean(names: tuple[str, str]) -> None:
    """With all of its width under the waistband it crumpled, and edges were stretched by up to nine times."""
    body = named_body("woman")
    patterns = [draft(name, body.measurements) for name in names]
    recording = dress(patterns, body, edge_length=0.02)
    found = audit_drape(recording)
    assert found.problems == ()
    assert found.stretch.percentile_99 < 0.06
    assert list(recording.provenance.notes) == [
        f"{names[0]} is tucked into {names[1]}, which is put on over it: list {names[1]} first if not"
    ]
