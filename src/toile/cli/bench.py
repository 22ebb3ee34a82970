"""``toile bench``: how fast and how good the engine is on this machine."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

from toile.atomic import replacing
from toile.bench import engine
from toile.cli.common import Commands
from toile.cloth.xpbd import QUALITIES, XpbdSettings


def add_bench(commands: Commands) -> None:
    """Add ``toile bench``."""
    parser = commands.add_parser(
        "bench",
        help="measure the engine on this machine",
        description="Measures the engine on this machine.",
        epilog="example: toile bench engine --quick",
    )
    kinds = parser.add_subparsers(title="what to measure", metavar="WHAT", required=True)
    for add in BENCHES:
        add(kinds)


def add_engine(kinds: Commands) -> None:
    """Add ``toile bench engine``."""
    parser = kinds.add_parser(
        "engine",
        help="milliseconds per frame, stretch and audit of the default engine",
        description="Runs cloth on a ball, hanging cloth, a tube, a skirt on a moving dummy and a walking "
        "outfit; prints the median ms per frame of 1/60 s, the stretch of the worst frame (mean and 99th "
        "percentile) and of the last, vertices inside, how deep [mm], the share of vertices that still move, "
        "and crossing triangle pairs.",
        epilog="example: toile bench engine --quality fine -o engine.json",
    )
    parser.add_argument("--quick", action="store_true", help="smaller scenes, 30 frames: about half a minute")
    parser.add_argument("--quality", choices=QUALITIES, default="normal", help="(default: normal)")
    parser.add_argument("--scaling", action="store_true", help="also the cost against the number of vertices")
    parser.add_argument("-o", "--output", metavar="FILE.json", help="keep the numbers")
    parser.set_defaults(run=run_engine)


def run_engine(options: argparse.Namespace) -> int:
    """Print the table."""
    settings = replace(XpbdSettings(), quality=options.quality)
    count, nanoseconds = engine.projection_time(60 if options.quick else 100)
    print(f"{count} constraints on an irregular mesh: {nanoseconds:.2f} ns each (target 1.5)")
    print(
        f"memory of the engine: {engine.bytes_per_vertex():.0f} bytes a vertex beside the mesh (target 300)"
    )
    print(engine.HEAD, flush=True)
    rows = engine.run_engine(settings, lambda row: print(engine.line(row), flush=True), quick=options.quick)
    if options.scaling:
        for row in engine.scaling(settings):
            rows.append(row)
            each = 1e6 * row.milliseconds / row.vertices
            print(f"{engine.line(row)}  {each:.0f} ns a vertex", flush=True)
    if options.output:
        with replacing(options.output) as file:
            file.write(json.dumps(engine.as_json(rows), indent=1).encode())
        print(f"wrote {options.output}")
    return 0


BENCHES = (add_engine,)
"""functions that add a benchmark"""
COMMANDS = (add_bench,)
