"""Pages: a folder and one file with everything in them."""

from pathlib import Path

import pytest

from dressed_samples import recording
from toile.core.errors import ToileError
from toile.export import page as module
from toile.export.library import export
from toile.io.blocks import unpack_blocks


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page as make page builds it, in small."""
    folder = tmp_path / "built"
    for name, text in {
        "player/index.html": '<title>T</title><script src="../assets/a.js"></script><toile-viewer id="v">',
        "assets/a.js": 'import "./b.js"; // </script>',
        "assets/b.js": "",
        "assets/shop.js": "",
        "single/page.js": 'f("</script>")',
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(module, "built_page", lambda: folder)
    return folder


def test_a_folder_holds_what_its_page_names(built: Path, tmp_path: Path) -> None:
    export(recording(3), tmp_path / "page")
    found = {str(p.relative_to(tmp_path / "page")) for p in (tmp_path / "page").rglob("*") if p.is_file()}
    assert found == {"index.html", "assets/a.js", "assets/b.js", "look.play"}
    page = (tmp_path / "page" / "index.html").read_text()
    assert "./assets/a.js" in page
    assert 'data-src="look.play"' in page
    assert "<title>tube</title>" in page
    assert unpack_blocks((tmp_path / "page" / "look.play").read_bytes())[0].meta["frames"] == 3
    # once more over itself, but never over something else
    export(recording(3), tmp_path / "page")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "diary.txt").write_text("mine")
    with pytest.raises(ToileError, match="something else"):
        export(recording(3), tmp_path / "own")


def test_one_file_names_no_other(built: Path, tmp_path: Path) -> None:
    export(recording(3), tmp_path / "look.html")
    page = (tmp_path / "look.html").read_text()
    assert 'f("<\\/script>")' in page
    assert 'id="recording"' in page
    assert "http" not in page


def test_a_page_that_is_not_built_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", tmp_path)
    with pytest.raises(ToileError, match="make page"):
        export(recording(3), tmp_path / "look.html")
