"""Patterns of Valentina and Seamly2D (.val, .sm2d) are programs of tools and formulas, not computed here.

Their own programs export the pieces; the message says what the file holds and how.
"""

from __future__ import annotations

import re
from collections import Counter

from toile.core.errors import ToileError
from toile.core.records import Pattern

_TOOL = re.compile(rb"<(point|line|spline|arc|elArc|operation|tools)\b[^>]*?\btype=\"(\w{1,40})\"")
_PIECE = re.compile(rb"<(?:detail|piece)\b")
_FIRST = re.compile(rb"^\s*(?:<\?[^>]*\?>\s*|<!--.*?-->\s*)*<pattern\b", re.DOTALL)


def looks_like(head: bytes) -> bool:
    """Say whether a file begins as Valentina's and Seamly2D's patterns do."""
    return _FIRST.match(head) is not None


def parse(data: bytes, name: str, source: str) -> Pattern:
    """Refuse it, saying which tools would be needed and how its pieces come out of its own program."""
    tools = Counter(f"{kind.decode()} {tool.decode()}" for kind, tool in _TOOL.findall(data))
    drawn = {tool: count for tool, count in tools.items() if "odeling" not in tool}
    most = ", ".join(f"{tool} ({count})" for tool, count in Counter(drawn).most_common(8))
    more = f" and {len(drawn) - 8} other kinds" if len(drawn) > 8 else ""
    raise ToileError(
        f"{source}: a pattern of Valentina or Seamly2D with {len(_PIECE.findall(data))} pieces, drawn by "
        f"{most or 'no tools'}{more}: its formulas are not computed here. Export its pieces there as "
        f"'DXF AAMA' (File, Export Pieces As), or: valentina -b {name} -d . -f 16 --exportOnlyDetails "
        f"-m MEASURES.vit {source}; then give the DXF to toile. Its measures: toile body MEASURES.vit"
    )
