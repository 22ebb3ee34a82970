"""Panels sewn round a body by elastic forces: Vassilev & Spanlang 2001, tables 1 and 2, figure 8."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from toile.bench.papers.garments import Cut, cut
from toile.bench.papers.records import Bench, Claim, Plot, Section, Table, clock, number, ratio
from toile.bench.papers.scene import Quality, TimedQuery, draw, quality, worn_meshes
from toile.body import named_body
from toile.body.skin import rest_pose
from toile.cloth.spring import SpringSettings, SpringSolver
from toile.collision.contacts import make_collider
from toile.garment.build import weld, weld_positions
from toile.garment.place import place
from toile.mesh.topology import unique_edges
from toile.run.advance import STILL_AIR, no_contacts
from toile.run.dress import dress_garments
from toile.types import Body, Floats, Garment, Ints, PosedBody, Scene, State

SEWN = 0.01
"""a seam whose sides are nearer than this is closed [m]"""
MOST = 1500
"""iterations after which it will not close any more"""
SEAM_RATE = 25.0
"""elastic forces close a gap at this rate [1/s] …"""
SEAM_SPEED = 10.0
"""… but no faster than this [m/s]"""
SEWING = SpringSettings(
    structural=15.0,
    shear=5.0,
    flexion=0.2,
    contact_queries=1,
    damping=10.0,
    over_elongation="average",
    threshold=0.1,
    response="velocity",
    slide=1.0,
    grip=0.0,
)
"""soft springs allow long steps (equation 4); without friction panels slip over the shoulders"""
IMAGE, OBJECT = "maps", "boxes"
"""colliders in image space and in object space"""


@dataclass(frozen=True, eq=False, slots=True)
class Sewing:
    """A garment that elastic seams have pulled shut."""

    garment: Garment
    """welded"""
    position: Floats
    iterations: int
    seconds: float
    """CPU time of all iterations [s]"""
    contact_seconds: float
    """of it for finding contacts [s]"""
    gap: float
    """widest seam before welding [m]"""

    @property
    def count(self) -> str:
        """Return the iterations, and how far the seams are open where they did not close."""
        return (
            str(self.iterations)
            if self.gap <= SEWN
            else f"{self.iterations}, open by {100 * self.gap:.1f} cm"
        )

    @property
    def per_iteration(self) -> float:
        """Return milliseconds per iteration."""
        return 1000 * self.seconds / self.iterations


def sew_by_springs(made: Cut, body: PosedBody, collider: str, most: int = MOST) -> Sewing:
    """Return the garment after its seams were pulled shut without gravity; maps and trees are made before."""
    garment = made.garment
    solver = SpringSolver(garment, SEWING)
    query = TimedQuery(make_collider(collider, body.body).at(body))
    scene = Scene(body, query, STILL_AIR, STILL_AIR)
    state = State(place(garment, body.body), np.zeros((garment.particle_count, 3)))
    pairs, h, gap = garment.seam_uv, solver.longest_step, np.inf
    query(state.position)
    query.seconds, start, iterations = 0.0, clock(), 0
    while gap > SEWN and iterations < most:
        state = solver.step(pulled(state, pairs), scene, h)
        gap = float(np.linalg.norm(state.position[pairs[:, 0]] - state.position[pairs[:, 1]], axis=1).max())
        iterations += 1
    seconds = clock() - start
    welded = weld(garment)
    return Sewing(
        welded,
        weld_positions(garment, welded, state.position),
        iterations,
        seconds,
        query.seconds,
        gap,
    )


def pulled(state: State, pairs: Ints) -> State:
    """Return the state with sewn points on their way to each other: stiff elastic seams, well damped."""
    way = state.position[pairs[:, 1]] - state.position[pairs[:, 0]]
    distance = np.linalg.norm(way, axis=1)
    speed = np.minimum(SEAM_RATE * distance, SEAM_SPEED)
    half = 0.5 * way * (speed / np.maximum(distance, 1e-9))[:, None]
    mean = 0.5 * (state.velocity[pairs[:, 0]] + state.velocity[pairs[:, 1]])
    velocity = np.array(state.velocity)
    velocity[pairs[:, 0]] = mean + half
    velocity[pairs[:, 1]] = mean - half
    return State(state.position, velocity, state.time)


def iteration_times(made: Cut, body: PosedBody, collider: str, count: int) -> tuple[float, float]:
    """Return cloth simulation and collision detection with response per iteration [ms].

    The same iterations are run with and without the body; the difference is what contact costs, at least
    the time of the look-ups themselves.
    """
    garment = made.garment
    start = place(garment, body.body)
    query = TimedQuery(make_collider(collider, body.body).at(body))
    spent: list[float] = []
    looking = np.inf
    for contacts in (no_contacts, query):
        solver = SpringSolver(garment, SEWING)
        scene = Scene(body, contacts, STILL_AIR, STILL_AIR)
        state, best = State(start, np.zeros_like(start)), np.inf
        contacts(start)
        for _ in range(3):
            query.seconds, began = 0.0, clock()
            for _ in range(count):
                state = solver.step(pulled(state, garment.seam_uv), scene, solver.longest_step)
            best = min(best, (clock() - began) / count)
            looking = min(looking, query.seconds / count) if query.seconds else looking
        spent.append(1000 * best)
    return spent[0], max(1000 * looking, spent[1] - spent[0])


def default_engine(made: Cut, body: PosedBody) -> tuple[float, Quality]:
    """Return how long the default engine takes to sew and drape the garment [s], and how it turned out."""
    began = clock()
    recording = dress_garments([made.garment], body.body)
    seconds = clock() - began
    return seconds, quality(recording.garment, recording.positions[-1], body)


TABLE_1 = {"shirt": (1800, 15.8, 30.8, 7.6, 22.5, 82, 149), "dress": (3840, 33.0, 52.0, 15.1, 34.2, 130, 150)}
"""vertices; ms per iteration and CD&R ms in image and object space; iterations in image and object space"""


def image_against_object(bench: Bench) -> Section:
    """Repeat table 1 of both papers: image space against object space."""
    body = rest_pose(named_body("woman"))
    rows, claims = [], []
    for k, (kind, paper) in enumerate(TABLE_1.items()):
        bench.progress("image against object space", k / 2)
        made = cut(kind, body.body, bench.size(paper[0], 250))
        found = {}
        for at, collider in enumerate((IMAGE, OBJECT)):
            cloth, contact = iteration_times(made, body, collider, bench.size(20, 3))
            sewn = sew_by_springs(made, body, collider, bench.size(MOST, 60))
            found[collider] = (cloth + contact, contact)
            rows.append(
                (
                    kind,
                    f"{'image' if at == 0 else 'object'} space (`{collider}`)",
                    made.vertices,
                    f"{cloth + contact:.2f} ({paper[1 + at]})",
                    ratio(cloth + contact, paper[1 + at]),
                    f"{contact:.2f} ({paper[3 + at]})",
                    f"{sewn.count} ({paper[5 + at]})",
                    f"{sewn.seconds:.2f} s",
                    str(quality(sewn.garment, sewn.position, body)),
                )
            )
        seconds, how = default_engine(made, body)
        rows.append(
            (
                kind,
                "default engine, sewn and draped",
                made.vertices,
                "–",
                "–",
                "–",
                "–",
                f"{seconds:.2f} s",
                str(how),
            )
        )
        image, objects = found[IMAGE], found[OBJECT]
        claims.append(
            Claim(
                f"image space is faster than object space, {kind}",
                image[1] < objects[1],
                f"collision {image[1]:.2f} ms against {objects[1]:.2f} ms per iteration; the paper: "
                f"{paper[3]} against {paper[4]} ms",
            )
        )
    return Section(
        title="Image space against object space",
        source="Vassilev & Spanlang 2001, table 1; Vassilev, Spanlang & Chrysanthou 2001, table 1",
        text="Panels lie round the body and elastic forces pull their seams shut without gravity. An "
        "iteration is one explicit Euler step with one look for contacts; drawing the maps and "
        "building the trees is not "
        "counted, as in the papers. In brackets the papers' figures (SGI workstation, R12000). The papers' "
        "iterations cannot be compared: stiffness, step and the distance of the panels are not given.",
        tables=(
            Table(
                "Time per iteration",
                (
                    "garment",
                    "method",
                    "vertices",
                    "ms / iteration",
                    "faster",
                    "of it contact [ms]",
                    "iterations",
                    "total",
                    "stretch / depth",
                ),
                tuple(rows),
            ),
        ),
        claims=tuple(claims),
    )


TABLE_2 = {
    "skirt": (336, 66, 0.206, 3.1),
    "trousers": (560, 69, 0.334, 4.8),
    "shirt": (544, 55, 0.268, 4.8),
    "dress": (1024, 88, 0.784, 8.9),
}
"""vertices, iterations, total [s], ms per iteration"""


def fewest_vertices(bench: Bench) -> Section:
    """Repeat table 2: four garments with as few vertices as look well."""
    body = rest_pose(named_body("woman"))
    rows, pictures, solver_seconds = [], [], {}
    for k, (kind, (vertices, iterations, total, each)) in enumerate(TABLE_2.items()):
        bench.progress("dressing", k / 4)
        made = cut(kind, body.body, bench.size(vertices, min(vertices, 250)))
        sewn = sew_by_springs(made, body, IMAGE, bench.size(MOST, 80))
        seconds, how = default_engine(made, body)
        solver_seconds[kind] = sewn.seconds
        rows.append(
            (
                kind,
                made.vertices,
                f"{sewn.count} ({iterations})",
                f"{sewn.seconds:.3f} s ({total})",
                ratio(sewn.seconds, total),
                f"{sewn.per_iteration:.2f} ({each})",
                ratio(sewn.per_iteration, each),
                str(quality(sewn.garment, sewn.position, body)),
                f"{seconds:.2f} s: {how}",
            )
        )
        caption = f"{kind}, sewn by elastic forces, {sewn.iterations} iterations, before gravity"
        pictures.append(
            draw(
                bench,
                f"sewn_{kind}",
                caption,
                worn_meshes(sewn.garment, sewn.position, body),
                ("three_quarter", "back"),
                400,
            )
        )
    return Section(
        title="Four garments with few vertices",
        source="Vassilev & Spanlang 2001, table 2 and figures 6, 7",
        text="The same sewing in image space. The text gives the trousers four patches of 150 vertices, the "
        "table 560 in all: the table is taken. Our garments also have waistbands.",
        tables=(
            Table(
                "Dressing",
                (
                    "garment",
                    "vertices",
                    "iterations",
                    "total",
                    "faster",
                    "ms / iteration",
                    "faster",
                    "stretch / depth",
                    "default engine: stretch / depth",
                ),
                tuple(rows),
            ),
        ),
        pictures=tuple(pictures),
        claims=(
            Claim(
                "our own goal: the dress is sewn in 0.05 s of solver time",
                solver_seconds["dress"] <= 0.05,
                f"{solver_seconds['dress']:.3f} s",
            ),
        ),
    )


def subdivided(body: Body, times: int) -> Body:
    """Return the body with each triangle cut into four, some times over: same shape, more faces."""
    for _ in range(times):
        edges, of_side = unique_edges(body.triangles)
        count, t = len(body.vertices), body.triangles
        m = (count + of_side.reshape(-1, 3)).astype(np.int32)
        faces = [
            np.stack([t[:, 0], m[:, 0], m[:, 2]], axis=1),
            np.stack([m[:, 0], t[:, 1], m[:, 1]], axis=1),
            np.stack([m[:, 2], m[:, 1], t[:, 2]], axis=1),
            m,
        ]
        both = [
            np.concatenate([values, values[edges[:, 0]]])
            for values in (body.weight_joint, body.weight, body.limb)
        ]
        body = replace(
            body,
            vertices=np.concatenate([body.vertices, body.vertices[edges].mean(axis=1)]),
            triangles=np.concatenate(faces),
            weight_joint=both[0],
            weight=both[1],
            limb=both[2],
        )
    return body


def growth(bench: Bench) -> Section:
    """Repeat figure 8: time per iteration against cloth vertices; and against body faces."""
    woman = named_body("woman")
    body = rest_pose(woman)
    counts = [400, 900, 1600, 2500, 3600, 4900] if not bench.quick else [150, 300, 600]
    cloth = []
    for k, count in enumerate(counts):
        bench.progress("time against size", 0.6 * k / len(counts))
        made = cut("shirt", woman, count)
        cloth.append(
            (made.garment.particle_count, sum(iteration_times(made, body, IMAGE, bench.size(10, 3))))
        )
    made = cut("shirt", woman, bench.size(1800, 250))
    faces: list[tuple[int, float, float]] = []
    for times in range(bench.size(3, 2)):
        bench.progress("time against size", 0.6 + 0.13 * times)
        finer = rest_pose(subdivided(woman, times))
        spent = [sum(iteration_times(made, finer, c, bench.size(10, 3))) for c in (IMAGE, OBJECT)]
        faces.append((len(finer.body.triangles), spent[0], spent[1]))
    n, t = np.array(cloth, dtype=np.float64).T
    slope, base = np.polyfit(n, t, 1)
    fit = 1 - ((t - base - slope * n) ** 2).sum() / ((t - t.mean()) ** 2).sum()
    f, image, objects = np.array(faces, dtype=np.float64).T
    flat = float(image.max() / image.min())
    return Section(
        title="Growth with vertices and faces",
        source="Vassilev & Spanlang 2001, figure 8",
        text="Time per iteration of sewing a shirt, for growing numbers of cloth vertices, and of body faces "
        "(every face of the same body cut into four). The paper only shows the first curve and "
        "argues the second.",
        tables=(
            Table(
                "Cloth vertices",
                ("vertices", "ms / iteration"),
                tuple((f"{a:.0f}", number(b)) for a, b in cloth),
            ),
            Table(
                "Body faces",
                ("faces", "image space: ms / iteration", "object space: ms / iteration"),
                tuple((f"{a:.0f}", number(b), number(c)) for a, b, c in faces),
            ),
        ),
        plots=(
            Plot(
                "time_vertices",
                "Time per iteration against cloth vertices",
                "vertices",
                "ms",
                (("image space", n, t),),
            ),
            Plot(
                "time_faces",
                "Time per iteration against body faces",
                "faces",
                "ms",
                (("image space", f, image), ("object space", f, objects)),
            ),
        ),
        claims=(
            Claim(
                "time per iteration is linear in the cloth's vertices",
                bool(fit > 0.97),
                f"a straight line explains {fit:.1%} of the variation: {base:.2f} ms "
                f"+ {1000 * slope:.2f} µs a vertex",
            ),
            Claim(
                "time per iteration in image space is independent of the body's faces",
                flat < 1.25,
                f"{flat:.2f} times as long with {f[-1] / f[0]:.0f} times the faces (object space: "
                f"{objects[-1] / objects[0]:.2f} times)",
            ),
        ),
    )
