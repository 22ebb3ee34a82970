import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pattern_cases import square, tube
from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Notch, Panel, Pattern, Seam
from toile.pattern.drawing.draw import draw_pattern
from toile.pattern.formats.text.read import parse
from toile.pattern.library import check_pattern, convert, read_pattern, read_seams, write_pattern, write_seams
from toile.pattern.model.mirror import mirror_panel
from toile.pattern.model.sides import dart_pairs, side_chains
from toile.pattern.pieces.placement import propose_seams_and_places, with_placements
from toile.pattern.seams.review import check_seams
from toile.pattern.seams.suggest import suggest_seams, with_suggestions

SAMPLES = Path(os.environ.get("TOILE_SAMPLES", "samples"))

TOP = """
garment top
panel front
  from -25 0
  line to 25 0 as hem
  line to 25 35 as left_side
  curve 18 37  18 45 to 20 55 as left_armhole
  line to 8 60 as left_shoulder
  curve 6 50 -6 50 to -8 60 as neck
  line to -20 55 as right_shoulder
  curve -18 45  -18 37 to -25 35 as right_armhole
  line to start as right_side
panel back copy of front
panel sleeve
  from -13 0
  line to 13 0 as cuff
  line to 16 15 as front_underarm
  curve 8 15  9 31 to 0 31 as cap_front
  curve -9 31  -8 15 to -16 15 as cap_back
  line to start as back_underarm
panel sleeve_mirrored mirror of sleeve
"""


def ends(seam: Seam) -> set[frozenset[tuple[str, int]]]:
    return {frozenset((r.panel, r.edge) for r in seam.a), frozenset((r.panel, r.edge) for r in seam.b)}


def test_sides_are_grouped_between_corners():
    panel = parse(TOP, "top", "top.txt").panel("sleeve")
    # the cap's two curves run on smoothly: one side
    assert side_chains(panel) == [(0,), (1,), (2, 3), (4,)]


def test_a_top_with_sleeves_is_put_together():
    pattern = parse(TOP, "top", "top.txt")
    found = suggest_seams(pattern)
    joined = {frozenset(ends(s.seam)) for s in found}

    def pair(a, b):
        return frozenset({frozenset({a}), frozenset({b})})

    assert (
        pair(("front", 1), ("back", 7)) in joined
    )  # left side of the front to the left of the back, seen behind
    assert pair(("front", 7), ("back", 1)) in joined
    assert pair(("front", 3), ("back", 5)) in joined
    assert pair(("sleeve", 1), ("sleeve", 4)) in joined
    assert not any(("front", 0) in side for s in found for side in ends(s.seam))  # hems stay open
    assert not any(("front", 4) in side for s in found for side in ends(s.seam))  # so does the neck
    caps = [s for s in found if s.reason.startswith("open loops")]
    assert len(caps) == 2
    for cap in caps:
        assert {r.panel for r in cap.seam.a} == {"front", "back"}
        assert {r.edge for r in cap.seam.b} == {2, 3}
    sewn = with_suggestions(pattern)
    check_pattern(sewn)
    assert [f.text for f in check_seams(sewn) if f.kind != "length"] == []
    assert all(0.0 <= s.confidence <= 1.0 for s in found)


def test_darts_are_found_and_the_waist_runs_across_them():
    text = "panel skirt\nfrom 0 0\nline to 40 0\nline to 38 50\nline to 26 50\nline to 25 40\n"
    panel = parse(text + "line to 24 50\nline to 2 50\nline to start\n", "s", "s.txt").panels[0]
    assert dart_pairs(panel) == [((3,), (4,))]
    found = suggest_seams(Pattern("s", (panel,)))
    assert ends(found[0].seam) == {frozenset({("skirt", 3)}), frozenset({("skirt", 4)})}
    assert check_seams(Pattern("s", (panel,), (found[0].seam,))) == []


def test_twin_trouser_legs_are_joined_front_to_back_and_at_the_crotch():
    text = """
panel front
  from 0 0
  line to 22 0
  line to 25 100
  line to 3 100
  curve 2 75  0 72 to -5 70
  line to start
panel back
  from 0 0
  line to -22 0
  line to -25 100
  line to -3 100
  curve -2 75  0 72 to 5 70
  line to start
panel front_mirrored mirror of front
panel back_mirrored mirror of back
"""
    pattern = parse(text, "t", "t.txt")
    joined = {frozenset(ends(s.seam)) for s in suggest_seams(pattern)}
    for a, b in (
        (("front", 1), ("back", 1)), (("front", 4), ("back", 4)), (("front", 3), ("front_mirrored", 3)),
        (("back", 3), ("back_mirrored", 3)), (("front_mirrored", 1), ("back_mirrored", 1)),
    ):  # fmt: skip
        assert frozenset({frozenset({a}), frozenset({b})}) in joined
    assert [f.text for f in check_seams(with_suggestions(pattern))] == []


