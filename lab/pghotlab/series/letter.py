# SPDX-License-Identifier: GPL-2.0
"""The cover letter: intree/letter.txt, with the table of a result file."""

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

# Where the text has the table.
PLACE = "@TABLE@"
RESULTS = paths.KEPT / "demo" / "summary.json"
COLUMNS: dict[str, Column] = {
    **TIME_COLUMN,
    "to NUMAB2": ratio_column("ratio_to_numab2"),
    **PROMOTED,
    **KERNEL,
}


def letter(intree: Path = paths.INTREE, results: Path = RESULTS) -> str:
    """The text of the letter; UsageError if it has no place for the table."""
    path = intree / "letter.txt"
    text = path.read_text()
    if text.count(PLACE) != 1:
        raise UsageError(f"{path}: must have {PLACE} once")
    made = format_table(table(compare_rows(read_json(results)), COLUMNS))
    return text.replace(PLACE, made)
