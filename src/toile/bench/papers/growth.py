"""Time per iteration against cloth vertices and body faces: Vassilev & Spanlang 2001, figure 8."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.bench.papers.garments import cut
from toile.bench.papers.records import Bench, Claim, Plot, Section, Table, number
from toile.bench.papers.sewing import IMAGE, OBJECT, iteration_times
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.records import Body, Floats
from toile.geometry.topology import unique_edges


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


COUNTS = (400, 900, 1600, 2500, 3600, 4900)
"""vertices of the shirt"""


def growth(bench: Bench) -> Section:
    """Repeat figure 8: time per iteration against cloth vertices; and against body faces."""
    n, t = against_vertices(bench)
    faces, image, objects = against_faces(bench)
    return Section(
        title="Growth with vertices and faces",
        source="Vassilev & Spanlang 2001, figure 8",
        text="Time per iteration of sewing a shirt, for growing numbers of cloth vertices, and of body faces "
        "(every face of the same body cut into four). The paper only shows the first curve and argues the "
        "second.",
        tables=(
            Table(
                "Cloth vertices",
                ("vertices", "ms / iteration"),
                tuple((f"{a:.0f}", number(b)) for a, b in zip(n, t, strict=True)),
            ),
            Table(
                "Body faces",
                ("faces", "image space: ms / iteration", "object space: ms / iteration"),
                tuple(
                    (f"{a:.0f}", number(b), number(c)) for a, b, c in zip(faces, image, objects, strict=True)
                ),
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
                (("image space", faces, image), ("object space", faces, objects)),
            ),
        ),
        claims=(_linear(n, t), _flat(faces, image, objects)),
    )


def against_vertices(bench: Bench) -> tuple[Floats, Floats]:
    """Return numbers of cloth vertices and the time per iteration with each [ms]."""
    woman = named_body("woman")
    body, found = rest_pose(woman), []
    counts = COUNTS if not bench.quick else (150, 300, 600)
    for k, count in enumerate(counts):
        bench.progress("time against size", 0.6 * k / len(counts))
        made = cut("shirt", woman, count)
        each = sum(iteration_times(made, body, IMAGE, bench.size(30, 3)))
        found.append((made.garment.particle_count, each))
    n, t = np.array(found, dtype=np.float64).T
    return n, t


def against_faces(bench: Bench) -> tuple[Floats, Floats, Floats]:
    """Return numbers of body faces and the time per iteration in image and object space [ms]."""
    woman = named_body("woman")
    made, found = cut("shirt", woman, bench.size(1800, 250)), []
    for times in range(bench.size(3, 2)):
        bench.progress("time against size", 0.6 + 0.13 * times)
        finer = rest_pose(subdivided(woman, times))
        spent = [sum(iteration_times(made, finer, c, bench.size(30, 3))) for c in (IMAGE, OBJECT)]
        found.append((len(finer.body.triangles), *spent))
    faces, image, objects = np.array(found, dtype=np.float64).T
    return faces, image, objects


def _linear(n: Floats, t: Floats) -> Claim:
    slope, base = np.polyfit(n, t, 1)
    fit = 1 - ((t - base - slope * n) ** 2).sum() / ((t - t.mean()) ** 2).sum()
    return Claim(
        "time per iteration is linear in the cloth's vertices",
        bool(fit > 0.97),
        f"a straight line explains {fit:.1%} of the variation: {base:.3f} ms "
        f"+ {1000 * slope:.3f} µs a vertex",
    )


def _flat(faces: Floats, image: Floats, objects: Floats) -> Claim:
    flat = float(image.max() / image.min())
    return Claim(
        "time per iteration in image space is independent of the body's faces",
        flat < 1.25,
        f"{flat:.2f} times as long with {faces[-1] / faces[0]:.0f} times the faces (object space: "
        f"{objects[-1] / objects[0]:.2f} times)",
    )
