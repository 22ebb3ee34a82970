"""``python -m toile.studio.describe`` writes the page's types of messages: web/shared/studio-messages.ts."""

from __future__ import annotations

import ast
import inspect
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, is_dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from toile.core.atomic import replacing
from toile.jobs.plain import fields_of
from toile.studio.commands import EDITS
from toile.studio.messages import ASKED, MOST_WAITING, PROTOCOL, TOLD

TYPES = Path(__file__).parents[3] / "web" / "shared" / "studio-messages.ts"
HEAD = f"""// Made by python -m toile.studio.describe: do not edit. See docs/studio-protocol.md.

export const PROTOCOL = {PROTOCOL};
/** frames that may be on their way */
export const MOST_WAITING = {MOST_WAITING};

/** What any message to the studio may carry besides its own fields. */
export interface Envelope {{
  /** answered by done or refused with the same id */
  id?: number;
  /** edits of one group that follow each other are undone together */
  group?: string;
}}
"""
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "unknown"}


def typescript() -> str:
    """Return the module."""
    sent, told = {**EDITS, **ASKED}, TOLD
    kinds: dict[str, Any] = {}
    for kind in [*sent.values(), *told.values()]:
        _collect(kind, kinds)
    names_sent = {kind.__name__ for kind in sent.values()}
    parts = [HEAD, *(_interface(kind, kind.__name__ in names_sent) for kind in kinds.values())]
    parts += [_union("ToStudio", sent, " & Envelope"), _union("FromStudio", told, "")]
    parts.append(_union("Edit", EDITS, " & Envelope"))
    return "\n".join(parts)


def _collect(kind: Any, found: dict[str, Any]) -> None:
    """Gather a record and all that it holds."""
    if is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ in found:
            return
        found[kind.__name__] = kind
        for _, inner in fields_of(kind):
            _collect(inner, found)
    for inner in typing.get_args(kind):
        _collect(inner, found)


def _interface(kind: Any, sent: bool) -> str:
    words = field_words(kind)
    lines = [f"/** {_first_line(kind)} */", f"export interface {kind.__name__} {{"]
    for f, hint in fields_of(kind):
        spare = sent and (f.default is not MISSING or f.default_factory is not MISSING)
        about = [part for part in (words.get(f.name, ""), _limits(f.metadata)) if part]
        lines += [f"  /** {'; '.join(about)} */"] if about else []
        lines.append(f"  {f.name}{'?' if spare else ''}: {_type(hint)};")
    return "\n".join([*lines, "}\n"])


def _limits(limits: Mapping[str, Any]) -> str:
    if "low" not in limits:
        return ""
    unit = f" {limits['unit']}" if limits.get("unit") else ""
    return f"{limits['low']:g} to {limits['high']:g}{unit}"


def _type(kind: Any) -> str:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if is_dataclass(kind):
        return str(kind.__name__)  # type: ignore[union-attr]
    if origin is typing.Literal:
        return " | ".join(f'"{a}"' if isinstance(a, str) else str(a) for a in args)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(_type(a) for a in args))
    if origin is tuple and args[-1] is Ellipsis:
        inner = _type(args[0])
        return f"({inner})[]" if " " in inner and not inner.startswith("[") else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(_type(a) for a in args)}]"
    return f"Record<string, {_type(args[1])}>"


def _union(name: str, table: Mapping[str, Any], more: str) -> str:
    lines = [f'  | ({{ type: "{key}" }} & {kind.__name__}{more})' for key, kind in table.items()]
    return f"export type {name} =\n" + "\n".join(lines) + ";\n"


def _first_line(kind: Any) -> str:
    return (inspect.getdoc(kind) or "").split("\n")[0].replace("*/", "")


@cache
def field_words(kind: Any) -> dict[str, str]:
    """Return what stands under each field of a class, and of those that it is derived from, on one line."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if is_dataclass(base):
            found |= _words_of(base)
    return found


def _words_of(kind: Any) -> dict[str, str]:
    tree = ast.parse(inspect.cleandoc(inspect.getsource(kind)).replace("\\\n", ""))
    body = next(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)).body
    found = {}
    for before, after in pairwise(body):
        if not (isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name)):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            found[before.target.id] = re.sub(r"\s+", " ", str(after.value.value)).strip()
    return found


def main() -> None:
    """Write the file of the tree anew."""
    with replacing(TYPES) as file:
        file.write(typescript().encode())


if __name__ == "__main__":
    main()
