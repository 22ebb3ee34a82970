"""Style options come out in the pieces: lengths, girths and ease as asked for, on small and large people."""

import itertools

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from test_drafts import WOMAN, person, width_at

from toile import named_body
from toile.core.errors import ToileError
from toile.core.records import LIMBS
from toile.pattern.drafts.cutting import length_of
from toile.pattern.drafts.library import draft
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.shirt import CUFF
from toile.pattern.model.curves import outline

PEOPLE = [WOMAN, person(1.50, 0.58, False), person(2.00, 1.30, True)]
NAMES = ["woman", "small", "large"]
everybody = pytest.mark.parametrize("who", PEOPLE, ids=NAMES)


def total(panels, *names):
    return length_of(panels, " + ".join(names))


def quarters(*words):
    return [f"{half}.{hand}_{w}" for w in words for half in ("front", "back") for hand in ("left", "right")]


def height_of(panel):
    return float(np.ptp(outline(panel)[:, 1]))


@everybody
@pytest.mark.parametrize("name", ["skirt", "circle_skirt", "pleated_skirt"])
@pytest.mark.parametrize("length", [0.45, 0.70])
def test_skirts_are_as_long_as_asked_for(name, length, who):
    front = draft(name, who, length=length).panel("front")
    middle = outline(front)[np.abs(outline(front)[:, 0]) < 1e-6][:, 1]
    assert -middle.min() == pytest.approx(length, abs=1e-6)


@everybody
@pytest.mark.parametrize("name", ["skirt", "circle_skirt", "pleated_skirt", "trousers", "shorts"])
def test_waistbands_have_the_waist_and_its_ease(name, who):
    panels = draft(name, who, waist_ease=0.05).panels
    top = quarters("top")
    top = [t.replace(".", "_band.") for t in top]
    assert total(panels, *top) == pytest.approx(who["waist"] + 0.05, abs=1e-6)


@pytest.mark.parametrize("name", ["skirt", "circle_skirt", "pleated_skirt", "trousers", "shorts"])
@pytest.mark.parametrize(("waist", "more"), [(0.60, 0.030), (0.80, 0.030), (1.30, 0.040)])
def test_wide_waists_get_more_ease(name, waist, more):
    panels = draft(name, {"height": 1.75, "waist": waist, "hips": waist + 0.1, "bust": waist + 0.1}).panels
    top = [t.replace(".", "_band.") for t in quarters("top")]
    assert total(panels, *top) == pytest.approx(waist + more, abs=1e-6)


def test_ease_by_a_word_nobody_knows_is_refused():
    with pytest.raises(ToileError, match="waist_ease 'baggy' is not known: choose usual, loose"):
        draft("skirt", {"height": 1.75, "waist": 0.8, "hips": 1.0, "bust": 0.9}, waist_ease="baggy")


@everybody
@pytest.mark.parametrize("name", ["skirt", "trousers"])
def test_waistbands_are_as_high_as_asked_for(name, who):
    assert height_of(draft(name, who, waistband=0.06).panel("front_band")) == pytest.approx(0.06, abs=1e-9)


@everybody
def test_flare_widens_the_hem(who):
    hems = [total(draft("skirt", who, flare=f).panels, *quarters("hem")) for f in (0.3, 0.8)]
    # a cone that is wide enough for the waist may grow more than asked for
    for hem, flare in zip(hems, (0.3, 0.8), strict=True):
        assert hem >= max(who["hips"], who["waist"]) + 0.04 + flare - 1e-6
    assert hems[1] - hems[0] >= 0.45


@everybody
def test_pleats_are_counted(who):
    front = draft("pleated_skirt", who, pleats=24).panel("front")
    assert sum(e.name.endswith("_outer") for e in front.edges) == 12


@everybody
@pytest.mark.parametrize(
    ("name", "ease"), [("top", 0.08), ("tshirt", 0.16), ("shirt", 0.14), ("dress", 0.08)]
)
def test_ease_is_added_to_the_bust(name, ease, who):
    panels = {p.name: p for p in draft(name, who, ease=ease).panels}
    back = panels["back"]
    underarm = back.vertices[[e.name for e in back.edges].index("right_armhole"), 1]
    girth = width_at(back, underarm - 1e-6)
    for part in ("front", "left_front", "right_front", "placket"):
        if part in panels:
            words = [e.name for e in panels[part].edges]
            arm = next((w for w in ("left_armhole", "armhole") if w in words), None)
            level = panels[part].vertices[words.index(arm), 1] if arm else underarm
            # the right front's armhole starts at the shoulder
            level = min(level, underarm + 0.1) if part != "right_front" else underarm
            girth += width_at(panels[part], level - 1e-6)
    assert girth == pytest.approx(who["bust"] + ease, abs=2e-3)


@everybody
@pytest.mark.parametrize("name", ["tshirt", "sleeved_dress", "hooded_jacket", "coat"])
@pytest.mark.parametrize("length", [0.30, 0.45])
def test_sleeves_are_as_long_as_asked_for(name, length, who):
    sleeve = draft(name, who, sleeves=length).panel("left_sleeve")
    assert height_of(sleeve) == pytest.approx(length, abs=1e-6)


@everybody
def test_cuffs_belong_to_the_sleeve_s_length(who):
    pattern = draft("shirt", who, sleeves=0.5)
    assert height_of(pattern.panel("left_sleeve")) + height_of(pattern.panel("left_cuff")) == pytest.approx(
        0.5
    )
    cuff = length_of(pattern.panels, "left_cuff.hem")
    assert cuff == pytest.approx(Measures(who)["wrist"] + 0.075)


