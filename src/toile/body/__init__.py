"""Bodies: a template with shape targets, measures, a skeleton and skin weights."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from toile.body.measure import measure

if TYPE_CHECKING:
    from toile.body.make import body_from_shape, load_body, make_body, named_body, open_body, save_body
    from toile.body.people import MEASURES
    from toile.body.request import BodyWarning
    from toile.body.scan import ScanFit, fit_scan, is_scan, read_scan
    from toile.body.shape import Shape

__all__ = [
    "MEASURES",
    "BodyWarning",
    "ScanFit",
    "Shape",
    "body_from_shape",
    "fit_scan",
    "is_scan",
    "load_body",
    "make_body",
    "measure",
    "named_body",
    "open_body",
    "read_scan",
    "save_body",
]

_HOME = {
    **dict.fromkeys(
        ("body_from_shape", "load_body", "make_body", "named_body", "open_body", "save_body"), "make"
    ),
    **dict.fromkeys(("ScanFit", "fit_scan", "is_scan", "read_scan"), "scan"),
    "MEASURES": "people",
    "BodyWarning": "request",
    "Shape": "shape",
}
"""name → module; loaded when first used: a body from measures needs neither scans nor SciPy"""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'toile.body' has no attribute '{name}'")
    value = getattr(import_module(f"toile.body.{_HOME[name]}"), name)
    globals()[name] = value
    return value
