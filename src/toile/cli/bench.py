"""``toile bench``: how fast and how good the engine is on this machine."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from toile.bench import engine, peers, scaling, stress
from toile.bench.stress import SCENES
from toile.cli import gpu_bench, papers_bench
from toile.cli.common import Commands, check_output
from toile.core.atomic import replacing
from toile.core.errors import ToileError
from toile.sim.solvers.xpbd import QUALITIES, XpbdSettings


def add_bench(commands: Commands) -> None:
    """Add ``toile bench``."""
    parser = commands.add_parser(
        "bench",
        description="Measures the engine, or repeats the papers' experiments, on this machine.",
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
        "outfit; prints the median ms per frame of 1/60 s, on all threads and on one (if that is no more, "
        "other cores are not there), the stretch of the worst frame (mean and 99th percentile) and of the "
        "last, vertices inside, how deep [mm], the share of vertices that still move, and crossing triangle "
        "pairs.",
        epilog="example: toile bench engine --quality fine -o engine.json",
    )
    parser.add_argument("--quick", action="store_true", help="smaller scenes, 30 frames: about half a minute")
    parser.add_argument("--quality", choices=QUALITIES, default="normal", help="(default: normal)")
    parser.add_argument(
        "--scaling", metavar="FILE.png",
        help="instead: the cost against vertices of the cloth and faces of the body, as CPU time, with the "
        "fitted exponents, and a plot (.png or .svg; needs the extra bench)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE.json", help="keep the numbers")
    parser.set_defaults(run=run_engine)


def run_engine(options: argparse.Namespace) -> int:
    """Print the table."""
    settings = replace(XpbdSettings(), quality=options.quality)
    if options.scaling:
        return run_scaling(settings, check_output(options.scaling, (".png", ".svg"), "plots"))
    count, nanoseconds = engine.projection_time(60 if options.quick else 100)
    print(f"{count} constraints on an irregular mesh: {nanoseconds:.2f} ns each (target 1.5)")
    for found in engine.memory_use():
        print("\n".join(found.lines()))
    print(engine.HEAD, flush=True)
    rows = engine.run_engine(settings, lambda row: print(engine.line(row), flush=True), quick=options.quick)
    if options.output:
        with replacing(options.output) as file:
            file.write(json.dumps(engine.as_json(rows), indent=1).encode())
        print(f"wrote {options.output}")
    return 0


def run_scaling(settings: XpbdSettings, path: Path) -> int:
    """Print both curves and draw them."""
    found = scaling.curves(settings)
    for curve in found:
        print("\n".join(curve.lines()))
    with replacing(path) as file:
        file.write(scaling.plot(found, path.suffix[1:].lower()))
    print(f"wrote {path}")
    return 0


def add_peers(kinds: Commands) -> None:
    """Add ``toile bench peers``."""
    parser = kinds.add_parser(
        "peers",
        help="the same scenes in other simulators that are installed",
        description="Runs square cloth on a ball and a skirt on a moving dummy with the default engine and "
        f"whichever of {', '.join(peers.PEERS)} are installed (pip install bpy, newton, mujoco, taichi), on "
        "the same meshes in the same run. Prints ms per frame of 1/60 s, the ratio to ours, the stretch of "
        "the worst frame (mean and 99 %) and of the last, how deep [mm] the cloth was in the obstacle, and "
        "the cloth's mean height and distance from the middle at the end [cm].",
        epilog="example: toile bench peers --cells 64 --frames 60 --python ~/peers/bin/python",
    )
    parser.add_argument("--cells", type=int, default=128, metavar="N", help="cloth of N × N vertices (128)")
    parser.add_argument("--frames", type=int, default=60, metavar="N", help="of 1/60 s (default: 60)")
    slow = ", ".join(name for name, peer in peers.PEERS.items() if not peer.usual)
    parser.add_argument(
        "--only", default="", metavar="A,B", help=f"these peers (default: all that are there, without {slow})"
    )
    parser.add_argument(
        "--python", action="append", default=[], metavar="FILE",
        help="a Python that has peers; it needs NumPy, not Toile (default: this one); may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--converged", action="store_true",
        help="our fabric in 512 substeps a frame too: how much it stretches by itself (about a minute)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE.json", help="keep the numbers")
    parser.set_defaults(run=run_peers)


def run_peers(options: argparse.Namespace) -> int:
    """Print the table."""
    if not (8 <= options.cells <= 1024 and 2 <= options.frames <= 10_000):
        raise ToileError("--cells goes from 8 to 1024, --frames from 2 to 10000")
    places = chosen_peers(options.only, options.python or [sys.executable])
    print(peers.HEAD, flush=True)
    figures: list[peers.Figure] = []
    ours = peers.Figure("toile", "")
    for figure in peers.compare(
        places, options.frames, options.cells, XpbdSettings(), truth=options.converged
    ):
        ours = figure if figure.who == "toile" else ours
        figures.append(figure)
        print(peers.line(figure, ours), flush=True)
    if options.output:
        with replacing(options.output) as file:
            file.write(peers.to_json(figures).encode())
        print(f"wrote {options.output}")
    return 0


def chosen_peers(only: str, pythons: list[str]) -> dict[str, str]:
    """Return the peers to run and the Python of each; tells which of those named are missing."""
    names = [name for name in only.split(",") if name]
    for name in names:
        if name not in peers.PEERS:
            raise ToileError(f"no peer '{name[:40]}': choose from {', '.join(peers.PEERS)}")
    there = peers.installed(pythons)
    missing = [peers.PEERS[name].package for name in names or peers.PEERS if name not in there]
    if missing and (names or not there):
        raise ToileError(f"not installed: pip install {' '.join(dict.fromkeys(missing))} (or name --python)")
    return {name: there[name] for name in names or there if names or peers.PEERS[name].usual}


def add_stress(commands: Commands) -> None:
    """Add ``toile stress``."""
    parser = commands.add_parser(
        "stress",
        description=f"Runs {len(SCENES)} scenes (odd fabrics, garments on moving bodies, wild starts, tiny "
        "and huge time steps, a body that teleports, broken meshes), each with several random starts. "
        "Nothing may blow up, crash or pass unnoticed. The exit code is 1 when something did.",
        epilog="example: toile stress --runs 20",
    )
    parser.add_argument(
        "--runs", type=int, default=3, metavar="N", help="random starts of each scene (default: 3)"
    )
    parser.add_argument("--only", default="", metavar="WORD", help="scenes with this word in their name")
    parser.add_argument(
        "-o", "--output", metavar="FILE.jsonl",
        help="keep each run as a line of JSON; runs that the file has already are not made again, so that an "
        "interrupted test goes on (after a change of the engine take a new file)",
    )  # fmt: skip
    parser.set_defaults(run=run_stress)


def run_stress(options: argparse.Namespace) -> int:
    """Run all scenes and print what became of them."""
    chosen = [name for name in SCENES if options.only.lower() in name.lower()]
    if not chosen:
        raise ToileError(f"no scene has '{options.only[:40]}' in its name: choose from {', '.join(SCENES)}")
    runs, known = max(1, options.runs), stress.known_results(options.output) if options.output else {}
    failures = 0
    for name in chosen:
        results = [_kept_run(name, seed, known, options.output) for seed in range(runs)]
        failures += sum(not r.outcome.ok for r in results)
        print(stress.line(name, results), flush=True)
    print(f"{len(chosen)} scenes, {len(chosen) * runs} runs, {failures} failed")
    return 1 if failures else 0


def _kept_run(
    name: str, seed: int, known: dict[tuple[str, int], stress.Result], output: str | None
) -> stress.Result:
    """Return a run from the file, or make it and add it there."""
    if (name, seed) in known:
        return known[name, seed]
    result = stress.run_scene(name, seed)
    if output:
        with open(output, "a", encoding="utf-8") as file:
            # on a line of its own even if the last one was cut off
            file.write("\n" + stress.to_json(result))
    return result


BENCHES = (add_engine, add_peers, papers_bench.add_papers, gpu_bench.add_gpu)
"""functions that add a benchmark"""
COMMANDS = (add_bench, add_stress)
