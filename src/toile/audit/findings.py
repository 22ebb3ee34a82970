"""The audit of a walk: what is kept of it with each frame, and the worst of all frames in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from toile.audit.check import Audit, Auditor
from toile.core.errors import ToileError
from toile.store.record import RecordedFile

Row: TypeAlias = Mapping[str, Any]
"""the findings of one frame"""


def findings(audit: Audit) -> dict[str, Any]:
    """Return what is kept of an audit with a frame; lengths in metres."""
    return {
        "inside": audit.inside_count,
        "inside_deep": audit.inside_deep_count,
        "deepest": audit.deepest,
        "body_pairs": audit.body_pairs,
        "self_pairs": audit.self_pairs,
        "layer_pairs": audit.layer_pairs,
        "seam_gap": audit.seam_gap,
        "stretch_mean": audit.stretch.mean,
        "stretch_99": audit.stretch.percentile_99,
        "stretch_largest": audit.stretch.largest,
        "problems": list(audit.problems),
    }


KEYS = tuple(findings(Audit(0, True)))


def audit_rows(recorded: RecordedFile) -> list[tuple[int, Row]]:
    """Return number and findings of each readable frame; those without stored findings are audited now."""
    auditor: Auditor | None = None
    rows: list[tuple[int, Row]] = []
    for number in range(len(recorded)):
        try:
            row = recorded.notes(number)
            if not all(key in row for key in KEYS):
                frame = recorded.frame(number)
                auditor = auditor or Auditor(recorded.garment, recorded.body)
                skin = frame.body_vertices if len(frame.body_vertices) else None
                row = findings(auditor.audit(frame.position, skin))
        except ToileError:
            continue
        rows.append((number, row))
    if not rows:
        raise ToileError(f"{recorded.path}: no frame can be read")
    return rows


def report(rows: list[tuple[int, Row]], vertex_count: int) -> list[str]:
    """Return the audit over all frames: the worst of each finding and where it is."""

    def worst(key: str) -> tuple[float, int]:
        number, row = max(rows, key=lambda r: r[1][key])
        return row[key], number

    def worst_pairs(key: str) -> str:
        value, number = worst(key)
        return f"{value}" + (f" (frame {number})" if value else "")

    deep, where = worst("inside_deep")
    depth, deepest = worst("deepest")
    clean = sum(not row["problems"] for _, row in rows)
    share = 100 * deep / max(vertex_count, 1)
    lines = [
        f"frames           {len(rows)}, {vertex_count} vertices",
        f"inside           at most {deep} ({share:.3f} %) deeper than 1 mm (frame {where}), "
        f"deepest {1000 * depth:.2f} mm (frame {deepest})",
        "crossing pairs   at most: body {}, self {}, layers {}".format(
            *map(worst_pairs, ("body_pairs", "self_pairs", "layer_pairs"))
        ),
        f"seam gap         {1000 * worst('seam_gap')[0]:.3f} mm",
        f"stretch          mean {worst('stretch_mean')[0]:.2%}, 99 % {worst('stretch_99')[0]:.2%}, "
        f"largest {worst('stretch_largest')[0]:.2%} in the worst frame",
        f"clean frames     {clean} of {len(rows)}",
    ]
    return lines + [f"FAILED           {text}" for text in _problems(rows)]


def _problems(rows: list[tuple[int, Row]]) -> list[str]:
    """Return each kind of problem once, with the frame where it came first and how often it came."""
    seen: dict[str, list[int | str]] = {}
    for number, row in rows:
        for text in row["problems"]:
            kind = "".join(c for c in text if not c.isdigit())
            entry = seen.setdefault(kind, [0, number, text])
            entry[0] = int(entry[0]) + 1
    return [f"frame {first}: {text} (and in {count} frames in all)" for count, first, text in seen.values()]
