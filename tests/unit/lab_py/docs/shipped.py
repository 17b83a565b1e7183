# SPDX-License-Identifier: GPL-2.0
"""What the repository comes with: its texts, and the results that they speak of."""

import json

from pghotlab.base import paths
from pghotlab.rows.summary import Row

FRONT = (paths.ROOT / "README.md").read_text()
DETAILS = (paths.ROOT / "docs" / "results.md").read_text()
README = FRONT + DETAILS
# What sentences are looked for in, wherever lines of theirs end.
TEXT = " ".join(README.split())
LAB = " ".join((paths.ROOT / "docs" / "lab.md").read_text().split())
RESULTS = paths.ROOT / "docs" / "results"


def kept(table: str, case: str) -> dict[str, list[Row]]:
    """Rows by policy."""
    rows = [
        row for row in json.loads((RESULTS / f"{table}.json").read_text()) if row["case"] == case
    ]
    return {
        policy: [row for row in rows if row["policy"] == policy]
        for policy in dict.fromkeys(row["policy"] for row in rows)
    }


def percent(part: float) -> str:
    """As texts have it."""
    return f"{part * 100:.0f} %"


def shown_rows() -> list[list[str]]:
    """Cells of all tables, without emphasis, blanks and thousands' marks."""
    lines = [line for line in README.splitlines() if line.startswith("| ")]
    drop = str.maketrans("", "", "*, ")
    return [[cell.translate(drop) for cell in line.strip("|").split("|")] for line in lines]
