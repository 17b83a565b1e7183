# SPDX-License-Identifier: GPL-2.0
"""Kept tables as pages for a browser: one for each table, and an index. Nothing from elsewhere."""

import base64
import io
import shlex
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from pghotlab.base import paths
from pghotlab.base.release import read_version
from pghotlab.base.units import format_size
from pghotlab.draw import timeplots
from pghotlab.hardware.machine import Machine
from pghotlab.rows import summary
from pghotlab.rows.summary import Row
from pghotlab.tables import bench
from pghotlab.tables.recipe import Case, Recipe

INDEX = "index.html"


def _page(title: str, body: Sequence[str]) -> str:
    head = (
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<link rel="icon" href="data:,">',
        f"<title>{escape(title)}</title>",
        f"<style>{paths.PAGE_STYLE.read_text()}</style>",
    )
    lines = ("<!doctype html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", "<main>")
    return "\n".join((*lines, f"<h1>{escape(title)}</h1>", *body, "</main>", "</body>", "</html>"))


def _table(lines: Sequence[Sequence[str]], caption: str, kind: str = "numbers") -> str:
    """Lines as a table that scrolls where it is too wide: headers above and to the left."""
    header, *body = lines
    above = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    rows = [
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for first, *cells in body
    ]
    return "\n".join(
        (
            f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}">',
            f'<table class="{kind}"><caption>{escape(caption)}</caption>',
            f"<thead><tr>{above}</tr></thead>",
            "<tbody>",
            *rows,
            "</tbody></table></div>",
        )
    )


def image(figure: Figure, alt: str) -> str:
    """An image with its data in it."""
    file = io.BytesIO()
    # Text stays text, and the same figure is the same file.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "pghot"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    width, height = (round(96 * inches) for inches in figure.get_size_inches())
    data = base64.b64encode(file.getvalue()).decode()
    size = f'width="{width}" height="{height}"'
    return f'<img {size} alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">'


