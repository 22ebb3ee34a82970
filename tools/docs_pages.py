"""Write the source of the documentation's site: docs/ and what is generated from the program itself.

    python tools/docs_pages.py build/docs

Generated: commands.md (every command's help), api.md (public functions, their signatures and docstrings).
Links to files outside of docs/ become plain words: a site has no sources beside it.
"""

import argparse
import inspect
import os
import re
import shutil
import sys
from pathlib import Path

import toile
from toile.cli.main import COMMANDS, make_parser

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def commands_page() -> str:
    """Return a section for every command: what it says of itself."""
    os.environ["COLUMNS"] = "100"
    parser = make_parser()
    parsers = next(a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    parts = ["# Commands\n\nGenerated from `toile COMMAND --help`.\n"]
    parts += [f"- [toile {name}](#toile-{name}): {told}" for name, (_, _, told) in COMMANDS.items()]
    for name, (_, _, told) in COMMANDS.items():
        parts.append(f"\n## toile {name}\n\n{told[:1].upper()}{told[1:]}.\n")
        for words, sub in _with_subcommands(name, parsers[name]):
            parts.append(f"```text\n$ toile {words} --help\n{sub.format_help().rstrip()}\n```\n")
    return "\n".join(parts)


def _with_subcommands(
    name: str, parser: argparse.ArgumentParser
) -> list[tuple[str, argparse.ArgumentParser]]:
    found = [(name, parser)]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found += [(f"{name} {word}", sub) for word, sub in action.choices.items()]
    return found


def api_page() -> str:
    """Return a section for every public name."""
    parts = ["# Python\n\nGenerated from the docstrings. Lengths are metres, y is up, bodies face +z.\n"]
    for name in sorted(toile.__all__, key=str.lower):
        value = getattr(toile, name)
        try:
            call = f"{name}{inspect.signature(value)}"
        except (TypeError, ValueError):
            call = name
        text = inspect.cleandoc(value.__doc__ or "")
        parts.append(f"## toile.{name}\n\n```text\n{_folded(call)}\n```\n\n{text}\n")
    return "\n".join(parts)


def _folded(call: str) -> str:
    """Return a signature with an argument a line, if it is long."""
    if len(call) <= 90:
        return call
    head, _, rest = call.partition("(")
    inner, _, back = rest.rpartition(")")
    depth, parts, word = 0, [], ""
    for sign in inner:
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and depth == 0:
            parts.append(word.strip())
            word = ""
        else:
            word += sign
    return "\n".join([f"{head}(", *(f"    {part}," for part in [*parts, word.strip()]), f"){back}"])


LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")


def for_site(text: str, page: Path) -> str:
    """Return a page whose links to sources are words; pages of the guide that moved are followed."""

    def linked(match: re.Match[str]) -> str:
        words, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        to = (page.parent / target).resolve()
        if to == ROOT / "CONTRIBUTING.md":
            up = "../" * (len(page.relative_to(DOCS).parts) - 1) if page.is_relative_to(DOCS) else ""
            return f"[{words}]({up}contributing.md{anchor})"
        if to == DOCS / "README.md":
            # a site's first page is index.md: the list of pages has another name there
            up = "../" * (len(page.relative_to(DOCS).parts) - 1) if page.is_relative_to(DOCS) else ""
            return f"[{words}]({up}pages.md{anchor})"
        if page.parent == ROOT and to.is_relative_to(DOCS) and to.is_file():
            return f"[{words}]({to.relative_to(DOCS)}{anchor})"
        if to.is_relative_to(DOCS) and to.is_file():
            return match.group(0)
        return words if words.strip() else target

    return LINK.sub(linked, text)


def main() -> None:
    """Write all pages into the folder."""
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(DOCS, out, ignore=shutil.ignore_patterns("requirements.txt"))
    for page in DOCS.rglob("*.md"):
        (out / page.relative_to(DOCS)).write_text(
            for_site(page.read_text(encoding="utf-8"), page), encoding="utf-8"
        )
    (out / "README.md").rename(out / "pages.md")
    for name, target in (("README.md", "index.md"), ("CONTRIBUTING.md", "contributing.md")):
        text = (ROOT / name).read_text(encoding="utf-8")
        (out / target).write_text(for_site(text, ROOT / name), encoding="utf-8")
    (out / "commands.md").write_text(commands_page(), encoding="utf-8")
    (out / "api.md").write_text(api_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
