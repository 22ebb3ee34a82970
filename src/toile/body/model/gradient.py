"""How measures change when dials turn: slopes that make re-measuring converge in two or three steps.

Backwards, from the measures: forces on the posed skin (quick.Reading) are turned back into the template's own
pose, what hangs on a joint pulls at that joint and its parents, and each target tells how far it gives way.
The turning of the bones themselves is left out: it is small, and the next step measures what it did.
"""

from __future__ import annotations

import numpy as np

from toile import _kernels
from toile.body.model.data import UNIT, Rig
from toile.body.model.fast_measures import Reading, ShapedSkin
from toile.body.model.population import DIALS, NEUTRAL, evenness, shape_of
from toile.body.model.shape import coefficients, slider_rows
from toile.core.records import Floats, Ints

NUDGE = 1e-4
MIDDLES = np.array([NEUTRAL.get(name, 0.0) for name in DIALS])
"""where a dial passes from its lower to its upper targets"""


def measure_jacobian(seen: ShapedSkin, read: list[Reading], coefficient_slope: Floats) -> Floats:
    """Return the change of readings of a look with dials that turn the target coefficients so, (m, d)."""
    active = np.flatnonzero(np.abs(coefficient_slope).max(axis=0) > 1e-9).astype(np.int32)
    slopes: Floats = _target_slopes(seen, read, active) @ coefficient_slope[:, active].T
    return slopes


def coefficient_slopes(sex: str, age: float, dials: Floats, beyond: bool = False) -> Floats:
    """Return the change of the target coefficients with the dials, (d, k); beyond: past their middles."""
    share = coefficients(shape_of(sex, age, dials))
    found = np.zeros((len(dials), len(share)))
    even, targets = evenness(), slider_rows()
    upward = (dials >= MIDDLES) != beyond
    for i, (up, sliders) in enumerate(zip(upward, DIALS.values(), strict=True)):
        if not sliders:
            first = dials.copy()
            first[i] = MIDDLES[i] if beyond else dials[i]
            last = first.copy()
            # away from the middle: never across it
            last[i] += NUDGE if up else -NUDGE
            start, end = (
                share if d[i] == dials[i] else coefficients(shape_of(sex, age, d)) for d in (first, last)
            )
            found[i] = (end - start) / (last[i] - first[i])
        for slider in sliders:
            more, less = targets[slider]
            found[i, more if up else less] = even[slider] if up else -1.0
    return found


def _target_slopes(seen: ShapedSkin, read: list[Reading], active: Ints) -> Floats:
    """Return the change of readings with the active targets, (m, a)."""
    template, flesh = seen.subset.template, seen.subset.flesh
    rows = np.concatenate([r.rows for r in read])
    start = np.concatenate([[0], np.cumsum([len(r.rows) for r in read])]).astype(np.int32)
    rotation = np.ascontiguousarray(seen.stance.turned[:, :3, :3])
    force, carried = _kernels.rest_forces(
        rows,
        np.concatenate([r.slopes for r in read]),
        start,
        flesh.weight_joint,
        flesh.weight,
        rotation.reshape(-1, 9),
    )
    skin: Floats = _kernels.target_work(template.target_skin, active, rows, force, start) * UNIT
    heads = _head_forces(flesh.rig, rotation, carried, read)
    points = template.target_points[active].reshape(len(active), len(template.points), 3)
    moves = points[:, flesh.rig.heads].reshape(len(active), 3 * len(rotation))
    return skin + heads.reshape(len(read), -1) @ moves.T


def _head_forces(rig: Rig, rotation: Floats, carried: Floats, read: list[Reading]) -> Floats:
    """Return forces on the bones' heads in the template's own pose, (m, j, 3).

    A skin point is R_j (x − head_j) + place_j, where place_j = place_p + R_p (head_j − head_p), p the parent.
    """
    heads: Floats = -np.einsum("jrc,mjr->mjc", rotation, carried)
    places = carried.copy()
    for i, reading in enumerate(read):
        for bone, slope in reading.joints.items():
            places[i, rig.names.index(bone)] += slope
    for j in range(len(rig.parents) - 1, -1, -1):
        parent = int(rig.parents[j])
        step = places[:, j] @ rotation[parent if parent >= 0 else j]
        heads[:, j] += step
        if parent >= 0:
            heads[:, parent] -= step
            places[:, parent] += places[:, j]
    return heads
