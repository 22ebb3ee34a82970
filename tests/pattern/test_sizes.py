"""Sizes: the table of EN 13402-3, patterns in all of them, the size for a body."""

import itertools

import pytest

from toile.core.errors import ToileError
from toile.pattern.drafts.library import DRAFTS
from toile.pattern.grading.sizes import SIZES, best_size, graded_drafts, sizes_named
from toile.pattern.model.check import check_pattern
from toile.pattern.model.curves import area


def test_women_38_is_bust_88():
    size = SIZES["woman"]["38"]
    assert (size.bust, size.waist, size.hips, size.letter) == (0.88, 0.72, 0.96, "S")


def test_men_50_is_chest_100():
    size = SIZES["man"]["50"]
    assert (size.bust, size.waist, size.letter) == (1.00, 0.88, "M")


@pytest.mark.parametrize("sex", SIZES)
def test_sizes_grow(sex):
    rows = list(SIZES[sex].values())
    for small, large in itertools.pairwise(rows):
        assert small.bust < large.bust
        assert small.waist < large.waist
        assert small.hips < large.hips


def test_names_of_sizes():
    assert [s.name for s in sizes_named("34-40")] == ["34", "36", "38", "40"]
    assert [s.letter for s in sizes_named("S, M L")] == ["S", "M", "L"]
    assert len(sizes_named("all", "man")) == len(SIZES["man"])


@pytest.mark.parametrize("text", ["7", "40-34", "", "38-99", "QQ"])
def test_unknown_sizes_are_refused(text):
    with pytest.raises(ToileError, match="choose"):
        sizes_named(text)


def test_unknown_sex_is_refused():
    with pytest.raises(ToileError, match="woman"):
        sizes_named("38", "robot")


@pytest.mark.parametrize("name", DRAFTS)
def test_every_draft_grades(name):
    graded = graded_drafts(name, sizes_named("32, 38, 46, 62"))
    cloth = []
    for pattern in graded.values():
        check_pattern(pattern)
        cloth.append(sum(area(panel) for panel in pattern.panels))
    assert cloth == sorted(cloth)
    # same pieces and seams in all sizes, apart from darts that appear with a slim waist
    assert len({tuple(p.name for p in pattern.panels) for pattern in graded.values()}) == 1


def test_auto_size():
    assert best_size({"bust": 0.88, "waist": 0.72, "hips": 0.96}).name == "38"
    assert best_size({"waist": 0.72, "hips": 0.96}, below=True).name == "38"
    # between two sizes the larger one, unless it is far
    assert best_size({"bust": 0.903, "waist": 0.743}).name == "40"
    assert best_size({"bust": 1.0, "waist": 0.88}, "man").name == "50"
    with pytest.raises(ToileError, match="waist"):
        best_size({"bust": 0.9})
