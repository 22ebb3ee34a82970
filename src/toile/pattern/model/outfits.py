"""The order in which the garments of an outfit are worn: by layer, then as written; tucked in means under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toile.core.errors import ToileError
from toile.core.records import Pattern


def in_wearing_order(garments: Sequence[Pattern], source: str = "") -> tuple[Pattern, ...]:
    """Return the garments of an outfit, inner first.

    A garment that is tucked into another goes under it, so it comes before it and takes its layer or a lower
    one: the hem of a shirt lies under the waistband.
    """
    where = f"{source}: " if source else ""
    names = [garment.name for garment in garments]
    for garment in garments:
        if garment.tuck and (names.count(garment.tuck) != 1 or garment.tuck == garment.name):
            raise ToileError(
                f"{where}garment '{garment.name}' is tucked into '{garment.tuck[:40]}': name one other "
                f"garment of the outfit ({', '.join(names[:8])})"
            )
    order = sorted(garments, key=lambda garment: garment.layer)
    for _ in range(len(order)):
        late = next((g for g in order if g.tuck and _at(order, g.tuck) < order.index(g)), None)
        if late is None:
            return tuple(order)
        over = order[_at(order, late.tuck)]
        order.remove(late)
        order.insert(order.index(over), replace(late, layer=min(late.layer, over.layer)))
    raise ToileError(f"{where}garments are tucked into each other: remove one 'tuck'")


def _at(order: list[Pattern], name: str) -> int:
    return next(i for i, garment in enumerate(order) if garment.name == name)