def test_existing_seams_are_kept_and_not_proposed_again():
    pattern = tube()
    assert suggest_seams(pattern) == []
    half = replace(pattern, seams=pattern.seams[:1])
    (only,) = suggest_seams(half)
    assert ends(only.seam) == ends(pattern.seams[1])
    assert with_suggestions(half).seams[0] is pattern.seams[0]


# ---------------------------------------------------------------------------- checker


def kinds(pattern: Pattern) -> list[str]:
    return [finding.kind for finding in check_seams(pattern)]


def test_a_sound_tube_has_no_findings():
    assert check_seams(tube()) == []


def test_lengths_without_declared_ease_are_found():
    pattern = Pattern(
        "p", (square("a", 0.4), square("b", 0.5)), (Seam((EdgeRef("a", 1),), (EdgeRef("b", 3, True),)),)
    )
    (finding,) = check_seams(pattern)
    assert finding.kind == "length"
    assert finding.text.startswith("seam 1, a to b: ")
    assert "40.0 and 50.0 cm" in finding.text
    assert "ease 1.250" in finding.text
    eased = replace(pattern, seams=(replace(pattern.seams[0], ease=1.25),))
    assert check_seams(eased) == []
    wrong = replace(pattern, seams=(replace(pattern.seams[0], ease=1.5),))
    assert kinds(wrong) == ["length"]


def test_reversed_seams_are_found():
    pattern = tube()
    turned = replace(pattern.seams[0], b=(EdgeRef("back", 3),))
    (finding,) = check_seams(replace(pattern, seams=(turned, pattern.seams[1])))
    assert finding.kind == "direction"
    assert finding.text.startswith("seam 1 (left side), front to back: it is reversed")


def test_a_mirrored_twin_is_joined_the_other_way():
    twin = mirror_panel(square("a"), "b")
    seam = Seam((EdgeRef("a", 3),), (EdgeRef("b", 3),))
    assert kinds(Pattern("p", (square("a"), twin), (seam,))) == []
    assert kinds(Pattern("p", (square("a"), twin), (replace(seam, b=(EdgeRef("b", 3, True),)),))) == [
        "direction"
    ]


def test_notches_that_miss_each_other_are_found():
    def with_notch(name: str, edge: int, at: float) -> Panel:
        return replace(square(name), notches=(Notch(edge, at, "N"),))

    seams = tube().seams
    fits = Pattern("p", (with_notch("front", 1, 0.25), with_notch("back", 3, 0.75)), seams)
    assert kinds(fits) == []
    misses = Pattern("p", (with_notch("front", 1, 0.25), with_notch("back", 3, 0.25)), seams)
    (finding,) = check_seams(misses)
    assert finding.kind == "notch"
    assert finding.text.startswith("seam 1 (left side), front to back: the notch")
    assert "'N'" in finding.text
    assert "20.0 cm" in finding.text


def test_sides_that_cannot_close_are_found():
    # a band round both tops, but the front and the back are joined at one side only
    band = parse(
        "panel band\nfrom 0 0\nline to 80 0\nline to 80 5\nline to 0 5\nline to start\n", "b", "b"
    ).panels[0]
    seams = (
        tube().seams[0],
        Seam((EdgeRef("band", 1),), (EdgeRef("band", 3, True),)),
        Seam((EdgeRef("band", 0),), (EdgeRef("front", 2, True), EdgeRef("back", 2, True))),
    )
    pattern = Pattern("p", (*tube().panels, band), seams)
    texts = [f.text for f in check_seams(pattern) if f.kind == "gap"]
    assert any(
        text.startswith("seam 3, band to front + back: ") and "is a closed loop and the other is open" in text
        for text in texts
    )
    whole = replace(pattern, seams=(*seams, tube().seams[1]))
    assert not [f for f in check_seams(whole) if f.kind == "gap" and "closed loop" in f.text]


def test_a_forgotten_piece_is_named():
    pattern = replace(tube(), panels=(*tube().panels, square("pocket")))
    (finding,) = check_seams(pattern)
    assert finding.kind == "piece"
    assert "'pocket'" in finding.text


def test_parts_that_are_not_joined_are_named():
    band = Seam((EdgeRef("band", 1),), (EdgeRef("band", 3, reversed=True),))
    pattern = replace(tube(), panels=(*tube().panels, square("band")), seams=(*tube().seams, band))
    (finding,) = [f for f in check_seams(pattern) if f.kind == "part"]
    assert finding.text.startswith("band: not sewn to the rest")


# ---------------------------------------------------------------------------- real files


def test_freesewing_shirt_is_sewn_by_suggestions(tmp_path):
    path = SAMPLES / "teagan.svg"
    if not path.exists():
        pytest.skip("sample file not present (set TOILE_SAMPLES)")
    pattern = read_pattern(path)
    sewn = with_suggestions(pattern)
    assert len(sewn.seams) == 8
    assert check_seams(sewn) == []
    write_seams(sewn, tmp_path / "teagan.seams")
    again = read_seams(tmp_path / "teagan.seams", pattern)
    assert again.seams == sewn.seams


