"""How much of what they ask for long threads and coarse limits do (engine/cloth/compliance.h), in NumPy."""

from __future__ import annotations

import numpy as np

from toile.core.records import Floats, Ints

ALONG = 0.02
"""slant² up to which a limit holds threads"""
SWEEP_STIFFNESS = 1.5
"""how much stiffer constraints are one after the other than all at once"""


def slant_of(way: Floats) -> Floats:
    """Return sin 2θ of ways on the flat cloth, (n, 2)."""
    return np.asarray(2 * way[:, 0] * way[:, 1] / (way**2).sum(axis=1))


def borne(rest: Floats, slant: Floats, inverse_mass: Floats, sweeps: Floats, area: float) -> Floats:
    """Return what limits bear along threads and along the bias, times the square of a substep [kg]."""
    each = sweeps * rest**2 / (np.where(inverse_mass > 0, inverse_mass, np.inf) * area)
    along = slant**2 < ALONG
    return np.array([each[along].sum() / 2, each[~along].sum() / 8])


def shared_out(fabric: Floats, sweep: Floats, levels: list[Floats], dt2: float) -> Floats:
    """Return which share of their work levels do so that all bear what the fabric does, (level, 2)."""
    dt2 = dt2 / SWEEP_STIFFNESS
    left = fabric**2 / (fabric + sweep / dt2)
    shares = []
    for level in levels:
        bears = np.minimum(left, level / dt2)
        left = left - bears
        shares.append(np.divide(bears * dt2, level, out=np.zeros(2), where=level > 0))
    return np.array(shares)


def parts_of(slant: Floats, share: Floats) -> Floats:
    """Return how much limits of a level do by their slant, (limit,)."""
    if not share.all():
        return np.where(slant**2 < ALONG, share[0], share[1])
    return np.minimum(1.0, 1 / ((1 - slant**2) / share[0] + slant**2 / share[1]))


def sweeps_of(pair: Ints, columns: int) -> Floats:
    """Return how often limits of a rectangle's finest level are swept.

    Those to the next two in a row, to the next below and to the one right of that twice.
    """
    row, column = np.divmod(pair, columns)
    down, along = row[:, 1] - row[:, 0], column[:, 1] - column[:, 0]
    twice = ((down == 0) & (along <= 2)) | ((down == 1) & ((along == 0) | (along == 1)))
    return np.where(twice, 2.0, 1.0)
