"""Do clothes stay where they belong without glue? T-shirt over skirt on a person who walks for a minute.

Run: python benchmarks/bench_minute.py [--seconds 60] [--edge 2] [--fps 60] [--held]
The waistband is held by friction alone (--held: carried along with the skin, as drafts ask for). Prints every
few seconds how far waistband and shoulder seams have moved against the skin that they were dressed on [cm]:
mean fall, mean way and the farthest particle; then clean frames and stretch over the whole walk.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace

import numpy as np

from toile import draft, named_body, read_motion
from toile.audit.check import Auditor
from toile.body.model.skin import rest_pose
from toile.core.records import Floats, Garment, Ints, PosedBody
from toile.sim.dress.dress import dress
from toile.sim.frame.attach import Attachment
from toile.sim.method import Method
from toile.sim.walk.animate import AnimateSettings, simulate

LEAD = 1.0
"""the way into the walk [s]"""
EVERY = 5.0
"""a line is printed so often [s]"""


@dataclass(frozen=True, eq=False)
class Watched:
    """Particles and where on the skin they were."""

    name: str
    particles: Ints
    place: Attachment

    def line(self, position: Floats, body: PosedBody) -> str:
        """Return how far they have moved against the skin."""
        offset = position[self.particles] - self.place.targets(body)
        far = np.linalg.norm(offset, axis=1)
        return f"{self.name} {100 * offset[:, 1].mean():+5.1f} {100 * far.mean():4.1f} {100 * far.max():5.1f}"


def shoulder_seams(garment: Garment) -> Ints:
    """Return the particles of seams at the shoulders."""
    chosen = [k for k, name in enumerate(garment.seam_names) if "shoulder" in name]
    return np.unique(garment.uv_particle[garment.seam_uv[np.isin(garment.seam_id, chosen)]]).astype(np.int32)


def main() -> None:
    """Walk and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--edge", type=float, default=2.0, help="cm")
    parser.add_argument("--fps", type=float, default=60.0)
    parser.add_argument("--motion", default="walk")
    parser.add_argument("--held", action="store_true", help="the waistband is carried along with the skin")
    options = parser.parse_args()
    body = named_body("woman")
    patterns = [draft(name, body.measurements) for name in ("skirt", "tshirt")]
    dressed = dress(patterns, body, edge_length=options.edge / 100)
    waist, shoulders = dressed.garment.hold_particle, shoulder_seams(dressed.garment)
    if not options.held:
        free = replace(dressed.garment, hold_particle=np.zeros(0, np.int32))
        dressed = replace(dressed, garment=free)
    settings = AnimateSettings(seconds=options.seconds, fps=options.fps, lead=LEAD)
    auditor, rest = Auditor(dressed.garment, body), rest_pose(body)
    watched = [
        Watched(name, some, Attachment(some, dressed.positions[-1], rest))
        for name, some in (("waistband", waist), ("shoulders", shoulders))
    ]
    clean, stretch, begin = 0, list[tuple[float, float]](), time.process_time()
    print(f"{dressed.garment.particle_count} vertices; cm against the skin: mean fall, mean way, farthest")
    for step in simulate(dressed, body, read_motion(options.motion), settings=settings, method=Method()):
        position = step.state.position
        found = auditor.audit(position, step.body.vertices)
        clean += not (found.inside_count or found.body_pairs or found.self_pairs or found.layer_pairs)
        stretch.append((found.stretch.mean, found.stretch.percentile_99))
        if step.number % round(EVERY * options.fps) == 0 or step.number == settings.frame_count - 1:
            words = "   ".join(thing.line(position, step.body) for thing in watched)
            print(f"{step.state.time:6.1f} s   {words}", flush=True)
    frames, seen = settings.frame_count, np.array(stretch)
    mean, worst = (f"mean {m:.2%}, 99 % {most:.2%}" for m, most in (seen.mean(axis=0), seen.max(axis=0)))
    print(
        f"{clean} of {frames} frames clean; stretch {mean} (worst frame: {worst}); "
        f"{1e3 * (time.process_time() - begin) / frames:.1f} ms of CPU a frame, audit included"
    )


if __name__ == "__main__":
    main()