@pytest.mark.parametrize("name", ["wb_pants_straight", "shirt_mean_specification"])
def test_suggestions_agree_with_the_true_seams(name):
    path = SAMPLES / f"{name}.json"
    if not path.exists():
        pytest.skip("sample file not present (set TOILE_SAMPLES)")
    pattern = read_pattern(path)
    true = {frozenset(ends(seam)) for seam in pattern.seams}
    sure = [s for s in suggest_seams(replace(pattern, seams=())) if s.confidence > 0.77]
    assert len(sure) >= 6
    assert np.mean([frozenset(ends(s.seam)) in true for s in sure]) == 1.0


def test_pieces_are_placed_by_their_names_and_seams():
    pattern = with_placements(with_suggestions(parse(TOP, "top", "top.txt")))
    rounds = {p.name: p.placement.around for p in pattern.panels}
    assert rounds["front"] == rounds["back"] == "torso"
    # the sleeve went to the front's left armhole: edge 2 lies at the wearer's left
    left = next(
        ref.panel for seam in pattern.seams for ref in seam.b if any(r == EdgeRef("front", 2) for r in seam.a)
    )
    assert rounds[left] == "left_arm"
    assert {rounds["sleeve"], rounds["sleeve_mirrored"]} == {"left_arm", "right_arm"}
    front, back = pattern.panel("front"), pattern.panel("back")
    assert front.placement.rotation == pytest.approx(np.eye(3))
    assert back.placement.rotation[:, 0] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-12)


def test_legs_are_told_apart_and_heights_follow_the_seams():
    text = """
panel front
  from 0 0
  line to 22 0
  line to 25 100
  line to 3 100
  curve 2 75  0 72 to -5 70
  line to start
panel back
  from 0 500
  line to -22 500
  line to -25 600
  line to -3 600
  curve -2 575  0 572 to 5 570
  line to start
panel front_mirrored mirror of front
panel back_mirrored mirror of back
"""
    pattern = with_placements(with_suggestions(parse(text, "t", "t.txt")))
    # the crotch is on the left of this front, seen from outside: the wearer's left leg
    assert {p.name: p.placement.around for p in pattern.panels} == {
        "front": "left_leg", "back": "left_leg", "front_mirrored": "right_leg", "back_mirrored": "right_leg",
    }  # fmt: skip
    heights = [p.placement.translation[1] + p.vertices[:, 1].min() for p in pattern.panels]
    assert heights == pytest.approx([heights[0]] * 4, abs=1e-3)


def test_a_proposal_is_saved_with_its_reasons_and_read_back(tmp_path):
    pattern = parse(TOP, "top", "top.txt")
    proposal = propose_seams_and_places(pattern)
    path = tmp_path / "top.seams"
    write_seams(proposal.pattern, path, remarks=proposal.remarks)
    assert "# 0.99 left shoulder" in path.read_text()
    again = read_seams(path, pattern)
    assert again.seams == proposal.pattern.seams
    assert [p.placement.around for p in again.panels] == [p.placement.around for p in proposal.pattern.panels]
    draw_pattern(proposal.pattern, tmp_path / "top.svg", unsure=range(len(again.seams)))
    assert "stroke-dasharray" in (tmp_path / "top.svg").read_text()


def test_convert_goes_from_format_to_format(tmp_path):
    write_pattern(tube(), tmp_path / "a.txt")
    convert(tmp_path / "a.txt", tmp_path / "b.dxf")
    convert(tmp_path / "b.dxf", tmp_path / "c.json")
    convert(tmp_path / "c.json", tmp_path / "d.txt")
    again = read_pattern(tmp_path / "d.txt")
    assert again.seams == tube().seams
    assert np.abs(again.panels[0].vertices - tube().panels[0].vertices).max() < 1e-5


def test_a_seam_file_keeps_added_twins_and_removed_pieces(tmp_path):
    base = Pattern("p", (square("a"), square("b", 0.3), square("c")))
    twin = mirror_panel(square("a"), "a_mirrored")
    worn = Pattern(
        "p", (square("a"), square("b", 0.3), twin), (Seam((EdgeRef("a", 3),), (EdgeRef("a_mirrored", 3),)),)
    )
    write_seams(worn, tmp_path / "p.seams", base=base)
    again = read_seams(tmp_path / "p.seams", base)
    assert {p.name for p in again.panels} == {"a", "b", "a_mirrored"}
    assert again.seams == worn.seams
    stranger = replace(worn, panels=(*worn.panels, square("d", 0.7)))
    with pytest.raises(ToileError, match="'d' is neither"):
        write_seams(stranger, tmp_path / "q.seams", base=base)
