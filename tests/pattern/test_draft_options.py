"""Every option of every draft: a value comes out as asked for, or is told, or is refused."""

from itertools import pairwise

import numpy as np
import pytest
from test_drafts import WOMAN, person

from toile.core.errors import ToileError
from toile.pattern.drafts.library import DRAFTS, draft, options
from toile.pattern.model.check import check_pattern
from toile.pattern.model.curves import area, outline

PEOPLE = [WOMAN, person(1.50, 0.58, False), person(2.00, 1.30, True)]
CASES = [(name, option) for name in DRAFTS for option in options(name)]
NONSENSE = (-50.0, -3.0, -1.0, 3.0, 50.0, 1e9, float("inf"), float("nan"))
NUMBERS = (-0.5, -0.2, -0.1, -0.05, -0.01, 0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.13, 0.16, 0.2,
           0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.5, 1.8, 2.0, 2.5, 3.0)  # fmt: skip
COUNTS = (0, 1, 2, 3, 4, 5, 8, 12, 16, 17, 20, 40, 100, 200, 201, 10**6)


def tried(name, option, value, who):
    """Return the drafted pattern, or None if it is refused by name."""
    try:
        return draft(name, who, **{option: value})
    except ToileError as error:
        told = str(error)
    assert option in told, told
    return None


def shape(pattern):
    return [outline(panel).round(7).tolist() for panel in pattern.panels]


@pytest.mark.parametrize(("name", "option"), CASES)
@pytest.mark.parametrize("who", PEOPLE, ids=["woman", "small", "large"])
def test_a_number_is_kept_told_or_refused(name, option, who):
    taken = []
    for value in COUNTS if option == "pleats" else NUMBERS:
        pattern = tried(name, option, value, who)
        if pattern is None:
            continue
        check_pattern(pattern)
        assert all(area(panel) > 0.0 for panel in pattern.panels), value
        assert all(1 / 3 < (seam.ease or 1.0) < 3.0 for seam in pattern.seams), value
        if not any(f"{option}=" in note for note in pattern.notes):
            taken.append((value, shape(pattern)))
    assert taken, "no value is taken as it is"
    for (one, before), (two, after) in pairwise(taken):
        assert before != after, f"{option}={one} and {option}={two} give the same pieces without a word"


@pytest.mark.parametrize(("name", "option"), CASES)
def test_nonsense_is_refused(name, option):
    for value in NONSENSE:
        if option in ("flare", "fullness", "pleats") and 0 < value < 100:
            continue
        assert tried(name, option, value, WOMAN) is None, value
    assert tried(name, option, True, WOMAN) is None
    assert tried(name, option, "nobody knows this", WOMAN) is None


@pytest.mark.parametrize("length", [0.01, 0.2, 0.0, -0.5, -3.0])
def test_a_skirt_too_short_for_the_hips_is_refused(length):
    with pytest.raises(ToileError, match="length"):
        draft("skirt", WOMAN, length=length)


def test_lengths_come_out_in_the_pieces():
    for name in DRAFTS:
        if name.endswith(("skirt", "dress")):  # rings: see test_draft_styles
            continue
        tall = [
            max(np.ptp(outline(panel)[:, 1]) for panel in pattern.panels)
            for length in (0.30, 0.35, 0.40, 0.45, 0.50)
            if (pattern := tried(name, "length", length, WOMAN)) is not None
        ]
        assert len(tall) >= 3
        assert np.diff(tall) == pytest.approx(0.05, abs=0.012), name


def test_what_a_default_becomes_is_not_told():
    for who in PEOPLE:
        for name in DRAFTS:
            assert draft(name, who).notes == ()
