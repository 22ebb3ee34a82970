"""Five short walks and the SHA-256 of each as a PC2 file: the same before and after a harmless change.

    python benchmarks/walk_hashes.py           # all of them
    python benchmarks/walk_hashes.py spring    # those whose name contains a word

The same on every machine with the same C library (sine and cosine come from there), for any TOILE_THREADS.
"""

import sys
import tempfile
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import toile
from toile.sim.walk.animate import AnimateSettings

EDGE = 0.03
"""of the meshes [m]"""


@dataclass(frozen=True)
class Walk:
    body: str
    drafts: tuple[str, ...]
    fabrics: tuple[str, ...]
    motion: str
    method: dict[str, Any] = field(default_factory=dict)


WALKS = {
    "default woman": Walk("woman", ("skirt", "tshirt"), ("wool", "cotton"), "walk"),
    "default man": Walk("man", ("trousers", "shirt"), ("denim", "cotton"), "sit"),
    "spring on maps": Walk(
        "woman", ("tshirt",), ("cotton",), "turn", {"solver": "spring", "collider": "maps"}
    ),
    "verlet on limb maps": Walk(
        "man", ("tshirt",), ("cotton",), "run", {"solver": "verlet", "collider": "limb_maps"}
    ),
    "follow on boxes": Walk(
        "woman", ("skirt",), ("jersey",), "walk", {"solver": "follow", "collider": "boxes"}
    ),
}


def digest(walk: Walk) -> str:
    """Return the hash of a second of it at 30 frames a second."""
    body = toile.named_body(walk.body)
    patterns = [toile.draft(name, body.measurements) for name in walk.drafts]
    dressed = toile.dress(patterns, body, fabric=list(walk.fabrics), edge_length=EDGE)
    walked = toile.animate(
        dressed,
        body,
        toile.read_motion(walk.motion),
        settings=AnimateSettings(fps=30, seconds=1.0),
        **walk.method,
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "walk.pc2"
        toile.save(walked, str(file))
        return sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    for name, walk in WALKS.items():
        if all(word in name for word in sys.argv[1:]):
            print(f"{digest(walk)}  {name}", flush=True)
