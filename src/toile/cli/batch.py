"""``toile batch``, ``toile run``: very many jobs, or a single one by its description."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from toile.batches.grid import own_cores
from toile.batches.plan import Plan, cells_of, read_plan
from toile.batches.report import draw_sheet, report_lines, rows_of, status_lines
from toile.batches.run import CRASHED, Cluster, Limits, Local, Outcome, Runner, retry_batch, run_batch
from toile.batches.store import StoreLost, open_store
from toile.cli.common import CHECK_FAILED, Commands, shown
from toile.core.errors import ToileError
from toile.io.untrusted_files import decode, parse_json, read_bytes
from toile.jobs.describe import Inputs, job_from_json
from toile.jobs.run import run

ACTIONS = ("status", "retry", "report", "pack")


def add_batch(commands: Commands) -> None:
    """Add ``toile batch``."""
    parser = commands.add_parser(
        "batch",
        description="Computes every cell of a plan, here on all cores or on a Dask cluster (extra: batch). "
        "What is done is kept: the same command goes on after Ctrl-C or a crash. status, retry, report, pack "
        "take the folder of a batch: how it stands, cells that crashed again, a table with reasons and a "
        "sheet of pictures, a data set in Parquet and zarr.",
        epilog="example: toile batch plan.toml -o out",
    )
    parser.add_argument("words", nargs="+", metavar="PLAN.toml|status|retry|report|pack [FOLDER]")
    parser.add_argument("-o", "--output", metavar="FOLDER|s3://…", help="where results go")
    parser.add_argument("--workers", type=int, metavar="N", help="processes here (default: one a core)")
    parser.add_argument("--cluster", metavar="tcp://HOST:8786", help="a Dask cluster")
    parser.add_argument("--estimate", action="store_true", help="only check the plan and tell what it takes")
    parser.add_argument("--failed", action="store_true", help="retry, pack: also failed audits")
    parser.set_defaults(run=run_command)


def run_command(options: argparse.Namespace) -> int:
    """Compute, or look at what was computed."""
    try:
        if options.words[0] in ACTIONS:
            if len(options.words) != 2:
                raise ToileError(f"toile batch {options.words[0]}: name the folder of a batch")
            return ACTS[options.words[0]](options, options.words[1])
        if len(options.words) != 1:
            raise ToileError(f"'{options.words[1][:40]}': one plan at a time")
        return compute(options, options.words[0])
    except StoreLost as error:
        raise ToileError(str(error)) from None


def compute(options: argparse.Namespace, path: str) -> int:
    """Compute a plan's cells."""
    plan, inputs = read_plan(path)
    cells = list(cells_of(plan, inputs))
    workers = own_cores() if options.workers is None else max(options.workers, 1)
    print("\n".join(estimate(plan, len(cells), workers)))
    if options.estimate:
        return 0
    if not options.output:
        raise ToileError("name where results go: -o FOLDER")
    store = open_store(options.output, make=True)
    limits = Limits(seconds=plan.seconds, memory=round(plan.memory * 1e9))
    runner = runner_of(options)
    watch = _Watch()
    try:
        counts = run_batch(
            cells, store, runner, inputs=inputs, limits=limits, about={"name": plan.name}, tell=watch
        )
    except KeyboardInterrupt:
        print(f"{watch.done} cells are done: the same command goes on", file=sys.stderr)
        raise
    return _ended(counts, options.output)


def runner_of(options: argparse.Namespace) -> Runner:
    """Return what computes cells: processes here, or a cluster."""
    if options.cluster:
        return Cluster(connected(options.cluster), say=_say)
    return Local(own_cores() if options.workers is None else options.workers)


def connected(address: str) -> Any:
    """Return a client of a Dask cluster."""
    try:
        from distributed import Client
    except ImportError:
        raise ToileError("--cluster needs the extra batch: pip install 'toile[batch]'") from None
    try:
        return Client(address, timeout=20)
    except (OSError, ValueError) as error:
        raise ToileError(f"{address}: no Dask scheduler answers there ({str(error)[:100]})") from None


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _ended(counts: Counter[str], out: str) -> int:
    words = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    print(f"{words}: toile batch report {out}")
    return CHECK_FAILED if counts["failed"] + counts["refused"] + counts[CRASHED] else 0


