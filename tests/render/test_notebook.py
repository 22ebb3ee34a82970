"""What a newcomer meets at the Python prompt: names, short lines, pictures, clear errors."""

import io

import pytest

import toile
from toile.core.bar import Bar, heard
from toile.core.work import at_work


@pytest.fixture(scope="module")
def body():
    return toile.named_body("woman")


@pytest.fixture(scope="module")
def skirt(body):
    return toile.draft("skirt", body.measurements)


@pytest.fixture(scope="module")
def dressed(skirt, body):
    return toile.dress(skirt, body, edge_length=0.06)


def test_dir_lists_the_public_names():
    assert set(dir(toile)) == {*toile.__all__, "__version__"}


def test_records_are_short_lines(body, skirt, dressed):
    for record in (body, skirt, dressed, dressed.garment, toile.read_motion("walk")):
        line = repr(record)
        assert len(line) < 120
        assert "\n" not in line
        assert type(record).__name__ in line
    assert "4 pieces" in repr(skirt)


def test_notebooks_get_pictures(body, skirt, dressed):
    for record in (body, skirt, dressed):
        picture = record._repr_png_()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 5000


def test_meshes_for_trimesh(body, dressed):
    pytest.importorskip("trimesh")
    assert len(body.to_trimesh().faces) == len(body.triangles)
    assert dressed.to_trimesh().bounds[1, 1] < body.to_trimesh().bounds[1, 1]


def test_one_pattern_does_where_several_do(dressed, skirt, body):
    assert (toile.dress([skirt], body, edge_length=0.06).positions == dressed.positions).all()


def test_a_motion_by_name_and_seconds(dressed, body):
    walked = toile.animate(dressed, body, "walk", seconds=0.2, fps=10, progress=False)
    assert len(walked.times) == 2


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda d, b, s: toile.dress("skirt.txt", b), r"dress: patterns is a str.*read_pattern"),
        (lambda d, b, s: toile.dress([s, 3], b), r"dress: patterns\[1\] is a int"),
        (lambda d, b, s: toile.dress(s, "woman"), r"dress: body is a str.*named_body"),
        (lambda d, b, s: toile.animate(s, b, "walk"), r"animate: garment is a Pattern"),
        (lambda d, b, s: toile.animate(d, b, 3), r"animate: motion is a int"),
    ],
)
def test_a_wrong_argument_is_named(call, says, dressed, body, skirt):
    with pytest.raises(TypeError, match=says):
        call(dressed, body, skirt)


def test_progress_is_shown_where_somebody_looks(monkeypatch, skirt, body):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("toile.core.bar.WAIT", 0.0)
    monkeypatch.setattr(Bar.__init__, "__defaults__", (0.0,))
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    toile.dress(skirt, body, edge_length=0.08)
    assert "%" in shown.getvalue()
    before = len(shown.getvalue())
    toile.dress(skirt, body, edge_length=0.08, progress=False)
    assert len(shown.getvalue()) == before


def test_who_listens_already_is_not_talked_over():
    told = []
    with at_work(lambda *words: told.append(words)), heard(True) as tell:
        tell("sewing", 0.5)
    assert told == []
