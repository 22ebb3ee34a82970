"""How each limb of a posed body lies and moves, as if it were rigid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.types import LIMBS, Body, Floats, Ints, PosedBody


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
        """Sort the vertices by limb."""
        self._vertices: list[Ints] = [
            np.flatnonzero(body.limb == k).astype(np.int32) for k in range(len(LIMBS))
        ]
        self._rest = [body.vertices[chosen] for chosen in self._vertices]

    def at(self, posed: PosedBody) -> LimbMotion:
        """Return the least-squares rigid motion of each limb (Kabsch 1976); limbs without skin stay still."""
        frames = np.tile(np.eye(4), (len(LIMBS), 1, 1))
        centre, velocity, spin = (np.zeros((len(LIMBS), 3)) for _ in range(3))
        for limb, (chosen, rest) in enumerate(zip(self._vertices, self._rest, strict=True)):
            if len(chosen) < 3:
                continue
            now, speed = posed.vertices[chosen], posed.velocity[chosen]
            centre[limb], velocity[limb] = now.mean(axis=0), speed.mean(axis=0)
            frames[limb] = _rigid(rest, now)
            spin[limb] = _spin(now - centre[limb], speed)
        return LimbMotion(frames, centre, velocity, spin)


def _rigid(rest: Floats, now: Floats) -> Floats:
    """Return the rigid transform that brings rest nearest to now, (4, 4)."""
    middle, new_middle = rest.mean(axis=0), now.mean(axis=0)
    u, _, vt = np.linalg.svd((now - new_middle).T @ (rest - middle))
    turn = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = turn, new_middle - turn @ middle
    return frame


def _spin(arm: Floats, speed: Floats) -> Floats:
    """Return the angular velocity that fits best: (Σ |r|² 1 − r rᵀ) ω = Σ r × v, (3,)."""
    inertia = (arm**2).sum() * np.eye(3) - arm.T @ arm
    return np.asarray(np.linalg.lstsq(inertia, np.cross(arm, speed).sum(axis=0), rcond=None)[0])
