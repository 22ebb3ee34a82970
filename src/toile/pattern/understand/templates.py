"""Kinds of pieces and how their outlines go round, hem down, counter-clockwise as seen from outside.

Ranges are those of clothes for people from a child of 1.1 m to very large sizes.
"""

from __future__ import annotations

from toile.pattern.understand.outline import Role

HEM = Role("hem", -90, 25, (-0.06, 0.10), (0.08, 1.6), (0.0, 0.35))
SIDE = Role("side", 0, 30, (-0.06, 0.06), (0.06, 1.2), (0.0, 0.8), 1)
ARMHOLE = Role("armhole", 25, 40, (-0.25, -0.015), (0.10, 0.48), (0.3, 1.0), 1)
SHOULDER = Role("shoulder", 72, 25, (-0.04, 0.04), (0.012, 0.24), (0.75, 1.0), 1)
NECK = Role("neck", 90, 15, (-0.35, -0.005), (0.10, 0.9), (0.4, 1.0))
HALF_NECK = Role("neck", 130, 35, (-0.25, -0.003), (0.05, 0.5), (0.4, 1.0))
CENTRE = Role("centre", 180, 12, (-0.02, 0.02), (0.12, 1.3), (0.2, 0.75), -1)
TOP = Role("top", 90, 12, (-0.10, 0.06), (0.12, 0.9), (0.85, 1.0))
BODICE_HEM = Role("hem", -90, 20, (-0.06, 0.10), (0.20, 1.3), (0.0, 0.3))

UNDER = Role("under", 0, 35, (-0.08, 0.06), (0.02, 0.8), (0.0, 0.8), 1)
CAP = Role("cap", 90, 18, (0.02, 0.30), (0.22, 0.85), (0.35, 1.0))
WRIST = Role("hem", -90, 25, (-0.06, 0.08), (0.12, 0.7), (0.0, 0.3))
RAGLAN = Role("raglan", 40, 30, (-0.15, 0.05), (0.14, 0.5), (0.4, 1.0), 1)
RAGLAN_NECK = Role("neck", 90, 25, (-0.2, 0.05), (0.03, 0.22), (0.8, 1.0))

OUT = Role("out", 0, 18, (-0.06, 0.08), (0.18, 1.3), (0.1, 0.8), 1)
WAIST = Role("waist", 90, 22, (-0.08, 0.08), (0.10, 0.6), (0.8, 1.0))
CROTCH = Role("crotch", 180, 32, (-0.28, -0.015), (0.14, 0.65), (0.3, 1.0), -1)
IN = Role("in", 188, 25, (-0.10, 0.05), (0.03, 1.0), (0.0, 0.75), -1)
LEG_HEM = Role("hem", -90, 20, (-0.06, 0.06), (0.12, 0.8), (0.0, 0.3))

SKIRT_SIDE = Role("side", 0, 35, (-0.06, 0.12), (0.15, 1.4), (0.2, 0.8), 1)
SKIRT_WAIST = Role("waist", 90, 18, (-0.30, 0.08), (0.08, 1.2), (0.6, 1.0))
SKIRT_HEM = Role("hem", -90, 20, (-0.04, 0.30), (0.15, 4.0), (0.0, 0.4))

ROUND_SIDE = Role("side", 65, 40, (-0.04, 0.04), (0.15, 1.4), (0.2, 1.0), 1)
ROUND_WAIST = Role("waist", 90, 15, (-0.45, -0.06), (0.12, 1.2), (0.5, 1.0))
ROUND_HEM = Role("hem", -90, 15, (0.06, 0.45), (0.5, 6.0), (0.0, 0.7))

YOKE_BOTTOM = Role("bottom", -90, 18, (-0.08, 0.08), (0.20, 0.75), (0.0, 0.45))
YOKE_ARM = Role("armhole", 5, 30, (-0.15, 0.05), (0.02, 0.24), (0.1, 0.8), 1)

LEG_OPENING = Role("leg", -40, 35, (-0.25, 0.03), (0.12, 0.55), (0.0, 0.9), 1)
BRIEF_CROTCH = Role("crotch", -90, 15, (-0.05, 0.05), (0.03, 0.18), (0.0, 0.2))
BRIEF_SIDE = Role("side", 5, 35, (-0.06, 0.06), (0.01, 0.25), (0.4, 1.0), 1)
BRIEF_WAIST = Role("waist", 90, 15, (-0.10, 0.06), (0.2, 0.7), (0.7, 1.0))

ARM_END = Role("wrist", 0, 40, (-0.05, 0.05), (0.06, 0.4), (0.2, 1.0), 1)
OVER = Role("shoulder", 80, 25, (-0.06, 0.06), (0.18, 1.0), (0.6, 1.0), 1)
UNDER_SIDE = Role("side", -25, 35, (-0.25, 0.0), (0.25, 1.4), (0.0, 0.8), 1)

