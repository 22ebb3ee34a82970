"""Records ↔ JSON, strictly: unknown keys, wrong types, ranges and units are refused with the key's name.

A record's fields carry their limits as metadata (see `number`). The same checks run whether a record is
made in Python or read from JSON or TOML.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

from toile.core.errors import ToileError
from toile.core.units import is_length, parse_length

T = TypeVar("T")
MOST_TEXT, MOST_ENTRIES = 4000, 4000
"""characters of a text, entries of a list or table"""
_PLAIN = frozenset((str, float, int, bool, type(None)))
LENGTH = "m"
"""unit of fields that may also be written as text with a unit: 1.5cm"""


def number(default: Any, low: float, high: float, unit: str = "") -> Any:
    """Return a field that holds a number in its limits; None is allowed where its type says so."""
    return field(default=default, metadata={"low": low, "high": high, "unit": unit})


def file_name(*, pattern: bool = False) -> Any:
    """Return a field that names an input file; pattern: files of the same name beside it belong to it."""
    return field(default="", metadata={"input": "pattern" if pattern else "file"})


def lengths(**limits: Any) -> Any:
    """Return a field of a table in which texts such as 60cm become metres."""
    return field(default_factory=dict, metadata={"unit": LENGTH, **limits})


class Checked:
    """A record whose fields are checked, and brought into their own types, when it is made."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Check every field, then what they say together."""
        for f, kind in fields_of(type(self)):
            fitted = _fit(kind, getattr(self, f.name), f.metadata, f.name)
            object.__setattr__(self, f.name, fitted)
        self.check()

    def check(self) -> None:
        """Refuse fields that contradict each other."""


def fields_of(kind: Any) -> tuple[tuple[Field[Any], Any], ...]:
    """Return the fields of a record with their types."""
    return _fields_of(kind)


@cache
def _fields_of(kind: Any) -> tuple[tuple[Field[Any], Any], ...]:
    hints = typing.get_type_hints(kind)
    return tuple((f, hints[f.name]) for f in fields(kind))


def from_plain(kind: type[T], data: Any, where: str) -> T:
    """Return the record that JSON describes; where names it in errors."""
    if not isinstance(data, Mapping):
        raise ToileError(f"{where} must be a table, not {_shown(data)}")
    known = {f.name: (f, hint) for f, hint in fields_of(kind)}
    for key in data:
        if key not in known:
            raise ToileError(f"{where}: unknown key '{str(key)[:40]}'; known are {', '.join(known)}")
    values = {}
    for name, (f, hint) in known.items():
        if name in data:
            values[name] = _fit(hint, data[name], f.metadata, f"{where}.{name}")
        elif f.default is MISSING and f.default_factory is MISSING:
            raise ToileError(f"{where}: '{name}' is missing")
    try:
        return kind(**values)
    except ToileError as error:
        raise ToileError(f"{where}: {error}") from None


def to_plain(value: Any, rename: Callable[[str, str], Any] | None = None) -> Any:
    """Return a record as JSON. rename(name, role) puts something else for names of input files."""
    if type(value) in _PLAIN:
        return value
    if is_dataclass(value):
        return {f.name: _field_to_plain(f, getattr(value, f.name), rename) for f, _ in fields_of(type(value))}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item, rename) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item, rename) for item in value]
    return value


def _field_to_plain(f: Field[Any], value: Any, rename: Callable[[str, str], Any] | None) -> Any:
    role = f.metadata.get("input")
    if role and rename and value:
        return rename(value, role)
    return to_plain(value, rename)


def _fit(kind: Any, value: Any, limits: Mapping[str, Any], where: str) -> Any:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if is_dataclass(kind):
        record: Any = kind
        return value if isinstance(value, record) else from_plain(record, value, where)
    if origin in (typing.Union, types.UnionType):
        return _fit_union(args, value, limits, where)
    if origin is tuple:
        return _fit_tuple(args, value, limits, where)
    if origin is typing.Literal:
        if value not in args:
            raise ToileError(f"{where} is {_shown(value)}: choose from {', '.join(map(str, args))}")
        return value
    if origin is not None and issubclass(origin, Mapping):
        return _fit_table(args[1], value, limits, where)
    return _fit_scalar(kind, value, limits, where)


def _fit_union(args: tuple[Any, ...], value: Any, limits: Mapping[str, Any], where: str) -> Any:
    if value is None and type(None) in args:
        return None
    kinds = [a for a in args if a is not type(None)]
    if len(kinds) == 1:
        return _fit(kinds[0], value, limits, where)
    measured = isinstance(value, str) and limits.get("unit") == LENGTH and is_length(value)
    if any(type(value) is k for k in kinds) and not measured:
        return value if is_dataclass(value) else _fit(type(value), value, limits, where)
    wanted = _is_table if isinstance(value, Mapping) else _is_list
    if isinstance(value, Mapping | list | tuple):
        found = next((k for k in kinds if wanted(k)), None)
        if found is not None:
            return _fit(found, value, limits, where)
    return _fit_one_of([k for k in kinds if not (_is_table(k) or _is_list(k))], value, limits, where)


