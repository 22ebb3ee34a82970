"""Toile dresses virtual people: flat pieces and seams → sewn, draped, walking garments."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toile.body import make_body, named_body, open_body
    from toile.errors import ToileError
    from toile.export import export as save
    from toile.garment.build import build
    from toile.garment.fabric import fabric
    from toile.garment.from_mesh import read_garment
    from toile.motion import read_motion
    from toile.pattern import read_pattern, write_pattern
    from toile.pattern.drafts import draft
    from toile.run.animate import animate
    from toile.run.check import audit
    from toile.run.dress import dress
    from toile.run.record import load_recording, save_recording

__version__ = "0.1.0"

__all__ = [
    "ToileError",
    "animate",
    "audit",
    "build",
    "draft",
    "dress",
    "fabric",
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
    "ToileError": ("errors", "ToileError"),
    "animate": ("run.animate", "animate"),
    "audit": ("run.check", "audit"),
    "build": ("garment.build", "build"),
    "draft": ("pattern.drafts", "draft"),
    "dress": ("run.dress", "dress"),
    "fabric": ("garment.fabric", "fabric"),
    "load_recording": ("run.record", "load_recording"),
    "make_body": ("body", "make_body"),
    "named_body": ("body", "named_body"),
    "open_body": ("body", "open_body"),
    "read_garment": ("garment.from_mesh", "read_garment"),
    "read_motion": ("motion", "read_motion"),
    "read_pattern": ("pattern", "read_pattern"),
    "save": ("export", "export"),
    "save_recording": ("run.record", "save_recording"),
    "write_pattern": ("pattern", "write_pattern"),
}
"""name → (module, name there); loaded when first used, so that importing toile is quick"""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'toile' has no attribute '{name}'")
    module, attribute = _HOME[name]
    value = getattr(import_module(f"toile.{module}"), attribute)
    globals()[name] = value
    return value
