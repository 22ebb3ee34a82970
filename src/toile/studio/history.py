"""What was done to a project: all states, so that all can be undone, and the script that repeats it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field

from toile.core.errors import ToileError
from toile.jobs.describe import Inputs
from toile.jobs.plain import Checked, fields_of
from toile.studio.commands import Edit, snake
from toile.studio.edits import apply
from toile.studio.project import Project

_HEAD = '''"""{name}: as it was made in Toile's studio."""

from toile.studio import commands as c
from toile.studio.edits import apply
from toile.studio.project import Project, dressed

project = Project()
'''
_END = """
recording = dressed(project)
"""


@dataclass(frozen=True, slots=True)
class Done:
    """An edit that was made."""

    edit: Edit
    group: str = ""
    """edits of one group that follow each other are undone together"""


@dataclass(slots=True)
class History:
    """The edits of a project and the state after each; those after `at` were undone."""

    done: list[Done] = field(default_factory=list)
    at: int = 0
    """how many of them count"""
    states: dict[int, Project] = field(default_factory=lambda: {0: Project()})
    """state after so many edits; those that are not there are computed again"""

    @property
    def project(self) -> Project:
        """Return the state now."""
        return self.states[self.at]

    def edits(self) -> list[Edit]:
        """Return what led here."""
        return [one.edit for one in self.done[: self.at]]

    def do(self, edit: Edit, inputs: Inputs, group: str = "") -> Project:
        """Make an edit; what was undone before is forgotten."""
        made = apply(self.project, edit, inputs)
        del self.done[self.at :]
        self.states = {k: state for k, state in self.states.items() if k <= self.at}
        self.done.append(Done(edit, group))
        self.at += 1
        self.states[self.at] = made
        return made

    def undo(self, inputs: Inputs) -> Project:
        """Take back the last edit, or group of edits."""
        if not self.at:
            raise ToileError("there is nothing to undo")
        to = self.at - 1
        while to and self.done[to].group and self.done[to - 1].group == self.done[to].group:
            to -= 1
        self.recall(to, inputs)
        self.at = to
        return self.project

    def undo_last(self) -> None:
        """Forget the last edit: nothing came of it."""
        self.states.pop(self.at, None)
        self.at -= 1
        del self.done[self.at :]

    def redo(self, inputs: Inputs) -> Project:
        """Make the next edit, or group of edits, again."""
        if self.at == len(self.done):
            raise ToileError("there is nothing to do again")
        to = self.at + 1
        while to < len(self.done) and self.done[to].group and self.done[to].group == self.done[to - 1].group:
            to += 1
        self.recall(to, inputs)
        self.at = to
        return self.project

    def recall(self, number: int, inputs: Inputs) -> None:
        """Compute a state again that a file did not keep."""
        if number in self.states:
            return
        known = max(k for k in self.states if k < number)
        state = self.states[known]
        for k in range(known, number):
            state = apply(state, self.done[k].edit, inputs)
        self.states[number] = state

    def words(self) -> tuple[str, str]:
        """Return what undo would take back and redo do again, in words."""
        back = words_of(self.done[self.at - 1].edit) if self.at else ""
        again = words_of(self.done[self.at].edit) if self.at < len(self.done) else ""
        return back, again


def words_of(edit: Edit) -> str:
    """Return an edit's name in words: move points."""
    return snake(type(edit).__name__).replace("_", " ")


def line_of(edit: Checked) -> str:
    """Return an edit as Python, without what is as always: c.MovePoints(piece='front', points=(2, 3))."""
    words = []
    for one, _ in fields_of(type(edit)):
        value = getattr(edit, one.name)
        default = one.default if one.default_factory is MISSING else one.default_factory()
        if default is MISSING or value != default:
            words.append(f"{one.name}={_python(value)}")
    return f"c.{type(edit).__name__}({', '.join(words)})"


def _python(value: object) -> str:
    if isinstance(value, Checked):
        return line_of(value)
    if isinstance(value, tuple):
        inner = ", ".join(_python(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_python(item)}" for key, item in value.items()) + "}"
    return repr(value)


def script_of(edits: Sequence[Edit], name: str) -> str:
    """Return the script that makes the project and sews it, run in the project's folder."""
    lines = "".join(f"    {line_of(edit)},\n" for edit in edits)
    body = f"for edit in (\n{lines}):\n    project = apply(project, edit)\n" if edits else ""
    return _HEAD.format(name=name.replace('"', "'").replace("\\", "/")) + body + _END