def test_a_shirt_ends_at_the_wrist_with_cuffs_as_wide_as_the_forearm_there():
    """Higher up the forearm is thicker: a cuff was stretched by a quarter there."""
    woman = named_body("woman")
    arm, pattern = woman.measurements["arm_length"], draft("shirt", woman.measurements)
    whole = height_of(pattern.panel("left_sleeve")) + height_of(pattern.panel("left_cuff"))
    assert 0.95 < whole / arm < 1.0
    joints = woman.skeleton.world_from_joint[:, :3, 3]
    elbow, wrist = (joints[woman.skeleton.names.index(name)] for name in ("LeftForeArm", "LeftHand"))
    along = (elbow - wrist) / np.linalg.norm(elbow - wrist)
    # the skin of the forearm where the cuff's upper edge lies
    skin = woman.vertices[woman.limb == LIMBS.index("left_forearm")] - wrist
    ring = skin[np.abs(skin @ along - (arm - whole + CUFF)) < 0.01]
    girth = ConvexHull((ring - (ring @ along)[:, None] * along) @ _across(along)).area
    assert length_of(pattern.panels, "left_cuff.top") > girth + 0.01


@pytest.mark.parametrize("name", ["sleeved_dress", "hooded_jacket", "coat"])
def test_long_sleeves_reach_the_wrist_and_show_no_more_than_a_shirt_s_cuff(name):
    """They ended half-way down the forearm, 6 cm above the cuff of a shirt worn underneath."""
    woman = named_body("woman").measurements
    shirt = draft("shirt", woman)
    under = height_of(shirt.panel("left_sleeve")) + height_of(shirt.panel("left_cuff"))
    long = height_of(draft(name, woman).panel("left_sleeve"))
    assert 0.94 < long / woman["arm_length"] < 1.0
    assert under - 0.02 < long < under + 0.02


def _across(along):
    """Return two unit vectors across a direction, (3, 2)."""
    return np.linalg.svd(along[None])[2][1:].T


@everybody
def test_forks_are_those_of_classic_trousers_unless_the_leg_is_too_short_to_taper(who):
    """Front and back reach under the crotch by 1/16 and 2/15 of the hips; those of short legs by less."""

    def fork(name, half):
        panel = draft(name, who, ease=0.0).panel(f"left_{half}")
        return np.ptp(outline(panel)[:, 0])

    hips = max(Measures(who)["hips"], 0.92 * Measures(who)["waist"])
    for half, more in (("front", 1 / 80), ("back", 1 / 30)):
        assert fork("trousers", half) - fork("shorts", half) > 0.7 * more * hips


@everybody
@pytest.mark.parametrize("name", ["tshirt", "shirt", "hooded_jacket", "coat"])
def test_sleeve_ease_widens_the_sleeve(name, who):
    def widest(ease):
        return float(np.ptp(outline(draft(name, who, sleeve_ease=ease).panel("left_sleeve"))[:, 0]))

    assert widest(0.16) - widest(0.12) == pytest.approx(0.04, abs=2e-3)


@everybody
@pytest.mark.parametrize("name", ["top", "tshirt", "shirt", "hooded_jacket"])
def test_longer_tops_end_lower(name, who):
    low = [outline(draft(name, who, length=v).panel("back"))[:, 1].min() for v in (0.0, 0.10)]
    assert low[0] - low[1] == pytest.approx(0.10, abs=1e-6)


@everybody
@pytest.mark.parametrize("name", ["dress", "sleeved_dress", "coat", "trousers"])
def test_words_for_lengths_go_down(name, who):
    low = [
        min(
            outline(p)[:, 1].min() + p.placement.translation[1]
            for p in draft(name, who, length=word).panels
            if p.placement.around in ("torso", "left_leg")
        )
        for word in ("short", "knee", "midi", "ankle")
    ]
    assert all(a > b + 0.03 for a, b in itertools.pairwise(low))


@everybody
def test_hem_girth_of_trousers(who):
    panels = draft("trousers", who, hem=0.48).panels
    assert total(panels, "left_front.hem", "left_back.hem") == pytest.approx(0.48, abs=1e-6)


@everybody
@pytest.mark.parametrize("name", ["shirt", "coat"])
def test_collars_are_as_high_as_asked_for(name, who):
    assert height_of(draft(name, who, collar=0.07).panel("collar")) == pytest.approx(0.07, abs=4e-3)


@everybody
def test_placket_width(who):
    assert np.ptp(outline(draft("shirt", who, placket=0.04).panel("placket"))[:, 0]) == pytest.approx(0.04)


@everybody
@pytest.mark.parametrize("name", ["top", "tshirt", "dress"])
def test_a_deeper_neckline_is_deeper(name, who):
    def depth(value):
        front = draft(name, who, neckline=value).panel("front")
        words = [e.name for e in front.edges]
        return front.vertices[words.index("right_neck"), 1]

    assert depth(0.02) - depth(0.08) > 0.05


@everybody
def test_bust_darts_have_equal_legs(who):
    panels = draft("dress", {**who, "front_over_bust": 0.48 * who["height"] / 1.68}).panels
    a, b = (length_of(panels, f"front.left_bust_dart_{w}") for w in ("outer", "inner"))
    assert a == pytest.approx(b, abs=1e-9)
