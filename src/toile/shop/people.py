"""The standard bodies by name: nothing here needs the engine."""

from __future__ import annotations

PEOPLE: dict[str, tuple[str, dict[str, float]]] = {
    "woman": ("female", {}),
    "man": ("male", {}),
    "woman-petite": ("female", {"height": 1.58, "bust": 0.84, "waist": 0.66, "hips": 0.92}),
    "woman-curvy": ("female", {"height": 1.66, "bust": 1.10, "waist": 0.94, "hips": 1.17}),
    "man-broad": ("male", {"height": 1.84, "bust": 1.14, "waist": 1.02, "hips": 1.10}),
}
"""standard bodies → sex, measures [m]; the first of each sex are the engine's named ones"""
NAMES = {
    "woman": "Anna", "man": "Ben", "woman-petite": "Mia", "woman-curvy": "Clara", "man-broad": "Paul",
}  # fmt: skip
