"""Contact sheets: many small pictures in rows and columns, with names beside them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO

from PIL import Image, ImageDraw, ImageFont

from toile.core.atomic import replacing

LABEL = 120, 22
"""room for the names at the left and at the top [pixels]"""
PAPER, INK, WRONG = (255, 255, 255), (40, 40, 40), (200, 30, 30)


def contact_sheet(
    path: str | os.PathLike[str],
    rows: Sequence[str],
    columns: Sequence[str],
    pictures: Mapping[tuple[str, str], str | os.PathLike[str]],
    wrong: Mapping[tuple[str, str], str],
    *,
    size: tuple[int, int] = (130, 190),
) -> None:
    """Write a PNG of all pictures that there are; `wrong` ones get a red frame, missing ones stay white.

    size: of one picture's place [pixels].
    """
    left, top = LABEL
    sheet = Image.new("RGB", (left + size[0] * len(columns), top + size[1] * len(rows)), PAPER)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default()
    for j, name in enumerate(columns):
        pen.text((left + j * size[0] + 6, 5), name[:20], INK, font)
    for i, row in enumerate(rows):
        pen.text((6, top + i * size[1] + size[1] // 2), row[:20], INK, font)
        for j, column in enumerate(columns):
            corner = left + j * size[0], top + i * size[1]
            if (row, column) in pictures:
                _paste(sheet, pictures[row, column], corner, size)
            if (row, column) in wrong:
                box = (corner[0] + 1, corner[1] + 1, corner[0] + size[0] - 2, corner[1] + size[1] - 2)
                pen.rectangle(box, outline=WRONG, width=3)
    with replacing(path) as file:
        sheet.save(file, format="PNG")


def beside_each_other(pictures: Sequence[IO[bytes]], path: str | os.PathLike[str]) -> None:
    """Write pictures of one height as one PNG, from left to right."""
    opened = [Image.open(picture).convert("RGB") for picture in pictures]
    whole = Image.new("RGB", (sum(one.width for one in opened), max(one.height for one in opened)), PAPER)
    left = 0
    for one in opened:
        whole.paste(one, (left, 0))
        left += one.width
    with replacing(path) as file:
        whole.save(file, format="PNG")


def _paste(
    sheet: Image.Image, path: str | os.PathLike[str], corner: tuple[int, int], size: tuple[int, int]
) -> None:
    """Put one picture into its place, as large as it fits."""
    with Image.open(path) as picture:
        small = picture.convert("RGB")
    small.thumbnail(size, Image.Resampling.LANCZOS)
    sheet.paste(small, (corner[0] + (size[0] - small.width) // 2, corner[1] + (size[1] - small.height) // 2))
