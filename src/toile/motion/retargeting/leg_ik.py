"""Inverse kinematics of a leg of two bones: the knee angle, then the leg swung to its place."""

from __future__ import annotations

import numpy as np

from toile.core.records import Floats
from toile.geometry.rotation import from_axis_angle, multiply, rotate, shortest_rotation, unit

STRAIGHT = 0.9985
"""longest distance from hip to ankle as a share of thigh + shin: a knee bent by about 6°"""
SOFT = 0.992
"""beyond this share the leg gives way softly, so that knees do not snap straight (about 14°)"""
COMFORT = 0.9965
"""share up to which hips are lowered for a standing foot; the soft knee then misses it by a millimetre"""


def solve_leg(
    hip: Floats,
    thigh: Floats,
    shin: Floats,
    target: Floats,
    hinge: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Return turns of thigh and shin (f, 4) that bring the ankle to target, and what was out of reach [m].

    hip (f, 3); thigh, shin: present bone vectors (f, 3); hinge: unit axis (f, 3) about which a positive turn
    bends the knee. The law of cosines gives the knee; the shortest turn brings the ankle to its place.
    """
    upper, lower = np.linalg.norm(thigh, axis=-1), np.linalg.norm(shin, axis=-1)
    wanted = target - hip
    far = np.linalg.norm(wanted, axis=-1)
    distance = np.maximum(soft_length(far, upper + lower), np.abs(upper - lower) + 0.02 * lower)
    cosine = (upper**2 + lower**2 - distance**2) / (2 * upper * lower)
    bend = np.pi - np.arccos(np.clip(cosine, -1.0, 1.0))
    # bend the knee in its own plane
    along = unit(thigh)
    hinge = unit(hinge - along * np.sum(hinge * along, axis=-1, keepdims=True))
    new_shin = rotate(from_axis_angle(hinge, bend), along * lower[:, None])
    fold = shortest_rotation(shin, new_shin)
    swing = shortest_rotation(thigh + new_shin, wanted)
    return swing, multiply(swing, fold), np.maximum(far - STRAIGHT * (upper + lower), 0.0)


def soft_length(distance: Floats, length: Floats) -> Floats:
    """Return what a leg of this length makes of a wanted distance [m]: exact when short, never straight."""
    start, slack = SOFT * length, (STRAIGHT - SOFT) * length
    beyond = np.maximum(distance - start, 0.0)
    return np.asarray(np.minimum(distance, start) + slack * (1.0 - np.exp(-beyond / slack)))


def knee_bend(thigh: Floats, shin: Floats, hinge: Floats) -> Floats:
    """Return the knee's flexion [rad], negative where it bends the wrong way."""
    a, b = unit(thigh), unit(shin)
    sine = np.sum(np.cross(a, b) * hinge, axis=-1)
    angle: Floats = np.arctan2(sine, np.sum(a * b, axis=-1))
    return angle
