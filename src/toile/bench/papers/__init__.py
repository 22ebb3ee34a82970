"""The experiments of the five papers, repeated: `run_papers` writes one report. See docs/papers.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from toile.bench.papers.dressing import fewest_vertices, image_against_object
from toile.bench.papers.falling import falling
from toile.bench.papers.figures import figures
from toile.bench.papers.growth import growth
from toile.bench.papers.hanging import hanging
from toile.bench.papers.records import Bench, Progress, Section
from toile.bench.papers.report import write_report
from toile.bench.papers.tablecloth import tablecloth
from toile.bench.papers.walking import following, walking
from toile.bench.papers.wardrobe import wardrobe
from toile.core.choices import choose

EXPERIMENTS: dict[str, Callable[[Bench], Section]] = {
    "tablecloth": tablecloth,
    "image-object": image_against_object,
    "dressing": fewest_vertices,
    "growth": growth,
    "walking": walking,
    "following": following,
    "wardrobe": wardrobe,
    "figures": figures,
    "hanging": hanging,
    "falling": falling,
}
"""name → experiment, in the order of the report"""


def run_papers(
    folder: Path,
    *,
    quick: bool = False,
    only: Iterable[str] = (),
    progress: Progress = lambda what, done: None,
) -> list[Section]:
    """Run the experiments and write report.md and report.html with plots and pictures into a folder."""
    names = list(only) or list(EXPERIMENTS)
    chosen = [choose("experiment", EXPERIMENTS, name) for name in names]
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, quick, progress)
    sections = []
    for experiment in chosen:
        sections.append(experiment(bench))
        # what is done is worth keeping, should a later one be interrupted
        write_report(folder, sections, quick=quick)
    return sections
