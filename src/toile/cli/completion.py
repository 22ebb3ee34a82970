"""``toile completion``: scripts that let bash, zsh and fish complete commands, options, drafts, motions."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

from toile.cli.common import Commands
from toile.motion.library import MOTIONS
from toile.pattern.drafts.library import DRAFTS

WORDS = {"draft": tuple(DRAFTS), "grade": tuple(DRAFTS), "motion": tuple(MOTIONS), "body": ("woman", "man"),
         "measure": ("woman", "man"), "completion": ("bash", "zsh", "fish")}  # fmt: skip
"""command → words that may stand there, beside files"""


@dataclass(frozen=True, slots=True)
class Known:
    """What may follow a command."""

    name: str
    told: str
    options: tuple[tuple[str, str], ...]
    """long names and what they do"""
    words: tuple[str, ...]


def add_completion(commands: Commands) -> None:
    """Add ``toile completion``."""
    parser = commands.add_parser(
        "completion",
        description="Prints a script for a shell. bash: toile completion bash >> ~/.bashrc; zsh: the same "
        "with ~/.zshrc; fish: toile completion fish > ~/.config/fish/completions/toile.fish",
        epilog="example: toile completion bash",
    )
    parser.add_argument("shell", choices=tuple(SCRIPTS))
    parser.set_defaults(run=run_completion)


def run_completion(options: argparse.Namespace) -> int:
    """Print a script."""
    print(SCRIPTS[options.shell](known_commands()), end="")
    return 0


def known_commands() -> list[Known]:
    """Return all commands with their options, as the parser has them."""
    from toile.cli.main import COMMANDS, make_parser

    parser = make_parser()
    parsers = next(a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return [
        Known(name, COMMANDS[name][2], tuple(_options(parsers[name])), WORDS.get(name, ()))
        for name in COMMANDS
    ]


def _options(parser: argparse.ArgumentParser) -> Iterable[tuple[str, str]]:
    for action in parser._actions:
        for name in action.option_strings:
            if name.startswith("--"):
                told = "" if action.help in (None, argparse.SUPPRESS) else str(action.help)
                yield name, " ".join(told.split()).replace("%%", "%")[:60]


def bash_script(known: list[Known]) -> str:
    """Return the script for bash."""
    cases = "".join(
        f'    {one.name}) words="{" ".join((*(o for o, _ in one.options), *one.words))}" ;;\n'
        for one in known
    )
    return (
        "# completion of toile for bash\n"
        "_toile() {\n"
        '  local current="${COMP_WORDS[COMP_CWORD]}" words=""\n'
        '  case "$([ "$COMP_CWORD" -gt 1 ] && echo "${COMP_WORDS[1]}")" in\n'
        f"{cases}"
        f'    "") words="{" ".join(one.name for one in known)} --help --version" ;;\n'
        "  esac\n"
        '  COMPREPLY=($(compgen -W "$words" -- "$current"))\n'
        '  [ "$COMP_CWORD" -gt 1 ] && [ "${current#-}" = "$current" ] &&\n'
        '    COMPREPLY+=($(compgen -f -- "$current"))\n'
        "}\n"
        "complete -o filenames -F _toile toile\n"
    )


def zsh_script(known: list[Known]) -> str:
    """Return the script for zsh."""
    listed = "".join(f"    {_quoted(f'{one.name}:{one.told}')}\n" for one in known)
    cases = "".join(
        f"    {one.name}) compadd -- {' '.join((*(o for o, _ in one.options), *one.words))} ;;\n"
        for one in known
    )
    return (
        "#compdef toile\n# completion of toile for zsh\n"
        "_toile() {\n"
        "  local -a commands=(\n"
        f"{listed}"
        "  )\n"
        "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
        "  case $words[2] in\n"
        f"{cases}"
        "  esac\n"
        "  [[ $PREFIX == -* ]] || _files\n"
        "}\n"
        "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
        "compdef _toile toile\n"
    )


def fish_script(known: list[Known]) -> str:
    """Return the script for fish."""
    lines = ["# completion of toile for fish"]
    for one in known:
        lines.append(f"complete -c toile -n __fish_use_subcommand -f -a {one.name} -d {_quoted(one.told)}")
        seen = f"-n '__fish_seen_subcommand_from {one.name}'"
        lines += [f"complete -c toile {seen} -l {o[2:]} -d {_quoted(told)}" for o, told in one.options]
        lines += [f"complete -c toile {seen} -a '{' '.join(one.words)}'"] if one.words else []
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "").replace("'", "’") + "'"


SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}

COMMANDS = (add_completion,)
