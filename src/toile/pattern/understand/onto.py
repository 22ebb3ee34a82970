"""What goes onto the openings of a garment: neckbands, collars, hoods, waistbands, cuffs, hem bands."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from toile.pattern.model.split import PartRef
from toile.pattern.understand.outline import Stretch
from toile.pattern.understand.recognise import Known
from toile.pattern.understand.stitch import (
    RIB,
    Chain,
    End,
    Joined,
    Pieces,
    ease_of,
    half_side,
    in_cm,
    left_leg_first,
    sew,
    sure_of,
    within,
)

DOUBT = 0.7
"""confidence of what may as well be made otherwise: it is marked"""
FULL = 1.03
"""a sleeve that is longer than its cuff by more is gathered or pleated, which lengths do not tell"""
CORNERS = 0.01
"""long edges of a cuff that differ by more have cut corners [m]"""


def halved(garment: Pieces, chain: Chain) -> tuple[Chain, Chain]:
    """Return both halves of a chain; the edge in the middle is cut where no corner lies there."""
    half, at = garment.length(chain) / 2.0, 0.0
    for k, ref in enumerate(chain):
        length = garment.length((ref,))
        if abs(at - half) < 0.004:
            return chain[:k], chain[k:]
        if at + length > half + 0.004:
            place = (half - at) / length
            cut = 1.0 - place if ref.reversed else place
            low = PartRef(ref.panel, ref.edge, ref.reversed, 0.0, cut)
            high = PartRef(ref.panel, ref.edge, ref.reversed, cut, 1.0)
            first, second = (high, low) if ref.reversed else (low, high)
            return (*chain[:k], first), (second, *chain[k + 1 :])
        at += length
    return chain, ()


def opening(garment: Pieces, pieces: Sequence[Known], role: str, start: str) -> Chain:
    """Return the edges round an opening at the top (neck, waist), counter-clockwise.

    It runs from the wearer's left over the front to the right and back. ``start`` is where it begins: at the
    middle of the front or of the back.
    """
    halves: dict[str, tuple[Chain, Chain]] = {}
    for face, order in (("front", ("left", "right")), ("back", ("right", "left"))):
        ends = garment.ends(pieces, face, role)
        if len(ends) == 1:
            halves[face] = halved(garment, ends[0].chain) if face == start else (ends[0].chain, ())
        elif len(ends) == 2 and {half_side(e.known) for e in ends} == {"left", "right"}:
            by_side = {half_side(e.known): e.chain for e in ends}
            halves[face] = by_side[order[0]], by_side[order[1]]
        else:
            return ()
    other = "back" if start == "front" else "front"
    return (*halves[start][1], *halves[other][0], *halves[other][1], *halves[start][0])


def _top_of_strip(garment: Pieces, one: Known, wanted: float, prefer: str = "lower") -> Stretch | None:
    """Return the long edge of a strip that is nearer in length to what it goes on, else the preferred one."""
    lower, upper = one.stretch("lower"), one.stretch("upper")
    if lower is None or upper is None:
        return lower or upper
    if prefer == "upper":  # of a cuff the straight edge is sewn, the one with rounded corners is free
        wanted = float(np.ptp(one.panel.vertices[:, 0]))
    gaps = [abs(math.log(s.length / wanted)) for s in (lower, upper)]
    if abs(gaps[1] - gaps[0]) < 0.01:
        return upper if prefer == "upper" else lower
    return upper if gaps[1] < gaps[0] else lower


def onto_necks(garment: Pieces, found: Joined) -> None:
    """Sew neckband, stand, collar or hood onto the neckline."""
    pieces = [*[k for k in garment.upper if k.stretch("neck")], *garment.yokes]
    hoods = sorted(garment.of("hood"), key=lambda k: not k.kind.endswith("turned"))[:2]
    if len(hoods) == 2:
        _hood(garment, found, pieces, hoods)
        return
    for part in ("stand", "neckband", "collar", "band"):
        strips = [k for k in garment.of(part) if part != "band" or _is_neckband(garment, k, pieces)]
        if strips:
            _onto_neck(garment, found, pieces, strips[0])
            break
    stand, collar = garment.of("stand")[:1], garment.of("collar")[:1]
    if stand and collar:
        _collar_on_stand(garment, found, stand[0], collar[0])


def _is_neckband(garment: Pieces, one: Known, pieces: Sequence[Known]) -> bool:
    ring = garment.length(opening(garment, pieces, "neck", "back"))
    lower = one.stretch("lower")
    return bool(ring and lower and RIB[0] < lower.length / ring < RIB[1])


def _onto_neck(garment: Pieces, found: Joined, pieces: Sequence[Known], one: Known) -> None:
    closed = one.part in ("neckband", "band") or "band" in one.others
    ring = opening(garment, pieces, "neck", "back" if closed else "front")
    if not ring:
        found.notes.append(f"{one.panel.name}: the neckline that it goes on was not found")
        return
    b = garment.length(ring)
    strip = _top_of_strip(garment, one, b)
    if strip is None:
        return
    range_ = RIB if closed else (0.9, 1.08)
    sure = one.confidence * within(strip.length / b, *range_) * 0.95
    words = f"{one.part} onto neckline, {in_cm(strip.length, b)}"
    found.add(strip.refs, ring, sure, f"{one.part} neck", words, ease_of(strip.length, b))
    if closed:
        _closed(garment, found, one)


def _closed(garment: Pieces, found: Joined, one: Known, buttoned: bool = False) -> None:
    """Sew a strip end to end; where buttons may close it that is doubtful, as at a centre front."""
    right, left = one.stretch("end", 1), one.stretch("end", -1)
    if right and left:
        least = DOUBT if buttoned else 1.0
        sew(found, garment, End(one, right), End(one, left), f"{one.panel.name} closed", least)


def _collar_on_stand(garment: Pieces, found: Joined, stand: Known, collar: Known) -> None:
    taken = {ref for s in found.seams for ref in s.seam.a if ref.panel == stand.panel.name}
    free = [s for s in stand.stretches if s.role in ("lower", "upper") and not set(s.refs) & taken]
    if not free:
        return
    edge = _top_of_strip(garment, collar, free[0].length)
    if edge is not None:
        a, b = edge.length, free[0].length
        sure = sure_of(stand, collar) * within(a / b, 0.93, 1.03)
        found.add(
            edge.refs, free[0].refs, sure, "collar on stand", f"collar on stand, {in_cm(a, b)}", ease_of(a, b)
        )


def _hood(garment: Pieces, found: Joined, pieces: Sequence[Known], halves: Sequence[Known]) -> None:
    """Sew the halves of a hood together and onto the neckline, its face at the middle of the front."""
    crowns = [End(k, s) for k in halves if (s := k.stretch("crown"))]
    necks = [s for k in halves if (s := k.stretch("neck"))]
    if len(crowns) == 2:
        sew(found, garment, crowns[0], crowns[1], "hood crown")
    ring = opening(garment, pieces, "neck", "front")
    if len(necks) == 2 and ring:
        a, b = sum(s.length for s in necks), garment.length(ring)
        sure = sure_of(halves[0], halves[1]) * within(a / b, 0.92, 1.15)
        chain = (*necks[0].refs, *necks[1].refs)
        found.add(chain, ring, sure, "hood neck", f"hood onto neckline, {in_cm(a, b)}", ease_of(a, b))


def waist_of(garment: Pieces) -> Chain:
    """Return the waist of trousers or a skirt from the middle of the back on."""
    whole = [k for k in garment.legs if k.kind == "leg whole"]
    if len(whole) == 2:
        stretches = [k.stretch("waist") for k in left_leg_first(whole)]
        return tuple(ref for s in stretches if s for ref in s.refs)
    return opening(garment, _waisted(garment), "waist", "back")


def _waisted(garment: Pieces) -> list[Known]:
    return [k for k in garment.legs if k.face and k.kind != "leg whole"] or garment.lower


def _by_faces(garment: Pieces, bands: Sequence[Known], ring: Chain) -> tuple[list[Known], Chain]:
    """Return two bands behind and in front, with the waist from the left side on, if they are cut so.

    Else their joints are at the middle of the back and of the front.
    """
    pieces = _waisted(garment)
    chains = {face: _face_waist(garment, pieces, face) for face in ("front", "back")}
    lower = [k.stretch("lower") for k in bands]
    if len(bands) != 2 or not all(chains.values()) or None in lower:
        return list(bands), ring
    faces = [k.face or next((w for w in k.others if w in ("front", "back")), "") for k in bands]
    if set(faces) != {"front", "back"}:
        lengths = [s.length for s in lower if s]
        wanted = [garment.length(chains[face]) for face in ("front", "back")]
        uneven = abs(lengths[0] - lengths[1])
        straight, crossed = (
            sum(abs(a - b) for a, b in zip(lengths, order, strict=True)) for order in (wanted, wanted[::-1])
        )
        if min(straight, crossed) > uneven:
            return list(bands), ring
        faces = ["front", "back"] if straight <= crossed else ["back", "front"]
    front, back = bands[faces.index("front")], bands[faces.index("back")]
    return [back, front], (*chains["front"], *chains["back"])


def _face_waist(garment: Pieces, pieces: Sequence[Known], face: str) -> Chain:
    """Return the waist of one face, from right to left of its drawing."""
    order = ("left", "right") if face == "front" else ("right", "left")
    ends = garment.ends(pieces, face, "waist")
    if len(ends) == 2:
        ends = sorted(ends, key=lambda end: order.index(half_side(end.known) or order[0]))
    return tuple(ref for end in ends for ref in end.chain)


def onto_waists(garment: Pieces, found: Joined) -> None:
    """Sew the waistband, in one piece or several, onto the waist."""
    bands = garment.of("waistband") or ([] if garment.upper else garment.of("band"))
    ring = waist_of(garment)
    if not bands or not ring or (garment.upper and garment.lower):
        return
    bands, ring = _by_faces(garment, bands, ring)
    b = garment.length(ring)
    edges = [s for k in bands if (s := k.stretch("upper" if _narrows(k) else "lower"))]
    a = sum(s.length for s in edges)
    sure = min(k.confidence for k in bands) * within(a / b, 0.6, 1.03)
    chain = tuple(ref for s in edges for ref in s.refs)
    words = f"waistband onto waist, {in_cm(a, b)}"
    found.add(chain, ring, sure, "waistband", words, ease_of(a, b))
    for one, after in zip(bands, [*bands[1:], bands[0]], strict=True):
        right, left = one.stretch("end", 1), after.stretch("end", -1)
        if right and left:
            sew(found, garment, End(one, right), End(after, left), f"{one.panel.name} end", 0.95)


def _narrows(one: Known) -> bool:
    """Return whether a strip is drawn upside down: bands narrow upward."""
    lower, upper = one.stretch("lower"), one.stretch("upper")
    return bool(lower and upper and upper.length > lower.length + 0.01)


def onto_sleeves(garment: Pieces, found: Joined) -> None:
    """Sew each cuff onto the end of its sleeve and end to end."""
    sleeves = garment.sleeves[:2]
    for one, sleeve in zip(garment.of("cuff"), sleeves, strict=False):
        hem, strip = sleeve.stretch("hem"), None
        if hem:
            strip = _top_of_strip(garment, one, hem.length, "upper")
        if hem and strip:
            sure = sure_of(one, sleeve) * within(hem.length / strip.length, 0.97, 1.35)
            words = f"cuff onto sleeve, {in_cm(strip.length, hem.length)}"
            if hem.length > FULL * strip.length:
                sure, words = min(sure, DOUBT), f"{words}: gathered, or laid in pleats"
            ease = ease_of(strip.length, hem.length)
            found.add(strip.refs, hem.refs, sure, f"cuff {sleeve.panel.name}", words, ease)
            _closed(garment, found, one, _buttoned(one))


def _buttoned(one: Known) -> bool:
    """Say whether a cuff has cut corners: it is closed by buttons, where a knitted one is sewn shut."""
    lower, upper = one.stretch("lower"), one.stretch("upper")
    return bool(lower and upper and abs(lower.length - upper.length) > CORNERS)


def onto_hems(garment: Pieces, found: Joined) -> None:
    """Sew a band onto the hem of an upper garment that has nothing below."""
    bands = [k for k in garment.of("waistband", "band") if not _used(found, k)]
    if garment.lower or garment.legs or len(bands) != 1 or not garment.upper:
        return
    hems = [garment.ends(garment.upper, face, "hem") for face in ("front", "back")]
    if len(hems[0]) != 1 or len(hems[1]) != 1:
        return
    lower = bands[0].stretch("lower")
    front, back = hems[0][0].chain, hems[1][0].chain
    # along the bottom outlines run from left to right of their drawings: right of the wearer to left in front
    first, second = halved(garment, back)
    ring = (*second, *front, *first)
    b = garment.length(ring)
    if lower and RIB[0] * 0.8 < lower.length / b < RIB[1]:
        upper = bands[0].stretch("upper") or lower
        sure = bands[0].confidence * within(upper.length / b, *RIB) * 0.9
        words = f"band onto hem, {in_cm(upper.length, b)}"
        found.add(upper.refs, ring, sure, "hem band", words, ease_of(upper.length, b))
        _closed(garment, found, bands[0])


def _used(found: Joined, one: Known) -> bool:
    return any(r.panel == one.panel.name for s in found.seams for r in (*s.seam.a, *s.seam.b))
