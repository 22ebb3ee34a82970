"""Panels sewn round a body by elastic forces: Vassilev & Spanlang 2001, tables 1 and 2."""

from __future__ import annotations

from toile.bench.papers.garments import cut
from toile.bench.papers.records import Bench, Claim, Section, Table, ratio
from toile.bench.papers.scene import draw, quality, worn_meshes
from toile.bench.papers.sewing import (
    DRAPING,
    IMAGE,
    MOST,
    OBJECT,
    SEWN,
    Dressed,
    default_engine,
    dress_by_springs,
    iteration_times,
)
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.records import PosedBody

SPACES = {IMAGE: "image", OBJECT: "object"}
TABLE_1 = {"shirt": (1800, 15.8, 30.8, 7.6, 22.5, 82, 149), "dress": (3840, 33.0, 52.0, 15.1, 34.2, 130, 150)}
"""vertices; ms per iteration and CD&R ms in image and object space; iterations in image and object space"""
COLUMNS_1 = (
    "garment", "method", "vertices", "ms / iteration", "faster", "of it contact [ms]", "iterations", "total",
    "stretch / depth",
)  # fmt: skip


def image_against_object(bench: Bench) -> Section:
    """Repeat table 1 of both papers: image space against object space."""
    body = rest_pose(named_body("woman"))
    rows, claims = list[tuple[str, ...]](), list[Claim]()
    for k, kind in enumerate(TABLE_1):
        bench.progress("image against object space", k / len(TABLE_1))
        more, judged = _both_spaces(bench, kind, body)
        rows += more
        claims += judged
    return Section(
        title="Image space against object space",
        source="Vassilev & Spanlang 2001, table 1; Vassilev, Spanlang & Chrysanthou 2001, table 1",
        text="Panels lie round the body and elastic forces pull their seams shut without gravity. An "
        "iteration is one explicit Euler step with one look for contacts; drawing the maps and building the "
        "trees is not counted, as in the papers. Image space also tests the middles of faces, object space "
        "vertices only, as in the papers. In brackets the papers' figures (SGI workstation, R12000). The "
        "papers' iterations cannot be compared: stiffness, step and panel distance are not given.",
        tables=(Table("Time per iteration", COLUMNS_1, tuple(rows)),),
        claims=tuple(claims),
    )


def _both_spaces(bench: Bench, kind: str, body: PosedBody) -> tuple[list[tuple[str, ...]], list[Claim]]:
    """Return the rows and claims of one garment."""
    paper = TABLE_1[kind]
    made = cut(kind, body.body, bench.size(paper[0], 250))
    rows, contacts, worn = list[tuple[str, ...]](), dict[str, float](), dict[str, Dressed]()
    for at, (collider, space) in enumerate(SPACES.items()):
        cloth, contact = iteration_times(made, body, collider, bench.size(30, 3), bench.size(MOST, 30))
        sewn = dress_by_springs(made, body, collider, bench.size(MOST, 20))
        contacts[collider], worn[collider] = contact, sewn
        rows.append(
            (
                kind,
                f"{space} space (`{collider}`)",
                made.vertices,
                f"{cloth + contact:.3f} ({paper[1 + at]})",
                ratio(cloth + contact, paper[1 + at]),
                f"{contact:.3f} ({paper[3 + at]})",
                f"{sewn.count} ({paper[5 + at]})",
                f"{sewn.seconds:.2f} s",
                str(quality(sewn.garment, sewn.position, body)),
            )
        )
    seconds, how = default_engine(made, body)
    engine = (kind, "default engine, sewn and draped", made.vertices, "–", "–", "–", "–")
    rows.append((*engine, f"{seconds:.2f} s", str(how)))
    image, objects = contacts[IMAGE], contacts[OBJECT]
    faster = Claim(
        f"image space is faster than object space, {kind}",
        image < objects,
        f"collision {image:.3f} ms against {objects:.3f} ms per iteration, {objects / max(image, 1e-9):.1f} "
        f"times; the paper: {paper[3]} against {paper[4]} ms, {paper[4] / paper[3]:.1f} times",
    )
    return rows, [faster, _fewer(kind, worn[IMAGE], worn[OBJECT], paper[5:])]


