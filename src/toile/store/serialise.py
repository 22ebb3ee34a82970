"""Records ↔ JSON and named arrays, driven by the fields' own types, so that no record is listed twice."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from toile.core.arrays import STORED
from toile.core.container import Arrays
from toile.core.errors import ToileError

T = TypeVar("T")


def stored_name(field: Field[Any]) -> str:
    """Return what a field is called in files."""
    return str(field.metadata.get(STORED, field.name))


def to_plain(value: Any, arrays: Arrays, name: str) -> Any:
    """Return JSON for a record; its arrays go into ``arrays`` under their dotted names."""
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return None
    if is_dataclass(value):
        stored = [(stored_name(f), getattr(value, f.name)) for f in fields(value)]
        return {key: to_plain(item, arrays, f"{name}.{key}") for key, item in stored}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item, arrays, f"{name}.{key}") for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item, arrays, f"{name}.{i}") for i, item in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    return value


def from_plain(kind: type[T], data: Any, arrays: Mapping[str, Any], name: str, where: str) -> T:
    """Return the record of that type; ToileError names the file and the field that does not fit."""
    try:
        value = _decode(kind, data, arrays, name)
    except ToileError as error:
        raise ToileError(f"{where}: {error}") from error
    except (TypeError, ValueError, KeyError, RecursionError) as error:
        raise ToileError(f"{where}: {name} cannot be read ({' '.join(str(error).split())[:120]})") from error
    return typing.cast(T, value)


def _decode(kind: Any, data: Any, arrays: Mapping[str, Any], name: str) -> Any:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if is_dataclass(kind):
        return _decode_record(kind, data, arrays, name)
    if kind is np.ndarray or origin is np.ndarray:
        if name not in arrays:
            raise ToileError(f"array {name} is missing")
        return arrays[name]
    if origin in (typing.Union, types.UnionType):
        return _decode_union(args, data, arrays, name)
    if origin is tuple:
        return _decode_tuple(args, data, arrays, name)
    if origin is typing.Literal:
        return _expect(data in args, data, name)
    if origin is not None and issubclass(origin, Mapping):
        _expect(isinstance(data, dict), data, name)
        return {key: _decode(args[1], item, arrays, f"{name}.{key}") for key, item in data.items()}
    if kind is float:
        _expect(isinstance(data, int | float) and not isinstance(data, bool), data, name)
        return float(data)
    if kind in (int, str, bool):
        return _expect(type(data) is kind, data, name)
    return data


def _decode_record(kind: Any, data: Any, arrays: Mapping[str, Any], name: str) -> Any:
    _expect(isinstance(data, dict), data, name)
    hints = typing.get_type_hints(kind)
    values = {}
    for f in fields(kind):
        key = stored_name(f)
        if key in data:
            values[f.name] = _decode(hints[f.name], data[key], arrays, f"{name}.{key}")
        elif f.default is MISSING and f.default_factory is MISSING:
            raise ToileError(f"{name}.{key} is missing")
    return kind(**values)


def _decode_union(args: tuple[Any, ...], data: Any, arrays: Mapping[str, Any], name: str) -> Any:
    if data is None and type(None) in args:
        return None
    kinds = [a for a in args if a is not type(None)]
    if len(kinds) > 1:
        # a setting: a number, a switch or a text
        return _expect(type(data) in kinds, data, name)
    return _decode(kinds[0], data, arrays, name)


def _decode_tuple(args: tuple[Any, ...], data: Any, arrays: Mapping[str, Any], name: str) -> Any:
    _expect(isinstance(data, list), data, name)
    kinds = [args[0]] * len(data) if args[-1] is Ellipsis else list(args)
    _expect(len(kinds) == len(data), data, name)
    return tuple(
        _decode(k, d, arrays, f"{name}.{i}") for i, (k, d) in enumerate(zip(kinds, data, strict=True))
    )


def _expect(ok: bool, data: Any, name: str) -> Any:
    if not ok:
        raise ToileError(f"{name} does not fit: {str(data)[:60]!r}")
    return data