HOOD_NECK = Role("neck", -90, 30, (-0.1, 0.1), (0.10, 0.45), (0.0, 0.35))
HOOD_FACE = Role("face", 0, 25, (-0.06, 0.10), (0.20, 0.55), (0.2, 0.8), 1)
HOOD_CROWN = Role("crown", 140, 35, (0.02, 0.35), (0.30, 0.95), (0.3, 1.0), -1)

STRIP_LOWER = Role("lower", -90, 30, (-0.16, 0.16), (0.10, 1.8), (0.0, 0.5))
STRIP_UPPER = Role("upper", 90, 30, (-0.16, 0.16), (0.10, 1.8), (0.5, 1.0))
STRIP_END = Role("end", 0, 55, (-0.12, 0.12), (0.012, 0.2), (0.1, 0.9), 1)


def _both(*right: Role) -> tuple[Role, ...]:
    """Return the roles of a whole piece: from the hem up on the right, the mirror image down on the left.

    The first and, if it lies in the middle, the last role are not mirrored.
    """
    inner = right[1:-1] if right[-1].side == 0 else right[1:]
    return (*right, *(role.mirrored() for role in reversed(inner)))


def _turned(roles: tuple[Role, ...]) -> tuple[Role, ...]:
    """Return the roles of the mirrored twin: the outline goes the other way round."""
    first, *rest = roles
    return (first.mirrored() if first.side else first, *(role.mirrored() for role in reversed(rest)))


_HALF = (HEM, SIDE, ARMHOLE, SHOULDER, HALF_NECK, CENTRE)
_HALF_TOP = (HEM, SIDE, ARMHOLE, TOP, CENTRE)
_LEG = (LEG_HEM, OUT, WAIST, CROTCH, IN)
_HOOD = (HOOD_NECK, HOOD_FACE, HOOD_CROWN)

TEMPLATES: dict[str, tuple[Role, ...]] = {
    "bodice": _both(BODICE_HEM, SIDE, ARMHOLE, SHOULDER, NECK),
    "bodice half": _HALF,
    "bodice half turned": _turned(_HALF),
    "bodice below yoke": _both(BODICE_HEM, SIDE, ARMHOLE, TOP),
    "bodice half below yoke": _HALF_TOP,
    "bodice half below yoke turned": _turned(_HALF_TOP),
    "bodice raglan": _both(BODICE_HEM, SIDE, RAGLAN, NECK),
    "bodice kimono": _both(BODICE_HEM, UNDER_SIDE, ARM_END, OVER, NECK),
    "poncho": _both(BODICE_HEM, OVER, NECK),
    "yoke": _both(YOKE_BOTTOM, YOKE_ARM, SHOULDER, NECK),
    "sleeve": _both(WRIST, UNDER, CAP),
    "sleeve raglan": _both(WRIST, UNDER, RAGLAN, RAGLAN_NECK),
    "leg": _LEG,
    "leg turned": _turned(_LEG),
    "leg whole": _both(LEG_HEM, IN.mirrored(), CROTCH.mirrored(), WAIST),
    "skirt": _both(SKIRT_HEM, SKIRT_SIDE, SKIRT_WAIST),
    "skirt round": _both(ROUND_HEM, ROUND_SIDE, ROUND_WAIST),
    "brief": _both(BRIEF_CROTCH, LEG_OPENING, BRIEF_SIDE, BRIEF_WAIST),
    "hood": _HOOD,
    "hood turned": _turned(_HOOD),
    "strip": _both(STRIP_LOWER, STRIP_END, STRIP_UPPER),
}
"""kind of piece → its roles"""

KINDS: dict[str, tuple[str, ...]] = {
    "front": (
        "bodice", "bodice half", "bodice half turned", "bodice below yoke", "bodice half below yoke",
        "bodice half below yoke turned", "bodice raglan", "bodice kimono", "poncho", "skirt",
        "skirt round", "brief", "leg", "leg turned", "leg whole",
    ),
    "yoke": ("yoke", "strip"),
    "sleeve": ("sleeve", "sleeve raglan"),
    "leg": ("leg", "leg turned", "leg whole"),
    "skirt": ("skirt", "skirt round"),
    "hood": ("hood", "hood turned"),
}  # fmt: skip
"""part → kinds that pieces of it are of; parts that are not here are strips"""
KINDS["back"] = KINDS["front"]
STRIPS = ("collar", "stand", "cuff", "waistband", "neckband", "band")
for _part in STRIPS:
    KINDS[_part] = ("strip",)
