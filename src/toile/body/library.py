"""Bodies by name or by file: one reader a file ending."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from toile.body.model.make import NAMED, named_body
from toile.core.choices import meant
from toile.core.errors import ToileError
from toile.core.records import Body

_AVATARS = (".glb", ".vrm", ".usd", ".usdc", ".usda", ".usdz")
READERS = {
    ".toile": ("model.make", "load_body"),
    **dict.fromkeys(_AVATARS, ("avatar.measures", "read_measured")),
    **dict.fromkeys((".vit", ".smis", ".json", ".yaml", ".yml"), ("measure.files", "read_measures")),
    **dict.fromkeys((".obj", ".ply", ".stl", ".vtp"), ("scan.reconstruct", "read_scan")),
}
"""file ending → module and reader of bodies, loaded when it is needed: a body from measures needs no SciPy"""


def open_body(text: str) -> Body:
    """Return a body by name (woman, man) or from a file."""
    if text in NAMED:
        return named_body(text)
    path = Path(text)
    if not path.is_file():
        raise ToileError(
            f"{text}: no such file, and no body of that name ({', '.join(NAMED)}){meant(text, NAMED)}"
        )
    if path.suffix.lower() not in READERS:
        raise ToileError(f"{text}: bodies are read from {', '.join(READERS)}, or named {', '.join(NAMED)}")
    module, reader = READERS[path.suffix.lower()]
    body: Body = getattr(import_module(f"toile.body.{module}"), reader)(text)
    return body
