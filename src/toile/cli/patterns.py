"""``toile info``, ``toile draft``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from toile.cli.common import Commands, add_body_option, body_of
from toile.errors import ToileError
from toile.pattern import read_pattern, write_pattern
from toile.pattern.drafts import DRAFTS, draft, options
from toile.pattern.draw import draw_pattern
from toile.pattern.info import describe
from toile.units import parse_length


def add_info(commands: Commands) -> None:
    """Add ``toile info``."""
    parser = commands.add_parser(
        "info",
        help="pieces, seams and a drawing of a pattern",
        description="Lists pieces (cm) and seams with lengths and ease; draws the pieces with seam numbers.",
        epilog="example: toile info shirt.json -o shirt.png",
    )
    parser.add_argument("pattern", metavar="PATTERN")
    parser.add_argument("-o", "--output", metavar="FILE", help=".png or .svg (default: PATTERN.pieces.png)")
    parser.set_defaults(run=run_info)


def run_info(options: argparse.Namespace) -> int:
    """Describe and draw a pattern."""
    pattern = read_pattern(options.pattern)
    drawing = Path(options.output or f"{Path(options.pattern).stem}.pieces.png")
    print(describe(pattern))
    draw_pattern(pattern, drawing)
    print(f"wrote {drawing}")
    return 0


def add_draft(commands: Commands) -> None:
    """Add ``toile draft``."""
    listed = "; ".join(f"{name}: {', '.join(options(name))}" for name in DRAFTS)
    parser = commands.add_parser(
        "draft",
        help="a pattern from a body's measurements",
        description="Drafts a pattern for a body. Style options are name=value, lengths with their unit.",
        epilog=f"example: toile draft skirt --body woman length=60cm -o skirt.txt. Options: {listed}",
    )
    parser.add_argument("name", choices=tuple(DRAFTS))
    parser.add_argument("style", nargs="*", metavar="OPTION=VALUE")
    add_body_option(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help=".txt or .json (default: NAME.txt)")
    parser.set_defaults(run=run_draft)


def style_values(name: str, words: list[str]) -> dict[str, Any]:
    """Return the style options from words such as length=60cm."""
    known, values = options(name), {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key not in known:
            raise ToileError(f"'{word}' is no option of {name}: write name=value with {', '.join(known)}")
        values[key] = text if isinstance(known[key], str) else _number(text)
    return values


def _number(text: str) -> float | bool:
    if text.lower() in ("yes", "no", "true", "false"):
        return text.lower() in ("yes", "true")
    try:
        return float(text)
    except ValueError:
        return parse_length(text)


def run_draft(options: argparse.Namespace) -> int:
    """Draft and write a pattern."""
    pattern = draft(options.name, body_of(options).measurements, **style_values(options.name, options.style))
    path = options.output or f"{options.name}.txt"
    write_pattern(pattern, path)
    print(describe(pattern))
    print(f"wrote {path}")
    return 0


COMMANDS = (add_info, add_draft)
