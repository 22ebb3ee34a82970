"""What travels between the studio and its page: the one description, from which the page's types are made.

Text messages are JSON tables with a `type`. What the page sends is an edit of the project (`commands.py`) or
asks for something (`asked.py`); any may carry `id` (a number: it is answered by `done` or `refused` with that
id) and edits may carry `group` (a text: edits of one group that follow each other, such as those of one drag,
are undone together). What the page is told stands in `told.py`. Pictures and meshes are binary:
docs/studio-protocol.md. Lengths in metres, times in seconds, angles in radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from toile.core.errors import ToileError
from toile.jobs.plain import from_plain, to_plain
from toile.studio import asked, told
from toile.studio.asked import Message
from toile.studio.commands import EDITS, Edit, snake

PROTOCOL = 1
MOST_WAITING = 4
"""frames that were sent and not acknowledged"""
MOST_TEXT = 1 << 20
"""bytes of a text message"""


def _named(module: ModuleType) -> dict[str, type[Message]]:
    """Return the messages of a module by the names that they have in JSON."""
    kinds = [k for k in vars(module).values() if isinstance(k, type) and k.__module__ == module.__name__]
    messages = [k for k in kinds if issubclass(k, Message) and not issubclass(k, told.Seen)]
    return {snake(k.__name__): k for k in messages if k not in (Message, told.Told)}


ASKED: Mapping[str, type[Message]] = _named(asked)
"""name → what the page may send besides edits"""
TOLD: Mapping[str, type[Message]] = _named(told)
"""name → what the studio tells"""
_TYPE_OF: Mapping[type, str] = {kind: name for t in (TOLD, ASKED, EDITS) for name, kind in t.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A message of the page, with what belongs to it."""

    content: Message | Edit
    id: int | None = None
    group: str = ""


def read_message(data: Any) -> Envelope:
    """Return what the page sent, checked; a ToileError names what is wrong with it."""
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        raise ToileError("a message is a table with a 'type'")
    name, number_, group = data["type"], data.get("id"), data.get("group", "")
    kind: type[Message] | type[Edit] | None = ASKED.get(name) or EDITS.get(name)
    if kind is None:
        raise ToileError(f"there is no message '{name[:40]}'")
    if (number_ is not None and type(number_) is not int) or not isinstance(group, str) or len(group) > 80:
        raise ToileError(f"{name}: id is a whole number, group a short text")
    fields = {key: value for key, value in data.items() if key not in ("type", "id", "group")}
    return Envelope(content=from_plain(kind, fields, name), id=number_, group=group)


def as_table(message: Message | Edit) -> dict[str, Any]:
    """Return a message as JSON."""
    return {"type": _TYPE_OF[type(message)], **to_plain(message)}