def estimate(plan: Plan, count: int, workers: int) -> list[str]:
    """Return what a plan takes, from what drapes of such meshes took here: within a factor of two."""
    pieces = sum(len(outfit.wear) for outfit in plan.garments) / len(plan.garments)
    vertices = 1.5 * pieces / (0.87 * plan.edge_length**2)
    frames = sum((m.seconds or 4.0) * (m.fps or 60.0) for m in plan.motions) / max(len(plan.motions), 1)
    seconds = 1.5 + 9e-4 * vertices + frames * (0.03 + 4e-6 * vertices)
    megabytes = 0.7 + 2e-4 * vertices + frames * 2.5e-5 * vertices
    hours = count * seconds / workers / 3600
    return [
        f"{plan.name}: {count} cells of about {vertices:.0f} vertices",
        f"about {hours:.1f} hours with {workers} workers, {count * megabytes / 1000:.1f} GB",
    ]


class _Watch:
    """Tells how far a batch is: a live line, or a line now and then."""

    def __init__(self) -> None:
        self._live, self._start, self._shown = sys.stderr.isatty(), time.monotonic(), 0.0
        self.done, self._new, self._counts = 0, 0, Counter[str]()

    def __call__(self, outcome: Outcome, done: int, count: int) -> None:
        """Show an outcome."""
        self.done, self._new, now = done, self._new + 1, time.monotonic()
        self._counts[outcome.status] += 1
        if done < count and now - self._shown < (0.2 if self._live else 10.0):
            return
        self._shown = now
        rate = self._new / max(now - self._start, 1e-3)
        states = ", ".join(f"{n} {state}" for state, n in self._counts.items())
        left = (count - done) / rate / 60
        line = f"{done}/{count} cells  {60 * rate:.1f} a minute  {left:.0f} min left  {states}"
        print(
            f"\r\x1b[K{line}" if self._live else line,
            end="" if self._live and done < count else "\n",
            file=sys.stderr,
        )


def show_status(options: argparse.Namespace, out: str) -> int:
    """Print how a batch stands."""
    print("\n".join(status_lines(rows_of(open_store(out)))))
    return 0


def show_report(options: argparse.Namespace, out: str) -> int:
    """Print table and reasons; write the sheet of pictures."""
    store = open_store(out)
    rows = rows_of(store)
    print("\n".join(report_lines(rows)))
    sheet = Path(options.output or "sheet.png")
    if draw_sheet(store, rows, sheet):
        print(f"look at {sheet}")
    return 0


def retry(options: argparse.Namespace, out: str) -> int:
    """Compute cells again that crashed, and with --failed those with bad results."""
    counts = retry_batch(open_store(out), runner_of(options), failed=options.failed, tell=_Watch())
    return _ended(counts, out)


def pack_results(options: argparse.Namespace, out: str) -> int:
    """Write a data set."""
    from toile.batches.pack import pack

    if not options.output:
        raise ToileError("name where the data set goes: -o FOLDER")
    with shown():
        about = pack(open_store(out), options.output, failed=options.failed)
    print(f"{about['rows']} rows, {len(about['columns'])} columns in {options.output}; read its README.md")
    return 0


ACTS = {"status": show_status, "report": show_report, "retry": retry, "pack": pack_results}


def add_run(commands: Commands) -> None:
    """Add ``toile run``."""
    parser = commands.add_parser(
        "run",
        description="Does one job (dress, walk, body, fit, export …; docs/jobs.md) into a folder. What was "
        "begun there with the same job goes on.",
        epilog="example: toile run job.json -o out",
    )
    parser.add_argument("job", metavar="JOB.json")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="made if it is not there")
    parser.set_defaults(run=run_job)


def run_job(options: argparse.Namespace) -> int:
    """Do a job."""
    path = Path(options.job)
    job = job_from_json(parse_json(decode(read_bytes(path), path.name), path.name), path.name)
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    with shown() as progress:
        result = run(job, inputs=Inputs(folder=path.parent), folder=folder, progress=progress)
    for note in result.notes:
        print(f"note: {note}")
    for problem in result.problems:
        print(f"FAILED  {problem}")
    print(f"wrote {', '.join(result.files) or 'result.json'} to {folder}")
    return 0 if result.ok else CHECK_FAILED


COMMANDS = (add_batch, add_run)
