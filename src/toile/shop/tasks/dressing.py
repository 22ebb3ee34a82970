"""An outfit is sewn on a body: filmed, audited, measured."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from toile.audit.check import audit_drape
from toile.body.model.make import load_body
from toile.core.errors import ToileError
from toile.core.records import Body, Fabric, Pattern, Recording
from toile.fit.girths import girths
from toile.garment.fabric import fabric
from toile.shop.tasks.colours import linear
from toile.shop.tasks.fitmap import LAYERS, map_bytes
from toile.shop.tasks.moving import STOOD, standing, stood
from toile.shop.tasks.patterns import pattern_in_size
from toile.shop.tasks.preview import PREVIEW, write_preview
from toile.shop.tasks.sizes import WORDS, ease_rows
from toile.shop.tasks.streaming import Coming, SewingFilm, stream
from toile.shop.worker import Tell
from toile.sim.dress.dress import cut_out, dress_garments
from toile.store.record import Frame, save_recording


def dress_outfit(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Sew what is worn on the body in the folder; its files stay there."""
    body = load_body(folder / "body.toile")
    preview = [PREVIEW] if write_preview(folder, body, coloured(_chosen(request["wear"][0]))) else []
    worn, patterns, recording, film = sewn(request["wear"], body, folder, request["edge"], tell)
    tell("checking", 0.0)
    problems = audit_drape(recording).problems
    save_recording(recording, folder / "dressed.toile")
    write_fit(recording, body, patterns, [str(one["fabric"]) for one in worn], folder)
    tell("standing", 0.0)
    count, frames = standing(recording, body)
    kept: deque[Frame] = deque(maxlen=1)
    stream(Coming(recording.garment, body, seen(frames, kept), count), folder / "drape.play")
    save_recording(stood(recording, kept[0]), folder / STOOD)
    files = [*preview, *film.names, "dressed.toile", STOOD, "drape.play", "map.fit", "fit.json"]
    return {"files": files, "problems": list(problems)}, b""


def seen(frames: Iterator[Frame], kept: deque[Frame]) -> Iterator[Frame]:
    """Yield frames; kept has the latest ones."""
    for frame in frames:
        kept.append(frame)
        yield frame


def sewn(
    wear: list[dict[str, Any]], body: Body, folder: Path, edge: float, tell: Tell
) -> tuple[list[dict[str, Any]], list[Pattern], Recording, SewingFilm]:
    """Return what is worn, its patterns, the dressed body and the film of its sewing."""
    tell("cutting", 0.0)
    worn = [_chosen(one) for one in wear]
    patterns = [pattern_in_size(one["content"], one["size"], folder, body) for one in worn]
    # garments of one name would be one garment to some of what follows
    patterns = [replace(p, name=f"{p.name} {k + 1}" if k else p.name) for k, p in enumerate(patterns)]
    cloths: list[str | Fabric] = [coloured(one) for one in worn]
    garments, _ = cut_out(list(zip(patterns, cloths, strict=True)), body, edge)
    film = SewingFilm(body, folder)
    recording = film.over(lambda: dress_garments(garments, body, progress=tell))
    return worn, patterns, recording, film


def _chosen(one: dict[str, Any]) -> dict[str, Any]:
    """Return what is worn with its fabric: the garment's own unless another was chosen."""
    return {**one, "fabric": one.get("fabric") or one["content"]["fabric"]}


def coloured(one: dict[str, Any]) -> Fabric:
    """Return the fabric of a garment in its colour."""
    ways = {way["id"]: way for way in one["content"]["colours"]}
    way = ways.get(one["colour"]) or next(iter(ways.values()))
    return replace(fabric(one["fabric"]), colour=linear(way["colour"]))


def write_fit(
    recording: Recording, body: Body, patterns: list[Pattern], fabrics: list[str], folder: Path
) -> None:
    """Write the fit map and what it says in words."""
    (folder / "map.fit").write_bytes(map_bytes(recording, body))
    rows: dict[str, dict[str, Any]] = {}
    for pattern, cloth in zip(patterns, fabrics, strict=True):
        try:
            found = ease_rows(girths(pattern, body), cloth)
        except ToileError:
            continue
        for row in found:
            held = rows.get(row["level"])
            if held is None or row["ease"] < held["ease"]:
                rows[row["level"]] = row
    lines = [_line(row) for row in sorted(rows.values(), key=lambda row: WORDS.index(row["word"]))]
    content = {"layers": LAYERS, "ease": list(rows.values()), "lines": lines}
    (folder / "fit.json").write_text(json.dumps(content), encoding="utf-8")


def _line(row: dict[str, Any]) -> str:
    level = row["level"].replace("_", " ")
    if row["ease"] < 0:
        return f"{-row['ease'] * 100:.0f} cm too little at the {level}: {row['word']}"
    return f"{row['ease'] * 100:.0f} cm room at the {level}: {row['word']}"
