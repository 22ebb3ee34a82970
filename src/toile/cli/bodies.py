"""``toile body``, ``toile measure``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from toile.body.model.make import save_body
from toile.body.model.population import MEASURES
from toile.cli.asked import body_source
from toile.cli.common import Commands, add_bones_option, shown, tell_doubts
from toile.cli.talk import TALK, check_new
from toile.cli.words import length, sex
from toile.core.errors import ToileError
from toile.jobs.describe import Inputs
from toile.jobs.names import check_names
from toile.jobs.records import BodyJob, BodySource
from toile.jobs.sources import Opened, open_source
from toile.render.scan_map import scan_picture
from toile.render.tapes import measure_picture

FIRST = ("height", "weight", "neck", "shoulder_width", "bust", "underbust", "waist", "hips", "thigh", "calf",
         "upper_arm", "wrist", "arm_length", "inseam", "back_length")  # fmt: skip


def add_body(commands: Commands) -> None:
    """Add ``toile body``."""
    parser = commands.add_parser(
        "body",
        description="Makes a body from some of its measures (the rest is inferred), a 3D scan (toile body "
        "scan.obj -o me.toile --picture me.png) or an avatar (toile body avatar.glb -o me.toile).",
        epilog="example: toile body --sex woman --height 172cm --waist 74cm -o me.toile --picture me.png",
    )
    parser.add_argument("source", nargs="?", metavar="FILE|woman|man", help="instead of measures")
    parser.add_argument(
        "--sex", type=sex, default="woman", metavar="woman|man", help="(default: woman; female, male do too)"
    )
    parser.add_argument("--age", type=float, metavar="YEARS", help="18 to 90")
    for name in MEASURES:
        option = f"--{name.replace('_', '-')}"
        if name == "weight":
            parser.add_argument(option, type=float, metavar="KG")
        else:
            parser.add_argument(option, type=length, metavar="74cm")
    parser.add_argument("--chest", dest="bust", type=length, metavar="90cm", help="another name of --bust")
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
    for output in filter(None, (path, options.picture)):
        check_new(output)
    if options.source:
        source = body_source(options.source, options.bones)
    else:
        source = BodySource(
            sex="female" if options.sex == "woman" else "male",
            age=options.age,
            measures=wanted,
            label=path.stem,
        )
    found = opened(source)
    save_body(found.body, path)
    print(table(found.body.measurements))
    print(f"wrote {path}")
    draw(found, options.picture)
    return 0


def opened(source: BodySource) -> Opened:
    """Return a body; what cannot be had, and how well a scan was fitted, is told on the terminal."""
    job = BodyJob(body=source)
    check_names(job)
    with shown():
        found = open_source(job.body, Inputs())
    if found.fit is not None:
        print(f"scan: {found.fit.summary()}; please confirm the height")
    tell_doubts(source.file, found.doubts)
    return found


def add_measure(commands: Commands) -> None:
    """Add ``toile measure``."""
    parser = commands.add_parser(
        "measure",
        description="Lists the measures of a body in centimetres, with a picture of where they were taken.",
        epilog="example: toile measure me.toile --picture me.png",
    )
    parser.add_argument("body", metavar="FILE|woman|man")
    parser.add_argument("--picture", metavar="FILE", help=".png")
    parser.set_defaults(run=run_measure)


def run_measure(options: argparse.Namespace) -> int:
    """Describe a body."""
    if options.picture:
        check_new(options.picture)
    found = opened(body_source(options.body))
    print(table(found.body.measurements))
    draw(found, options.picture)
    return 0


def draw(found: Opened, path: str | None) -> None:
    """Write the picture of the measures if it was asked for; a scan's tells its surface error, too."""
    if path is None:
        return
    if Path(path).suffix.lower() != ".png":
        raise ToileError(f"{path}: the picture is written as .png: change the ending")
    if found.fit is None:
        measure_picture(found.body, path)
    else:
        scan_picture(found.fit, path)
    print(f"wrote {path}")


def table(measures: Mapping[str, float]) -> str:
    """Return measures as lines of name and centimetres: what one may ask for, then the rest."""
    TALK.put("measures", dict(measures))
    order = [n for n in FIRST if n in measures] + sorted(n for n in measures if n not in (*FIRST, "chest"))
    rows = []
    for name in order:
        value, unit = (measures[name], "kg") if name == "weight" else (measures[name] * 100, "cm")
        rows.append(f"{name.replace('_', ' '):18} {value:7.1f} {unit}")
    return "\n".join(rows)


COMMANDS = (add_body, add_measure)
