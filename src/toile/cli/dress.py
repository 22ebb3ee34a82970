"""``toile dress``, ``toile check``, ``toile demo``."""

from __future__ import annotations

import argparse
from pathlib import Path

from toile.audit.check import audit_drape, check_file
from toile.cli.common import (
    CHECK_FAILED,
    Commands,
    Progress,
    add_body_option,
    add_outputs,
    add_smooth_option,
    add_wearing,
    body_of,
    fabrics,
    garments_of,
    length,
    method_of,
    outputs_of,
    tell_notes,
    tell_unfinished,
    write_result,
    write_results,
)
from toile.core.errors import ToileError
from toile.core.records import Body, Recording
from toile.garment.fabric import FABRICS
from toile.pattern.drafts.library import draft
from toile.sim.dress.dress import dress
from toile.store.record import RecordedFile

RESULT = "dressed.toile"


def add_dress(commands: Commands) -> None:
    """Add ``toile dress``."""
    parser = commands.add_parser(
        "dress",
        help="sew patterns on a body and drape them",
        description="Sews patterns round a body, drapes them and checks the result. The exit code is 1 when "
        "the check fails (the files are written all the same), 2 when the input is wrong.",
        epilog="example: toile dress skirt.txt shirt.json --body woman --fabric wool,cotton -o look.glb",
    )
    add_wearing(parser)
    parser.add_argument(
        "--fabric", default="cotton", metavar="NAME[,NAME]",
        help=f"of all garments, or of each: {', '.join(FABRICS)} (default: cotton)",
    )  # fmt: skip
    parser.add_argument(
        "--edge", type=length, default=0.015, metavar="1.5cm", help="edge length of the mesh (default: 1.5cm)"
    )
    add_outputs(parser, RESULT)
    add_smooth_option(parser)
    parser.set_defaults(run=run_dress)


def run_dress(options: argparse.Namespace) -> int:
    """Sew, drape, audit, write."""
    outputs = outputs_of(options, RESULT)
    method, body = method_of(options), body_of(options)
    patterns = garments_of(options, body)
    progress = Progress()
    recording = dress(
        patterns,
        body,
        fabric=fabrics(options.fabric),
        edge_length=options.edge,
        mesh=options.mesh,
        progress=progress,
        **method,
    )
    progress.finish()
    print(f"{recording.garment.particle_count} vertices on {options.body}")
    tell_notes([*(n for p in patterns for n in p.notes), *recording.settings["notes"]])
    found = audit_drape(recording)
    print("\n".join(found.lines()))
    write_results(recording, outputs, options.smooth)
    return 0 if found.ok else CHECK_FAILED


def add_check(commands: Commands) -> None:
    """Add ``toile check``."""
    parser = commands.add_parser(
        "check",
        help="audit a result by exact triangles",
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
    ok, lines = check_file(options.file)
    print("\n".join(lines))
    return 0 if ok else CHECK_FAILED


def add_demo(commands: Commands) -> None:
    """Add ``toile demo``."""
    parser = commands.add_parser(
        "demo",
        help="sew a T-shirt and a skirt on a body",
        description="Drafts a T-shirt and a skirt for the body, sews and drapes them and writes a GLB, "
        "a picture and a report.",
        epilog="example: toile demo -o demo",
    )
    add_body_option(parser)
    parser.add_argument("-o", "--output", default="demo", metavar="FOLDER", help="where to (default: demo)")
    parser.set_defaults(run=run_demo)


def demo_outfit(body: Body, progress: Progress) -> Recording:
    """Return the body in a T-shirt over a skirt."""
    patterns = [draft("skirt", body.measurements), draft("tshirt", body.measurements)]
    return dress(patterns, body, fabric=["wool", "cotton"], progress=progress)


def run_demo(options: argparse.Namespace) -> int:
    """Make the demo and print where it is."""
    folder = Path(options.output)
    progress = Progress()
    recording = demo_outfit(body_of(options), progress)
    progress("writing", 0.0)
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(audit_drape(recording).lines())
    progress.finish()
    for name in ("dressed.toile", "dressed.glb", "dressed.png"):
        write_result(recording, folder / name)
    (folder / "report.txt").write_text(text + "\n", encoding="utf-8")
    print(text)
    print(f"look at {folder / 'dressed.png'}; open {folder / 'dressed.glb'} in a 3D viewer")
    return 0


COMMANDS = (add_dress, add_check, add_demo)
