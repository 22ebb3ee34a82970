"""What follows from a garment for its particles: mass, seams, rest areas. Nothing here cuts or meshes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Garment, Ints
from toile.geometry.topology import linked
from toile.geometry.triangles import lumped_masses, triangle_areas


def mean_of_each(label: Ints, points: Floats, count: int) -> Floats:
    """Return the mean of the points (m, 3) that share a number (m,), for each number below count."""
    joined = np.bincount(label, minlength=count)
    total = [np.bincount(label, points[:, k], count) for k in range(3)]
    return np.asarray(np.stack(total, axis=1) / np.maximum(joined, 1)[:, None])


def sewn_labels(garment: Garment) -> Ints:
    """Return a number per particle that particles joined by a seam share, (n,)."""
    return linked(garment.particle_count, garment.uv_particle[garment.seam_uv])


def points_apart(garment: Garment) -> Garment:
    """Return a garment whose particles are its uv points: the same before and after seams are welded."""
    points = np.arange(len(garment.uv), dtype=np.int32)
    return replace(
        garment,
        triangles=garment.triangles_uv,
        uv_particle=points,
        hold_particle=np.zeros(0, dtype=np.int32),
        particle_garment=garment.particle_garment[garment.uv_particle],
    )


def triangle_rest_areas(garment: Garment) -> Floats:
    """Return the area of each triangle in its flat panel [m²], (t,)."""
    return triangle_areas(garment.uv, garment.triangles_uv)


def particle_mass(garment: Garment) -> Floats:
    """Return the mass of each particle [kg], a third of each triangle round it, (n,); none is without."""
    areal = np.array([f.mass for f in garment.fabrics])[garment.triangle_fabric]
    mass = lumped_masses(triangle_rest_areas(garment), areal, garment.triangles, garment.particle_count)
    if not (mass > 0).all():
        lost = int(np.flatnonzero(~(mass > 0))[0])
        raise ToileError(f"garment {garment.name}: particle {lost} belongs to no triangle with an area")
    return mass
