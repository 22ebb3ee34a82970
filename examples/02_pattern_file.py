"""A skirt written by hand as a text file, read and worn. Run: python examples/02_pattern_file.py [folder]."""

import sys
from pathlib import Path

import toile
from toile.core.records import Recording

SKIRT = """
garment "wrap-free skirt"
units cm
origin waist                      # y = 0 of the placements is the wearer's waist

panel front
  at 0 -30 20                     # where the panel's own 0 0 stands before sewing
  around torso                    # curved round the torso
  from -36 -30                    # first corner, then the outline
  curve 0 -33 to 36 -30 as hem
  line to 19 30 as left
  curve 0 28.5 to -19 30 as waist
  line to start as right

panel back copy of front
  at 0 -30 -20
  turn 0 180 0                    # faces backwards

seam left:  front.left  = -back.right
seam right: front.right = -back.left
pin front.waist                   # the waist stays where sewing leaves it
pin back.waist
"""


def main(folder: str | Path = "out", edge_length: float = 0.015) -> Recording:
    """Write skirt.txt, its drawing and a picture of it worn into the folder; edge_length in metres."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "skirt.txt").write_text(SKIRT, encoding="utf-8")
    pattern = toile.read_pattern(folder / "skirt.txt")
    toile.write_pattern(pattern, folder / "skirt.svg")
    body = toile.named_body("woman")
    dressed = toile.dress([pattern], body, fabric="cotton", edge_length=edge_length)
    print("\n".join(toile.check(dressed.garment, dressed.positions[-1], body).lines()))
    toile.save(dressed, folder / "skirt_from_file.png", height=800)
    return dressed


if __name__ == "__main__":
    main(*sys.argv[1:2])
