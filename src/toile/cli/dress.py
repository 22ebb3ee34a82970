"""``toile dress``, ``toile check``, ``toile demo``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from toile.audit.check import Audit, audit_drape, check_file
from toile.audit.findings import findings
from toile.cli.asked import body_source, dress_job
from toile.cli.common import (
    CHECK_FAILED,
    Commands,
    add_body_option,
    add_outputs,
    add_smooth_option,
    add_wearing,
    outputs_of,
    shown,
    tell_doubts,
    tell_notes,
    tell_sizes,
    tell_unfinished,
    write_result,
    write_results,
)
from toile.cli.talk import TALK, check_new
from toile.core.errors import ToileError
from toile.jobs.describe import Inputs
from toile.jobs.dressing import dressed
from toile.jobs.names import check_names
from toile.jobs.records import DressJob, GarmentSource
from toile.render.picture import picture_of
from toile.store.record import RecordedFile

RESULT = "dressed.toile"


def add_dress(commands: Commands) -> None:
    """Add ``toile dress``."""
    parser = commands.add_parser(
        "dress",
        description="Sews patterns round a body, drapes them and checks the result. The exit code is 1 when "
        "the check fails (files are written all the same; a seam that stays open is marked in a picture), "
        "2 when the input is wrong. A garment that is merely tight passes with a warning, unless --strict.",
        epilog="example: toile dress skirt.txt shirt.json --body woman --fabric wool,cotton -o look.glb",
    )
    add_wearing(parser)
    add_outputs(parser, RESULT)
    add_smooth_option(parser)
    parser.add_argument(
        "--strict", action="store_true", help="a garment that is merely tight fails, too (exit code 1)"
    )
    parser.set_defaults(run=run_dress)


def run_dress(options: argparse.Namespace) -> int:
    """Sew, drape, audit, write."""
    outputs, job = outputs_of(options, RESULT), dress_job(options)
    check_names(job)
    with shown():
        made = dressed(job, Inputs())
    tell_doubts(job.body.file, made.body.doubts)
    tell_sizes(made.wardrobe.sizes)
    print(f"{made.recording.garment.particle_count} vertices on {job.body.named or job.body.file}")
    tell_notes(made.notes)
    found = audit_drape(made.recording)
    put_audit(found)
    print("\n".join(found.lines()))
    write_results(made.recording, outputs, options.smooth)
    if made.recording.provenance.left_open:
        picture = outputs[0].with_name(f"{outputs[0].stem}.open.png")
        picture_of(made.recording, picture)
        print(f"look at {picture}: seams that stay open are marked red")
    return CHECK_FAILED if found.broken or (options.strict and found.tight) else 0


def put_audit(found: Audit) -> None:
    """Put an audit into the result that --json prints."""
    TALK.put("audit", {"passed": found.ok, "vertices": found.vertex_count, **findings(found)})


def add_check(commands: Commands) -> None:
    """Add ``toile check``."""
    parser = commands.add_parser(
        "check",
        description="Audits a dressed body: penetration, intersections, seams, winding, stretch, rest. "
        "The exit code is 1 when something fails, 2 when the file cannot be read.",
        epilog="example: toile check dressed.toile",
    )
    parser.add_argument("file", metavar="FILE.toile")
    parser.set_defaults(run=run_check)


def run_check(options: argparse.Namespace) -> int:
    """Audit a file."""
    with RecordedFile(options.file) as recorded:
        count, damaged = len(recorded), recorded.damaged_frames
        tell_unfinished(recorded)
    if damaged or not count:
        what = f"frame {damaged[0]} of {count} is damaged" if damaged else "holds no frame"
        raise ToileError(f"{options.file}: {what}: make the file again")
    with shown():
        ok, lines = check_file(options.file)
    TALK.put("audit", {"passed": ok, "lines": lines})
    print("\n".join(lines))
    return 0 if ok else CHECK_FAILED


def add_demo(commands: Commands) -> None:
    """Add ``toile demo``."""
    parser = commands.add_parser(
        "demo",
        description="Drafts a T-shirt and a skirt for the body, sews and drapes them and writes a GLB, "
        "a picture and a report.",
        epilog="example: toile demo -o demo",
    )
    add_body_option(parser)
    parser.add_argument("-o", "--output", default="demo", metavar="FOLDER", help="where to (default: demo)")
    parser.set_defaults(run=run_demo)


def demo_job(body: str) -> DressJob:
    """Return the job that puts a T-shirt over a skirt."""
    worn = (GarmentSource(draft="skirt"), GarmentSource(draft="tshirt"))
    return DressJob(body=body_source(body), garments=worn, fabric=("wool", "cotton"))


def run_demo(options: argparse.Namespace) -> int:
    """Make the demo and print where it is."""
    folder, job = Path(options.output), demo_job(options.body)
    check_new(folder)
    with shown():
        recording = dressed(job, Inputs()).recording
        folder.mkdir(parents=True, exist_ok=True)
        found = audit_drape(recording)
    put_audit(found)
    text = "\n".join(found.lines())
    for name in ("dressed.toile", "dressed.glb", "dressed.png"):
        write_result(recording, folder / name)
    (folder / "report.txt").write_text(text + "\n", encoding="utf-8")
    print(text)
    print(f"look at {folder / 'dressed.png'}; open {folder / 'dressed.glb'} in a 3D viewer")
    # as it was called: make demo does not put it on the path
    name = sys.argv[0] if Path(sys.argv[0]).name == "toile" else "toile"
    print(f"see it in the browser: {name} play {folder / 'dressed.toile'}")
    print(f"try clothes on in the browser: {name} serve")
    print(f"cut and sew in the browser: {name} studio")
    return 0


COMMANDS = (add_dress, add_check, add_demo)
