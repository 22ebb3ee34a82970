"""Batches here: everything once, to the byte, whatever dies; full disks and vanished folders; tables."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from batch_samples import skirts
from toile.batches import cell as cells_module
from toile.batches.cell import CELLS, INPUTS, done_keys, place, read_cell
from toile.batches.report import report_lines, rows_of, status_lines
from toile.batches.run import CRASHED, Limits, Local, Outcome, given_up, run_batch
from toile.batches.store import FolderStore, StoreLost, open_store
from toile.cli import main
from toile.core.errors import ToileError
from toile.jobs.describe import Inputs, job_from_json, job_to_json
from toile.jobs.run import run
from toile.jobs.worker import JobCrashed, Worker


def contents(folder: Path) -> dict[str, str]:
    """Return name → checksum of all results."""
    files = (path for path in (folder / CELLS).rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture(scope="session")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of three cells that nothing happened to."""
    folder = tmp_path_factory.mktemp("serial")
    counts = run_batch(skirts(3), open_store(folder), Local(1))
    assert sum(counts.values()) == 3
    return folder


def test_a_cell_is_a_plain_dress_of_the_same_job(serial: Path, tmp_path: Path) -> None:
    for number, cell in enumerate(skirts(3)):
        folder = tmp_path / str(number)
        folder.mkdir()
        run(cell.job, folder=folder)
        made = serial / place(cell.key(Inputs())) / "dressed.toile"
        assert made.read_bytes() == (folder / "dressed.toile").read_bytes()
        # and by the command line, from the description that the result keeps
        (tmp_path / "job.json").write_text(json.dumps(job_to_json(cell.job)))
    main(["run", str(tmp_path / "job.json"), "-o", str(tmp_path / "again")])
    assert (tmp_path / "again" / "dressed.toile").read_bytes() == made.read_bytes()


def test_two_workers_make_the_same_and_nothing_twice(serial: Path, tmp_path: Path) -> None:
    store = open_store(tmp_path)
    told: list[Outcome] = []
    run_batch(skirts(3), store, Local(2), tell=lambda outcome, done, count: told.append(outcome))
    assert contents(tmp_path) == contents(serial)
    assert len({one.key for one in told}) == len(told) == 3
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("dressed.toile")}
    counts = run_batch(skirts(3), store, Local(2))
    assert counts == {"kept": 3}
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("dressed.toile")} == before


def test_input_files_are_stored_once_by_content(tmp_path: Path) -> None:
    import toile
    from toile.pattern.library import write_pattern

    body = toile.named_body("woman")
    for name in ("a.txt", "b.txt"):
        write_pattern(toile.draft("skirt", body.measurements), tmp_path / name)
    made = toile.grid(["woman"], ["a.txt"], edge_length=0.06, folder=tmp_path)
    out = tmp_path / "out"
    run_batch(made, open_store(out, make=True), Local(1), inputs=Inputs(folder=tmp_path))
    again = toile.grid(["woman"], ["b.txt"], edge_length=0.06, folder=tmp_path)
    # the same content under another name is the same cell
    assert run_batch(again, open_store(out), Local(1), inputs=Inputs(folder=tmp_path)) == {"kept": 1}
    assert len(list((out / INPUTS).rglob("*.txt"))) == 2 or len(list((out / INPUTS).iterdir())) == 1
    # plain dress by the command line, where the plan lies
    code = subprocess.run(
        [sys.executable, "-m", "toile", "dress", "a.txt", "--edge", "6cm", "-o", "plain.toile"],
        cwd=tmp_path, check=False, capture_output=True,
    ).returncode  # fmt: skip
    assert code in (0, 1)
    result = next(out.rglob("dressed.toile"))
    assert result.read_bytes() == (tmp_path / "plain.toile").read_bytes()


DRIVER = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
from batch_samples import skirts
from toile.batches.run import Local, run_batch
from toile.batches.store import open_store
die = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    "last_words",
    [
        # the driver dies when the first cell is done, while its worker is at the second
        "run_batch(skirts(3), open_store(sys.argv[1]), Local(1), tell=die)",
        # it dies between writing a file and moving it to its place
        "move = os.replace\n"
        "os.replace = lambda a, b: die() if str(b).endswith('dressed.toile') else move(a, b)\n"
        "run_batch(skirts(3), open_store(sys.argv[1]), Local(1))",
    ],
)
def test_a_killed_driver_loses_and_leaves_nothing(serial: Path, tmp_path: Path, last_words: str) -> None:
    support = str(Path(__file__).parent.parent / "support")
    out, scratch = tmp_path / "out", tmp_path / "scratch"
    out.mkdir()
    scratch.mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", DRIVER + last_words, str(out), support],
        check=False, env={**os.environ, "TMPDIR": str(scratch)}, timeout=60,
    )  # fmt: skip
    assert ended.returncode == -signal.SIGKILL
    assert len(done_keys(open_store(out))) < 3
    again = "run_batch(skirts(3), open_store(sys.argv[1]), Local(1))"
    subprocess.run(
        [sys.executable, "-c", DRIVER + again, str(out), support],
        check=True, env={**os.environ, "TMPDIR": str(scratch)}, timeout=60,
    )  # fmt: skip
    assert contents(out) == contents(serial)
    assert not list(out.rglob(".*"))
    assert not list(scratch.glob("toile-cell-*"))


