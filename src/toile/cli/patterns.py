"""``toile info``, ``toile seams``, ``toile convert``, ``toile draft``, ``toile grade``."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from toile.body.library import open_body
from toile.cli.common import (
    Commands,
    add_body_option,
    add_reading_options,
    body_of,
    check_output,
    reading,
    tell_notes,
)
from toile.cli.talk import check_new, new_name
from toile.cli.words import length, sex
from toile.core import defaults
from toile.core.choices import choose, meant
from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.fit.size import graded_to
from toile.garment.mesh.quality import mesh_quality
from toile.pattern.drafts.library import DRAFTS, draft, draft_again, options
from toile.pattern.drafts.limits import is_length
from toile.pattern.drawing.draw import draw_pattern
from toile.pattern.drawing.info import describe
from toile.pattern.formats.pdf import SHEETS, write_pdf
from toile.pattern.grading.sizes import HEIGHT, graded_drafts, sizes_named
from toile.pattern.library import (
    SEAM_ENDING,
    WRITERS,
    pattern_sizes,
    read_outfit,
    read_pattern,
    write_outfit,
    write_pattern,
    write_seams,
)
from toile.pattern.model.allowance import with_allowance
from toile.pattern.pieces.placement import propose_seams_and_places

DRAWINGS = (".png", ".svg")
STYLES = tuple(sorted({key for name in DRAFTS for key in options(name)}))
"""style options of all drafts: length=60cm may also be written --length 60cm"""


def add_info(commands: Commands) -> None:
    """Add ``toile info``."""
    parser = commands.add_parser(
        "info",
        description="Lists pieces (cm), seams with lengths and ease, and how good the mesh is; draws the "
        "pieces with their edges' numbers and names, notches, grain and the seams in matching colours.",
        epilog="example: toile info shirt.json -o shirt.png",
    )
    parser.add_argument("pattern", metavar="PATTERN")
    parser.add_argument("-o", "--output", metavar="FILE", help=".png or .svg (default: PATTERN.pieces.png)")
    parser.add_argument(
        "--edge",
        type=length,
        default=defaults.EDGE_LENGTH,
        metavar="1.5cm",
        help="edge length of the mesh that is judged",
    )
    add_reading_options(parser)
    parser.set_defaults(run=run_info)


def run_info(options: argparse.Namespace) -> int:
    """Describe and draw a pattern."""
    named = options.output or str(new_name(Path(f"{Path(options.pattern).stem}.pieces.png")))
    drawing = check_output(named, DRAWINGS, "drawings")
    garments = read_outfit(options.pattern, **reading(options, options.pattern))
    for number, pattern in enumerate(garments, 1):
        path = drawing if len(garments) == 1 else drawing.with_stem(f"{drawing.stem}_{number}")
        print(describe(pattern))
        quality = mesh_quality(pattern, options.edge)
        print(f"mesh: {quality}")
        print("".join(f"  to look at: {line}\n" for line in quality.warnings[:10]), end="")
        draw_pattern(pattern, path, numbers=True)
        print(f"wrote {path}")
    return 0


def add_seams(commands: Commands) -> None:
    """Add ``toile seams``."""
    parser = commands.add_parser(
        "seams",
        description="Proposes which edges are sewn together and where the pieces go, each with a confidence "
        "from 0 to 1 and a reason, and writes a seam file to look through and correct.",
        epilog="example: toile seams trousers.dxf -o trousers.seams --picture trousers.png",
    )
    parser.add_argument("pattern", metavar="PATTERN")
    parser.add_argument("-o", "--output", metavar="FILE", help=".seams (default: beside PATTERN)")
    parser.add_argument(
        "--picture", metavar="FILE", help=".png or .svg of the pieces; seams to look at are dashed"
    )
    add_reading_options(parser)
    parser.set_defaults(run=run_seams)


def run_seams(options: argparse.Namespace) -> int:
    """Propose seams, tell their reasons, write them."""
    beside = Path(options.pattern).with_suffix(SEAM_ENDING)
    path = check_output(options.output or str(beside), (SEAM_ENDING,), "seams")
    picture = check_output(options.picture, DRAWINGS, "drawings") if options.picture else None
    how = reading(options, options.pattern)
    base = read_pattern(options.pattern, **{**how, "seams": None}, alone=True)
    proposal = propose_seams_and_places(read_pattern(options.pattern, **how))
    print(describe(proposal.pattern))
    for line in proposal.pieces:
        print(f"proposed piece: {line}")
    for number, remark in enumerate(proposal.remarks, 1):
        if remark:
            print(f"proposed seam {number}: {remark}")
    # what the file itself holds stays there: the seam file is added to it
    own = len(base.seams)
    added = replace(
        proposal.pattern, seams=proposal.pattern.seams[own:], holds=proposal.pattern.holds[len(base.holds) :]
    )
    unsure = {k - own for k in proposal.unsure}
    write_seams(added, path, remarks=proposal.remarks[own:], base=base, unsure=unsure, told=proposal.pieces)
    print(f"wrote {path}: {len(added.seams)} seams, {len(proposal.unsure)} of them to look at")
    if picture:
        draw_pattern(proposal.pattern, picture, unsure=proposal.unsure, numbers=True)
        print(f"wrote {picture}")
    return 0


def add_convert(commands: Commands) -> None:
    """Add ``toile convert``."""
    parser = commands.add_parser(
        "convert",
        description=f"Writes a pattern in the format of the second name's ending: {', '.join(WRITERS)}. "
        "DXF and SVG get a seam file beside them. A PDF holds the pieces at true size on sheets for a home "
        "printer, with a plan and a 10 cm square to measure.",
        epilog="example: toile convert shirt.dxf -o shirt.pdf --size M --paper letter --allowance 1cm",
    )
    parser.add_argument("source", metavar="FROM")
    parser.add_argument("target", nargs="?", metavar="TO", help="or -o TO")
    parser.add_argument("-o", "--output", metavar="TO", help="the file to write; its ending is the format")
    parser.add_argument("--paper", choices=tuple(SHEETS), default="a4", help="of a PDF (default: a4)")
    parser.add_argument(
        "--allowance",
        type=length,
        default=0.0,
        metavar="1cm",
        help="add a cutting line this far outside the pieces",
    )
    add_reading_options(parser)
    parser.set_defaults(run=run_convert)


def run_convert(options: argparse.Namespace) -> int:
    """Read one pattern, write another."""
    if bool(options.target) == bool(options.output):
        raise ToileError("name one file to write: toile convert FROM -o TO")
    target = check_output(options.target or options.output, WRITERS, "patterns")
    source = Path(options.source)
    if source.resolve() == target.resolve():
        raise ToileError(f"{target}: would replace the file that is read: give another name")
    beside = source.with_suffix(SEAM_ENDING)
    replaced = target.suffix.lower() in (".dxf", ".svg") and target.with_suffix(SEAM_ENDING)
    if replaced and beside.is_file() and replaced.resolve() == beside.resolve():
        raise ToileError(f"{target}: its seam file would replace {beside.name}: give another name")
    garments = tuple(
        with_allowance(garment, options.allowance)
        for garment in read_outfit(source, **reading(options, options.source))
    )
    if target.suffix.lower() == ".pdf" and len(garments) == 1:
        print(f"{write_pdf(garments[0], target, sheet=options.paper)} sheets of {options.paper}")
    else:
        write_outfit(garments, target)
    tell_notes([note for pattern in garments for note in pattern.notes])
    counts = [
        sum(len(of) for of in parts) for parts in zip(*((p.panels, p.seams) for p in garments), strict=True)
    ]
    print(f"wrote {target}: {counts[0]} pieces, {counts[1]} seams")
    return 0


def add_draft(commands: Commands) -> None:
    """Add ``toile draft``."""
    listed = "; ".join(f"{name}: {', '.join(options(name))}" for name in DRAFTS)
    parser = commands.add_parser(
        "draft",
        description="Drafts a pattern for a body. Style options are name=value, lengths with their unit.",
        epilog=f"example: toile draft skirt --body woman length=60cm -o skirt.txt. Options: {listed}",
    )
    parser.add_argument("name", metavar="|".join(DRAFTS))
    parser.add_argument("style", nargs="*", metavar="OPTION=VALUE")
    add_body_option(parser)
    for key in STYLES:
        flag = f"--{key.replace('_', '-')}"
        parser.add_argument(flag, dest=f"style_{key}", metavar="VALUE", help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", metavar="FILE", help=f"{', '.join(WRITERS)} (default: NAME.txt)")
    parser.set_defaults(run=run_draft)


def style_values(name: str, words: list[str]) -> dict[str, Any]:
    """Return the style options from words such as length=60cm."""
    choose("draft", DRAFTS, name)
    known, values = options(name), {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key not in known:
            hint = meant(key, known)
            raise ToileError(
                f"'{word}' is no option of {name}{hint}: write name=value with {', '.join(known)}"
            )
        # an option that takes words may take a length as well: length=midi, length=60cm
        values[key] = text if isinstance(known[key], str) and text[:1].isalpha() else _value(name, key, text)
    return values


def _value(draft_name: str, option: str, text: str) -> float:
    """Return a number, lengths in metres."""
    try:
        return length(text) if is_length(draft_name, option) else float(text)
    except (argparse.ArgumentTypeError, ValueError):
        wanted = "a length such as 12cm" if is_length(draft_name, option) else "a number"
        raise ToileError(f"draft {draft_name}: {option}={text[:40]}: wanted {wanted}") from None


def run_draft(options: argparse.Namespace) -> int:
    """Draft and write a pattern."""
    path = check_output(options.output or f"{options.name}.txt", WRITERS, "patterns")
    flags = [f"{key}={value}" for key in STYLES if (value := getattr(options, f"style_{key}")) is not None]
    style = style_values(options.name, [*options.style, *flags])
    pattern = draft(options.name, body_of(options).measurements, **style)
    write_pattern(pattern, path)
    print(describe(pattern))
    print(f"wrote {path}")
    return 0


def add_grade(commands: Commands) -> None:
    """Add ``toile grade``."""
    parser = commands.add_parser(
        "grade",
        description="Drafts a garment anew for the girths of each size (EN 13402-3), or grades a file: a "
        "drafted one anew, one with grade rules or sizes by these (also a DXF's .rul file beside it), others "
        "by the ratios of girths. Style options of drafts are name=value as for toile draft.",
        epilog="example: toile grade skirt.txt --sizes 34-46 -o sizes",
    )
    parser.add_argument("name", metavar="DRAFT|FILE", help=f"one of {', '.join(DRAFTS)}, or a pattern file")
    parser.add_argument("style", nargs="*", metavar="OPTION=VALUE")
    parser.add_argument("--sizes", required=True, metavar="34-46|S,M,L|all")
    parser.add_argument(
        "--sex", type=sex, default="woman", metavar="woman|man", help="whose sizes (default: woman)"
    )
    tall = ", ".join(f"{sex} {height * 100:.0f}" for sex, height in HEIGHT.items())
    parser.add_argument("--height", type=length, default=0.0, metavar="170cm", help=f"(default: {tall} cm)")
    parser.add_argument("--format", choices=[ending[1:] for ending in WRITERS], default="txt")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="made if missing (default: NAME_sizes)")
    parser.set_defaults(run=run_grade)


def run_grade(options: argparse.Namespace) -> int:
    """Grade every size, then write them all."""
    stem = Path(options.name).stem
    patterns = _graded_patterns(options)
    folder = Path(options.output or f"{stem}_sizes")
    folder.mkdir(parents=True, exist_ok=True)
    for size, (pattern, words) in patterns.items():
        path = folder / f"{stem}_{size}.{options.format}"
        # a file of one size names it, so that pieces of different sizes are not mixed up on the cutting table
        check_new(path)
        write_pattern(pattern if pattern.sizes else replace(pattern, size=size), path)
        print(f"wrote {path}: size {size}{words}")
    return 0


def _graded_patterns(options: argparse.Namespace) -> dict[str, tuple[Pattern, str]]:
    """Return the pattern of each size and what to tell about it."""
    own = [] if options.name in DRAFTS else pattern_sizes(options.name)
    if len(own) > 1:
        names = _own_sizes(options.sizes.strip(), own)
        return {name: (read_pattern(options.name, size=name), " of the file") for name in names}
    sizes = sizes_named(options.sizes, options.sex)
    girths = {
        size.name: f" ({size.letter}), "
        + " ".join(f"{n} {getattr(size, n) * 100:.0f}" for n in ("bust", "waist", "hips"))
        + " cm"
        for size in sizes
    }
    if options.name in DRAFTS:
        style = style_values(options.name, options.style)
        made = graded_drafts(options.name, sizes, sex=options.sex, height=options.height, **style)
        return {name: (pattern, girths[name]) for name, pattern in made.items()}
    pattern = read_pattern(options.name)
    if pattern.recipe:
        tall = options.height or HEIGHT[options.sex]
        again = {size.name: draft_again(pattern.recipe, size.measurements(tall)) for size in sizes}
        return {name: (replace(p, name=pattern.name), girths[name]) for name, p in again.items()}
    body = open_body(options.sex)
    return {size.name: (graded_to(pattern, size, body, options.sex), girths[size.name]) for size in sizes}


def _own_sizes(text: str, own: list[str]) -> list[str]:
    """Return the sizes of a file that a text names: ``S,M``, ``36-42`` or ``all``."""
    if text.lower() == "all":
        return own
    names: list[str] = []
    for word in re.split(r"[,\s]+", text):
        first, dash, last = word.partition("-")
        if dash and word not in own and {first, last} <= set(own):
            names += own[own.index(first) : own.index(last) + 1]
        else:
            names.append(word)
    return names


COMMANDS = (add_info, add_seams, add_convert, add_draft, add_grade)
