"""Drafts against the tailor's rules: girths, seams that match, outlines that can be cut, on many people."""

import itertools

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.pattern.drafts.cutting import length_of
from toile.pattern.drafts.library import DRAFTS, draft, options
from toile.pattern.model.check import check_pattern
from toile.pattern.model.curves import area, edge_length, outline

WOMAN = {
    "height": 1.68, "bust": 0.92, "underbust": 0.80, "waist": 0.74, "hips": 0.98, "neck": 0.34,
    "shoulder_width": 0.38, "arm_length": 0.58, "upper_arm": 0.28, "wrist": 0.16, "inseam": 0.78,
    "back_length": 0.41, "waist_height": 1.04, "hip_height": 0.84, "bust_height": 1.22,
    "shoulder_height": 1.38, "crotch_height": 0.78,
}  # fmt: skip


def person(height: float, waist: float, man: bool) -> dict[str, float]:
    """Return a plausible person of that height and waist [m]."""
    bust = 0.55 * waist + (0.53 if not man else 0.52)
    hips = 0.55 * waist + (0.58 if not man else 0.52)
    return {"height": height, "bust": bust, "waist": waist, "hips": hips}


PEOPLE = [
    person(height, waist, man)
    for (height, waist), man in itertools.product(
        ((1.50, 0.58), (1.50, 1.00), (1.68, 0.74), (1.75, 1.30), (2.00, 0.80), (2.00, 1.30)), (False, True)
    )
]


NAMES = [f"{who['height'] * 100:.0f} cm, waist {who['waist'] * 100:.0f}" for who in [*PEOPLE, WOMAN]]


@pytest.mark.parametrize("who", [*PEOPLE, WOMAN], ids=NAMES)
@pytest.mark.parametrize("name", DRAFTS)
def test_everybody_gets_pieces_that_can_be_cut_and_sewn(name, who):
    pattern = draft(name, who)
    check_pattern(pattern)
    for panel in pattern.panels:
        assert area(panel) > 0.0, f"{panel.name} is drawn clockwise"
        assert panel.placement is not None
        assert panel.placement.around
    panels = {p.name: p for p in pattern.panels}
    for seam in pattern.seams:
        a, b = (sum(edge_length(panels[r.panel], r.edge) for r in chain) for chain in (seam.a, seam.b))
        assert b == pytest.approx(a * (seam.ease or 1.0), abs=1e-4), seam.name
        # ease is for crowns and cuffs only
        assert 0.99 < (seam.ease or 1.0) < 1.02 or name in GATHERED, seam.name


GATHERED = ("shirt",)


@pytest.mark.parametrize("name", DRAFTS)
def test_drafts_are_symmetric(name):
    """Left and right have the same area and the same words."""
    pattern = draft(name, WOMAN)
    panels = {p.name: p for p in pattern.panels}
    for panel in pattern.panels:
        twin = panels.get(panel.name.replace("left_", "right_"), panel)
        assert area(twin) == pytest.approx(area(panel), rel=1e-9)
        words = {e.name for e in panel.edges}
        if twin is panel and any(w.startswith("left_") for w in words):
            assert {w.replace("left_", "right_") for w in words} == {
                w.replace("left_", "right_") for w in words if w.startswith("right_")
            } | {w for w in words if not w.startswith(("left_", "right_"))}


def width_at(panel, height: float) -> float:
    """Return the width of a piece at a height of its own y axis [m]."""
    points = outline(panel)
    closed = np.vstack([points, points[:1]])
    a, b = closed[:-1], closed[1:]
    crossing = (a[:, 1] - height) * (b[:, 1] - height) < 0
    t = (height - a[crossing, 1]) / (b[crossing, 1] - a[crossing, 1])
    x = a[crossing, 0] + t * (b[crossing, 0] - a[crossing, 0])
    return float(np.ptp(x))


