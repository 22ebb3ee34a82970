"""Small patterns and random ones for the pattern tests."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from toile.core.records import Edge, EdgeRef, Hold, Mark, Notch, Panel, Pattern, Placement, Seam
from toile.pattern.model.angles import rotation_from_degrees


def square(name: str, size: float = 0.4, **keywords: object) -> Panel:
    """A square, counter-clockwise from the lower left corner."""
    vertices = np.array([[0.0, 0.0], [size, 0.0], [size, size], [0.0, size]])
    names = ("hem", "right", "top", "left")
    edges = tuple(Edge(i, (i + 1) % 4, name=names[i]) for i in range(4))
    return Panel(name, vertices, edges, **keywords)  # type: ignore[arg-type]


def tube() -> Pattern:
    """Two squares sewn to a tube."""
    seams = (
        Seam((EdgeRef("front", 1),), (EdgeRef("back", 3, True),), name="left side"),
        Seam((EdgeRef("front", 3),), (EdgeRef("back", 1, True),)),
    )
    return Pattern("tube", (square("front"), square("back")), seams, (Hold(EdgeRef("front", 2)),))


length = st.floats(-1.0, 1.0, allow_nan=False, allow_infinity=False)
letters = st.one_of(
    st.sampled_from('ab_Z09 .-"\\#=,:'),
    st.characters(exclude_categories=("C", "Z")),
)
names = st.text(letters, min_size=1, max_size=8)
maybe = st.one_of(st.just(""), names)
KINDS = {"line": 0, "quadratic": 1, "cubic": 2, "arc": 1}


@st.composite
def panels(draw: st.DrawFn, name: str) -> Panel:
    """A star-shaped panel with bulging edges, its corners in any order."""
    count = draw(st.integers(3, 7))
    radius = draw(st.lists(st.floats(0.1, 0.5), min_size=count, max_size=count))
    middle = np.array([draw(length), draw(length)])
    angles = np.arange(count) * math.tau / count * draw(st.sampled_from([1.0, -1.0]))
    ring = middle + np.array(radius)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    place = draw(st.one_of(st.just(list(range(count))), st.permutations(range(count))))
    vertices = np.zeros((count, 2))
    vertices[place] = ring
    edges = []
    for i in range(count):
        a, b = ring[i], ring[(i + 1) % count]
        kind = draw(st.sampled_from([*KINDS, "polyline"]))
        number = draw(st.integers(1, 3)) if kind == "polyline" else KINDS[kind]
        share = (np.arange(number) + 1.0)[:, None] / (number + 1.0)
        # towards the middle, at most a little: the outline stays simple
        controls = (a + share * (b - a)) * 0.99 + middle * 0.01
        edges.append(Edge(place[i], place[(i + 1) % count], kind, controls, draw(maybe)))  # type: ignore[arg-type]
    placement = None
    if draw(st.booleans()):
        turns = [
            draw(st.one_of(st.sampled_from([0.0, 45.0, 90.0, -180.0]), st.floats(-180, 180))) for _ in "xyz"
        ]
        where = [draw(length) for _ in "xyz"]
        placement = Placement(np.array(where), rotation_from_degrees(*turns), draw(maybe))
    return Panel(
        name,
        vertices,
        tuple(edges),
        placement,
        draw(maybe),
        draw(st.floats(-7, 7)),
        draw(maybe),
        tuple(
            Notch(draw(st.integers(0, count - 1)), draw(st.floats(0, 1)), draw(maybe))
            for _ in range(draw(st.integers(0, 2)))
        ),
        tuple(
            Mark(
                draw(st.sampled_from(["internal", "fold", "cutout", "sew", "drill", "cut"])),
                np.array(draw(st.lists(st.tuples(length, length), min_size=1, max_size=4))),
                draw(st.floats(-3.2, 3.2)),
                draw(maybe),
            )
            for _ in range(draw(st.integers(0, 2)))
        ),
    )


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """A pattern with random pieces, chains of seams, holds and names."""
    pieces = tuple(draw(panels(name)) for name in draw(st.lists(names, min_size=1, max_size=3, unique=True)))
    edges = [EdgeRef(p.name, i, draw(st.booleans())) for p in pieces for i in range(len(p.edges))]
    edges = list(draw(st.permutations(edges)))
    seams = []
    while len(edges) >= 4 and draw(st.booleans()):
        sizes = [draw(st.integers(1, 2)) for _ in "ab"]
        a = tuple(edges.pop() for _ in range(sizes[0]))
        b = tuple(edges.pop() for _ in range(sizes[1]))
        seams.append(Seam(a, b, draw(st.one_of(st.none(), st.floats(0.5, 3))), draw(maybe)))
    holds = tuple(
        Hold(
            draw(st.sampled_from(edges)), draw(st.sampled_from(["pin", "elastic"])), draw(st.floats(0.5, 1.5))
        )
        for _ in range(draw(st.integers(0, 2)))
        if edges
    )
    return Pattern(
        draw(maybe),
        pieces,
        tuple(seams),
        holds,
        draw(st.integers(-3, 5)),
        draw(st.sampled_from(["floor", "waist", "body", "unknown"])),
        tuple(draw(st.lists(names, max_size=2))),
    )
