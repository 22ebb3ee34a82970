"""What is in a pattern, in words: pieces, seams with their lengths and ease, holds."""

from __future__ import annotations

from toile.core.records import Pattern
from toile.pattern.model import curves
from toile.pattern.model.lengths import edge_words, panel_size, seam_lengths
from toile.pattern.seams.review import check_seams

_ORIGIN = {
    "floor": "placed from the floor",
    "waist": "placed from the waist",
    "body": "placed on the body",
    "unknown": "not placed",
}


def describe(pattern: Pattern) -> str:
    """Return a table of the pieces, seams and holds of a pattern, sizes in cm, and what is doubtful."""
    pieces, seams = len(pattern.panels), len(pattern.seams)
    title = f"{pattern.name}: {_count(pieces, 'piece')}, {_count(seams, 'seam')}, {_ORIGIN[pattern.origin]}"
    if pattern.layer:
        title += f", layer {pattern.layer}"
    if pattern.notes:
        title += "".join(f"\n  note: {note}" for note in pattern.notes)
    blocks = [title, _table(_PIECE_HEAD, _piece_rows(pattern))]
    if pattern.seams:
        blocks.append(_table(_SEAM_HEAD, _seam_rows(pattern)))
    if pattern.holds:
        blocks.append(_table(_HOLD_HEAD, _hold_rows(pattern)))
    findings = check_seams(pattern)
    if findings:
        blocks.append("\n".join(["to look at:", *[f"  {finding.text}" for finding in findings]]))
    return "\n\n".join(blocks) + "\n"


_PIECE_HEAD = ("piece", ">width cm", ">height cm", ">area cm²", ">edges", "fabric")
_SEAM_HEAD = (">seam", "name", "side a", "side b", ">a cm", ">b cm", ">ease %", "declared")
_HOLD_HEAD = ("hold", "edge", ">length cm", ">ratio")


def _piece_rows(pattern: Pattern) -> list[list[str]]:
    rows = []
    for panel in pattern.panels:
        width, height = (f"{v * 100:.1f}" for v in panel_size(panel))
        area = f"{abs(curves.area(panel)) * 1e4:.0f}"
        rows.append([panel.name, width, height, area, str(len(panel.edges)), panel.fabric])
    return rows


def _seam_rows(pattern: Pattern) -> list[list[str]]:
    rows = []
    for k, seam in enumerate(pattern.seams, 1):
        a, b = seam_lengths(pattern, seam)
        declared = "" if seam.ease is None else f"{_percent(seam.ease)} %"
        sides = [" + ".join(edge_words(pattern, ref) for ref in chain) for chain in (seam.a, seam.b)]
        numbers = [f"{a * 100:.1f}", f"{b * 100:.1f}", _percent(b / a)]
        rows.append([str(k), seam.name, *sides, *numbers, declared])
    return rows


def _percent(ratio: float) -> str:
    text = f"{(ratio - 1.0) * 100:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def _hold_rows(pattern: Pattern) -> list[list[str]]:
    return [
        [
            hold.kind,
            edge_words(pattern, hold.edge),
            f"{curves.edge_length(pattern.panel(hold.edge.panel), hold.edge.edge) * 100:.1f}",
            f"{hold.ratio:g}",
        ]
        for hold in pattern.holds
    ]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _table(head: tuple[str, ...], rows: list[list[str]]) -> str:
    """Return rows in columns, without empty ones; a head that starts with > stands over numbers."""
    kept = [k for k in range(len(head)) if any(row[k] for row in rows)]
    cells = [[head[k].removeprefix(">") for k in kept]] + [[row[k] for k in kept] for row in rows]
    widths = [max(len(row[c]) for row in cells) for c in range(len(kept))]
    lines = []
    for row in cells:
        columns = [
            text.rjust(width) if head[k].startswith(">") else text.ljust(width)
            for text, width, k in zip(row, widths, kept, strict=True)
        ]
        lines.append("  ".join(columns).rstrip())
    return "\n".join([lines[0], "─" * max(map(len, lines)), *lines[1:]])
