"""Bodies from measures, and the standard ones."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from toile.body.measure.measures import measure_lines
from toile.body.model.check_measures import BodyWarning
from toile.body.model.make import make_body, named_body, save_body
from toile.core.errors import ToileError
from toile.core.records import Body
from toile.shop.people import PEOPLE
from toile.shop.wire import mesh_bytes, vertices_bytes
from toile.shop.worker import Tell


def warm() -> None:
    """Load the model of bodies."""
    for sex in ("female", "male"):
        make_body(sex, height=1.72)


def measured_body(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Return a body from measures; kept: as a file in the folder, else only its vertices come back."""
    body, notes = made(request["sex"], request.get("age"), request["measures"])
    found = {"measures": {k: float(v) for k, v in body.measurements.items()}, "notes": notes}
    if request.get("keep"):
        return found | write_body(body, folder), b""
    return found, vertices_bytes(body.vertices, found)


def standard_body(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Write one of the standard bodies into the folder."""
    body = person(request["name"])
    return {"measures": dict(body.measurements), "notes": []} | write_body(body, folder), b""


def person(name: str) -> Body:
    """Return one of the standard bodies."""
    sex, measures = PEOPLE[name]
    return made(sex, None, measures, name)[0] if measures else named_body(name)


def made(
    sex: str, age: float | None, measures: dict[str, float], name: str = "body"
) -> tuple[Body, list[str]]:
    """Return a body, and what could not be met."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BodyWarning)
        body = make_body(sex, age, name, **measures)
    return body, [str(w.message) for w in caught if issubclass(w.category, BodyWarning)]


def tapes(body: Body) -> dict[str, dict[str, Any]]:
    """Return where a tape lies for each measure: points part of the way from one vertex to another.

    So the page can lay it on the same body with other measures, too. Bodies that are not ours have none.
    """
    try:
        lines = measure_lines(body)
    except ToileError:
        return {}
    return {
        line.name: {
            "start": line.start.tolist(),
            "end": line.end.tolist(),
            "share": line.share.round(3).tolist(),
            "closed": line.closed,
        }
        for line in lines
    }


def write_body(body: Body, folder: Path) -> dict[str, Any]:
    """Write a body as the engine reads it and as the page does; return the files' names."""
    save_body(body, folder / "body.toile")
    measures = {k: float(v) for k, v in body.measurements.items()}
    about = {"measures": measures, "tapes": tapes(body)}
    (folder / "vertices.bin").write_bytes(vertices_bytes(body.vertices, about))
    (folder / "mesh.bin").write_bytes(mesh_bytes(body))
    return {"files": ["body.toile", "vertices.bin", "mesh.bin"]}
