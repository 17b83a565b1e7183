# SPDX-License-Identifier: GPL-2.0
"""The page about soak runs shows what the kept runs have counted."""

from typing import Any

import pytest

from pghotlab.base import paths
from pghotlab.measure.results import read_json

PAGE = (paths.ROOT / "docs" / "checking.md").read_text()
ROWS = read_json(paths.KEPT / "soak.json")


@pytest.mark.parametrize("row", ROWS, ids=[row["command"] for row in ROWS])
def test_each_run_has_its_line(row: dict[str, Any]) -> None:
    counts = row["counts"]
    names = ("pgpromote_success", "pgmigrate_success", "keeper_pages_checked", "loads")
    cells = [row["command"], row["kernel"], *(f"{counts[name]:,}" for name in names)]
    cells.append(str(len(row["findings"])))
    assert f"| `{cells[0]}` | {' | '.join(cells[1:])} |" in PAGE


def test_both_kernels_were_soaked_for_an_hour() -> None:
    clean = [row for row in ROWS if row["minutes"] >= 60 and not row["findings"]]
    assert {"debug" in row["kernel"] for row in clean} == {False, True}
