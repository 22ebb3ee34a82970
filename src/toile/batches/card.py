"""The card of a data set: what is in it, how it was made, what it cannot be used for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toile.core.atomic import replacing

CARD = "README.md"


def write_card(folder: Path, about: Mapping[str, Any], cells: Sequence[Mapping[str, Any]]) -> None:
    """Write the card beside the data."""
    with replacing(folder / CARD) as file:
        file.write("\n".join(_lines(about, cells)).encode())


def _lines(about: Mapping[str, Any], cells: Sequence[Mapping[str, Any]]) -> list[str]:
    counts = ", ".join(f"{count} {state}" for state, count in about["counts"].items() if count)
    return [
        f"# {folder_title(cells)}",
        "",
        f"{about['rows']} {_what(cells)}, by Toile {about['toile']}. Of {len(cells)} "
        f"planned cells: {counts}. Cells that failed their audit are left out unless they were asked for.",
        "",
        "## What varies",
        *(f"- {name}: {text}" for name, text in _varying(cells)),
        "",
        "## Files",
        "- `part-*.parquet`: one row a cell; `frames.zarr`: every frame of walks, by the row's key; "
        "`triangles-*.npy`: of bodies, named by the column body_mesh; "
        "`dataset.json`: the columns with their types and meaning.",
        "- Read with `toile.load_dataset(folder)`, pandas, DuckDB or PyArrow. Arrays are flat lists: "
        "`position.reshape(-1, 3)`. Lengths are metres, y up, bodies face +z.",
        "- `job` makes a row again, to the same bytes: `toile run job.json -o folder`.",
        "",
        "## Columns",
        *(
            f"- `{name}` ({column['type']}){': ' + column['meaning'] if column['meaning'] else ''}"
            for name, column in about["columns"].items()
        ),
        "",
        "## Splits",
        "`body_split` and `garment_split` put each body and each garment wholly into training, validation or "
        "test. For a test on unseen bodies use the first, on unseen garments the second.",
        *_splits(cells),
        "",
        "## Limits",
        "- Bodies are statistical models of adults, without hair, shoes or soft tissue that gives way.",
        "- Cloth is simulated, with figures of typical fabrics; nothing was measured on real garments here.",
        "- Drapes that failed are missing, so tight and odd combinations are rarer than they were planned.",
        "",
    ]


def folder_title(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return what the data set is about in a few words."""
    garments = list(dict.fromkeys(cell["labels"].get("garment", "") for cell in cells))
    what = "Sizes" if _are_fits(cells) else "Drapes"
    return f"{what} of {', '.join(garments[:4])}{' …' if len(garments) > 4 else ''}"


def _are_fits(cells: Sequence[Mapping[str, Any]]) -> bool:
    return all(cell["job"]["job"] == "fit" for cell in cells)


def _what(cells: Sequence[Mapping[str, Any]]) -> str:
    if _are_fits(cells):
        return "comparisons of all sizes of a garment with a body, by girths of the cut pieces"
    return "drapes of garments on bodies, simulated"


def _varying(cells: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    names = ("body", "garment", "size", "fabric", "motion")
    found = []
    for name in names:
        values = list(dict.fromkeys(cell["labels"].get(name, "") for cell in cells))
        if values and values != [""]:
            shown = ", ".join(values[:8])
            found.append((name, f"{len(values)} ({shown}{' …' if len(values) > 8 else ''})"))
    return found


def _splits(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for name in ("body_split", "garment_split"):
        counts = Counter(cell["labels"].get(name, "") for cell in cells)
        lines.append(
            f"- {name}: " + ", ".join(f"{split or 'none'} {count}" for split, count in counts.items())
        )
    return lines
