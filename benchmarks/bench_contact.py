"""How clean is cloth in motion? T-shirt over skirt on people who walk, run and turn, each frame audited.

Run: python benchmarks/bench_contact.py --body woman --motion walk walk:2 --edge 1.5 --seconds 2 --where
Prints per motion and body: clean frames, the worst frame's findings (inside; pairs with body/self/layers),
frames with pinched skin, stretch, how fast the fastest limb moves against the trunk, and CPU milliseconds per
frame by stage. Fast limbs: --motion run run:1.5 --fps 24. Three layers: --garments trousers+shirt+coat.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

import toile.sim.walk.walker as stage
from toile import named_body, read_motion
from toile._kernels import SurfaceTree, meeting_pairs, meeting_pairs_self
from toile.audit.check import Audit, Auditor
from toile.batches.catalogue import outfit
from toile.core.records import LIMBS, Body, Floats, Garment, Motion, PosedBody, Recording
from toile.garment.particles import sewn_labels
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.dress.dress import dress
from toile.sim.frame.repair import Repair
from toile.sim.method import Method
from toile.sim.solvers.xpbd import XpbdSolver
from toile.sim.walk.animate import AnimateSettings, simulate

CPU: Counter[str] = Counter()
"""CPU seconds by stage; a stage's time includes the stages that it calls"""


def clocked(owner: Any, name: str, stage_name: str) -> None:
    """Add the CPU time of a function to a stage."""
    plain: Callable[..., Any] = getattr(owner, name)

    @wraps(plain)
    def timed(*args: Any, **kwargs: Any) -> Any:
        start = time.process_time()
        result = plain(*args, **kwargs)
        CPU[stage_name] += time.process_time() - start
        return result

    setattr(owner, name, timed)


def dressed(body: Body, edge: float, garments: list[str]) -> Recording:
    """Return the outfit at rest, dressed anew: cuts and the drape change with the code."""
    return dress(outfit("+".join(garments), body), body, edge_length=edge)


def speeded(motion: Motion, speed: float) -> Motion:
    """Return a motion at another speed."""
    return replace(motion, fps=motion.fps * speed, name=f"{motion.name} x{speed:g}")


class Places:
    """Counts where crossings are: limb and panels."""

    def __init__(self, garment: Garment, body: Body) -> None:
        """Prepare the trees."""
        self.garment, self.body = garment, body
        self.label = sewn_labels(garment)
        self.panel = np.array(garment.panel_names)[garment.uv_panel[garment.triangles_uv[:, 0]]]
        self.limb = np.array(LIMBS)[body.limb[body.triangles[:, 0]]]
        self.skin = SurfaceTree(body.triangles, body.vertices)
        self.cloth: SurfaceTree | None = None
        self.count: Counter[tuple[str, ...]] = Counter()

    def look(self, when: str, position: Floats, skin: Floats) -> None:
        """Count one frame."""
        self.cloth = self.cloth or SurfaceTree(self.garment.triangles, position)
        self.cloth.refit(position)
        self.skin.refit(skin)
        for b, c in meeting_pairs(self.skin, self.cloth, 100000)[1]:
            self.count[when, "body", self.limb[b], self.panel[c]] += 1
        for s, t in meeting_pairs_self(self.cloth, self.label, 100000)[1]:
            self.count[when, "cloth", *sorted((self.panel[s], self.panel[t]))] += 1

    def report(self) -> None:
        """Print the most frequent places."""
        for place, number in self.count.most_common(24):
            print(f"    {number:6d}  {' / '.join(place)}")


def limb_speed(body: PosedBody) -> float:
    """Return how fast the fastest skin moves against the trunk [m/s]."""
    trunk = body.velocity[body.body.limb == LIMBS.index("torso")].mean(axis=0)
    return float(np.linalg.norm(body.velocity - trunk, axis=1).max())


def line(
    body: Body, motion: Motion, audits: list[Audit], moved: list[float], frames: float, fastest: float
) -> str:
    """Return the findings of one motion in a line."""
    kinds = ("body_pairs", "self_pairs", "layer_pairs")
    clean = np.mean([not (a.inside_count or any(getattr(a, k) for k in kinds)) for a in audits])
    pinched = [a.pinched_skin for a in audits]
    worst = "/".join(str(max(getattr(a, k) for a in audits)) for k in kinds)
    mean = "/".join(f"{np.mean([getattr(a, k) for a in audits]):.1f}" for k in kinds)
    spent = {name: 1000 * CPU[name] / frames for name in ("query", "solve", "repair", "pose", "all")}
    spent["solve"] -= spent["query"]
    return "  ".join(
        [
            f"{body.name:6} {motion.name:8} {audits[0].vertex_count:6d}  clean {clean:6.1%}",
            f"inside {max(a.inside_count for a in audits)} {1000 * max(a.deepest for a in audits):.2f} mm",
            f"pairs {worst} (mean {mean})",
            f"pinched {np.mean(np.array(pinched) > 0):.0%}, at most {max(pinched)}",
            f"stretch {np.mean([a.stretch.mean for a in audits]):.2%}",
            f"99 % {np.mean([a.stretch.percentile_99 for a in audits]):.2%}",
            f"limbs to {fastest:.1f} m/s",
            f"repair moved {1000 * np.mean(moved):.1f}, most {1000 * max(moved):.1f} mm",
            "ms " + " ".join(f"{name} {value:.1f}" for name, value in spent.items()),
        ]
    )


def measure(start: Recording, body: Body, motion: Motion, options: argparse.Namespace) -> None:
    """Simulate one motion and print one line."""
    auditor, places = Auditor(start.garment, body), Places(start.garment, body)
    audits, moved, fastest = list[Audit](), list[float](), 0.0
    CPU.clear()
    settings = AnimateSettings(seconds=options.seconds, fps=options.fps)
    steps = simulate(start, body, motion, settings=settings, method=Method())
    while True:
        begin = time.process_time()
        step = next(steps, None)
        CPU["all"] += time.process_time() - begin
        if step is None:
            break
        audits.append(auditor.audit(step.state.position, step.body.vertices))
        moved.append(step.repaired.moved)
        fastest = max(fastest, limb_speed(step.body))
        if options.where:
            places.look("after", step.state.position, step.body.vertices)
    frames = (options.seconds + settings.lead) * options.fps
    print(line(body, motion, audits, moved, frames, fastest), flush=True)
    if options.where:
        places.report()


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--body", nargs="+", default=["woman", "man"])
    parser.add_argument("--motion", nargs="+", default=["walk", "walk:2", "run", "turn", "reach"])
    parser.add_argument(
        "--garments", nargs="+", default=["skirt", "tshirt"], help="inner first, or an outfit"
    )
    parser.add_argument("--edge", type=float, nargs="+", default=[1.5], help="cm")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--fps", type=float, default=60.0)
    parser.add_argument("--where", action="store_true", help="count where crossings are")
    options = parser.parse_args()
    clocked(SurfaceCollider, "ask", "query")
    clocked(XpbdSolver, "step", "solve")
    clocked(Repair, "__call__", "repair")
    clocked(stage, "pose_body", "pose")
    for name in options.body:
        body = named_body(name)
        for edge in options.edge:
            start = dressed(body, edge / 100, options.garments)
            for motion in options.motion:
                which, _, speed = motion.partition(":")
                moving = speeded(read_motion(which), float(speed)) if speed else read_motion(which)
                measure(start, body, moving, options)


if __name__ == "__main__":
    main()
