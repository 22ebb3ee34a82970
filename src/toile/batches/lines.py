"""On which line of a TOML text a key stands, for errors about what it says."""

from __future__ import annotations

import re

_TABLE = re.compile(r"^\s*\[(\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_.\-\"' ]+?)\s*=")
_PATH = re.compile(r"[A-Za-z0-9_\-]+|\[\d+\]")


class key_lines:  # noqa: N801 - reads as a function: key_lines(text).line_of(words)
    """The lines of all keys of a text."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str, ...], int] = {}
        counts: dict[str, int] = {}
        path: tuple[str, ...] = ()
        for number, line in enumerate(text.splitlines(), 1):
            if table := _TABLE.match(line):
                path = _table_path(table.group(2), bool(table.group(1)), counts)
                self._lines.setdefault(path, number)
            elif key := _KEY.match(line):
                self._lines.setdefault((*path, *_words(key.group(1))), number)

    def line_of(self, words: str) -> int | None:
        """Return the line of the key with which an error begins: the nearest that is known."""
        head = _head(words)
        parts = [part.strip("[]") for part in _PATH.findall(head.split(" ")[0])]
        quoted = re.search(r"'([A-Za-z0-9_\-]+)'", words)
        if quoted and (found := self._find([*parts, quoted.group(1)])):
            return found
        while parts:
            if found := self._find(parts):
                return found
            parts.pop()
        return None

    def _find(self, parts: list[str]) -> int | None:
        wanted = [p for p in parts if p != "wear"]
        for path, number in self._lines.items():
            have = [p for p in path if p != "wear"]
            if have in (wanted, parts):
                return number
        # an outfit of one garment is written without 'wear' and its number
        shorter = [p for k, p in enumerate(parts) if p != "wear" and not (k and parts[k - 1] == "wear")]
        return next((n for path, n in self._lines.items() if list(path) == shorter), None)


def _head(words: str) -> str:
    """Return the keys with which an error begins: bodies: measures.height: no such measure."""
    path: list[str] = []
    for part in words.split(": ")[:-1]:
        if not re.fullmatch(r"[A-Za-z0-9_.\-\[\]]+", part):
            break
        path.append(part)
    return ".".join(path) or words


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip().strip("\"'") for word in text.split("."))


def _table_path(text: str, several: bool, counts: dict[str, int]) -> tuple[str, ...]:
    """Return the path of a table, with numbers where tables of one name follow each other."""
    path: list[str] = []
    words = _words(text)
    for depth, word in enumerate(words):
        path.append(word)
        name = ".".join(path)
        if several and depth == len(words) - 1:
            counts[name] = counts.get(name, -1) + 1
        if name in counts:
            path.append(str(counts[name]))
    return tuple(path)
