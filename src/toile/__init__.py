"""Toile dresses virtual people: flat pieces and seams → sewn, draped, walking garments."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toile.audit.check import audit as check
    from toile.batches.dataset import load_dataset
    from toile.batches.grid import batch, grid
    from toile.body.library import open_body
    from toile.body.model.make import make_body, named_body
    from toile.core.errors import ToileError
    from toile.core.threads import Context
    from toile.export.library import export as save
    from toile.garment.build import build
    from toile.garment.fabric import fabric
    from toile.garment.from_mesh import read_garment
    from toile.motion.library import read_motion
    from toile.pattern.drafts.library import draft
    from toile.pattern.library import read_pattern, write_pattern
    from toile.sim.dress.dress import dress
    from toile.sim.walk.animate import animate
    from toile.store.record import load_recording, save_recording

__version__ = "0.1.0"

__all__ = [
    "Context",
    "ToileError",
    "animate",
    "batch",
    "build",
    "check",
    "draft",
    "dress",
    "fabric",
    "grid",
    "load_dataset",
    "load_recording",
    "make_body",
    "named_body",
    "open_body",
    "read_garment",
    "read_motion",
    "read_pattern",
    "save",
    "save_recording",
    "write_pattern",
]

_HOME = {
    "Context": ("core.threads", "Context"),
    "ToileError": ("core.errors", "ToileError"),
    "animate": ("sim.walk.animate", "animate"),
    "batch": ("batches.grid", "batch"),
    "build": ("garment.build", "build"),
    "check": ("audit.check", "audit"),
    "draft": ("pattern.drafts.library", "draft"),
    "dress": ("sim.dress.dress", "dress"),
    "fabric": ("garment.fabric", "fabric"),
    "grid": ("batches.grid", "grid"),
    "load_dataset": ("batches.dataset", "load_dataset"),
    "load_recording": ("store.record", "load_recording"),
    "make_body": ("body.model.make", "make_body"),
    "named_body": ("body.model.make", "named_body"),
    "open_body": ("body.library", "open_body"),
    "read_garment": ("garment.from_mesh", "read_garment"),
    "read_motion": ("motion.library", "read_motion"),
    "read_pattern": ("pattern.library", "read_pattern"),
    "save": ("export.library", "export"),
    "save_recording": ("store.record", "save_recording"),
    "write_pattern": ("pattern.library", "write_pattern"),
}
"""name → (module, name there); loaded when first used, so that importing toile is quick"""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'toile' has no attribute '{name}'")
    module, attribute = _HOME[name]
    value = getattr(import_module(f"toile.{module}"), attribute)
    import_module("toile.render.notebook").attach()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
