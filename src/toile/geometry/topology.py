"""How a triangle mesh hangs together: edges, hinges, rings, components, borders, orders and colours.

All results are in a fixed order that depends only on the input, never on hashing or threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from toile import _kernels
from toile.core.records import Floats, Ints


@dataclass(frozen=True, eq=False, slots=True)
class Rings:
    """Lists of different lengths in one array: list i is items[offsets[i] : offsets[i + 1]]."""

    offsets: Ints
    """(n + 1,)"""
    items: Ints
    """(m,)"""

    def __getitem__(self, index: int) -> Ints:
        """Return one list."""
        return self.items[self.offsets[index] : self.offsets[index + 1]]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def half_edges(triangles: Ints) -> Ints:
    """Return the three directed sides of each triangle, (3 t, 2): side k of triangle i is row 3 i + k."""
    return np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)


def unique_edges(triangles: Ints) -> tuple[Ints, Ints]:
    """Return the edges (e, 2), smaller vertex first and sorted, and the edge of each half edge (3 t,)."""
    sides = np.sort(half_edges(triangles), axis=1).astype(np.int64)
    span = int(sides.max(initial=0)) + 1
    keys, inverse = np.unique(sides[:, 0] * span + sides[:, 1], return_inverse=True)
    edges = np.stack([keys // span, keys % span], axis=1)
    return edges.astype(np.int32), inverse.astype(np.int32)


def edge_triangle_counts(triangles: Ints) -> Ints:
    """Return how many triangles share each of the `unique_edges`: 1 on a border, 2 inside, (e,)."""
    edges, inverse = unique_edges(triangles)
    return np.bincount(inverse, minlength=len(edges)).astype(np.int32)


def hinges(triangles: Ints) -> tuple[Ints, Ints]:
    """Return the hinges (h, 4) and their triangles (h, 2): pairs of triangles that share an edge.

    A hinge is (start, end, opposite in the first triangle, opposite in the second); start → end is how the
    edge runs in the first triangle. Where k triangles meet at one edge there are k − 1 hinges, between
    neighbours by index.
    """
    _, inverse = unique_edges(triangles)
    order = np.argsort(inverse, kind="stable")
    same = np.flatnonzero(inverse[order][1:] == inverse[order][:-1])
    first, second = order[same].astype(np.int64), order[same + 1].astype(np.int64)
    flat = triangles.ravel()

    def corner(side: NDArray[np.int64], step: int) -> Ints:
        return np.asarray(flat[side // 3 * 3 + (side % 3 + step) % 3], dtype=np.int32)

    found = np.stack([corner(first, 0), corner(first, 1), corner(first, 2), corner(second, 2)], axis=1)
    return found.astype(np.int32), np.stack([first // 3, second // 3], axis=1).astype(np.int32)


def vertex_rings(triangles: Ints, vertex_count: int) -> Rings:
    """Return the neighbours of each vertex, ascending."""
    edges, _ = unique_edges(triangles)
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    return _rings(both[:, 0], both[:, 1], vertex_count)


def _rings(owner: Ints, items: Ints, count: int) -> Rings:
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))])
    return Rings(offsets.astype(np.int32), items.astype(np.int32))


def linked(count: int, pairs: Ints) -> Ints:
    """Return a number for each of `count` things; linked ones (k, 2) share one, numbered by their first."""
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    labels = connected_components(graph, directed=False)[1]
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int32)


def components(triangles: Ints, vertex_count: int) -> Ints:
    """Return the connected piece that each vertex belongs to, numbered by first vertex, (n,)."""
    return linked(vertex_count, half_edges(triangles))


def boundary_edges(triangles: Ints) -> Ints:
    """Return the directed sides that have a triangle on their left only, (b, 2)."""
    _, inverse = unique_edges(triangles)
    return np.asarray(half_edges(triangles)[np.bincount(inverse)[inverse] == 1])


def boundary_loops(triangles: Ints) -> list[Ints]:
    """Return the closed borders as lists of vertices, cloth on the left, each from its lowest vertex."""
    onward: dict[int, list[int]] = {}
    for start, end in sorted(map(tuple, boundary_edges(triangles).tolist()), reverse=True):
        onward.setdefault(start, []).append(end)
    loops = []
    for start in sorted(onward):
        while onward[start]:
            loop, here = [start], onward[start].pop()
            while here != start and onward.get(here):
                loop.append(here)
                here = onward[here].pop()
            loops.append(np.array(loop, dtype=np.int32))
    return loops


def euler_characteristic(triangles: Ints) -> int:
    """Return vertices − edges + triangles: 1 for a disc, 0 for a tube, counting used vertices only."""
    return len(np.unique(triangles)) - len(unique_edges(triangles)[0]) + len(triangles)


def packet_order(points: Floats, packet: int) -> Ints:
    """Return the permutation of points (n, 2 or 3) whose packets of so many lie close together.

    Heaps of points are halved where they are widest, to whole packets; what is not finite counts as 0.
    """
    # halved, so that the widest of all heaps is still a number
    finite = 0.5 * np.nan_to_num(points, nan=0.0, posinf=0.0, neginf=0.0)
    order = np.arange(len(points), dtype=np.int32)
    heaps = [slice(0, len(points))]
    while heaps:
        heap = heaps.pop()
        packets = -(-(heap.stop - heap.start) // packet)
        if packets > 1:
            own, half = finite[order[heap]], packets // 2 * packet
            wide = np.argmax(np.ptp(own, axis=0))
            order[heap] = order[heap][np.argpartition(own[:, wide], half)]
            heaps += [slice(heap.start, heap.start + half), slice(heap.start + half, heap.stop)]
    return order


def colour_constraints(constraints: Ints, vertex_count: int) -> Ints:
    """Return a colour per constraint (c, k), so that those of one colour share no vertex, (c,).

    First fit in the given order; -1 in a constraint means no vertex.
    """
    return np.asarray(
        _kernels.colour(np.ascontiguousarray(constraints, dtype=np.int32), vertex_count), dtype=np.int32
    )


def by_colour(colours: Ints) -> tuple[Ints, Ints]:
    """Return the permutation that sorts by colour, stable, and where each colour starts (colours + 1,)."""
    order = np.argsort(colours, kind="stable").astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(colours))]) if len(colours) else np.zeros(1)
    return order, offsets.astype(np.int32)
