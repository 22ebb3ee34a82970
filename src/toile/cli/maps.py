"""``toile maps``."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from toile.body.library import open_body
from toile.body.model.skin import rest_pose
from toile.cli.common import Commands
from toile.core.errors import ToileError
from toile.core.records import Body, Floats
from toile.render.image import write_png
from toile.sim.colliders.limb_maps import PARTS, LimbMapCollider, LimbMapSettings
from toile.sim.colliders.maps import (
    Maps,
    MapSettings,
    View,
    depth_to_grey,
    draw_maps,
    normal_to_colour,
    velocity_to_colour,
)


def add_maps(commands: Commands) -> None:
    """Add ``toile maps``."""
    parser = commands.add_parser(
        "maps",
        description="Writes what the collider `maps` sees of a body: depth, normals and velocities from the "
        "front and from the back, as PNG. With --limbs: what `limb_maps` sees of each of the 14 parts.",
        epilog="example: toile maps woman -o maps",
    )
    parser.add_argument("body", metavar="FILE|woman|man")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="made if it is not there")
    parser.add_argument("--pixels", type=int, default=340, metavar="N", help="along the height (340)")
    parser.add_argument("--limbs", action="store_true", help="the maps of each limb, in its own frame")
    parser.set_defaults(run=run_maps)


def run_maps(options: argparse.Namespace) -> int:
    """Write six pictures, or six per limb."""
    settings, folder = MapSettings(size=options.pixels), Path(options.output)
    body = open_body(options.body)
    if folder.exists() and not folder.is_dir():
        raise ToileError(f"{folder} is a file: name a folder for the maps")
    drawn = limb_pictures(body, options.pixels) if options.limbs else body_pictures(body, settings)
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn.items():
        write_png(folder / f"{name}.png", picture.astype(np.float32))
        print(f"wrote {folder / name}.png")
    return 0


def body_pictures(body: Body, settings: MapSettings) -> dict[str, Floats]:
    """Return the maps of the whole body as colours by name."""
    return pictures(draw_maps(rest_pose(body), settings))


def limb_pictures(body: Body, pixels: int) -> dict[str, Floats]:
    """Return the maps of each part as colours by name: part_side_what; normals in the part's own frame."""
    height = float(np.ptp(body.vertices[:, 1]))
    collider = LimbMapCollider(body, LimbMapSettings(pixel=height / max(pixels, 1), colliding=False))
    collider.at(rest_pose(body))(body.vertices)
    found: dict[str, Floats] = {}
    for index, part in enumerate(PARTS):
        _, _, texels = collider.maps.texels(index)
        if not texels.size:
            continue
        front, back = texels[:, :, 0].astype(np.float64), texels[:, ::-1, 1].astype(np.float64)
        for name, picture in two_sides(front, back).items():
            found[f"{part}_{name}"] = picture
    return found


def two_sides(front: Floats, back: Floats) -> dict[str, Floats]:
    """Return one part's maps (h, w, 8) as colours, (h, w, 3) each."""
    low = float(back[..., 4][np.isfinite(back[..., 4])].min())
    high = float(front[..., 4][np.isfinite(front[..., 4])].max())
    largest = float(max(np.abs(front[..., 5:]).max(), np.abs(back[..., 5:]).max())) or 1.0
    found: dict[str, Floats] = {}
    for name, view, near, far in (("front", front, high, low), ("back", back, low, high)):
        seen = np.isfinite(view[..., 4])[..., None]
        depth = np.where(seen[..., 0], view[..., 4], near)
        layers = {
            "depth": np.repeat(depth_to_grey(depth, near, far)[..., None], 3, axis=2),
            "normal": normal_to_colour(view[..., :3]),
            "velocity": velocity_to_colour(view[..., 5:], largest),
        }
        found.update({f"{name}_{what}": np.where(seen, colour, 1.0) for what, colour in layers.items()})
    return found


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
