"""``toile bench gpu``."""

from __future__ import annotations

import argparse

import numpy as np

from toile.bench.gpu import Cell, run_gpu, verdict
from toile.cli.common import Commands, check_output
from toile.render.image import write_png


def add_gpu(benches: Commands) -> None:
    """Add ``toile bench gpu``."""
    parser = benches.add_parser(
        "gpu",
        help="paper 004 on a graphics device",
        epilog="example: toile bench gpu --cells 64,128 -o fallen.png",
        description="A sheet falls on a walking woman, all of it on the graphics device (extra gpu): "
        "frames a second of maps, cloth and picture, with 20 and 40 sweeps and the adaptive stop, "
        "all parts and only those that can collide. Says where the device is a driver in software.",
    )
    parser.add_argument(
        "--cells", type=_sizes, default=(64, 128, 256), metavar="N,N", help="of a side (default: 64,128,256)"
    )
    parser.add_argument("--frames", type=int, default=60, metavar="N", help="of each cell (default: 60)")
    parser.add_argument("-o", "--output", metavar="FILE.png", help="the last picture")
    parser.set_defaults(run=run_gpu_command)


def _sizes(text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(word) for word in text.split(","))
    except ValueError:
        found = ()
    if not found or not all(2 <= size <= 1024 for size in found):
        raise argparse.ArgumentTypeError(f"{text[:40]}: write numbers from 2 to 1024, such as 64,128")
    return found


def run_gpu_command(options: argparse.Namespace) -> int:
    """Print the tables."""
    output = check_output(options.output, (".png",), "pictures") if options.output else None
    print(f"{'cells':>6} {'parts':>10} {'sweeps':>9} {'frames/s':>9} {'last':>5}", flush=True)
    device, cells, picture = run_gpu(options.cells, max(2, options.frames), lambda cell: print(line(cell)))
    print(verdict(device))
    if output:
        write_png(output, picture[:, :, :3].astype(np.float32) / np.float32(255))
    return 0 if all(cell.finite for cell in cells) else 1


def line(cell: Cell) -> str:
    """Return a row of the table."""
    parts = "touched" if cell.culled else "all"
    return f"{cell.cells:>6} {parts:>10} {cell.mode:>9} {cell.rate:>9.1f} {cell.sweeps:>5}"