def test_a_cell_that_always_crashes_is_given_up_and_reported(
    serial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []
    real = Worker.run

    def crash(self: Worker, job: object, **options: object) -> object:
        if "0.42" in str(job):
            tries.append("")
            self.start()
            os.kill(self.pid or 0, signal.SIGKILL)
        return real(self, job, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Worker, "run", crash)
    store = open_store(tmp_path)
    counts = run_batch(skirts(2), store, Local(1), limits=Limits(seconds=100))
    assert counts[CRASHED] == 1
    assert len(tries) == 3
    assert len(given_up(store)) == 1
    lines = report_lines(rows_of(store))
    assert "1 crashed" in lines[0]
    assert any("SIGKILL" in line for line in lines)
    # not tried again, until that is asked for
    assert run_batch(skirts(2), store, Local(1)) == {"kept": 2}
    monkeypatch.setattr(Worker, "run", real)
    assert main(["batch", "retry", str(tmp_path), "--failed", "--workers", "1"]) in (0, 1)
    assert not given_up(store)
    assert contents(tmp_path).items() <= contents(serial).items()
    assert run_batch(skirts(2), store, Local(1)) == {"kept": 2}


def test_refused_jobs_and_failed_audits_are_results(tmp_path: Path) -> None:
    import toile

    made = toile.grid(["woman"], [{"draft": "skirt", "style": {"length": [0.5]}}], edge_length=0.06)
    tight = toile.grid(["man"], [{"draft": "top", "style": {"ease": -0.25}}], edge_length=0.06)
    store = open_store(tmp_path)
    counts = run_batch([*made, *tight], store, Local(1))
    assert counts["passed"] + counts["failed"] + counts["refused"] == 2
    bad = read_cell(store, tight[0].key(Inputs()))
    assert bad is not None
    assert bad["problems"]
    assert status_lines(rows_of(store))[0].startswith("2 cells: ")


class Full(FolderStore):
    """A disk that is full after some files."""

    left = 4

    def put(self, name: str, data: bytes | Path) -> None:
        if Full.left == 0:
            raise StoreLost(f"{name}: cannot be written: No space left on device")
        Full.left -= 1
        super().put(name, data)


def test_a_full_disk_stops_the_batch_and_it_goes_on_later(
    serial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells_module, "open_store", Full)
    with pytest.raises(StoreLost, match="No space left"):
        run_batch(skirts(3), open_store(tmp_path), Local(1))
    monkeypatch.undo()
    run_batch(skirts(3), open_store(tmp_path), Local(1))
    assert contents(tmp_path) == contents(serial)


def test_a_vanished_folder_is_not_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    store = open_store(folder, make=True)
    with pytest.raises(StoreLost, match="is gone"):
        run_batch(skirts(2), store, Local(1), tell=lambda *_: shutil.rmtree(folder))
    assert not (folder / CELLS).exists()
    with pytest.raises(ToileError, match="no such folder"):
        open_store(folder)


def test_a_population_is_fitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text('job = "fit"\n[bodies]\nnamed = ["woman", "man"]\n[[garments]]\ndraft = "tshirt"\n')
    assert main(["batch", str(plan), "-o", str(out), "--workers", "1"]) == 0
    rows = rows_of(open_store(out))
    assert [len(row.fits) for row in rows] == [1, 1]
    for row, body in zip(rows, ("woman", "man"), strict=True):
        alone = run(job_from_json(read_cell(open_store(out), row.key)["job"]))  # type: ignore[index]
        (found,) = alone.facts["garments"]
        assert (row.labels["body"], row.fits[0].size) == (body, found["size"])
        assert row.fits[0].slack == min(g["slack"] for g in found["sizes"][found["size"]])
    capsys.readouterr()
    assert main(["batch", "report", str(out)]) == 0
    assert "sizes of tshirt: " in capsys.readouterr().out
    assert main(["batch", "pack", str(out), "-o", str(tmp_path / "data")]) == 0
    import toile

    assert [row["fit_size"] for row in toile.load_dataset(tmp_path / "data")] == [
        r.fits[0].size for r in rows
    ]
    assert "comparisons of all sizes" in (tmp_path / "data" / "README.md").read_text()


def test_limits_are_told(tmp_path: Path) -> None:
    counts = run_batch(skirts(1), open_store(tmp_path), Local(1), limits=Limits(seconds=0.2))
    assert counts == {"kept": 0, CRASHED: 1}
    assert "longer than 0.2 s" in report_lines(rows_of(open_store(tmp_path)))[-1]
    assert issubclass(JobCrashed, Exception)


def test_the_command_computes_reports_and_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(
        'edge_length = "6cm"\n[bodies]\nnamed = ["woman"]\n[[garments]]\ndraft = "skirt"\n'
        '[pictures]\nviews = ["front"]\nwidth = 64\nheight = 96\n'
    )
    assert main(["batch", str(plan), "--estimate"]) == 0
    assert "1 cells of about" in capsys.readouterr().out
    assert main(["batch", str(plan), "-o", str(out), "--workers", "1"]) in (0, 1)
    (folder,) = {path.parent for path in out.rglob("cell.json")}
    assert {"front.png", "front.depth.png", "front.normal.png", "front.label.png"} <= set(os.listdir(folder))
    assert main(["batch", "status", str(out)]) == 0
    assert main(["batch", "report", str(out), "-o", str(tmp_path / "sheet.png")]) == 0
    assert (tmp_path / "sheet.png").stat().st_size > 500
    assert "1 cells:" in capsys.readouterr().out
    assert main(["batch", "pack"]) == 2
    assert main(["batch", "status", str(tmp_path / "none")]) == 2
    plan.write_text("[[garments]]\ndraft = 'toga'\n")
    capsys.readouterr()
    assert main(["batch", str(plan), "-o", str(out)]) == 2
    assert "plan.toml:" in capsys.readouterr().err
