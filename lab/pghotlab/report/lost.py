# SPDX-License-Identifier: GPL-2.0
"""What pghot and the best of its peers have done in the cases that pghot has lost."""

from collections.abc import Callable, Mapping, Sequence

from pghotlab.measure.policy import OWN
from pghotlab.report.league import FAR_BELOW, NOTHING, WHOLE, Contest, Standing, of_span
from pghotlab.rows.summary import Row, middle

COLUMNS: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "guest_ns": ("guest time, s", lambda ns: f"{ns / 1e9:.2f}"),
    "ns_to_90_percent_fast": ("90 % fast after, s", lambda ns: f"{ns / 1e9:.2f}"),
    "fast_share": ("accesses served fast", lambda part: f"{100 * part:.0f} %"),
    "pages_promoted": ("promoted", "{:,.0f}".format),
    "pages_demoted": ("demoted", "{:,.0f}".format),
}
"""What is told of a policy's rows, by their key."""


def _cell(rows: Sequence[Row], key: str) -> str:
    """The median over seeds; nothing if one of them has none."""
    _, form = COLUMNS[key]
    known = rows and all(row.get(key) is not None for row in rows)
    return form(middle(rows, key)) if known else NOTHING


def _line(line: Standing, of: Contest) -> list[str]:
    pair = [[row for row in of.rows if row["policy"] == name] for name in (OWN, line.best)]
    cells = [" / ".join(_cell(rows, key) for rows in pair) for key in COLUMNS]
    return [f"{line.title}: {line.case}", f"{line.to_best:.3f}", str(line.best), *cells]


def lost(contests: Sequence[Contest], lines: Sequence[Standing]) -> list[list[str]]:
    """Header and a line for each case in which pghot is far below the best of the stock kernel.

    Cells with a slash tell of pghot and of that peer. Only whole runs count. Empty without any.
    """
    known = {of.name: of for of in contests}
    body = [
        _line(line, known[line.name])
        for line in sorted(of_span(lines, WHOLE), key=lambda line: line.to_best or 1)
        if line.to_best is not None and line.to_best < FAR_BELOW
    ]
    header = ["case", "to the best", "the best", *(name for name, _ in COLUMNS.values())]
    return [header, *body] if body else []
