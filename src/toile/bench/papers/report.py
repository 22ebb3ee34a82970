"""Sections → one report, as Markdown and as HTML, with plots."""

from __future__ import annotations

import html
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import toile
from toile.bench.papers.records import Claim, Plot, Section, Table
from toile.core.atomic import replacing
from toile.sim.papers import PAPERS

STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0;font-size:13px}td,th{border:1px solid #ccc;padding:3px 8px;"
    "text-align:left}th{background:#f0f0ee}img{max-width:100%;height:auto}figure{display:inline-block;margin:.5em}"
    "figcaption{font-size:13px;color:#555;max-width:480px}.no{color:#a00}.yes{color:#060}"
)


NO_PLOTS = "Plots are missing: install the extra `bench` (`pip install toile[bench]`) and run again."


def write_report(folder: Path, sections: Sequence[Section], *, quick: bool) -> list[Path]:
    """Write report.md, report.html and the plots; returns the two reports."""
    plotted = [plot.name for section in sections for plot in section.plots if draw_plot(folder, plot)]
    texts = {"report.md": _markdown(sections, plotted, quick), "report.html": _html(sections, plotted, quick)}
    paths = []
    for name, text in texts.items():
        with replacing(folder / name) as target:
            target.write(text.encode("utf-8"))
        paths.append(folder / name)
    return paths


def machine() -> str:
    """Return what the figures were measured on."""
    threads = os.environ.get("TOILE_THREADS", "all")
    return (
        f"toile {toile.__version__}, {platform.machine()}, {os.cpu_count()} cores, threads: "
        f"{threads}, CPU time"
    )


def draw_plot(folder: Path, plot: Plot) -> bool:
    """Draw curves with matplotlib (extra `bench`); False where it is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(6.4, 4.0), dpi=110)
    axes = figure.add_subplot()
    for name, x, y in plot.curves:
        axes.plot(x, y, marker="o", label=name)
    axes.set(title=plot.title, xlabel=plot.x_label, ylabel=plot.y_label)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(folder / f"{plot.name}.png")
    return True


def all_claims(sections: Sequence[Section]) -> list[Claim]:
    """Return the claims of all sections."""
    return [claim for section in sections for claim in section.claims]


def deviations() -> Table:
    """Return what is not as published: what each paper leaves open, and what our defaults do otherwise."""
    rows = []
    for number, published in PAPERS.items():
        method = published.method()
        settings = (method.solver_settings, method.collider_settings)
        usual = {name: value for own in settings for name, value in asdict(type(own)()).items()}
        mended = (f"{name} {usual[name]} (letter: {value})" for name, value in published.tune.items())
        rows.append((number, published.title, published.ours, ", ".join(mended)))
    columns = ("paper", "title", "not given: ours, also to the letter", "mended: otherwise than published")
    return Table("What is not as published", columns, tuple(rows))


def _complete(sections: Sequence[Section], plotted: Sequence[str]) -> bool:
    """Return whether every plot was drawn."""
    return all(plot.name in plotted for section in sections for plot in section.plots)


def _markdown(sections: Sequence[Section], plotted: Sequence[str], quick: bool) -> str:
    lines = ["# The papers' experiments, repeated", "", f"{machine()}.", ""]
    if quick:
        lines += [
            "**A quick run on small sizes: it shows that everything works; its figures mean nothing.**",
            "",
        ]
    lines += [] if _complete(sections, plotted) else [NO_PLOTS, ""]
    lines += ["## What the papers claim", ""]
    lines += [
        f"- **{'holds' if c.holds else 'does not hold'}**: {c.text} ({c.why})" for c in all_claims(sections)
    ]
    lines += ["", f"## {deviations().title}", "", *_markdown_table(deviations())]
    for section in sections:
        lines += ["", f"## {section.title}", "", f"*{section.source}.* {section.text}", ""]
        for table in section.tables:
            lines += [f"**{table.title}**", "", *_markdown_table(table), ""]
        names = [(f"{p.name}.png", p.title) for p in section.plots if p.name in plotted]
        names += [(p.name, p.caption) for p in section.pictures]
        lines += [f"![{caption}]({name})\n*{caption}*\n" for name, caption in names]
        lines += [f"- {claim.verdict}" for claim in section.claims]
    return "\n".join(lines) + "\n"


def _markdown_table(table: Table) -> list[str]:
    rows = [table.columns, tuple("---" for _ in table.columns), *table.rows]
    return ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]


def _html(sections: Sequence[Section], plotted: Sequence[str], quick: bool) -> str:
    parts = [f"<h1>The papers' experiments, repeated</h1><p>{_inline(machine())}.</p>"]
    if quick:
        parts.append("<p><b>A quick run on small sizes: its figures mean nothing.</b></p>")
    if not _complete(sections, plotted):
        parts.append(f"<p>{_inline(NO_PLOTS)}</p>")
    parts.append("<h2>What the papers claim</h2>" + _claim_list(all_claims(sections)))
    parts.append(_html_table(deviations()))
    for section in sections:
        parts.append(f"<h2>{_inline(section.title)}</h2>")
        parts.append(f"<p><i>{_inline(section.source)}.</i> {_inline(section.text)}</p>")
        parts += [_html_table(table) for table in section.tables]
        names = [(f"{p.name}.png", p.title) for p in section.plots if p.name in plotted]
        names += [(p.name, p.caption) for p in section.pictures]
        parts += [
            f'<figure><img src="{html.escape(name)}" alt="{html.escape(caption)}">'
            f"<figcaption>{_inline(caption)}</figcaption></figure>"
            for name, caption in names
        ]
        parts.append(_claim_list(section.claims))
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Papers</title><style>{STYLE}</style>'
    return head + "\n".join(parts) + "</html>\n"


def _claim_list(claims: Sequence[Claim]) -> str:
    items = [f'<li class="{"yes" if c.holds else "no"}">{_inline(c.verdict)}</li>' for c in claims]
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{_inline(c)}</th>" for c in table.columns)
    rows = "".join("<tr>" + "".join(f"<td>{_inline(c)}</td>" for c in row) + "</tr>" for row in table.rows)
    return f"<p><b>{_inline(table.title)}</b></p><table><tr>{head}</tr>{rows}</table>"


def _inline(text: str) -> str:
    """Return text with `code` marked up."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