def _is_list(kind: Any) -> bool:
    return typing.get_origin(kind) is tuple


def _is_table(kind: Any) -> bool:
    origin = typing.get_origin(kind)
    return is_dataclass(kind) or (isinstance(origin, type) and issubclass(origin, Mapping))


def _fit_one_of(kinds: Sequence[Any], value: Any, limits: Mapping[str, Any], where: str) -> Any:
    """Return a number, a switch or a text as it is, if that is one of the kinds."""
    if isinstance(value, str) and limits.get("unit") == LENGTH and float in kinds and is_length(value):
        return _in_limits(parse_length(value), value, limits, where)
    if type(value) is int and int not in kinds and float in kinds:
        return _in_limits(value, value, limits, where)
    if isinstance(value, bool) or not isinstance(value, int | float | str) or type(value) not in kinds:
        if not (isinstance(value, bool) and bool in kinds):
            names = " or ".join(_NAMES.get(k, str(k)) for k in kinds)
            raise ToileError(f"{where} must be {names}, not {_shown(value)}")
        return value
    return _fit_scalar(type(value), value, limits, where)


def _fit_tuple(args: tuple[Any, ...], value: Any, limits: Mapping[str, Any], where: str) -> Any:
    several = args[-1] is Ellipsis
    if several and not isinstance(value, list | tuple):
        # one where several may stand
        value = (value,)
    if not isinstance(value, list | tuple) or len(value) > MOST_ENTRIES:
        raise ToileError(f"{where} must be a list, not {_shown(value)}")
    if not several and len(value) != len(args):
        raise ToileError(f"{where} must be a list of {len(args)}, not {_shown(value)}")
    kinds = [args[0]] * len(value) if several else args
    return tuple(
        _fit(k, v, limits, f"{where}[{i}]") for i, (k, v) in enumerate(zip(kinds, value, strict=True))
    )


def _fit_table(kind: Any, value: Any, limits: Mapping[str, Any], where: str) -> Any:
    if not isinstance(value, Mapping) or len(value) > MOST_ENTRIES:
        raise ToileError(f"{where} must be a table, not {_shown(value)}")
    names = [_fit_scalar(str, key, {}, f"{where}: a key") for key in value]
    items = zip(names, value.values(), strict=True)
    return {name: _fit(kind, item, limits, f"{where}.{name}") for name, item in items}


def _fit_scalar(kind: Any, value: Any, limits: Mapping[str, Any], where: str) -> Any:
    if kind is float:
        return _fit_number(value, limits, where)
    if kind is int and type(value) is int:
        return int(_in_limits(value, value, limits, where))
    if kind is str and isinstance(value, str):
        if len(value) > MOST_TEXT or any(ord(c) < 32 for c in value):
            raise ToileError(f"{where} is no text of one line: {_shown(value)}")
        return value
    if kind in (Any, object):
        return _fit_any(value, where)
    if type(value) is not kind:
        raise ToileError(f"{where} must be {_NAMES.get(kind, kind)}, not {_shown(value)}")
    return value


_NAMES = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}


def _fit_any(value: Any, where: str) -> Any:
    """Return JSON as it is."""
    if isinstance(value, Mapping):
        return _fit_table(Any, value, {}, where)
    if isinstance(value, list | tuple):
        return [_fit_any(item, where) for item in value]
    if value is None or isinstance(value, bool):
        return value
    return _fit_scalar(type(value) if isinstance(value, int | float | str) else str, value, {}, where)


def _fit_number(value: Any, limits: Mapping[str, Any], where: str) -> float:
    if isinstance(value, str) and limits.get("unit") == LENGTH and is_length(value):
        return _in_limits(parse_length(value), value, limits, where)
    if isinstance(value, bool) or not isinstance(value, int | float):
        also = " or a length such as 1.5cm" if limits.get("unit") == LENGTH else ""
        raise ToileError(f"{where} must be a number{also}, not {_shown(value)}")
    return _in_limits(value, value, limits, where)


def _in_limits(number: float, shown: Any, limits: Mapping[str, Any], where: str) -> float:
    low, high = limits.get("low", -math.inf), limits.get("high", math.inf)
    try:
        value = float(number)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value) or not low <= value <= high:
        unit = f" {limits['unit']}" if limits.get("unit") else ""
        span = f"{low:g} to {high:g}{unit}" if math.isfinite(low + high) else "a finite number"
        raise ToileError(f"{where} is {_shown(shown)}: give {span}")
    # one zero only: -0.0 would be another text
    return value + 0.0


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, Mapping) else "a table"
    return text if len(text) <= 60 else f"{text[:57]}…"
