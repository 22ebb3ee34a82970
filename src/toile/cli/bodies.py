"""``toile body``, ``toile measure``."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

from toile.body.avatar.measures import read_measured
from toile.body.library import open_body
from toile.body.model.check_measures import BodyWarning
from toile.body.model.make import make_body, save_body
from toile.body.model.population import MEASURES
from toile.body.scan.reconstruct import ScanFit, fit_scan, is_scan
from toile.cli.common import Commands, add_bones_option, length
from toile.core.errors import ToileError
from toile.core.records import Body
from toile.render.scan_map import scan_picture
from toile.render.tapes import measure_picture

FIRST = ("height", "weight", "neck", "shoulder_width", "bust", "underbust", "waist", "hips", "thigh", "calf",
         "upper_arm", "wrist", "arm_length", "inseam", "back_length")  # fmt: skip


def add_body(commands: Commands) -> None:
    """Add ``toile body``."""
    parser = commands.add_parser(
        "body",
        help="a body from measures, a 3D scan or an avatar file",
        description="Makes a body from some of its measures (the rest is inferred), a 3D scan (toile body "
        "scan.obj -o me.toile --picture me.png) or an avatar (toile body avatar.glb -o me.toile).",
        epilog="example: toile body --sex female --height 172 --waist 74 -o me.toile --picture me.png",
    )
    parser.add_argument("source", nargs="?", metavar="FILE|woman|man", help="instead of measures")
    parser.add_argument("--sex", choices=("female", "male"), default="female")
    parser.add_argument("--age", type=float, metavar="YEARS", help="18 to 90")
    for name in MEASURES:
        option = f"--{name.replace('_', '-')}"
        if name == "weight":
            parser.add_argument(option, type=float, metavar="KG")
        else:
            parser.add_argument(option, type=length, metavar="CM")
    parser.add_argument("--chest", dest="bust", type=length, metavar="CM", help="another name of --bust")
    add_bones_option(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help=".toile (default: body.toile)")
    parser.add_argument("--picture", metavar="FILE", help=".png that shows where the measures were taken")
    parser.set_defaults(run=run_body)


def run_body(options: argparse.Namespace) -> int:
    """Make, describe and write a body."""
    wanted = {name: value for name in MEASURES if (value := getattr(options, name)) is not None}
    if options.source and (wanted or options.age is not None):
        raise ToileError(f"give measures or {options.source}, not both: a file has its own measures")
    path = Path(options.output or "body.toile")
    if path.suffix.lower() != ".toile":
        raise ToileError(f"{path}: a body is written as .toile: change the ending")
    if options.source:
        body, fit = opened(options.source, options.bones)
    else:
        body, fit = told(options.sex, options.age, path.stem, wanted), None
    save_body(body, path)
    print(table(body.measurements))
    print(f"wrote {path}")
    draw(body, options.picture, fit)
    return 0


def opened(source: str, bones: Mapping[str, str] | None = None) -> tuple[Body, ScanFit | None]:
    """Return a body by name or from a file; how well a scan was fitted is told on the terminal.

    bones: part → bone name, where an avatar's bones have unknown names.
    """
    if not is_scan(source):
        return read_measured(source, table=bones) if bones else open_body(source), None
    fit = fit_scan(source)
    print(f"scan: {fit.summary()}; please confirm the height")
    for doubt in fit.doubts:
        print(f"toile: warning: {source}: {doubt}", file=sys.stderr)
    return fit.body, fit


def told(sex: str, age: float | None, name: str, wanted: Mapping[str, float]) -> Body:
    """Return a body with the wanted measures; what cannot be had is told on the terminal."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BodyWarning)
        body = make_body(sex, age, name, **wanted)
    for warning in caught:
        print(f"toile: warning: {warning.message}", file=sys.stderr)
    return body


def add_measure(commands: Commands) -> None:
    """Add ``toile measure``."""
    parser = commands.add_parser(
        "measure",
        help="a table of a body's measures",
        description="Lists the measures of a body in centimetres, with a picture of where they were taken.",
        epilog="example: toile measure me.toile --picture me.png",
    )
    parser.add_argument("body", metavar="FILE|woman|man")
    parser.add_argument("--picture", metavar="FILE", help=".png")
    parser.set_defaults(run=run_measure)


def run_measure(options: argparse.Namespace) -> int:
    """Describe a body."""
    body, fit = opened(options.body)
    print(table(body.measurements))
    draw(body, options.picture, fit)
    return 0


def draw(body: Body, path: str | None, fit: ScanFit | None = None) -> None:
    """Write the picture of the measures if it was asked for; a scan's tells its surface error, too."""
    if path is None:
        return
    if Path(path).suffix.lower() != ".png":
        raise ToileError(f"{path}: the picture is written as .png: change the ending")
    if fit is None:
        measure_picture(body, path)
    else:
        scan_picture(fit, path)
    print(f"wrote {path}")


def table(measures: Mapping[str, float]) -> str:
    """Return measures as lines of name and centimetres: what one may ask for, then the rest."""
    order = [n for n in FIRST if n in measures] + sorted(n for n in measures if n not in (*FIRST, "chest"))
    rows = []
    for name in order:
        value, unit = (measures[name], "kg") if name == "weight" else (measures[name] * 100, "cm")
        rows.append(f"{name.replace('_', ' '):18} {value:7.1f} {unit}")
    return "\n".join(rows)


COMMANDS = (add_body, add_measure)
