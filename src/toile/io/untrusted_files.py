"""Reading pattern files without trusting them: size and depth are capped before anything is parsed."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

from toile.core.container import replacing
from toile.core.errors import ToileError, one_line
from toile.core.reading import read_plain

TEXT_LIMIT = 8_000_000
"""bytes of a pattern file"""
JSON_DEPTH = 40

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def read_bytes(path: str | os.PathLike[str], *, limit: int = TEXT_LIMIT) -> bytes:
    """Return a file's bytes; refuses what is not a plain file, is empty or larger than limit."""
    data = read_plain(path, limit, "too large for a pattern")
    if not data.strip():
        raise ToileError(f"{Path(path).name}: the file is empty")
    return data


def decode(data: bytes, name: str) -> str:
    """Return UTF-8 text with or without byte order mark, line ends as \\n."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ToileError(f"{name}: not a text file (byte {error.start} is not UTF-8)") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file beside its place and rename it: readers see the old file or the whole new one."""
    try:
        with replacing(path) as file:
            file.write(data)
    except OSError as error:
        raise ToileError(f"{os.fspath(path)}: cannot be written ({one_line(error)})") from error


def parse_json(text: str, name: str) -> Any:
    """Return JSON with finite numbers only, unique keys and at most JSON_DEPTH levels."""
    depth = 0
    for token in _TOKENS.finditer(text):
        mark = token.group()
        depth += (mark in "[{") - (mark in "]}") if len(mark) == 1 else 0
        if depth > JSON_DEPTH:
            raise ToileError(f"{name}: nested deeper than {JSON_DEPTH} levels, not a pattern")
    try:
        return json.loads(
            text,
            parse_float=_finite,
            parse_int=_integer,
            parse_constant=_refuse,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        raise ToileError(f"{name}: not valid JSON at line {error.lineno}: {error.msg}") from error
    except RecursionError as error:
        raise ToileError(f"{name}: nested too deeply, not a pattern") from error
    except ValueError as error:
        raise ToileError(f"{name}: {error}") from error


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def _integer(text: str) -> int:
    if len(text) > 18:
        raise ValueError(f"the number {text[:20]}… is too large")
    return int(text)


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not a number: write a finite one")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"'{twice[:60]}' appears twice in one object: rename one")
    return result
