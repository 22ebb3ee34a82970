"""Edits of a pattern: what they change, what follows, what is refused; undone to the same; as Python."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.core.records import EdgeRef
from toile.garment.shapes import flat_position, square_cloth
from toile.geometry.topology import linked
from toile.jobs.describe import Inputs
from toile.pattern.library import write_pattern
from toile.pattern.model import curves
from toile.pattern.model.lengths import seam_lengths
from toile.studio import commands as c
from toile.studio.edits import OF_PATTERN, OF_PROJECT, apply
from toile.studio.handling import HANDLERS
from toile.studio.history import History, line_of, script_of
from toile.studio.messages import ASKED
from toile.studio.project import Project, dressed
from toile.studio.slit import slit

HERE = Inputs()
SQUARE = ((0.0, 0.0), (0.4, 0.0), (0.4, 0.5), (0.0, 0.5))


@pytest.fixture
def bare() -> Project:
    """A garment of two squares, front and back, not sewn."""
    project = apply(Project(), c.NewGarment(name="bag", width=0.4, height=0.5))
    project = apply(project, c.RenamePiece(piece="piece", name="front"))
    return apply(project, c.AddPiece(piece="back", outline=SQUARE))


def panel(project: Project, name: str = "front"):
    return project.garments[0].pattern.panel(name)


def test_every_edit_has_its_function() -> None:
    assert set(c.EDITS.values()) == set(OF_PATTERN) | set(OF_PROJECT)


def test_points_move_and_curves_keep_their_shape(bare: Project) -> None:
    curved = apply(
        bare, c.SetCurve(piece="front", edge=0, kind="cubic", controls=((0.1, -0.05), (0.3, -0.05)))
    )
    moved = apply(curved, c.MovePoints(piece="front", points=(0, 1), by=(0.0, -0.1)))
    np.testing.assert_allclose(panel(moved).vertices[:2, 1], -0.1)
    np.testing.assert_allclose(panel(moved).edges[0].controls[:, 1], -0.15)
    assert curves.edge_length(panel(moved), 0) == pytest.approx(curves.edge_length(panel(curved), 0))
    one = apply(curved, c.MovePoints(piece="front", points=(0,), by=(0.0, -0.1)))
    # the control point near the corner goes along by its share of the chord
    np.testing.assert_allclose(
        one.garments[0].pattern.panel("front").edges[0].controls[:, 1], [-0.125, -0.075]
    )


def test_an_edge_becomes_as_long_as_typed(bare: Project) -> None:
    made = apply(bare, c.SetLength(piece="front", edge=2, length=0.55))
    assert curves.edge_length(panel(made), 2) == pytest.approx(0.55)
    arc = apply(bare, c.SetCurve(piece="front", edge=2, kind="arc", controls=((0.2, 0.6),)))
    made = apply(arc, c.SetLength(piece="front", edge=2, length=0.6))
    assert curves.edge_length(panel(made), 2) == pytest.approx(0.6, abs=1e-6)


def test_seams_follow_a_point_that_is_added_and_taken_away(bare: Project) -> None:
    sewn = apply(
        bare, c.Sew(a=(c.EdgeAt(piece="front", edge=1),), b=(c.EdgeAt(piece="back", edge=3, reversed=True),))
    )
    more = apply(sewn, c.AddPoint(piece="front", edge=1, fraction=0.25))
    pattern = more.garments[0].pattern
    assert [ref.edge for ref in pattern.seams[0].a] == [1, 2]
    assert seam_lengths(pattern, pattern.seams[0]) == pytest.approx((0.5, 0.5))
    back = apply(more, c.DeletePoint(piece="front", point=2))
    assert back.garments[0].pattern.seams[0].a == (EdgeRef("front", 1),)
    assert len(panel(back).edges) == 4


def test_a_dart_takes_width_and_is_sewn(bare: Project) -> None:
    made = apply(bare, c.AddDart(piece="front", edge=2, fraction=0.5, width=0.04, depth=0.12))
    pattern = made.garments[0].pattern
    legs = seam_lengths(pattern, pattern.seams[0])
    assert legs == pytest.approx((math.hypot(0.02, 0.12),) * 2)
    assert abs(curves.area(panel(made))) == pytest.approx(0.2 - 0.5 * 0.04 * 0.12)
    with pytest.raises(ToileError, match="does not fit"):
        apply(bare, c.AddDart(piece="front", edge=2, fraction=0.02, width=0.04))


def test_a_piece_is_split_and_sewn_together_again(bare: Project) -> None:
    sewn = apply(
        bare, c.Sew(a=(c.EdgeAt(piece="front", edge=1),), b=(c.EdgeAt(piece="back", edge=3, reversed=True),))
    )
    made = apply(sewn, c.SplitPiece(piece="front", first=0, second=2, name="corner", sew=True))
    pattern = made.garments[0].pattern
    assert sum(abs(curves.area(pattern.panel(n))) for n in ("front", "corner")) == pytest.approx(0.2)
    # edge 1 lies on the part that was cut off: the old seam runs there now
    assert pattern.seams[0].a[0].panel == "corner"
    assert seam_lengths(pattern, pattern.seams[0]) == pytest.approx((0.5, 0.5))
    assert seam_lengths(pattern, pattern.seams[1]) == pytest.approx((math.hypot(0.4, 0.5),) * 2)
    with pytest.raises(ToileError, match="beside each other"):
        apply(bare, c.SplitPiece(piece="front", first=0, second=1))


def test_a_half_piece_is_unfolded(bare: Project) -> None:
    made = apply(bare, c.UnfoldPiece(piece="front", edge=3))
    assert abs(curves.area(panel(made))) == pytest.approx(0.4)
    assert np.ptp(panel(made).vertices[:, 0]) == pytest.approx(0.8)


def test_a_copy_is_mirrored_to_the_other_side(bare: Project) -> None:
    named = apply(bare, c.RenamePiece(piece="front", name="left_sleeve"))
    slanted = apply(named, c.MovePoints(piece="left_sleeve", points=(1,), by=(0.1, 0.0)))
    made = apply(slanted, c.CopyPiece(piece="left_sleeve", mirrored=True))
    twin = made.garments[0].pattern.panel("right_sleeve")
    np.testing.assert_allclose(
        twin.vertices[:, 0], -slanted.garments[0].pattern.panel("left_sleeve").vertices[:, 0]
    )
    turned = apply(slanted, c.MirrorPiece(piece="left_sleeve"))
    box = turned.garments[0].pattern.panel("left_sleeve").vertices
    assert box[:, 0].min() == pytest.approx(0.0)


def test_a_seam_is_reversed_and_undone(bare: Project) -> None:
    history = History(states={0: bare})
    sew = c.Sew(a=(c.EdgeAt(piece="front", edge=1),), b=(c.EdgeAt(piece="back", edge=3),))
    before = history.do(sew, HERE)
    history.do(c.ReverseSeam(seam=0), HERE)
    assert history.project.garments[0].pattern.seams[0].b[0].reversed
    assert history.undo(HERE) is before
    assert history.undo(HERE) is bare
    assert history.redo(HERE) is before


def test_edits_of_one_drag_are_undone_together(bare: Project) -> None:
    history = History(states={0: bare})
    for _ in range(5):
        history.do(c.MovePoints(piece="front", points=(0,), by=(0.0, -0.01)), HERE, "drag 1")
    history.do(c.MovePoints(piece="front", points=(0,), by=(0.0, -0.01)), HERE, "drag 2")
    history.undo(HERE)
    assert panel(history.project).vertices[0, 1] == pytest.approx(-0.05)
    assert history.undo(HERE) is bare
    history.redo(HERE)
    assert panel(history.project).vertices[0, 1] == pytest.approx(-0.05)
    history.do(c.SetName(name="bag"), HERE)
    with pytest.raises(ToileError, match="nothing to do again"):
        history.redo(HERE)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (c.MovePoints(piece="front", points=(9,)), "no corner 9"),
        (c.MovePoints(piece="sleeve", points=(0,)), "no panel 'sleeve'"),
        (c.MovePoints(garment=3, piece="front", points=(0,)), "no garment 3"),
        (c.MovePoints(piece="front", points=(0,), by=(1.0, 0.3)), "crosses"),
        (c.Sew(a=(c.EdgeAt(piece="front", edge=1),), b=(c.EdgeAt(piece="front", edge=1),)), "to itself"),
        (c.Unsew(seams=(0,)), "no seam 0"),
        (c.RenamePiece(piece="front", name="back"), "already"),
        (c.SetFabric(fabric="chain mail"), "no fabric"),
        (c.SetFigures(figures={"mass": -1.0}), "mass"),
        (c.AddDraft(draft="toga"), "no draft"),
        (c.SetDraft(style={"length": 0.5}), "not drafted"),
        (c.SetMethod(solver="magic"), "magic"),
        (c.SetMotion(named="fly"), "fly"),
    ],
)
def test_what_cannot_be_is_refused(bare: Project, edit: c.Edit, words: str) -> None:
    with pytest.raises(ToileError, match=words):
        apply(bare, edit)


def test_seams_of_a_bare_file_are_proposed_and_taken(tmp_path: Path) -> None:
    skirt = apply(Project(), c.AddDraft(draft="skirt")).garments[0].pattern
    naked = replace(skirt, seams=(), holds=(), panels=tuple(replace(p, placement=None) for p in skirt.panels))
    write_pattern(naked, tmp_path / "skirt.dxf")
    inputs = Inputs(folder=tmp_path)
    opened = apply(Project(), c.OpenPattern(file="skirt.dxf"), inputs)
    assert not opened.garments[0].pattern.seams
    taken = apply(opened, c.ProposeSeams())
    assert len(taken.garments[0].pattern.seams) >= 4
    assert all(p.placement is not None for p in taken.garments[0].pattern.panels)
    with pytest.raises(ToileError, match="outside"):
        apply(Project(), c.OpenPattern(file="../skirt.dxf"), inputs)


def test_the_script_gives_the_same_bits(tmp_path: Path) -> None:
    history = History()
    for edit in (
        c.SetMesh(edge_length=0.06),
        c.AddDraft(draft="skirt", style={"length": 0.5}, fabric="denim"),
        c.MoveEdges(piece="front", edges=(0, 5), by=(0.0, -0.03)),
        c.AddNotch(piece="back", edge=1, fraction=0.5, name='a "quoted" one'),
    ):
        history.do(edit, HERE)
    text = script_of(history.edits(), "a skirt")
    script = tmp_path / "skirt.py"
    script.write_text(text)
    names: dict = {}
    exec(compile(text, str(script), "exec"), names)
    np.testing.assert_array_equal(names["recording"].positions, dressed(history.project).positions)


def test_a_line_of_python_is_the_edit() -> None:
    for edit in (
        c.Sew(a=(c.EdgeAt(piece="a", edge=2),), b=(c.EdgeAt(piece="b", edge=1, reversed=True),), name="s"),
        c.SetPerson(sex="female", measures={"height": 1.7}),
        c.PlacePiece(piece="a", place="left_arm", height=None),
        c.SetAir(wind=(0.0, 0.0, -3.0)),
    ):
        assert eval(line_of(edit), {"c": c}) == edit


def test_scissors_open_the_cloth_along_a_line() -> None:
    cloth = square_cloth(6, 6, 0.6, 0.6)
    flat = flat_position(cloth)
    # from the middle of the lower border up to the middle of the cloth: its end stays whole
    made, source = slit(cloth, flat, [3, 3 * 7 + 3])
    assert made.particle_count == cloth.particle_count + 3
    assert sorted(source[cloth.particle_count :]) == [3, 10, 17]
    np.testing.assert_array_equal(made.uv_particle[made.triangles_uv], made.triangles)
    # across: two pieces
    made, _ = slit(cloth, flat, [3, 6 * 7 + 3])
    parts = linked(made.particle_count, made.triangles[:, [0, 1, 1, 2]].reshape(-1, 2))
    assert len(np.unique(parts)) == 2
    with pytest.raises(ToileError, match="opens nothing"):
        slit(cloth, flat, [3 * 7 + 3, 3 * 7 + 4])
    with pytest.raises(ToileError, match="no such point"):
        slit(cloth, flat, [3, 999])


def test_every_message_is_carried_out_by_something() -> None:
    assert set(HANDLERS) == set(ASKED.values())
