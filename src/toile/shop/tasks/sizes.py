"""Which size fits a body, told like a tailor: by the ease at bust, waist and hips."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from toile.body.model.make import load_body
from toile.core.errors import ToileError
from toile.core.records import Body
from toile.fit.girths import Girth, girths
from toile.fit.size import ENOUGH
from toile.garment.fabric import FABRICS
from toile.pattern.grading.sizes import HEIGHT, SIZES
from toile.shop.tasks.patterns import pattern_in_size
from toile.shop.worker import Tell

CLOSE, EASY = 0.03, 0.09
"""beyond what must be free: up to here it is close, easy, then loose [m]"""
KNIT_STRAIN = 0.15
"""a fabric that bears more gives way: it may be as narrow as the body"""
WORDS = ("too tight", "tight", "close", "easy", "loose")
MOST_SIZES = 30


def ease_rows(found: list[Girth], fabric: str) -> list[dict[str, Any]]:
    """Return ease level by level, with its word."""
    gives = FABRICS[fabric].strain_limit > KNIT_STRAIN
    rows = []
    for girth in found:
        least = 0.0 if gives else girth.least
        ease = girth.garment - girth.body
        slack = ease - least
        if slack >= ENOUGH:
            word = "close" if slack < CLOSE else "easy" if slack < EASY else "loose"
        else:
            word = "too tight" if slack < ENOUGH - 0.03 else "tight"
        rows.append(
            {
                "level": girth.name,
                "body": girth.body,
                "garment": girth.garment,
                "ease": ease,
                "least": least,
                "word": word,
            }
        )
    return rows


def size_fits(content: dict[str, Any], folder: Path, body: Body) -> list[dict[str, Any]]:
    """Return how each size of a garment is on a body."""
    found = []
    for size in content["sizes"][:MOST_SIZES]:
        rows = ease_rows(girths(pattern_in_size(content, size, folder, body), body), content["fabric"])
        tight = [WORDS.index(row["word"]) for row in rows]
        found.append({"size": size, "ease": rows, "word": WORDS[min(tight, default=3)]})
    if not found:
        raise ToileError(f"{content['name']} comes in no size")
    return found


def best(fits: list[dict[str, Any]], sex: str) -> tuple[str, str]:
    """Return the size to take, and why, in one line.

    A garment is designed with its ease on the body of its size: the size whose body is most like this one,
    where the garment is meant to be closest, sits as it was meant to. It must not be tight anywhere. Where no
    table says whom a size is for, it is the smallest that is nowhere tight.
    """
    good = [fit for fit in fits if WORDS.index(fit["word"]) >= WORDS.index("close")]
    meant = [(off, fit, row) for fit in good for off, row in _meant_for(fit, sex)]
    if meant:
        _, chosen, row = min(meant, key=lambda one: (one[0], one[1]["size"]))
        level = row["level"].replace("_", " ")
        return chosen["size"], f"Cut for a {level} like yours: {_rooms(chosen)}"
    slack = {fit["size"]: min((r["ease"] - r["least"] for r in fit["ease"]), default=0.0) for fit in fits}
    if good:
        chosen = min(good, key=lambda fit: slack[fit["size"]])
        why = "the smallest that is nowhere tight"
        if WORDS.index(chosen["word"]) == WORDS.index("loose"):
            why = "the smallest we have; it is loose everywhere"
    else:
        chosen = max(fits, key=lambda fit: slack[fit["size"]])
        why = f"none is wide enough; this one is the least {chosen['word'].removeprefix('too ')}"
    return chosen["size"], f"{why[0].upper()}{why[1:]}: {_rooms(chosen)}"


def _meant_for(fit: dict[str, Any], sex: str) -> list[tuple[float, dict[str, Any]]]:
    """Return by how much the body differs from the one of a size where the garment is closest to it."""
    name = "man" if sex == "male" else "woman"
    size = SIZES[name].get(fit["size"])
    if size is None:
        return []
    body = size.measurements(HEIGHT[name])
    known = [(row["garment"] - body[row["level"]], row) for row in fit["ease"] if row["level"] in body]
    if not known:
        return []
    _, row = min(known, key=lambda one: one[0])
    return [(abs(row["body"] - body[row["level"]]), row)]


def _rooms(fit: dict[str, Any]) -> str:
    parts = [f"{_cm(row['ease'])} at the {row['level'].replace('_', ' ')}" for row in fit["ease"]]
    return ", ".join(parts) or "nothing to compare"


def _cm(ease: float) -> str:
    whole = round(abs(ease) * 100)
    return f"{whole} cm {'room' if ease >= 0 or not whole else 'too little'}"


def advice(request: dict[str, Any], data: bytes, folder: Path, tell: Tell) -> tuple[dict[str, Any], bytes]:
    """Return the size to take; data: the body, then the pattern file."""
    content, cut = request["content"], request["body_bytes"]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place)
        (path / "body.toile").write_bytes(data[:cut])
        if content["pattern"]:
            (path / f"{content['pattern']}.pattern").write_bytes(data[cut:])
        fits = size_fits(content, path, load_body(path / "body.toile"))
    size, reason = best(fits, content["sex"])
    return {"recommended": size, "reason": reason, "sizes": fits}, b""
