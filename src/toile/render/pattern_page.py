"""One HTML page of patterns: pieces, seams and the sewn result side by side; it needs no other file."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from toile.core.atomic import replacing

MARKED = "DOUBTFUL"
"""a line of a seam file with this word is a seam that a person should look at"""

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --doubt: #b35c00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --doubt: #ffb865; --bad: #ff8a80; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1500px; padding: 1rem; }
article { border-top: 1px solid var(--line); padding: 1rem 0; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
.parts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); }
img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
figure { margin: 0; } figcaption { font-size: .85rem; opacity: .75; }
pre { font-size: 12px; margin: 0; max-height: 30rem; overflow: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.doubt { color: var(--doubt); font-weight: 600; } .bad { color: var(--bad); } p { margin: .3rem 0 .8rem; }
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """One pattern on the page."""

    name: str
    verdict: str
    good: bool
    pieces: Path | None = None
    """drawing of the pieces"""
    seams: Path | None = None
    """seam file"""
    sewn: Path | None = None
    """picture of the result"""


def write_page(path: Path, title: str, rows: Sequence[Shown], summary: str = "") -> None:
    """Write the page; pictures and seam files that are not there are left out."""
    body = "\n".join(_article(row) for row in rows)
    text = (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1><p>{escape(summary)}</p>{body}</body></html>\n"
    )
    with replacing(path) as file:
        file.write(text.encode())


def _article(row: Shown) -> str:
    kind = "" if row.good else " class='bad'"
    parts = _picture(row.pieces, "pieces", row.name) + _seam_lines(row.seams)
    parts += _picture(row.sewn, "sewn", row.name)
    return (
        f"<article><h2>{escape(row.name)}</h2><p{kind}>{escape(row.verdict)}</p>"
        f"<div class='parts'>{parts}</div></article>"
    )


def _picture(path: Path | None, what: str, name: str) -> str:
    if path is None or not path.is_file():
        return ""
    data = base64.b64encode(path.read_bytes()).decode()
    words = escape(f"{what} of {name}", quote=True)
    image = f"<img alt='{words}' src='data:image/png;base64,{data}'>"
    return f"<figure>{image}<figcaption>{what}</figcaption></figure>"


def _seam_lines(path: Path | None) -> str:
    if path is None or not path.is_file():
        return ""
    lines = [
        f"<span class='doubt'>{escape(line)}</span>" if MARKED in line else escape(line)
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    caption = f"{escape(path.name)}: correct it and keep it beside the pattern"
    return f"<figure><pre>{chr(10).join(lines)}</pre><figcaption>{caption}</figcaption></figure>"
