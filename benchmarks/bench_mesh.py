"""Milliseconds of meshing, building, welding, topology: python benchmarks/bench_mesh.py [PATTERN …]."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from toile.core.records import Edge, Panel, Pattern
from toile.garment.build import build, weld
from toile.garment.mesh.triangulate import mesh_pattern, smallest_angles
from toile.garment.shapes import square_cloth
from toile.geometry import topology as top
from toile.pattern.library import read_pattern


def best_of(action: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """Return the shortest time [ms] and the result."""
    times, result = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        result = action()
        times.append(1000.0 * (time.perf_counter() - start))
    return min(times), result


def blouse_front() -> Pattern:
    """A panel with a neckline, an armhole and a dart, about 45 × 60 cm."""
    corners = np.array([[0, 0], [0.22, 0], [0.24, 0.002], [0.23, 0.15], [0.26, 0], [0.45, 0], [0.45, 0.35],
                        [0.38, 0.56], [0.2, 0.6], [0, 0.5]])  # fmt: skip
    edges = [Edge(i, (i + 1) % len(corners)) for i in range(len(corners))]
    edges[6] = Edge(6, 7, "quadratic", np.array([[0.36, 0.4]]))
    edges[8] = Edge(8, 9, "quadratic", np.array([[0.16, 0.48]]))
    return Pattern("blouse front", (Panel("front", corners, tuple(edges)),))


def report(pattern: Pattern, edge_length: float) -> None:
    mesh_ms, meshes = best_of(lambda: mesh_pattern(pattern, edge_length))
    build_ms, garment = best_of(lambda: build(pattern, "cotton", edge_length))
    weld_ms, _ = best_of(lambda: weld(garment))
    angles = np.degrees(np.concatenate([smallest_angles(m.uv, m.triangles) for m in meshes.values()]))
    size = f"{1000 * edge_length:5.1f} mm {len(meshes):2d} panels {garment.particle_count:7d} vertices"
    a_panel = mesh_ms / len(meshes)
    spent = f"mesh {mesh_ms:7.1f} ({a_panel:5.1f} a panel) build {build_ms:7.1f} weld {weld_ms:5.1f} ms"
    print(f"{pattern.name:24s} {size} | {spent} | angle ≥ {angles.min():4.1f}°, mean {angles.mean():4.1f}°")


def report_topology(size: int) -> None:
    cloth = square_cloth(size, size)
    edges, _ = top.unique_edges(cloth.triangles)
    hinges, _ = top.hinges(cloth.triangles)
    actions = {
        "edges": lambda: top.unique_edges(cloth.triangles),
        "hinges": lambda: top.hinges(cloth.triangles),
        "rings": lambda: top.vertex_rings(cloth.triangles, cloth.particle_count),
        "components": lambda: top.components(cloth.triangles, cloth.particle_count),
        "morton": lambda: top.morton_order(cloth.uv),
        "colour edges": lambda: top.colour_constraints(edges, cloth.particle_count),
        "colour hinges": lambda: top.colour_constraints(hinges, cloth.particle_count),
    }
    times = ", ".join(f"{name} {best_of(action)[0]:.1f}" for name, action in actions.items())
    print(f"topology of {cloth.particle_count} vertices [ms]: {times}")


def main() -> None:
    patterns = [blouse_front()] + [read_pattern(path) for path in sys.argv[1:]]
    for pattern in patterns:
        for edge_length in (0.02, 0.01, 0.005):
            report(pattern, edge_length)
    report_topology(172)


if __name__ == "__main__":
    main()