def _fewer(kind: str, image: Dressed, objects: Dressed, paper: tuple[float, ...]) -> Claim:
    """Judge the claim of table 1 that sewing takes fewer iterations in image space."""
    holds = image.gap <= SEWN and (objects.gap > SEWN or image.iterations < objects.iterations)
    why = f"{image.count} against {objects.count}; the paper: {paper[0]} against {paper[1]}"
    if not holds:
        why += "; both stop the same approach, so the panels come together as quickly"
    return Claim(f"sewing takes fewer iterations in image space, {kind}", holds, why)


TABLE_2 = {
    "skirt": (336, 66, 0.206, 3.1),
    "trousers": (560, 69, 0.334, 4.8),
    "shirt": (544, 55, 0.268, 4.8),
    "dress": (1024, 88, 0.784, 8.9),
}
"""vertices, iterations, total [s], ms per iteration"""
COLUMNS_2 = (
    "garment", "vertices", "iterations", "total", "faster", "ms / iteration", "faster", "stretch / depth",
    "default engine: stretch / depth",
)  # fmt: skip
GOAL = 0.05
"""solver time in which the dress shall be dressed [s]"""


def fewest_vertices(bench: Bench) -> Section:
    """Repeat table 2: four garments with as few vertices as look well."""
    body = rest_pose(named_body("woman"))
    rows, pictures, worn = [], [], dict[str, Dressed]()
    for k, (kind, (vertices, iterations, total, each)) in enumerate(TABLE_2.items()):
        bench.progress("dressing", k / len(TABLE_2))
        made = cut(kind, body.body, bench.size(vertices, min(vertices, 250)))
        sewn = worn[kind] = dress_by_springs(made, body, IMAGE, bench.size(MOST, 80))
        seconds, how = default_engine(made, body)
        rows.append(
            (
                kind,
                made.vertices,
                f"{sewn.count} ({iterations})",
                f"{sewn.seconds:.4f} s ({total})",
                ratio(sewn.seconds, total),
                f"{sewn.per_iteration:.3f} ({each})",
                ratio(sewn.per_iteration, each),
                str(quality(sewn.garment, sewn.position, body)),
                f"{seconds:.2f} s: {how}",
            )
        )
        meshes = worn_meshes(sewn.garment, sewn.position, body)
        caption = f"{kind}: {sewn.iterations} iterations of elastic forces, {DRAPING} under gravity"
        pictures.append(draw(bench, f"sewn_{kind}", caption, meshes, ("three_quarter", "back"), 400))
    return Section(
        title="Four garments with few vertices",
        source="Vassilev & Spanlang 2001, table 2 and figures 6, 7",
        text=f"The same sewing in image space, then {DRAPING} iterations under gravity, counted in the "
        "total. The text gives the trousers four patches of 150 vertices, the table 560 in all: the table is "
        "taken. Our garments also have waistbands.",
        tables=(Table("Dressing", COLUMNS_2, tuple(rows)),),
        pictures=tuple(pictures),
        claims=_dressing_claims(worn),
    )


def _dressing_claims(worn: dict[str, Dressed]) -> tuple[Claim, ...]:
    """Judge whether all seams closed, and our own goal for the dress."""
    closed, dress = all(w.gap <= SEWN for w in worn.values()), worn["dress"]
    return (
        Claim(
            "every garment is sewn within some tens to hundred iterations",
            closed and max(w.iterations for w in worn.values()) < 200,
            ", ".join(f"{kind} {w.count}" for kind, w in worn.items()),
        ),
        Claim(
            f"our own goal: the dress is dressed in {GOAL} s of solver time, seams closed",
            dress.seconds <= GOAL and dress.gap <= SEWN,
            f"{dress.seconds:.4f} s, widest seam {1000 * dress.gap:.0f} mm",
        ),
    )
