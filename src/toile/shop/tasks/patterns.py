"""Patterns of garments that are sold, in any of their sizes; and pattern files that a merchant uploads."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from toile.core.errors import ToileError
from toile.core.records import Body, EdgeRef, Pattern, Seam
from toile.fit.size import graded_to
from toile.pattern.drafts.library import draft_again
from toile.pattern.grading.sizes import HEIGHT, SIZES
from toile.pattern.library import pattern_sizes, read_pattern
from toile.pattern.model.check import check_pattern
from toile.pattern.model.curves import sample_edge
from toile.pattern.seams.review import check_seams
from toile.pattern.seams.suggest import suggest_seams
from toile.shop.worker import Tell

SURE = 0.75
"""proposals of at least this confidence are ticked from the start"""
POINTS = 9
"""points along an edge that is drawn"""
MOST_PIECES = 300


def pattern_in_size(content: dict[str, Any], size: str, folder: Path, body: Body) -> Pattern:
    """Return the pattern of a garment in one of its sizes; its file, if it has one, lies in the folder."""
    sex = "man" if content["sex"] == "male" else "woman"
    table = SIZES[sex]
    if content["recipe"]:
        if size not in table:
            raise ToileError(
                f"{content['name']}: there is no size {size} for a {sex}: choose {', '.join(table)}"
            )
        pattern = draft_again(content["recipe"], table[size].measurements(HEIGHT[sex]))
    else:
        pattern = _of_file(content, size, folder, body, sex)
    return replace(pattern, name=content["name"])


def _of_file(content: dict[str, Any], size: str, folder: Path, body: Body, sex: str) -> Pattern:
    path = folder / f"{content['pattern']}.pattern"
    held = pattern_sizes(path)
    pattern = read_pattern(path, size=size if size in held else "", alone=True)
    if content["seams"]:
        pattern = replace(pattern, seams=tuple(_seam(one) for one in content["seams"]))
        check_pattern(pattern, content["name"])
    if size in held or len(content["sizes"]) == 1 or size not in SIZES[sex]:
        return pattern
    return graded_to(pattern, SIZES[sex][size], body, sex)


def _seam(one: dict[str, Any]) -> Seam:
    a, b = (tuple(EdgeRef(e["piece"], e["edge"], e["backward"]) for e in one[side]) for side in "ab")
    return Seam(a, b)


# ---------------------------------------------------------------------------- uploads


def read_draft(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Return what a pattern file holds, with the seams that we think are sewn."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "upload.pattern"
        path.write_bytes(data)
        try:
            sizes = pattern_sizes(path)
            pattern = read_pattern(path, units=request["units"], alone=True)
        except ToileError as error:
            raise ToileError(str(error).replace("upload.pattern", request["file"])) from None
    tell("sewing", 0.0)
    if len(pattern.panels) > MOST_PIECES:
        raise ToileError(
            f"{request['file']}: {len(pattern.panels)} pieces: no garment has more than {MOST_PIECES}"
        )
    proposed = [_proposal(s.seam, s.reason, s.confidence) for s in suggest_seams(pattern)]
    seams = [_proposal(seam, "", 1.0) for seam in pattern.seams] + proposed
    whole = replace(pattern, seams=pattern.seams + tuple(s.seam for s in suggest_seams(pattern)))
    problems = [finding.text for finding in check_seams(whole)][:50]
    if not pattern.panels:
        problems.append("the file holds no piece")
    pieces = [_piece(pattern, index) for index in range(len(pattern.panels))]
    found = {"pieces": pieces, "seams": seams, "sizes": sizes if len(sizes) > 1 else []}
    return {**found, "notes": list(pattern.notes)[:50], "problems": problems}, b""


def _piece(pattern: Pattern, index: int) -> dict[str, Any]:
    panel = pattern.panels[index]
    points: list[list[float]] = []
    edges: list[list[int]] = []
    for edge in range(len(panel.edges)):
        straight = panel.edges[edge].kind == "line"
        count = 2 if straight else POINTS
        found = sample_edge(panel, edge, [k / (count - 1) for k in range(count)])
        edges.append([len(points) + k for k in range(count)])
        points += [[float(x), float(y)] for x, y in found[:-1]]
    edges = [[i % len(points) for i in edge] for edge in edges]
    return {"name": panel.name, "points": points, "edges": edges, "place": panel.label}


def _proposal(seam: Seam, reason: str, sure: float) -> dict[str, Any]:
    sides = {
        side: [{"piece": ref.panel, "edge": ref.edge, "backward": ref.reversed} for ref in refs]
        for side, refs in (("a", seam.a), ("b", seam.b))
    }
    return {
        **sides,
        "reason": reason[:200],
        "sure": min(max(float(sure), 0.0), 1.0),
        "confirmed": sure >= SURE,
    }
