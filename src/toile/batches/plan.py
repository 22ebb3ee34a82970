"""A plan: bodies × garments × sizes × fabrics × motions as one file, checked before anything runs."""

from __future__ import annotations

import hashlib
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

from toile.batches.bodies import MOST, Bodies, Range, bodies_of, chance_of, rows_of_table
from toile.batches.cell import Cell, Views
from toile.batches.lines import key_lines
from toile.core import defaults
from toile.core.errors import ToileError
from toile.io.untrusted_files import decode, read_bytes
from toile.jobs.describe import Inputs
from toile.jobs.names import check_names, named_as
from toile.jobs.plain import LENGTH, Checked, from_plain, lengths, number
from toile.jobs.records import (
    BodyJob,
    BodySource,
    Cloth,
    DressJob,
    FitJob,
    GarmentSource,
    Job,
    MotionSource,
    Setting,
    WalkJob,
)
from toile.jobs.sources import check_garment_file
from toile.pattern.drafts.library import check_style

SPLITS = ("train", "validation", "test")


Varied = Setting | tuple[Setting, ...] | Range
"""one value, several (each of them is a cell), or a range (drawn for each cell)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece(Checked):
    """A garment of an outfit; style options may vary."""

    file: str = ""
    draft: str = ""
    style: Mapping[str, Varied] = lengths()
    tuck: str = ""
    size: str = ""
    units: Literal["", "mm", "cm", "in", "m"] = ""
    seams: str = ""
    hold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outfit(Checked):
    """What is worn in a cell: one garment, or several over each other."""

    name: str = ""
    """in tables; default: the garments' names"""
    wear: tuple[Piece, ...]
    """inner ones first"""
    draws: int = number(1, 1, MOST)
    """how often ranges are drawn for each body"""

    def check(self) -> None:
        """Refuse an empty outfit."""
        if not self.wear:
            raise ToileError("'wear' is empty: name at least one garment")
        if not self.name:
            names = (piece.draft or Path(piece.file).stem for piece in self.wear)
            object.__setattr__(self, "name", "+".join(names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Checked):
    """A motion, and how it is recorded; see WalkJob."""

    named: str = ""
    file: str = ""
    settings: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = number(None, 0.001, 3600.0, "s")
    fps: float | None = number(None, 1.0, 1000.0, "frames a second")
    skinning: Literal["linear", "dual"] = defaults.SKINNING
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rounding: float = number(0.0, 0.0, 0.01, LENGTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Checked):
    """Everything that a batch computes."""

    name: str = "batch"
    job: Literal["dress", "fit"] = "dress"
    """dress: sew and drape, or walk where there are motions; fit: only compare all sizes with each body"""
    seed: int = number(0, 0, 2**53)
    bodies: Bodies = field(default_factory=Bodies)
    garments: tuple[Outfit, ...]
    sizes: tuple[str, ...] = ("",)
    """each of them, of every garment file: M, auto …"""
    fabrics: tuple[Cloth, ...] = (defaults.FABRIC,)
    """each of them; "wool,cotton": one for each garment of an outfit"""
    motions: tuple[Move, ...] = ()
    """each of them; none: bodies stand"""
    edge_length: float = number(defaults.EDGE_LENGTH, 0.001, 0.5, LENGTH)
    mesh: Literal["triangles", "grid"] = defaults.MESH
    solver: str = defaults.SOLVER
    collider: str = defaults.COLLIDER
    tune: Mapping[str, Setting] = field(default_factory=dict)
    pictures: Views | None = None
    """cameras that draw every cell"""
    splits: tuple[float, float, float] = (0.8, 0.1, 0.1)
    """shares of bodies, and of garments, for training, validation and test"""
    seconds: float = number(3600.0, 1.0, 1e6, "s")
    """the longest that a cell may take"""
    memory: float = number(4.0, 0.25, 4096.0, "GB")
    """the most that a cell may take"""

    def check(self) -> None:
        """Refuse a plan of nothing, or of too much."""
        for key in ("garments", "sizes", "fabrics"):
            if not getattr(self, key):
                raise ToileError(f"'{key}' is empty: name at least one, or leave it out")
        if abs(sum(self.splits) - 1) > 1e-6 or min(self.splits) < 0:
            raise ToileError("'splits' are three shares that add up to 1")
        if self.job == "fit":
            self._check_fit()

    def _check_fit(self) -> None:
        """Refuse what a comparison of sizes would pass over."""
        used = {
            "sizes": self.sizes != ("",), "fabrics": len(self.fabrics) > 1, "motions": bool(self.motions),
            "pictures": self.pictures is not None,
        }  # fmt: skip
        for key, given in used.items():
            if given:
                raise ToileError(f"'{key}' mean nothing to a fit: leave them out")
        for k, outfit in enumerate(self.garments):
            if len(outfit.wear) > 1 or any(piece.size for piece in outfit.wear):
                raise ToileError(
                    f"garments[{k}]: a fit compares all sizes of one garment: give one, no 'size'"
                )


def read_plan(path: str | Path) -> tuple[Plan, Inputs]:
    """Return the plan of a TOML file, whose files lie beside it; errors name line and key."""
    path = Path(path)
    text = decode(read_bytes(path), path.name)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ToileError(f"{path.name}: no TOML file: {error}") from None
    with named_lines(path.name, text):
        plan, inputs = from_plain(Plan, single_pieces(data), "plan"), Inputs(folder=path.parent)
        check_plan(plan, inputs)
    return plan, inputs


class named_lines:  # noqa: N801 - reads as a statement
    """Put file and line in front of an error that names a key."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        if isinstance(error, ToileError):
            words = str(error).removeprefix("plan.").removeprefix("plan: ")
            line = key_lines(self._text).line_of(words)
            raise ToileError(f"{self._name}:{line}: {words}" if line else f"{self._name}: {words}") from None


def single_pieces(data: dict[str, Any]) -> dict[str, Any]:
    """Return the plan in which an outfit of one garment, written without 'wear', has it."""
    outfits = data.get("garments")
    if not isinstance(outfits, list):
        return data
    of_outfit = ("name", "draws", "wear")
    whole = [
        one
        if not isinstance(one, dict) or "wear" in one
        else {
            **{k: v for k, v in one.items() if k in of_outfit},
            "wear": [{k: v for k, v in one.items() if k not in of_outfit}],
        }
        for one in outfits
    ]
    return {**data, "garments": whole}


def check_plan(plan: Plan, inputs: Inputs) -> None:
    """Refuse a plan before its first cell: too large, unknown names, files that are not there."""
    _check_files(plan, inputs)
    count = cell_count(plan, inputs)
    if not 0 < count <= MOST:
        raise ToileError(f"bodies × garments × … are {count:,} cells: plan 1 to {MOST:,}")
    _check_bodies(plan, inputs)
    _check_styles(plan)
    _check_patterns(plan, inputs)
    if plan.pictures is not None:
        named_as("pictures", check_names, plan.pictures.job("dressed.toile"))
    first = next(bodies_of(plan.bodies, plan.seed, inputs))
    for number_, outfit in enumerate(plan.garments):
        for cell in _one_each(plan, first, outfit):
            try:
                check_names(cell.job)
            except ToileError as error:
                raise ToileError(_in_plan(str(error), number_)) from None


def _check_bodies(plan: Plan, inputs: Inputs) -> None:
    """Refuse names that there are not, and measures that nobody has; those that are drawn are human."""
    known = len(plan.bodies.named)
    for number_, (label, source) in enumerate(bodies_of(replace(plan.bodies, random=0), plan.seed, inputs)):
        key = "bodies.named" if number_ < known else f"bodies.table: {label}"
        named_as(key, check_names, BodyJob(body=source))


def _check_styles(plan: Plan) -> None:
    """Refuse values of style options that make no sense, also the ends of ranges."""
    for k, outfit in enumerate(plan.garments):
        for j, piece in enumerate(outfit.wear):
            if piece.draft:
                named_as(f"garments[{k}].wear[{j}]", partial(check_style, piece.draft), {})
            for key, value in piece.style.items() if piece.draft else ():
                ends = (value.low, value.high) if isinstance(value, Range) else value
                for one in ends if isinstance(ends, tuple) else (ends,):
                    words = f"garments[{k}].wear[{j}].style.{key}"
                    named_as(words, partial(check_style, piece.draft), {key: one})


def _check_patterns(plan: Plan, inputs: Inputs) -> None:
    """Refuse files that are no garments."""
    for k, outfit in enumerate(plan.garments):
        for j, piece in enumerate(outfit.wear):
            for size in dict.fromkeys(plan.sizes if piece.file and not piece.size else (piece.size,)):
                source = _source(replace(piece, size=size), {})
                named_as(f"garments[{k}].wear[{j}]", partial(check_garment_file, inputs=inputs), source)


def _check_files(plan: Plan, inputs: Inputs) -> None:
    """Refuse files that are not there, or lie outside of the plan's folder."""
    named = [("bodies.files", name) for name in plan.bodies.files]
    named += [("bodies.table", plan.bodies.table), *(("motions", move.file) for move in plan.motions)]
    for k, outfit in enumerate(plan.garments):
        named += [
            (f"garments[{k}].wear", name) for piece in outfit.wear for name in (piece.file, piece.seams)
        ]
    for key, name in named:
        try:
            if name and not inputs.path(name).is_file():
                raise ToileError(f"{name}: no such file beside the plan")
        except ToileError as error:
            raise ToileError(f"{key}: {error}") from None


def _in_plan(words: str, outfit: int) -> str:
    """Return an error of a cell's job with the plan's keys."""
    words = words.removeprefix("dress: ")
    for of_job, of_plan in (
        ("garments[", f"garments[{outfit}].wear["),
        ("garment:", f"garments[{outfit}].wear[0]:"),
        ("fabric:", "fabrics:"),
        ("motion:", "motions:"),
    ):
        if words.startswith(of_job):
            return of_plan + words.removeprefix(of_job)
    return words


def _one_each(plan: Plan, body: tuple[str, BodySource], outfit: Outfit) -> Iterator[Cell]:
    """Yield cells in which every size, fabric and motion comes once."""
    few = max(len(plan.sizes), len(plan.fabrics), len(plan.motions), 1)
    for k in range(few):
        part = replace(
            plan,
            sizes=(plan.sizes[k % len(plan.sizes)],),
            fabrics=(plan.fabrics[k % len(plan.fabrics)],),
            motions=(plan.motions[k % len(plan.motions)],) if plan.motions else (),
        )
        yield next(_cells_of(part, body, outfit))


# ---------------------------------------------------------------------------- cells


def cell_count(plan: Plan, inputs: Inputs) -> int:
    """Return how many cells a plan has, without making any."""
    b = plan.bodies
    bodies = len(b.named) + len(b.files) + b.random + (len(rows_of_table(b.table, inputs)) if b.table else 0)
    outfits = sum(outfit.draws * _choices(outfit) for outfit in plan.garments)
    fixed = len(plan.sizes) * len(plan.fabrics) * max(len(plan.motions), 1)
    return (bodies or 1) * outfits * fixed


def _choices(outfit: Outfit) -> int:
    count = 1
    for piece in outfit.wear:
        for value in piece.style.values():
            count *= len(value) if isinstance(value, tuple) else 1
    return count


def cells_of(plan: Plan, inputs: Inputs) -> Iterator[Cell]:
    """Yield the cells of a plan, body by body; each is the same whatever the others are."""
    for body in bodies_of(plan.bodies, plan.seed, inputs):
        for outfit in plan.garments:
            yield from _cells_of(plan, body, outfit)


def _cells_of(plan: Plan, body: tuple[str, BodySource], outfit: Outfit) -> Iterator[Cell]:
    label, source = body
    for draw in range(outfit.draws):
        chance = chance_of(plan.seed, "style", label, outfit.name, draw)
        for pieces in product(*(_pieces(piece, chance) for piece in outfit.wear)):
            for size, cloth, move in product(plan.sizes, plan.fabrics, plan.motions or (None,)):
                labels = {
                    "body": label, "garment": outfit.name, "draw": str(draw), "size": size,
                    "fabric": cloth if isinstance(cloth, str) else str(cloth.get("name", "own")),
                    "motion": "" if move is None else move.named or move.file or defaults.MOTION,
                    "body_split": split_of(plan, f"body {label}"),
                    "garment_split": split_of(plan, f"garment {outfit.name} {draw}"),
                }  # fmt: skip
                yield Cell(
                    job=_job(plan, source, pieces, size, cloth, move), views=plan.pictures, labels=labels
                )


def _job(
    plan: Plan, body: BodySource, pieces: Sequence[GarmentSource], size: str, cloth: Cloth, move: Move | None
) -> Job:
    if plan.job == "fit":
        return FitJob(body=body, garment=pieces[0])
    worn = tuple(replace(p, size=size) if size and not p.size and not p.draft else p for p in pieces)
    fabric = tuple(word.strip() for word in cloth.split(",")) if isinstance(cloth, str) else (cloth,)
    dress = DressJob(
        body=body, garments=worn, fabric=fabric, edge_length=plan.edge_length, mesh=plan.mesh,
        solver=plan.solver, collider=plan.collider, tune=plan.tune,
    )  # fmt: skip
    if move is None:
        return dress
    return WalkJob(
        dress=dress, motion=MotionSource(named=move.named, file=move.file, settings=move.settings),
        seconds=move.seconds, fps=move.fps, skinning=move.skinning, wind=move.wind, rounding=move.rounding,
    )  # fmt: skip


def _pieces(piece: Piece, chance: random.Random) -> list[GarmentSource]:
    """Return a garment once for each of its several values; ranges are drawn."""
    drawn = {
        key: value.draw(chance) if isinstance(value, Range) else value for key, value in piece.style.items()
    }
    several = [
        [(key, v) for v in (value if isinstance(value, tuple) else (value,))] for key, value in drawn.items()
    ]
    return [_source(piece, dict(style)) for style in product(*several)]


def _source(piece: Piece, style: Mapping[str, Setting]) -> GarmentSource:
    return GarmentSource(
        file=piece.file, draft=piece.draft, style=style, tuck=piece.tuck, size=piece.size, units=piece.units,
        seams=piece.seams, hold=piece.hold,
    )  # fmt: skip


def split_of(plan: Plan, what: str) -> str:
    """Return which split a body or a garment belongs to: by its own name, whatever else is in the plan."""
    share = int(hashlib.sha256(f"{plan.seed} {what}".encode()).hexdigest()[:12], 16) / 16**12
    return next(
        (name for name, end in zip(SPLITS, _ends(plan.splits), strict=True) if share < end), SPLITS[0]
    )


def _ends(shares: Sequence[float]) -> list[float]:
    return [sum(shares[: k + 1]) for k in range(len(shares))]
