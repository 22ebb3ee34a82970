"""What every command has: -q, -v, --json, --force; and the one result that --json prints."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import toile
from toile.core.errors import ToileError

OUTPUTS = ("--output", "--picture")
"""options that name files to be written"""


@dataclass
class Talk:
    """How a command talks, and what it has to say for --json."""

    quiet: bool = False
    verbose: bool = False
    json: bool = False
    force: bool = False
    said: dict[str, Any] = field(default_factory=dict)

    def add(self, key: str, *values: Any) -> None:
        """Add to a list of the result."""
        self.said.setdefault(key, []).extend(values)

    def put(self, key: str, value: Any) -> None:
        """Put a value into the result."""
        self.said[key] = value


TALK = Talk()
"""of the command that runs now: one process runs one command at a time"""


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options that all have; one that has its own option of a name keeps it."""
    group = parser.add_argument_group("on every command")
    every = [
        (("-q", "--quiet"), "print nothing but warnings and errors"),
        (("-v", "--verbose"), "tell how long each step took, and what ran where"),
        (("--json",), "print one JSON object instead: files, notes, warnings, audit, exit code"),
    ]
    known = parser._option_string_actions
    if any(name in known for name in OUTPUTS) or "target" in {a.dest for a in parser._actions}:
        every.append((("--force",), "replace files that exist already"))
    for names, told in every:
        free = [name for name in names if name not in known]
        if free:
            group.add_argument(*free, dest=names[-1][2:], action="store_true", help=told)


@contextlib.contextmanager
def talking(options: argparse.Namespace) -> Iterator[Talk]:
    """Let a command talk as it was asked to, until the block ends."""
    began = time.monotonic()
    for name in ("quiet", "verbose", "json", "force"):
        setattr(TALK, name, bool(getattr(options, name, False)))
    TALK.said = {}
    heard = io.StringIO()
    silent = TALK.quiet or TALK.json
    try:
        with contextlib.redirect_stdout(heard) if silent else contextlib.nullcontext():
            yield TALK
    finally:
        if TALK.json and heard.getvalue():
            TALK.put("lines", heard.getvalue().splitlines())
        if TALK.verbose:
            words = f"toile {toile.__version__}, Python {sys.version.split()[0]}"
            print(f"{time.monotonic() - began:.1f} s in all; {words}", file=sys.stderr)


def print_json(code: int, error: str = "") -> None:
    """Print the result of a command."""
    result = {**TALK.said, **({"error": error} if error else {}), "exit_code": code}
    print(json.dumps(result, ensure_ascii=True, allow_nan=False, default=_plain))


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | set | frozenset):
        return list(value)
    return str(value)


def check_new(path: str | Path) -> None:
    """Refuse to replace a file or fill a folder that is there already; devices and pipes are written into."""
    there = Path(path)
    full = there.is_dir() and any(there.iterdir())
    if (there.is_file() or full) and not TALK.force:
        raise ToileError(f"{path} is there already: choose another name, or say --force to replace it")


def new_name(path: Path) -> Path:
    """Return a name that is free, for what was not asked for by name: shirt.png, shirt-2.png …"""
    if TALK.force or not path.exists():
        return path
    number = 2
    while (free := path.with_stem(f"{path.stem}-{number}")).exists():
        number += 1
    return free
