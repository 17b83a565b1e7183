# SPDX-License-Identifier: GPL-2.0
"""What is said of a trial."""

from array import array
from pathlib import Path
from typing import Any

import pytest

from handmade import result
from pghotlab.base.units import KIB, MIB
from pghotlab.hardware.machine import load_machine
from pghotlab.measure.results import check_result, write_result
from pghotlab.rows.summary import compare_rows, make_row
from pghotlab.trial import words
from pghotlab.trial.hottest import hottest_bytes, hottest_pages

MACHINE = load_machine("two-node")


def row(policy: str, seconds: float, seed: int = 1) -> dict[str, Any]:
    data = result(policy, seed, provision="fast" if policy == "all-fast" else "slow")
    data["guest"]["guest_ns"] = round(seconds * 1e9)
    return make_row(check_result(data))


def test_slowdowns() -> None:
    rows = [row("all-fast", 1), row("numab0", 2), row("numab0", 3, 2), row("all-fast", 1, 2)]
    assert words.slowdowns(compare_rows(rows)) == {"numab0": 2.5}
    assert words.slowdowns(compare_rows([row("numab0", 2)])) == {}


def test_how_far() -> None:
    far = {"numab0": 1.4, "numab2": 1.01, "pghot": 0.9, "numab3": 1.2}
    assert words.how_far("job", 25, 120 * MIB, far) == (
        "With 25 % of its 120 MiB in fast memory, job takes, compared with a run in fast memory "
        "alone: without balancing 40 % longer, with NUMAB2 as long, with pghot 10 % shorter and "
        "with numab3 20 % longer."
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"numab0": 1.5, "pghot": 1.0, "damon": 1.2}, "The best is pghot: it is 50 % faster"),
        ({"numab0": 1.5, "pghot": 1.49}, "No policy makes it faster"),
        ({"numab0": 1.01, "pghot": 1.0}, "Slow memory hardly slows it down"),
        ({"pghot": 1.0}, ""),
        ({"numab0": 1.0}, ""),
        ({}, ""),
    ],
)
def test_advice(found: dict[str, float], said: str) -> None:
    assert words.advice(found).startswith(said)
    assert bool(words.advice(found)) == bool(said)


def test_from_which_share() -> None:
    """A share counts only if all larger ones do."""
    by_share = {
        10.0: {"numab0": 1.8, "pghot": 1.04, "damon": 1.5},
        25.0: {"numab0": 1.5, "pghot": 1.06, "damon": 1.4},
        50.0: {"numab0": 1.05, "pghot": 1.0, "damon": 1.2},
    }
    assert words.from_which(by_share) == (
        "It comes within 5 % of fast memory alone: without balancing from 50 % on, with pghot from "
        "50 % on and with DAMON at none."
    )
    assert words.sweep_table(by_share)[:2] == [
        ("fast memory", "numab0", "pghot", "damon"),
        ("10 %", "1.800", "1.040", "1.500"),
    ]


def test_warnings() -> None:
    long = [row("numab0", 20)]
    assert words.warnings(MACHINE, 200 * MIB, long) == []
    (small,) = words.warnings(MACHINE, 12 * MIB, long)
    assert "needs only 12 MiB, and the machine's last cache has 8 MiB" in small
    (short,) = words.warnings(MACHINE, 200 * MIB, [*long, row("numab2", 0.4)])
    assert "took 0.4 s of the guest's time" in short


def test_hottest_pages() -> None:
    assert hottest_pages([0, 90, 5, 0, 5], 0.9) == 1
    assert hottest_pages([0, 90, 5, 0, 5], 0.91) == 2
    assert hottest_pages([0, 90, 5, 0, 5], 1) == 3
    assert hottest_pages([], 0.9) == 0


def test_hottest_bytes(tmp_path: Path) -> None:
    """Of the run that a row is of, wherever it is."""
    mine = check_result(result("all-fast", 1))
    folder = tmp_path / "fast-25/all-fast-1"
    folder.mkdir(parents=True)
    (folder / "pages.u32").write_bytes(array("I", [0, 50, 50]).tobytes())
    assert hottest_bytes(make_row(mine), tmp_path, 0.95) is None
    write_result(tmp_path / "fast-25/all-fast-1.json", mine)
    assert hottest_bytes(make_row(mine), tmp_path, 0.95) == 8 * KIB
    other = check_result(result("all-fast", 1, kernel="7.3"))
    assert hottest_bytes(make_row(other), tmp_path, 0.95) is None
