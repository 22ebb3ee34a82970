"""Which limb a panel goes round: by words, and by seams where the words say nothing."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.posed_patterns import BODICE, TEE, flat, posed_tee

from toile.core.records import EdgeRef, Pattern, Seam
from toile.garment.place.limbs import panel_limbs
from toile.garment.place.unroll import unroll_panels

LIMBS = ["torso", "torso", "left_arm", "left_arm", "right_arm", "right_arm"]
NAMELESS = tuple(f"Pattern_{k}" for k in range(6))
GLUED = ("front", "back", "lfsleeve", "lbsleeve", "rfsleeve", "rbsleeve")


@pytest.mark.parametrize("arms", [0.0, 40.0, 60.0])
@pytest.mark.parametrize("names", [TEE, NAMELESS, GLUED], ids=["words", "nameless", "glued"])
def test_sleeves_are_found_in_any_pose(names, arms):
    assert list(panel_limbs(posed_tee(arms, names)).values()) == LIMBS


@pytest.mark.parametrize("arms", [0.0, 40.0])
def test_sleeves_lie_along_the_arm_whatever_the_pose_and_origin_of_the_file(arms):
    """Unrolled, cap up and cuff down, front and back: the file's pose is gone."""
    for name, one in unroll_panels(posed_tee(arms, NAMELESS, origin=0.9)).items():
        if one.limb.endswith("_arm"):
            sides = np.ptp(one.outline(), axis=0)
            assert np.allclose(sides, [0.21, 0.25], atol=1e-3), name
            cap = one(one.panel.vertices[[0, 3]])[:, 1]
            assert cap.min() > one.outline()[:, 1].max() - 1e-6


def test_a_dress_without_sleeves_has_none():
    pattern = posed_tee(0.0, NAMELESS)
    bare = replace(pattern, panels=pattern.panels[:2], seams=pattern.seams[:4])
    assert set(panel_limbs(bare).values()) == {"torso"}


def test_a_label_that_names_a_region_makes_no_trousers_of_a_skirt():
    """Generators label the panels of a narrow skirt "leg"."""
    still = np.eye(3)
    panels = tuple(
        flat(name, [*BODICE[:2], (30, 60), (-30, 60)], [0.0, 0.0, z], still, label="leg")
        for name, z in (("p1", 0.2), ("p2", -0.2))
    )
    seams = tuple(Seam((EdgeRef("p1", k),), (EdgeRef("p2", k),)) for k in (1, 3))
    assert set(panel_limbs(Pattern("pencil", panels, seams)).values()) == {"torso"}


def test_a_cuff_goes_round_what_it_is_sewn_to():
    pattern = posed_tee(0.0)
    cuff = flat("cuff_1", [(0, -8.5), (5, -8.5), (5, 8.5), (0, 8.5)], [0.56, 0.46, 0.12], np.eye(3))
    seam = Seam((EdgeRef("l_sleeve_f", 1),), (EdgeRef("cuff_1", 3, True),))
    more = replace(pattern, panels=(*pattern.panels, cuff), seams=(*pattern.seams, seam))
    assert panel_limbs(more)["cuff_1"] == "left_arm"
