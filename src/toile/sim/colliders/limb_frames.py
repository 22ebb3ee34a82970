"""How each limb of a posed body lies and moves, as if it were rigid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from toile.core.records import LIMBS, Body, Floats, Ints, PosedBody


@dataclass(frozen=True, eq=False, slots=True)
class LimbMotion:
    """One instant of the limbs, in the order of types.LIMBS."""

    posed_from_rest: Floats
    """rigid, (16, 4, 4)"""
    centre: Floats
    """mean of each limb's skin [m], (16, 3)"""
    velocity: Floats
    """of that centre [m/s], (16, 3)"""
    spin: Floats
    """angular velocity [rad/s], (16, 3)"""

    def velocity_at(self, limb: int, points: Floats) -> Floats:
        """Return the limb's velocity at points [m], (k, 3)."""
        return np.asarray(self.velocity[limb] + np.cross(self.spin[limb], points - self.centre[limb]))


class LimbTracker:
    """Finds the limbs' motion from the skin itself, so that it agrees with the skin between key poses."""

    def __init__(self, body: Body) -> None:
        """Sort the vertices by limb; limbs without skin stay still."""
        own = [np.flatnonzero(body.limb == k).astype(np.int32) for k in range(len(LIMBS))]
        self._limbs: Ints = np.array([k for k, chosen in enumerate(own) if len(chosen) >= 3], dtype=np.int32)
        kept = [own[k] for k in self._limbs]
        self._vertices: Ints = np.concatenate([np.zeros(0, np.int32), *kept])
        ends = np.cumsum([0, *(len(chosen) for chosen in kept)])
        self._ranges = [slice(a, b) for a, b in pairwise(ends.tolist())]
        self._count = np.diff(ends).astype(np.float64)[:, None]
        self._middle = np.array([body.vertices[chosen].mean(axis=0) for chosen in kept])
        # per vertex what its moments are taken with: 1, rest place, then place and velocity in the pose
        self._columns = np.ones((len(self._vertices), 10))
        for part, chosen, middle in zip(self._ranges, kept, self._middle, strict=True):
            self._columns[part, 1:4] = body.vertices[chosen] - middle

    def at(self, posed: PosedBody) -> LimbMotion:
        """Return the least-squares rigid motion of each limb (Kabsch 1976)."""
        frames = np.tile(np.eye(4), (len(LIMBS), 1, 1))
        centre, velocity, spin = (np.zeros((len(LIMBS), 3)) for _ in range(3))
        if len(self._limbs):
            columns = self._columns.copy()
            columns[:, 4:7] = posed.vertices[self._vertices]
            columns[:, 7:] = posed.velocity[self._vertices]
            # Σ x, Σ x rᵀ, Σ x xᵀ, Σ x vᵀ of every limb in one product each
            moments = np.array([columns[part, 4:7].T @ columns[part] for part in self._ranges])
            at = moments[:, :, 0] / self._count
            mean = np.array([columns[part, 7:].sum(axis=0) for part in self._ranges]) / self._count
            frames[self._limbs] = _rigid(moments[:, :, 1:4], at, self._middle)
            centre[self._limbs], velocity[self._limbs] = at, mean
            about = self._count[:, :, None] * at[:, :, None]
            spin[self._limbs] = _spin(
                moments[:, :, 4:7] - about * at[:, None], moments[:, :, 7:] - about * mean[:, None]
            )
        return LimbMotion(frames, centre, velocity, spin)


def _rigid(moment: Floats, at: Floats, middle: Floats) -> Floats:
    """Return the rigid transforms that bring rest nearest to now, (l, 4, 4); moment is Σ now restᵀ."""
    u, _, vt = np.linalg.svd(moment)
    u[:, :, 2] *= np.linalg.det(u @ vt)[:, None]
    frames = np.tile(np.eye(4), (len(at), 1, 1))
    frames[:, :3, :3] = u @ vt
    frames[:, :3, 3] = at - np.einsum("lij,lj->li", frames[:, :3, :3], middle)
    return frames


def _spin(places: Floats, speeds: Floats) -> Floats:
    """Return the angular velocities that fit best: (Σ |r|² 1 − r rᵀ) ω = Σ r × v, (l, 3).

    places is Σ r rᵀ, speeds Σ r vᵀ about the middle; r × v is what the latter lacks of symmetry.
    """
    inertia = np.trace(places, axis1=1, axis2=2)[:, None, None] * np.eye(3) - places
    odd = speeds - speeds.transpose(0, 2, 1)
    turning = np.stack([odd[:, 1, 2], odd[:, 2, 0], odd[:, 0, 1]], axis=1)
    return np.asarray(np.einsum("lij,lj->li", np.linalg.pinv(inertia, hermitian=True), turning))
