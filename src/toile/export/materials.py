"""Fabrics as glTF materials: weave, sheen, drawn-out gloss, see-through cloth; colours to choose from.

Facts: KHR_materials_sheen, KHR_materials_anisotropy, KHR_materials_transmission, KHR_texture_transform and
KHR_materials_variants of the Khronos glTF extension registry. Texture coordinates are metres in the flat
pieces, so a tile is scaled by one over its width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Garment
from toile.io.glb import GlbBuilder
from toile.render.looks import Look, look
from toile.render.weaves import normal_png, tile_png

Colour = tuple[float, float, float]
"""linear red, green, blue"""
Variants = Mapping[str, Sequence[Colour]]
"""name of a colouring → a colour for each fabric of the garment"""


def fabric_materials(glb: GlbBuilder, garment: Garment) -> list[int]:
    """Add a two-sided material for each fabric; return their indices."""
    return [_material(glb, fabric.name, fabric.colour, look(fabric.name)) for fabric in garment.fabrics]


def add_variants(glb: GlbBuilder, garment: Garment, variants: Variants) -> list[list[dict[str, Any]]]:
    """Declare colourings; return for each fabric the mappings that its primitives carry."""
    for name, colours in variants.items():
        if len(colours) != len(garment.fabrics):
            raise ToileError(
                f"variant '{name}' has {len(colours)} colours, the garment {len(garment.fabrics)} fabrics"
            )
    glb.use("KHR_materials_variants")
    glb.document.setdefault("extensions", {})["KHR_materials_variants"] = {
        "variants": [{"name": name} for name in variants]
    }
    return [
        [
            {"material": _material(glb, f"{f.name}, {name}", colours[k], look(f.name)), "variants": [v]}
            for v, (name, colours) in enumerate(variants.items())
        ]
        for k, f in enumerate(garment.fabrics)
    ]


def _material(glb: GlbBuilder, name: str, colour: Colour, seen: Look) -> int:
    rgb = [float(np.clip(c, 0, 1)) for c in colour]
    pbr: dict[str, Any] = {"metallicFactor": 0.0, "roughnessFactor": seen.roughness}
    content: dict[str, Any] = {"name": name, "doubleSided": True, "pbrMetallicRoughness": pbr}
    content["normalTexture"] = _tiled(glb, _weave(glb, seen), seen.tile)
    extensions: dict[str, Any] = {}
    if seen.sheen:
        # fibres catch light in a paler shade of the cloth's own colour
        glow = [float(seen.sheen * (0.35 + 0.65 * c)) for c in rgb]
        extensions["KHR_materials_sheen"] = {
            "sheenColorFactor": glow,
            "sheenRoughnessFactor": seen.sheen_roughness,
        }
    if seen.anisotropy:
        extensions["KHR_materials_anisotropy"] = {
            "anisotropyStrength": seen.anisotropy,
            "anisotropyRotation": float(np.pi / 2),
        }
    alpha = 1.0
    if seen.weave == "net":
        # holes are real: the tile's heights are its cover
        pbr["baseColorTexture"] = _tiled(glb, _holes(glb, seen), seen.tile)
        content["alphaMode"] = "BLEND"
    elif seen.cover < 1:
        extensions["KHR_materials_transmission"] = {"transmissionFactor": 1 - seen.cover}
    pbr["baseColorFactor"] = [*rgb, alpha]
    for extension in extensions:
        glb.use(extension)
    if extensions:
        content["extensions"] = extensions
    return glb.add("materials", **content)


def _tiled(glb: GlbBuilder, texture: int, width: float) -> dict[str, Any]:
    glb.use("KHR_texture_transform")
    scale = [1 / width, 1 / width]
    return {"index": texture, "extensions": {"KHR_texture_transform": {"scale": scale}}}


def _weave(glb: GlbBuilder, seen: Look) -> int:
    key = f"{seen.weave}-{seen.depth / seen.tile:.4f}"
    return glb.texture(key, lambda: normal_png(seen.weave, seen.depth, seen.tile))


def _holes(glb: GlbBuilder, seen: Look) -> int:
    return glb.texture(f"{seen.weave}-cover", lambda: tile_png(seen.weave, as_cover=True))
