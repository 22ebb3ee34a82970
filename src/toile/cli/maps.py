"""``toile maps``."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from toile.body import open_body
from toile.body.skin import rest_pose
from toile.cli.common import Commands
from toile.collision.maps import (
    Maps,
    MapSettings,
    View,
    depth_to_grey,
    draw_maps,
    normal_to_colour,
    velocity_to_colour,
)
from toile.errors import ToileError
from toile.export.image import write_png
from toile.types import Floats


def add_maps(commands: Commands) -> None:
    """Add ``toile maps``."""
    parser = commands.add_parser(
        "maps",
        help="a body's collision maps as pictures",
        description="Writes what the collider `maps` sees of a body: depth, normals and velocities from the "
        "front and from the back, as PNG.",
        epilog="example: toile maps woman -o maps",
    )
    parser.add_argument("body", metavar="FILE|woman|man")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="made if it is not there")
    parser.add_argument("--pixels", type=int, default=340, metavar="N", help="along the height (340)")
    parser.set_defaults(run=run_maps)


def run_maps(options: argparse.Namespace) -> int:
    """Write six pictures."""
    settings, folder = MapSettings(size=options.pixels), Path(options.output)
    maps = draw_maps(rest_pose(open_body(options.body)), settings)
    if folder.exists() and not folder.is_dir():
        raise ToileError(f"{folder} is a file: name a folder for the maps")
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures(maps).items():
        write_png(folder / f"{name}.png", picture.astype(np.float32))
        print(f"wrote {folder / name}.png")
    return 0


def pictures(maps: Maps) -> dict[str, Floats]:
    """Return the maps as colours from 0 to 1 by name, (h, w, 3) each; white where there is no body."""
    views: dict[str, View] = {"front": maps.front, "back": maps.back}
    low, high = float(np.nanmin(maps.back.depth)), float(np.nanmax(maps.front.depth))
    largest = max(float(np.abs(v.velocity).max()) for v in views.values()) or 1.0
    found: dict[str, Floats] = {}
    for name, view in views.items():
        near, far = (high, low) if name == "front" else (low, high)
        grey = np.repeat(depth_to_grey(view.depth, near, far)[..., None], 3, axis=2)
        layers = {
            "depth": grey,
            "normal": normal_to_colour(view.normal),
            "velocity": velocity_to_colour(view.velocity, largest),
        }
        for what, colour in layers.items():
            found[f"{name}_{what}"] = np.where(view.seen[..., None], colour, 1.0)
    return found


COMMANDS = (add_maps,)
