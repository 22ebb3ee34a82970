"""What experiments share: timing of steps, what became of the cloth, pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from toile.audit.check import audit
from toile.bench.papers.records import Bench, Picture, clock
from toile.body.model.skin import pose_body, rest_pose
from toile.core.records import Body, Floats, Garment, PosedBody, State
from toile.geometry.triangles import edge_elongation
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import lead_in
from toile.render.image import write_png
from toile.render.picture import Mesh, Studio, body_mesh, garment_mesh, render_views
from toile.sim.colliders.base import Collider
from toile.sim.frame.advance import advance_frame
from toile.sim.frame.attach import Attachment
from toile.sim.solvers.base import Solver

STUDIO, SKETCH = Studio(samples=4), Studio(samples=1)


@dataclass(frozen=True, slots=True)
class Quality:
    """What became of the cloth."""

    stretch: float
    """99 % of the edges are longer by less than this share"""
    deepest: float
    """under the skin [m]"""

    def __str__(self) -> str:
        return f"{self.stretch:.1%} / {1000 * self.deepest:.1f} mm"


def quality(garment: Garment, position: Floats, body: PosedBody | None = None) -> Quality:
    """Return stretch and penetration, by exact triangles where there is a body."""
    stretch = edge_elongation(position, garment.triangles, garment.uv, garment.triangles_uv)
    deepest = 0.0
    if body is not None:
        deepest = audit(garment, position, body.body, body_vertices=body.vertices).deepest
    return Quality(float(np.percentile(stretch, 99)), float(deepest))


def timed(work: Callable[[], object]) -> float:
    """Return how long a piece of work takes [s]."""
    start = clock()
    work()
    return clock() - start


@dataclass(frozen=True, eq=False, slots=True)
class Walked:
    """Cloth on a walking body."""

    seconds: Floats
    """per frame: pose, collider, solver [s], (f,)"""
    state: State
    body: PosedBody
    qualities: tuple[Quality, ...]
    """of every timed frame"""

    @property
    def each(self) -> float:
        """Return the median time of a frame [s]."""
        return float(np.median(self.seconds))

    @property
    def worst(self) -> Quality:
        """Return the largest stretch and depth of all frames."""
        return Quality(max(q.stretch for q in self.qualities), max(q.deepest for q in self.qualities))


def walk(
    solver: Solver,
    collider: Collider,
    garment: Garment,
    position: Floats,
    body: Body,
    frames: int,
    fps: float,
    lead: float = 0.4,
) -> Walked:
    """Return cloth after some frames of walking; the way into the walk is simulated too, but not timed."""
    track, dt = retarget(read_motion("walk"), body, fps=fps), 1 / fps
    before = rest_pose(body)
    held = Attachment(garment.hold_particle, position, before)
    if len(garment.hold_particle):
        solver.pin(garment.hold_particle)
    state, seconds = State(position, np.zeros_like(position)), []
    qualities = list[Quality]()
    first = round(lead * fps)
    for frame in range(1, first + frames + 1):
        start = clock()
        after = pose_body(body, lead_in(body, track, frame * dt, lead), before, dt)
        state = advance_frame(solver, collider, held.carry(state, after, dt), before, after, dt)
        seconds.append(clock() - start)
        if frame > first:
            qualities.append(quality(garment, state.position, after))
        before = after
    return Walked(np.array(seconds[first:]), state, before, tuple(qualities))


def sphere_mesh(centre: Floats, radius: float, rows: int = 32) -> Mesh:
    """Return a ball to be drawn."""
    angle, azimuth = np.meshgrid(
        np.linspace(0, np.pi, rows), np.linspace(0, 2 * np.pi, 2 * rows), indexing="ij"
    )
    points = np.stack(
        [np.sin(angle) * np.cos(azimuth), np.cos(angle), np.sin(angle) * np.sin(azimuth)], axis=2
    )
    index = np.arange(points.size // 3).reshape(points.shape[:2])
    a, b, c, d = (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
    faces = np.concatenate([np.stack([a, c, b], axis=2), np.stack([a, d, c], axis=2)]).reshape(-1, 3)
    return Mesh(
        name="sphere",
        vertices=centre + radius * points.reshape(-1, 3),
        triangles=faces.astype(np.int32),
        colour=np.array([0.35, 0.42, 0.5]),
        cloth=False,
    )


def draw(
    bench: Bench,
    name: str,
    caption: str,
    meshes: Sequence[Mesh],
    views: Sequence[str | float] = ("three_quarter",),
    width: int = 480,
) -> Picture:
    """Render meshes into the report's folder."""
    small = 0.5 if bench.quick else 1.0
    picture = render_views(
        meshes,
        views=views,
        width=round(small * width * len(views)),
        height=round(small * 600),
        studio=STUDIO if not bench.quick else SKETCH,
    )
    write_png(bench.folder / f"{name}.png", picture)
    return Picture(f"{name}.png", caption)


def worn_meshes(garment: Garment, position: Floats, body: PosedBody) -> list[Mesh]:
    """Return cloth and body to be drawn."""
    return [body_mesh(body.body, body.vertices), garment_mesh(garment, position)]
