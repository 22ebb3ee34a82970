"""A method by its name and its settings by theirs: errors list the choices."""

from __future__ import annotations

import difflib
import math
import typing
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from toile.core.errors import ToileError

FORMERLY = "formerly"
"""field metadata: the setting's name in older files and plans"""

_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
"""how a switch may be written"""


def choose(kind: str, table: Mapping[str, Any], name: str) -> Any:
    """Return what the table holds under a name; the error lists the names."""
    if name in table:
        return table[name]
    raise ToileError(f"no {kind} '{name[:40]}'{meant(name, table)}: choose from {', '.join(table)}")


def meant(name: str, names: Iterable[str]) -> str:
    """Return what is added to an error where a known name is much like the one that was given."""
    near = difflib.get_close_matches(name, list(names), n=1)
    return f" (did you mean {near[0]}?)" if near and near[0] != name else ""


def setting_names(settings_class: Any) -> list[str]:
    """Return the names of a settings class's fields."""
    return [f.name for f in fields(settings_class)]


def present_name(settings_class: Any, name: str) -> str:
    """Return a setting's name, also where it is written as older files do."""
    return next((f.name for f in fields(settings_class) if f.metadata.get(FORMERLY) == name), name)


def make_settings(what: str, settings_class: Any, values: Mapping[str, Any]) -> Any:
    """Return the settings with these values; text is read as what the field holds.

    what names the method in errors, such as "solver verlet".
    """
    hints = typing.get_type_hints(settings_class)
    known = setting_names(settings_class)
    values = {present_name(settings_class, name): value for name, value in values.items()}
    for name in values:
        if name not in known:
            raise ToileError(f"{what} has no setting '{name[:40]}': choose from {', '.join(sorted(known))}")
    return settings_class(**{name: _read(f"{what}: {name}", hints[name], v) for name, v in values.items()})


def make_method(
    kind: str, table: Mapping[str, tuple[Any, Any]], name: str, subject: Any, values: Mapping[str, Any]
) -> Any:
    """Return the named method of a table (class, settings class), made for a garment or a body."""
    method, settings_class = choose(kind, table, name)
    return method(subject, make_settings(f"{kind} {name}", settings_class, values))


def check_derived(method: object, base: type) -> None:
    """Refuse a method that is not derived from its base class, where what it leaves out has defaults."""
    if not isinstance(method, base):
        name, kind = type(method).__name__, base.__name__
        raise ToileError(f"{name} is no {kind}: derive the class from {kind} of {base.__module__}")


def _read(where: str, kind: Any, value: Any) -> Any:
    """Return a value as its field's type; numbers must be finite."""
    if kind is bool:
        word = str(value).strip().lower()
        if word not in (*_YES, *_NO):
            raise ToileError(f"{where} is '{str(value)[:40]}': write yes or no")
        return word in _YES
    if kind not in (int, float):
        return value
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not math.isfinite(number) or (kind is int and number != float(value)):
        article = "a whole number" if kind is int else "a number"
        raise ToileError(f"{where} is '{str(value)[:40]}': write {article}")
    return number
