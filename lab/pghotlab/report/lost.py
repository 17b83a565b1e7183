# SPDX-License-Identifier: GPL-2.0
"""What pghot and the best of its peers have done in the cases that pghot has lost."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from pghotlab.measure.policy import OWN
from pghotlab.report.league import FAR_BELOW, NOTHING, WHOLE, Contest, Standing, of_span
from pghotlab.rows.summary import Row


def _middle(rows: Sequence[Row], key: str) -> float | None:
    """The median over seeds; None if one of them has none."""
    values = [row.get(key) for row in rows]
    found = [value for value in values if isinstance(value, (int, float))]
    return median(found) if found and len(found) == len(values) else None


def _seconds(rows: Sequence[Row], key: str) -> str:
    value = _middle(rows, key)
    return NOTHING if value is None else f"{value / 1e9:.2f}"


def _count(rows: Sequence[Row], key: str) -> str:
    value = _middle(rows, key)
    return NOTHING if value is None else f"{value:,.0f}"


def _part(rows: Sequence[Row], key: str) -> str:
    value = _middle(rows, key)
    return NOTHING if value is None else f"{100 * value:.0f} %"


COLUMNS: Mapping[str, tuple[str, Callable[[Sequence[Row], str], str]]] = {
    "guest_ns": ("guest time, s", _seconds),
    "ns_to_90_percent_fast": ("90 % fast after, s", _seconds),
    "fast_share": ("accesses served fast", _part),
    "pages_promoted": ("promoted", _count),
    "pages_demoted": ("demoted", _count),
}
"""What is told of a policy's rows, by their key."""


def _line(line: Standing, of: Contest) -> list[str]:
    pair = [[row for row in of.rows if row["policy"] == name] for name in (OWN, line.best)]
    cells = [" / ".join(tell(rows, key) for rows in pair) for key, (_, tell) in COLUMNS.items()]
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
