"""Bands that are shorter than the waist are elastic; nothing else is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from toile.body.model.make import named_body
from toile.core.records import Pattern
from toile.garment.elastic import with_elastic_bands
from toile.pattern.drafts.library import DRAFTS, draft


def with_short_band(share: float) -> Pattern:
    """Return a skirt whose waistband is only that share of its length."""
    skirt = draft("skirt", named_body("woman").measurements)
    panels = (
        replace(p, vertices=p.vertices * np.array([share, 1.0])) if p.name.endswith("_band") else p
        for p in skirt.panels
    )
    return replace(skirt, panels=tuple(panels))


@pytest.mark.parametrize("name", DRAFTS)
def test_drafts_have_no_elastic(name: str) -> None:
    """A shirt's placket is long and narrow too, but does not go round the waist."""
    body = named_body("woman")
    pattern = draft(name, body.measurements)
    assert with_elastic_bands(pattern, body) == (pattern, "")


def test_a_band_much_shorter_than_the_waist_is_elastic() -> None:
    fitted, note = with_elastic_bands(with_short_band(0.7), named_body("woman"))
    assert {p.name: p.fabric for p in fitted.panels} == {
        "front": "",
        "back": "",
        "front_band": "elastic",
        "back_band": "elastic",
    }
    assert note == "skirt: the band of back_band, front_band is 53 cm long, the waist 73 cm: taken as elastic"


def test_a_band_whose_fabric_is_stated_stays() -> None:
    pattern = with_short_band(0.7)
    woven = replace(pattern, panels=tuple(replace(p, fabric="denim") for p in pattern.panels))
    assert with_elastic_bands(woven, named_body("woman")) == (woven, "")
