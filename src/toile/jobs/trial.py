"""A folder of patterns tried one by one: read, understood, sewn on a suitable body, audited.

Every file is tried in a process of its own with a limit of time and memory, so that a bad one ends alone.
Each leaves one small result file; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from toile.audit.check import audit_drape
from toile.core.atomic import replacing
from toile.core.errors import ToileError, one_line
from toile.core.records import Pattern, Recording
from toile.fit.wearer import wearer_of
from toile.pattern.library import SEAM_ENDING, read_pattern
from toile.pattern.pieces.placement import Proposal, propose_seams_and_places
from toile.pattern.seams.compare import Score, seams_compared
from toile.sim.dress.dress import dress

ENDINGS = (".json", ".txt", ".dxf", ".svg", ".plt", ".hpgl", ".val", ".sm2d")
"""files of a folder that are tried"""
GIGABYTE = 1 << 30
"""[bytes]"""
KNIT = "jersey"
"""fabric in which a garment is tried again that is too tight in woven cloth"""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one pattern file."""

    name: str
    """the file, as given from the folder on"""
    stage: str = "read"
    """what was being done when it ended: read, sew; done, or unsewn if sewing was not asked for"""
    pieces: int = 0
    recognised: int = 0
    """pieces of which is known where they go"""
    seams: int = 0
    doubtful: int = 0
    """seams that a person should look at"""
    right: int = -1
    """true seams that were proposed so, -1: the true ones are not known"""
    true: int = 0
    wrong: int = 0
    """proposed seams that are none, and that carry no mark of doubt"""
    body: str = ""
    problems: tuple[str, ...] = ()
    """the error, or what the audit found to be broken"""
    tight: tuple[str, ...] = ()
    """where it is too tight: a warning"""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Say whether all that was asked was done and nothing is wrong."""
        return self.stage in ("done", "unsewn") and not self.problems

    @property
    def verdict(self) -> str:
        """Return pass, or the first reasons in words."""
        word = "pass" if self.stage == "done" else self.stage
        word = f"{word}, but {self.tight[0]}" if self.tight else word
        return "; ".join(self.problems[:2]) or word


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings:
    """How a folder is tried."""

    edge_length: float = 0.02
    """of the mesh [m]"""
    sew: bool = True
    """False: only read and propose"""
    truth: str = ""
    """folder with the true seams of the files: NAME.seams"""
    seconds: float = 600.0
    """for one file, on the clock"""
    memory: float = 4.0
    """for one file [GB]"""
    workers: int = 1
    """processes at a time"""
    again: bool = False
    """repeat what an earlier run has done"""


Report = Callable[[Trial], None]


def pattern_files(folder: Path) -> list[Path]:
    """Return the pattern files of a folder and the folders in it, sorted; or the one file that is named."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise ToileError(f"{folder}: no such folder: give one with pattern files in it")
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
    if not found:
        raise ToileError(f"{folder}: holds no pattern files ({', '.join(ENDINGS)})")
    return found


def result_path(output: Path, name: str, ending: str = ".json") -> Path:
    """Return where the result of a file is kept."""
    return output / (name.replace(os.sep, "__") + ending)


# ---------------------------------------------------------------------------- one file


def try_pattern(
    path: Path, name: str, settings: TrialSettings, *, shown: Callable[[Proposal], None] = lambda p: None
) -> tuple[Trial, Recording | None]:
    """Read, understand, sew and audit one file in this process; ``shown`` gets what is proposed for it."""
    start = time.monotonic()
    trial, recording = Trial(name), None
    try:
        proposal = _proposed(read_pattern(path, alone=bool(settings.truth)))
        trial = replace(_understood(trial, path, proposal, settings), stage="unsewn")
        shown(proposal)
        if settings.sew:
            trial, recording = _sewn(replace(trial, stage="sew"), proposal, settings)
    except ToileError as error:
        trial = replace(trial, problems=(one_line(error),))
    return replace(trial, seconds=time.monotonic() - start), recording


def _proposed(pattern: Pattern) -> Proposal:
    """Return the garment with what is missing: a file with seams and places for all panels lacks nothing."""
    if pattern.seams and all(panel.placement is not None for panel in pattern.panels):
        return Proposal(pattern, ("",) * len(pattern.seams), frozenset())
    return propose_seams_and_places(pattern)


def _understood(trial: Trial, path: Path, proposal: Proposal, settings: TrialSettings) -> Trial:
    """Return what was made of the pieces, beside the true seams if they are known."""
    pattern = proposal.pattern
    known = sum(panel.placement is not None for panel in pattern.panels)
    trial = replace(
        trial, pieces=len(pattern.panels), recognised=known, seams=len(pattern.seams),
        doubtful=len(proposal.unsure),
    )  # fmt: skip
    beside = Path(settings.truth) / f"{path.stem}{SEAM_ENDING}"
    if not settings.truth or not beside.is_file():
        return trial
    score: Score = seams_compared(pattern, read_pattern(path, seams=beside), proposal.unsure)
    return replace(trial, right=score.right, true=score.true, wrong=score.wrong_unmarked)


