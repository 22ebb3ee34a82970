"""Measurement files become bodies: of Valentina and Seamly2D (.vit, .smis), FreeSewing (.json, .yaml).

Only what our bodies know is taken; measures that a program computes by a formula and zeros are left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

from toile.body.model.make import make_body
from toile.core.errors import ToileError
from toile.core.records import Body
from toile.io.untrusted_files import decode, parse_json, read_bytes

SEAMLY = {
    "height": "height", "neck_circ": "neck", "bust_circ": "bust", "lowbust_circ": "underbust",
    "waist_circ": "waist", "hip_circ": "hips", "leg_thigh_upper_circ": "thigh", "leg_calf_circ": "calf",
    "arm_upper_circ": "upper_arm", "arm_wrist_circ": "wrist", "arm_shoulder_tip_to_wrist": "arm_length",
    "leg_crotch_to_floor": "inseam", "neck_back_to_waist_b": "back_length",
}  # fmt: skip
"""name in Valentina's and Seamly2D's tables → ours"""
FREESEWING = {
    "neck": "neck", "chest": "bust", "underbust": "underbust", "waist": "waist", "seat": "hips",
    "upperLeg": "thigh", "biceps": "upper_arm", "wrist": "wrist", "shoulderToWrist": "arm_length",
    "inseam": "inseam", "shoulderToShoulder": "shoulder_width",
}  # fmt: skip
"""name in FreeSewing → ours; its hips are where trousers sit, its seat is what we call hips"""
METRES = {"mm": 0.001, "cm": 0.01, "inch": 0.0254, "in": 0.0254}
TALLY = ("bust", "waist", "hips")
"""measures by which a file without units tells them"""
PERSON = (0.5, 2.0)
"""girths of trunks of people [m]"""
COUNT = 5000
_LINE = re.compile(r"""^\s*["']?(\w+)["']?\s*:\s*["']?(-?\d+(?:\.\d+)?)["']?\s*$""", re.MULTILINE)
_MEN = ("male", "man")


def read_measures(path: str | Path) -> Body:
    """Return the body that a measurement file describes."""
    data, source = read_bytes(path), str(path)
    text = decode(data, source)
    sex, found = _seamly(data, source) if text.lstrip()[:1] == "<" else _freesewing(text, source)
    if not found:
        known = ", ".join((*SEAMLY, *FREESEWING))
        raise ToileError(f"{source}: holds none of the measures {known}: is it a measurement file?")
    return make_body(sex, name=Path(path).stem, **found)


def _seamly(data: bytes, source: str) -> tuple[str, dict[str, float]]:
    """Return sex and measures [m] of Valentina's table of one person."""
    reader = _Table(source)
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler, parser.EntityDeclHandler = reader.text, reader.entity
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        why = expat.ErrorString(error.code)
        raise ToileError(f"{source}, line {error.lineno}: not valid XML: {why}") from error
    words = reader.words
    if words.get("root") not in ("vit", "smis"):
        raise ToileError(f"{source}: not a table of one person (.vit, .smis): multisize tables hold no body")
    unit = METRES.get(words.get("unit", "cm"), 0.01)
    found = {SEAMLY[name]: value * unit for name, value in reader.values.items() if name in SEAMLY}
    return "male" if words.get("gender", "") in _MEN else "female", found


class _Table:
    def __init__(self, source: str) -> None:
        self.source = source
        self.values: dict[str, float] = {}
        self.words: dict[str, str] = {}
        self._path: list[str] = []

    def entity(self, *_: object) -> None:
        raise ToileError(f"{self.source}: defines XML entities: save it again")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.words.setdefault("root", tag)
        self._path.append(tag)
        if len(self._path) > 20 or len(self.values) > COUNT:
            raise ToileError(f"{self.source}: nested too deep or too long for a measurement file")
        if tag == "m" and (value := _number(attributes.get("value", ""))):
            self.values[attributes.get("name", "")] = value

    def end(self, _: str) -> None:
        self._path.pop()

    def text(self, words: str) -> None:
        if self._path[-1] in ("unit", "gender"):
            self.words[self._path[-1]] = self.words.get(self._path[-1], "") + words.strip()


def _number(text: str) -> float:
    """Return a positive number, 0 for anything else: formulas are computed by the program that wrote them."""
    return float(text) if re.fullmatch(r"\d{1,5}(\.\d{1,9})?", text.strip()) else 0.0


def _freesewing(text: str, source: str) -> tuple[str, dict[str, float]]:
    """Return sex and measures [m] of a set of FreeSewing, as JSON or YAML."""
    if text.lstrip()[:1] == "{":
        content = parse_json(text, source)
        rows = content.get("measurements", content) if isinstance(content, dict) else {}
        pairs = [(k, str(v)) for k, v in rows.items()] if isinstance(rows, dict) else []
    else:
        pairs = _LINE.findall(text)
    found = {FREESEWING[k]: value for k, v in pairs if k in FREESEWING and (value := _number(v))}
    trunk = [found[name] for name in TALLY if name in found]
    units = ("inch",) if re.search(r"units\W+imperial", text) else ("mm", "cm", "inch")
    fitting = (
        METRES[u] for u in units if trunk and all(PERSON[0] < METRES[u] * v < PERSON[1] for v in trunk)
    )
    unit = next(fitting, 0.0)
    if not unit:
        raise ToileError(f"{source}: gives no chest, waist or seat of a person in mm, cm or inches")
    return "female", {name: value * unit for name, value in found.items()}
