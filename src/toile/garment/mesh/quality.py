"""How good the triangles of a pattern are, in figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.core.records import Floats, PanelMesh, Pattern
from toile.garment.mesh.fill import GOOD_ANGLE
from toile.garment.mesh.triangulate import mesh_pattern, mesh_warnings, smallest_angles


@dataclass(frozen=True, slots=True)
class MeshQuality:
    """Figures of one mesh or of all meshes of a pattern."""

    vertex_count: int
    triangle_count: int
    edge_short: float
    """1st percentile of the edges' lengths [m]"""
    edge_mean: float
    """[m]"""
    edge_long: float
    """99th percentile [m]"""
    angle_least: float
    """sharpest angle of all [rad]"""
    angle_mean: float
    """mean over the triangles of the smallest angle of each [rad]"""
    sliver_count: int
    """triangles with an angle under 20°"""
    warnings: tuple[str, ...] = ()
    """one line per place where the outline allows no good triangle"""

    def __str__(self) -> str:
        """Return the figures in one line."""
        edges = " / ".join(f"{100 * v:.2f}" for v in (self.edge_short, self.edge_mean, self.edge_long))
        return (
            f"{self.vertex_count} vertices, {self.triangle_count} triangles, "
            f"edges {edges} cm (1 % / mean / 99 %), "
            f"smallest angle {np.degrees(self.angle_least):.0f}°, mean {np.degrees(self.angle_mean):.0f}°, "
            f"{self.sliver_count} under {np.degrees(GOOD_ANGLE):.0f}°"
        )


def mesh_quality(pattern: Pattern, edge_length: float) -> MeshQuality:
    """Return the quality of all panels of a pattern, meshed for a target edge length [m]."""
    meshes = mesh_pattern(pattern, edge_length)
    angles = np.concatenate([smallest_angles(m.uv, m.triangles) for m in meshes.values()])
    lengths = np.concatenate([_edge_lengths(m) for m in meshes.values()])
    short, long = np.percentile(lengths, [1.0, 99.0])
    return MeshQuality(
        vertex_count=sum(len(m.uv) for m in meshes.values()),
        triangle_count=len(angles),
        edge_short=float(short),
        edge_mean=float(lengths.mean()),
        edge_long=float(long),
        angle_least=float(angles.min()),
        angle_mean=float(angles.mean()),
        sliver_count=int((angles < GOOD_ANGLE).sum()),
        warnings=tuple(mesh_warnings(meshes)),
    )


def _edge_lengths(mesh: PanelMesh) -> Floats:
    sides = np.sort(mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    pairs = np.unique(sides, axis=0)
    return np.asarray(np.linalg.norm(mesh.uv[pairs[:, 1]] - mesh.uv[pairs[:, 0]], axis=1))