def _sewn(trial: Trial, proposal: Proposal, settings: TrialSettings) -> tuple[Trial, Recording]:
    words, body = wearer_of(proposal.pattern)
    recording = dress([proposal.pattern], body, edge_length=settings.edge_length)
    found = audit_drape(recording)
    if found.tight:
        # narrow in every place: a tailor takes it for what is cut for a knit
        knitted = dress([proposal.pattern], body, fabric=KNIT, edge_length=settings.edge_length)
        judged = audit_drape(knitted)
        if found.broken or not judged.broken:
            recording, found, words = knitted, judged, f"{words}, {KNIT}"
    return replace(trial, stage="done", body=words, problems=found.broken, tight=found.tight), recording


# ---------------------------------------------------------------------------- many files


def run_trials(
    files: Sequence[tuple[str, Path]],
    output: Path,
    settings: TrialSettings,
    report: Report = lambda trial: None,
) -> list[Trial]:
    """Return what came of each of the files (name, path), each tried in a process of its own."""
    output.mkdir(parents=True, exist_ok=True)
    kept = {} if settings.again else dict(_kept(output, files, settings))
    todo = [(name, path) for name, path in files if name not in kept]
    results = dict(kept)
    with ThreadPoolExecutor(max_workers=max(1, settings.workers)) as pool:
        jobs = [pool.submit(_in_process, name, path, output, settings) for name, path in todo]
        try:
            for job in as_completed(jobs):
                trial = job.result()
                results[trial.name] = trial
                report(trial)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    return [results[name] for name, _ in files]


def _in_process(name: str, path: Path, output: Path, settings: TrialSettings) -> Trial:
    """Try one file in a new process; what it cannot write itself is written here."""
    start = time.monotonic()
    command = [
        sys.executable, "-m", "toile", "trial", str(path), "-o", str(output), "--in-process", "--name", name,
        *_options(settings),
    ]  # fmt: skip
    result_path(output, name).unlink(missing_ok=True)
    environment = {**os.environ, "TOILE_THREADS": os.environ.get("TOILE_THREADS", "1")}
    try:
        done = subprocess.run(
            command, timeout=settings.seconds, env=environment, capture_output=True, text=True, check=False
        )
        words = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        words = f"took longer than {settings.seconds:.0f} s"
    trial = _read(result_path(output, name))
    if trial is None:
        trial = Trial(name, "lost", problems=(words[:200],), seconds=time.monotonic() - start)
        keep(trial, output, settings)
    return trial


def _options(settings: TrialSettings) -> list[str]:
    words = ["--edge", f"{settings.edge_length * 100:g}cm", "--memory", f"{settings.memory:g}"]
    words += ["--truth", settings.truth] if settings.truth else []
    return words if settings.sew else [*words, "--no-sew"]


# ---------------------------------------------------------------------------- on the disk


def keep(trial: Trial, output: Path, settings: TrialSettings) -> None:
    """Write what came of a file."""
    content = {"with": _made_with(settings), "trial": asdict(trial)}
    with replacing(result_path(output, trial.name)) as file:
        file.write(json.dumps(content, indent=1).encode())


def _made_with(settings: TrialSettings) -> dict[str, Any]:
    return {"edge_length": settings.edge_length, "sew": settings.sew, "truth": bool(settings.truth)}


def _kept(
    output: Path, files: Sequence[tuple[str, Path]], settings: TrialSettings
) -> Iterator[tuple[str, Trial]]:
    for name, path in files:
        place = result_path(output, name)
        trial = _read(place, _made_with(settings))
        if trial is not None and place.stat().st_mtime >= path.stat().st_mtime:
            yield name, trial


def _read(path: Path, made_with: dict[str, Any] | None = None) -> Trial | None:
    """Return a result that is there, whole, and was made this way."""
    try:
        content = json.loads(path.read_bytes())
        if made_with is not None and content["with"] != made_with:
            return None
        values = {f.name: content["trial"][f.name] for f in fields(Trial)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    words = {name: tuple(str(line) for line in values[name]) for name in ("problems", "tight")}
    return Trial(**{**values, **words})


def table(trials: Sequence[Trial]) -> list[str]:
    """Return the lines of a table, one file each, and a last line with the rates."""
    wide = max((len(t.name) for t in trials), default=4)
    head = (
        f"{'file':<{wide}}  read  pieces known  seams  right doubt wrong  sewn     s  body           verdict"
    )
    lines = [head, "─" * len(head)]
    for t in trials:
        right = f"{t.right}/{t.true}" if t.right >= 0 else ""
        wrong = str(t.wrong) if t.right >= 0 else ""
        lines.append(
            f"{t.name:<{wide}}  {_yes(t.stage != 'read'):<4}  {t.pieces:>6} {t.recognised:>5}  {t.seams:>5}  "
            f"{right:>5} {t.doubtful:>5} {wrong:>5}  {_yes(t.stage == 'done'):<4}  {t.seconds:>4.0f}  "
            f"{t.body:<13}  {t.verdict}"
        )
    return [*lines, _rates(trials)]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _rates(trials: Sequence[Trial]) -> str:
    known = [t for t in trials if t.right >= 0]
    words = f"{sum(t.ok for t in trials)} of {len(trials)} sewn and passed"
    if known:
        right, true = sum(t.right for t in known), sum(t.true for t in known)
        words += f"; {right} of {true} true seams right ({right / max(true, 1):.0%}), "
        words += f"{sum(t.wrong for t in known)} wrong without a mark"
    return words
