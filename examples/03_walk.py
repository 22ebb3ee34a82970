"""A T-shirt over a skirt, walking for a second. Run: python examples/03_walk.py [folder]."""

import sys
from pathlib import Path

import toile
from toile.core.records import Recording
from toile.render.film import write_strip
from toile.sim.walk.animate import AnimateSettings


def main(folder: str | Path = "out", edge_length: float = 0.015, seconds: float = 1.0) -> Recording:
    """Write walk.glb (plays in any 3D viewer) and walk.png (some frames in a row) into the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    body = toile.named_body("woman")
    # worn in this order: the T-shirt hangs over the skirt's waist
    patterns = [toile.draft(name, body.measurements) for name in ("skirt", "tshirt")]
    dressed = toile.dress(patterns, body, fabric=["wool", "cotton"], edge_length=edge_length)
    walk = toile.read_motion("walk")
    frames = toile.animate(dressed, body, walk, settings=AnimateSettings(seconds=seconds))
    last = toile.check(frames.garment, frames.positions[-1], body, body_vertices=frames.body_vertices[-1])
    print("\n".join(last.lines()))
    toile.save(frames, folder / "walk.glb")
    write_strip(frames, folder / "walk.png", count=5)
    return frames


if __name__ == "__main__":
    main(*sys.argv[1:2])
