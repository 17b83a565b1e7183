# SPDX-License-Identifier: GPL-2.0
"""The cover letter: intree/letter.txt, with the tables of result files."""

from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import UsageError
from pghotlab.measure.results import read_json
from pghotlab.rows.summary import (
    KERNEL,
    PROMOTED,
    TIME_COLUMN,
    Column,
    compare_rows,
    format_table,
    ratio_column,
    table,
)
from pghotlab.series import against

# Where the text has the demo's table, and that of the series against the module.
PLACE = "@TABLE@"
AGAINST_PLACE = "@AGAINST@"
RESULTS = paths.KEPT / "demo" / "summary.json"
COLUMNS: dict[str, Column] = {
    **TIME_COLUMN,
    "to NUMAB2": ratio_column("ratio_to_numab2"),
    **PROMOTED,
    **KERNEL,
}


def letter(intree: Path = paths.INTREE, results: Path = RESULTS) -> str:
    """The text of the letter; UsageError if it has no place for one of its tables."""
    path = intree / "letter.txt"
    text = path.read_text()
    tables = {
        PLACE: table(compare_rows(read_json(results)), COLUMNS),
        AGAINST_PLACE: against.lines(against.compare(read_json(against.RESULTS))),
    }
    for place, lines in tables.items():
        if text.count(place) != 1:
            raise UsageError(f"{path}: must have {place} once")
        text = text.replace(place, format_table(lines))
    return text
