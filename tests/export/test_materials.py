"""Fabrics in GLB files: weave at its true scale, sheen, gloss, see-through cloth, colours to choose from."""

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dressed_samples import recording
from toile.core.errors import ToileError
from toile.core.records import Recording
from toile.export.gltf_motion import write_glb
from toile.garment.fabric import fabric
from toile.render.looks import look


def _take(*names: str) -> Recording:
    take = recording(3)
    fabrics = tuple(fabric(name) for name in names)
    return replace(take, garment=replace(take.garment, fabrics=fabrics))


def _document(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    document: dict[str, Any] = json.loads(data[20 : 20 + length])
    return document


def _materials(path: Path) -> dict[str, dict[str, Any]]:
    return {m["name"]: m for m in _document(path)["materials"]}


def test_the_weave_has_its_true_scale(tmp_path: Path) -> None:
    write_glb(_take("denim", "velvet"), tmp_path / "a.glb", frame=0)
    made = _materials(tmp_path / "a.glb")
    texture = made["denim"]["normalTexture"]
    scale = texture["extensions"]["KHR_texture_transform"]["scale"]
    # texture coordinates are metres
    np.testing.assert_allclose(np.array(scale) * look("denim").tile, 1)
    document = _document(tmp_path / "a.glb")
    assert document["images"][document["textures"][texture["index"]]["source"]]["mimeType"] == "image/png"


def test_velvet_has_sheen_and_satin_a_drawn_out_gloss(tmp_path: Path) -> None:
    write_glb(_take("satin", "velvet"), tmp_path / "a.glb", frame=0)
    made = _materials(tmp_path / "a.glb")
    assert max(made["velvet"]["extensions"]["KHR_materials_sheen"]["sheenColorFactor"]) > 0.3
    assert made["satin"]["extensions"]["KHR_materials_anisotropy"]["anisotropyStrength"] > 0.5
    used = _document(tmp_path / "a.glb")["extensionsUsed"]
    assert {"KHR_materials_sheen", "KHR_materials_anisotropy", "KHR_texture_transform"} <= set(used)


def test_chiffon_lets_light_through_and_tulle_has_holes(tmp_path: Path) -> None:
    write_glb(_take("chiffon", "tulle"), tmp_path / "a.glb", frame=0)
    made = _materials(tmp_path / "a.glb")
    passes = made["chiffon"]["extensions"]["KHR_materials_transmission"]["transmissionFactor"]
    assert passes == pytest.approx(1 - look("chiffon").cover)
    assert made["tulle"]["alphaMode"] == "BLEND"
    assert "baseColorTexture" in made["tulle"]["pbrMetallicRoughness"]


@pytest.mark.parametrize("frame", [0, None])
def test_colours_to_choose_from(tmp_path: Path, frame: int | None) -> None:
    colours = {"Ink": [(0.01, 0.02, 0.05)] * 2, "Madder": [(0.4, 0.05, 0.05)] * 2}
    write_glb(_take("wool", "cotton"), tmp_path / "a.glb", frame=frame, variants=colours)
    document = _document(tmp_path / "a.glb")
    assert [v["name"] for v in document["extensions"]["KHR_materials_variants"]["variants"]] == [
        "Ink",
        "Madder",
    ]
    mapped = [
        p["extensions"]["KHR_materials_variants"]["mappings"]
        for m in document["meshes"]
        for p in m["primitives"]
        if "extensions" in p
    ]
    assert len(mapped) == 2
    for mappings in mapped:
        names = [document["materials"][entry["material"]]["name"] for entry in mappings]
        assert [n.split(", ")[1] for n in names] == ["Ink", "Madder"]
        assert [entry["variants"] for entry in mappings] == [[0], [1]]


def test_a_variant_has_a_colour_for_each_fabric(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="variant 'Ink' has 1 colours, the garment 2 fabrics"):
        write_glb(_take("wool", "cotton"), tmp_path / "a.glb", frame=0, variants={"Ink": [(0, 0, 0)]})