def _figure(caption: str, image: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>\n{image}</figure>"


def _last(rows: Sequence[Row], name: str) -> str:
    """What a share is at the end, for those who do not see the lines."""
    ends = []
    for row in rows:
        known = [share for share in row["series"][name] if share is not None]
        if known:
            ends.append(f"{row['policy']} {known[-1]:.0%}")
    return ", ".join(ends)


def _highest(rows: Sequence[Row]) -> str:
    return ", ".join(
        f"{row['policy']} {max(row['series']['promoted_per_s'], default=0):,}" for row in rows
    )


def _used(rows: Sequence[Row]) -> str:
    ends = []
    for row in rows:
        mib = [f"{node[-1] * timeplots.PAGE_MIB:.0f}" for node in row["series"]["used_pages"]]
        ends.append(f"{row['policy']} {' and '.join(mib)}")
    return ", ".join(ends)


def _plots(rows: Sequence[Row]) -> list[str]:
    """The pictures of a case, from the rows of one seed."""
    figures = [
        _figure(
            "Accesses served by fast memory",
            image(
                timeplots.fast_share(rows, "fast_share"),
                "Share of the accesses that fast memory serves over time, a line for each policy. "
                f"At the end: {_last(rows, 'fast_share')}.",
            ),
        )
    ]
    if any(row["series"]["hot_share"] != row["series"]["fast_share"] for row in rows):
        figures.append(
            _figure(
                "The same of the accesses to the hot set",
                image(
                    timeplots.fast_share(rows, "hot_share"),
                    "Share of the accesses to the hot set that fast memory serves over time. "
                    f"At the end: {_last(rows, 'hot_share')}.",
                ),
            )
        )
    figures += [
        _figure(
            "Promotions per second",
            image(
                timeplots.promotions(rows),
                "Pages copied from slow to fast memory per second over time, a line for each "
                f"policy. At most: {_highest(rows)}.",
            ),
        ),
        _figure(
            "Node occupancy: memory that is in use",
            image(
                timeplots.occupancy(rows),
                "Memory of each node that was used within an interval over time, a line for each "
                f"policy. At the end, MiB by node: {_used(rows)}.",
            ),
        ),
    ]
    mapped = [row for row in rows if row["heat"]]
    highest = timeplots.hottest(mapped)
    for row in mapped:
        alt = (
            f"Heat map of {row['policy']}: uses of physical memory by address and time, "
            f"{len(row['heat']['nodes'])} nodes one above the other."
        )
        drawn = image(timeplots.heat_map(row, highest), alt)
        figures.append(_figure(f"Heat map: {row['policy']}", drawn))
    return ['<div class="plots">', *figures, "</div>"]


def _settings(case: Case, rows: Sequence[Row]) -> str:
    """What each policy is, and what was in force."""
    titles = {policy.name: policy.title for policy in case.policies}
    lines = [("policy", "what it is", "memory at first", "kernel settings", "pghot's parameters")]
    for row in {row["policy"]: row for row in rows}.values():
        settings = row["settings"]
        kernel = {**settings["sysctl"], **settings["files"]}
        pghot = settings["pghot"]
        lines.append(
            (
                row["policy"],
                titles.get(row["policy"], ""),
                row["provision"],
                ", ".join(f"{key} = {value}" for key, value in kernel.items()),
                "not loaded"
                if pghot is None
                else ", ".join(f"{key}={value}" for key, value in pghot.items()),
            )
        )
    return _table(lines, "Policies", "text")


def _machine(machine: Machine) -> str:
    nodes = "; ".join(
        f"node {node.id}: {format_size(node.size)}, {len(node.cpus)} CPUs, "
        f"{node.bandwidth_mbps / 1000:g} GB/s"
        for node in machine.nodes
    )
    return f"{machine.name}, modelled: {machine.description}. {nodes}."


def _facts(recipe: Recipe, case: Case, rows: Sequence[Row]) -> list[str]:
    options = " ".join(f"{key}={value}" for key, value in case.workload.options.items())
    large = recipe.bound_machine
    facts = {
        "Workload": f"{case.workload.name} {options}",
        **({"Command": shlex.join(case.workload.words)} if case.workload.words else {}),
        "Machine": _machine(case.machine),
        **({f"Machine of {recipe.bound}": _machine(large)} if large else {}),
        "Kernel": ", ".join(sorted({row["kernel"] for row in rows})),
        "Seeds": " ".join(str(seed) for seed in sorted({row["seed"] for row in rows})),
    }
    return [
        "<dl>",
        *(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in facts.items()),
        "</dl>",
    ]


def table_page(recipe: Recipe, cases: Mapping[str, Sequence[Row]]) -> str:
    """A table's page, of the cases that have rows."""
    seed = recipe.seeds[0]
    body = [
        f'<p><a href="{INDEX}">All tables</a></p>',
        "<p>Times are modelled, counts are exact: read ratios, not seconds. Numbers are medians "
        "of all seeds, +- is half the range; what is drawn is of seed "
        f"{seed}. A policy's ratio is to the run of the same seed. Wasted are promoted pages that "
        "did not pay for their copy; s to 90 %: until fast memory serves that much.</p>",
    ]
    for case in recipe.cases:
        rows = cases.get(case.name)
        if not rows:
            continue
        lines = summary.table(rows, bench.columns(recipe, case))
        body += [
            f'<section id="{escape(case.name)}">',
            f"<h2>{escape(case.name)}</h2>",
            *_facts(recipe, case, rows),
            _table(lines, f"{recipe.title}: {case.name}"),
            f"<details><summary>What the policies are</summary>{_settings(case, rows)}</details>",
            *_plots([row for row in rows if row["seed"] == seed]),
            "</section>",
        ]
    return _page(recipe.title, body)


def index_page(found: Sequence[Recipe], missing: Sequence[str], release: str = "") -> str:
    """Links to all tables, which are of a release; missing: names of those that have no results, or
    older ones.
    """
    body = [f"<p>The tables of release {escape(release)}.</p>"] if release else []
    body.append("<ul>")
    body += [
        f'<li><a href="{escape(recipe.name)}.html">{escape(recipe.title)}</a>: '
        f"{escape(', '.join(case.name for case in recipe.cases))}</li>"
        for recipe in found
    ]
    body.append("</ul>")
    if missing:
        body.append(
            f"<p>Not here, as not measured with this version: {escape(', '.join(missing))}.</p>"
        )
    return _page("pghot: results", body)


def write_report(recipes: Sequence[Recipe], kept: Path, folder: Path) -> list[Path]:
    """Pages of the recipes' tables, NAME.json in the folder kept, into another: the index first."""
    found, missing, pages = [], [], {}
    for recipe in recipes:
        rows = bench.read_kept(recipe, kept)
        if not rows:
            missing.append(recipe.name)
            continue
        cases: dict[str, list[Row]] = {}
        for row in rows:
            cases.setdefault(row["case"], []).append(row)
        found.append(recipe)
        pages[folder / f"{recipe.name}.html"] = table_page(recipe, cases)
    folder.mkdir(parents=True, exist_ok=True)
    file = kept / paths.RELEASE.name
    release = read_version(file) if file.exists() else ""
    pages = {folder / INDEX: index_page(found, missing, release), **pages}
    for path, text in pages.items():
        path.write_text(text + "\n")
    return list(pages)
