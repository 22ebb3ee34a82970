"""A dressed body as a page: a folder for any static host, or one HTML file that opens without a server.

The page plays the recording at once; then it becomes a scene that lives in the browser: wind, pace, motions,
fabrics, cloth that can be pulled at. Where the scene or the engine is missing the recording stays, and why is
told. The built page and the engine come with the program (``make page``).
"""

from __future__ import annotations

import base64
import html
import os
import re
import shutil
import tempfile
import warnings
from pathlib import Path

from toile.core.atomic import replacing_path
from toile.core.errors import ToileError
from toile.export.page_scene import write_page_scene
from toile.export.playback import write_playback
from toile.render.smooth import Smoothed
from toile.store.record import Replayable, Source, opened

RECORDING, SCENE = "look.play", "look.scene"
PAGE = Path(__file__).parents[1] / "web" / "page"
"""what make page builds; part of every package"""
ENGINES = ("toile.wasm", "toile-threads.wasm")


class PageWarning(UserWarning):
    """A page is written, but what it shows does not live."""


def built_page() -> Path:
    """Return the folder of the built page; tells how to build it where it is missing."""
    if not (PAGE / "player" / "index.html").is_file():
        raise ToileError("the browser's page is not built: run make page (Node 20 and npm are needed)")
    return PAGE


def write_page(recording: Replayable, path: str | os.PathLike[str]) -> list[Path]:
    """Write a page: one file if the path ends in .html, else a folder; return the files that were written."""
    built, final = built_page(), Path(path)
    with opened(recording) as source, tempfile.TemporaryDirectory(prefix="toile") as place:
        work = Path(place)
        write_playback(source, work / RECORDING)
        title = ", ".join(source.garment.garment_names) or "Toile"
        files = {RECORDING: (work / RECORDING).read_bytes()}
        files |= _scene_of(source.source if isinstance(source, Smoothed) else source, built, work)
    if final.suffix.lower() in (".html", ".htm"):
        with replacing_path(final) as part:
            Path(part).write_text(_single(built, title, files), encoding="utf-8")
        return [final]
    return _folder(built, final, title, files)


def _scene_of(source: Source, built: Path, work: Path) -> dict[str, bytes]:
    """Return the scene and what computes it; says why where this look can only be replayed."""
    engines = [built / "engine" / name for name in ENGINES]
    try:
        if not all(engine.is_file() for engine in engines):
            raise ToileError("the engine for browsers is not built: pip install ziglang, then make page")
        write_page_scene(source, work / SCENE)
    except ToileError as error:
        warnings.warn(PageWarning(f"the page only replays: {error}"), stacklevel=4)
        return {}
    return {path.name: path.read_bytes() for path in (work / SCENE, *engines)}


def _folder(built: Path, final: Path, title: str, files: dict[str, bytes]) -> list[Path]:
    """Write beside and rename, so that a page is there whole or not at all."""
    if final.exists() and not final.is_dir():
        raise ToileError(f"cannot write {final}: it is a file: choose another name for the folder")
    if final.exists() and not ((final / "index.html").is_file() or not any(final.iterdir())):
        raise ToileError(f"{final} holds something else than a page: choose another folder")
    try:
        part = Path(tempfile.mkdtemp(prefix=".toile", dir=final.resolve().parent))
    except OSError as error:
        raise ToileError(f"cannot write {final}: {error.strerror}") from error
    try:
        page = (
            (built / "player" / "index.html").read_text(encoding="utf-8").replace("../assets/", "./assets/")
        )
        (part / "index.html").write_text(_named(page, title, files), encoding="utf-8")
        (part / "assets").mkdir()
        for asset in _assets(built, page):
            shutil.copyfile(asset, part / "assets" / asset.name)
        for name, content in files.items():
            target = part / "engine" / name if name in ENGINES else part / name
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
        part.chmod(0o755)
        if final.exists():
            shutil.rmtree(final)
        os.replace(part, final)
    except OSError as error:
        raise ToileError(f"cannot write {final}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return sorted(p for p in final.rglob("*") if p.is_file())


def _assets(built: Path, page: str) -> list[Path]:
    """Return the scripts and styles that the page names, and those that they name."""
    every = {p.name: p for p in (built / "assets").iterdir() if p.is_file()}
    found: dict[str, Path] = {}
    texts = [page]
    while texts:
        text = texts.pop()
        for name in every.keys() - found.keys():
            if name in text:
                found[name] = every[name]
                if name.endswith((".js", ".css")):
                    texts.append(every[name].read_text(encoding="utf-8"))
    return sorted(found.values())


def _named(page: str, title: str, files: dict[str, bytes]) -> str:
    """Return the page with its title and with what it shows."""
    shown = f' data-src="{RECORDING}"' + (f' data-scene="{SCENE}"' if SCENE in files else "")
    page = re.sub(r"<title>.*?</title>", lambda _: f"<title>{html.escape(title)}</title>", page)
    return page.replace("<toile-viewer ", f"<toile-viewer{shown} ", 1)


_SINGLE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>{title}</title>
<link rel="icon" href="data:," />
<style>html, body {{ height: 100%; margin: 0; background: #f4f2ee; }} toile-viewer {{ height: 100%; }}</style>
</head>
<body>
<toile-viewer></toile-viewer>
{data}
<script>{script}</script>
</body>
</html>
"""


def _single(built: Path, title: str, files: dict[str, bytes]) -> str:
    script = (built / "single" / "page.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    ids = {RECORDING: "recording", SCENE: "scene", ENGINES[0]: "engine"}
    data = "\n".join(
        f'<script type="text/plain" id="{ids[name]}">{base64.b64encode(content).decode()}</script>'
        for name, content in files.items()
        if name in ids
    )
    return _SINGLE.format(title=html.escape(title), data=data, script=script)
