"""Images for prints, as strangers send them."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

from PIL import Image

from toile.core.errors import ToileError
from toile.shop.worker import Tell

FORMATS = ("PNG", "JPEG", "WEBP")
MOST_PIXELS = 40_000_000
LARGEST = 1024
"""kept so wide and high at most [pixels]"""


def read_texture(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Write an image anew as PNG: nothing of the file but its pixels is kept."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=FORMATS) as file:
                if file.width * file.height > MOST_PIXELS:
                    raise ToileError(f"the image has {file.width} × {file.height} pixels: 40 million at most")
                tell("reading", 0.0)
                image = file.convert("RGB")
    except ToileError:
        raise
    except Exception as error:
        raise ToileError(
            f"this is no PNG, JPEG or WebP image that can be read ({type(error).__name__})"
        ) from None
    if min(image.size) < 8:
        raise ToileError("the image is smaller than 8 × 8 pixels")
    image.thumbnail((LARGEST, LARGEST), Image.Resampling.LANCZOS)
    image.save(folder / "texture.png", "PNG")
    return {"width": image.width, "height": image.height}, b""
