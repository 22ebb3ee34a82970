"""A skirt drafted for a body, sewn round it, draped and drawn. Run: python examples/01_dress.py [folder]."""

import sys
from pathlib import Path

import toile
from toile.core.records import Recording


def main(folder: str | Path = "out", edge_length: float = 0.015) -> Recording:
    """Write skirt.png into the folder; edge_length [m] is the size of the mesh's triangles."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    body = toile.make_body(sex="female", height=1.70, waist=0.72)
    pattern = toile.draft("skirt", body.measurements, length=0.6)
    dressed = toile.dress([pattern], body, fabric="wool", edge_length=edge_length)
    # the report is measured on the result: vertices inside the body, crossings, seams, stretch, rest
    print("\n".join(toile.check(dressed.garment, dressed.positions[-1], body).lines()))
    toile.save(dressed, folder / "skirt.png", height=800)
    return dressed


if __name__ == "__main__":
    main(*sys.argv[1:2])