@pytest.mark.parametrize("who", [*PEOPLE, WOMAN], ids=NAMES)
def test_tshirt_girths(who):
    pattern = draft("tshirt", who, ease=0.1)
    front, back = pattern.panel("front"), pattern.panel("back")
    armpit = front.vertices[[e.name for e in front.edges].index("left_armhole"), 1]
    assert width_at(front, armpit - 1e-6) + width_at(back, armpit - 1e-6) == pytest.approx(
        who["bust"] + 0.1, abs=1e-3
    )
    hem = back.vertices[0, 1]
    for name in ("waist", "hips"):
        assert width_at(front, hem + 0.01) + width_at(back, hem + 0.01) >= who[name] * 0.99 or name == "hips"


@pytest.mark.parametrize("who", [*PEOPLE, WOMAN], ids=NAMES)
def test_crown_is_slightly_longer_than_armhole(who):
    panels = draft("tshirt", who).panels
    for hand, half in itertools.product(("left", "right"), ("front", "back")):
        crown = length_of(panels, f"{hand}_sleeve.{half}_crown")
        armhole = length_of(panels, f"{half}.{hand}_armhole")
        assert 1.0 <= crown / armhole <= 1.03


@pytest.mark.parametrize("who", [*PEOPLE, WOMAN], ids=NAMES)
def test_neckline_goes_round_the_neck_and_stays_on_the_shoulders(who):
    from toile.pattern.drafts.measures import Measures

    m = Measures(who)
    panels = draft("tshirt", who).panels
    names = [f"{p}.{h}_neck" for p in ("front", "back") for h in ("left", "right")]
    assert length_of(panels, " + ".join(names)) > m["neck"] + 0.03
    assert length_of(panels, "front.left_shoulder") > 0.05


@pytest.mark.parametrize("who", [*PEOPLE, WOMAN], ids=NAMES)
def test_skirt_girths(who):
    panels = draft("skirt", who, flare=0.5, ease=0.04, waist_ease=0.03).panels
    band = [f"{n}_band.{h}_top" for n in ("front", "back") for h in ("left", "right")]
    assert length_of(panels, " + ".join(band)) == pytest.approx(who["waist"] + 0.03, abs=1e-6)
    hem = [f"{n}.{h}_hem" for n in ("front", "back") for h in ("left", "right")]
    assert length_of(panels, " + ".join(hem)) >= who["hips"] + 0.04 + 0.49


def test_narrow_skirt_gets_darts():
    words = {e.name for e in draft("skirt", WOMAN, flare=0.1).panel("front").edges}
    assert {"left_dart_outer", "right_dart_inner"} <= words
    assert "left_dart_outer" not in {e.name for e in draft("skirt", WOMAN).panel("front").edges}


def test_longer_means_longer():
    heights = [
        np.ptp(outline(draft("skirt", WOMAN, length=word).panel("front"))[:, 1])
        for word in ("mini", "knee", "midi", "ankle", "maxi")
    ]
    assert heights == sorted(heights)
    assert len(set(heights)) == 5


@pytest.mark.parametrize(
    ("name", "style", "says"),
    [
        ("cloak", {}, "skirt"),
        ("skirt", {"sleeves": "long"}, "flare"),
        ("skirt", {"length": "toes"}, "knee"),
        ("skirt", {"flare": float("nan")}, "flare"),
        ("skirt", {"flare": "wide"}, "flare"),
        ("tshirt", {"sleeves": 90.0}, "sleeves"),
    ],
)
def test_a_wrong_wish_is_answered_with_what_exists(name, style, says):
    with pytest.raises(ToileError, match=says):
        draft(name, WOMAN, **style)


@pytest.mark.parametrize(
    "bad", [{"waist": 0.7, "hips": 0.9}, {**WOMAN, "waist": 74.0}, {**WOMAN, "hips": -1}]
)
def test_wrong_measurements_are_named(bad):
    with pytest.raises(ToileError, match=r"measurement '(height|waist|waist_height|hips)'"):
        draft("skirt", bad)


def test_options_have_defaults():
    assert options("skirt")["length"] == "knee"
