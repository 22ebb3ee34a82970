"""The first picture: an outfit that was sewn on a standard body, carried over to the visitor's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from toile.core.errors import ToileError
from toile.core.records import Body, Fabric, Floats, Recording
from toile.export.playback import write_playback
from toile.store.record import load_recording

NEAR = 12
"""skin vertices that carry each point of the cloth"""
SOFT = 0.02
"""nearer ones count evenly [m]"""
PREDRAPED, PREVIEW = "predraped.toile", "preview.play"


def write_preview(folder: Path, body: Body, cloth: Fabric) -> bool:
    """Write the first picture if somebody laid a dressed standard body into the folder."""
    path = folder / PREDRAPED
    if not path.is_file():
        return False
    try:
        worn = load_recording(path)
        if worn.body is None or not np.array_equal(worn.body.triangles, body.triangles):
            return False
        write_playback(carried_over(worn, worn.body, body, cloth), folder / PREVIEW)
    except ToileError:
        # nobody needs it: the outfit itself is on its way
        return False
    return True


def carried_over(worn: Recording, old: Body, new: Body, cloth: Fabric) -> Recording:
    """Return an outfit on another body of the same topology: each point goes with the skin near it."""
    position = worn.positions[-1]
    far, near = cKDTree(old.vertices).query(position, k=NEAR)
    weight = 1.0 / (far**2 + SOFT**2)
    weight /= weight.sum(axis=1, keepdims=True)
    moved: Floats = position + np.einsum("nk,nka->na", weight, (new.vertices - old.vertices)[near])
    return replace(
        worn,
        garment=replace(worn.garment, fabrics=tuple(cloth for _ in worn.garment.fabrics)),
        body=new,
        positions=np.stack([moved, moved]),
        body_vertices=np.stack([new.vertices, new.vertices]),
    )
