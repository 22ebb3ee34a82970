"""Bodies: a template with shape targets, measures, a skeleton and skin weights."""

from toile.body.make import body_from_shape, load_body, make_body, named_body, open_body, save_body
from toile.body.measure import measure
from toile.body.people import MEASURES
from toile.body.request import BodyWarning
from toile.body.scan import ScanFit, fit_scan, is_scan, read_scan
from toile.body.shape import Shape
from toile.body.survey import survey

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
    "survey",
]
