# SPDX-License-Identifier: GPL-2.0
"""The tables and figures of docs/scale.md are those of its result file."""

import json
from statistics import median
from typing import Any

import pytest

import scale_cpus
from core_tables import select
from docs.shipped import RESULTS, percent
from pghotlab.base import paths
from scale_batches import BATCH
from scale_tables import MAKERS, met, own_share, per, unevenness

Row = dict[str, Any]

PAGE = (paths.ROOT / "docs" / "scale.md").read_text()
TEXT = " ".join(PAGE.split())
KEPT = json.loads((RESULTS / "scale.json").read_text())


def one(table: str, **where: object) -> Row:
    (row,) = select(KEPT[table], **where)
    return row


def test_many_cpus() -> None:
    kept = json.loads((RESULTS / "cpus.json").read_text())
    assert scale_cpus.table(kept) in PAGE
    look, copy = scale_cpus.look_ns(kept["moves"]), scale_cpus.copy_ns(kept["moves"])
    assert f"it takes {look / 1000:.1f} us for a base page" in TEXT
    one_thread = scale_cpus.gigabytes(1, look)
    assert f"So promotion ended at {one_thread:.1f} GB/s in base pages" in TEXT
    assert f"takes {10 / one_thread:.0f} such threads" in TEXT
    assert f"a worker takes {copy / 1000:.0f} us for a base page" in TEXT
    assert f"64 workers would copy {scale_cpus.gigabytes(64, copy):.1f} GB/s" in TEXT


@pytest.mark.parametrize("table", MAKERS)
def test_table(table: str) -> None:
    assert MAKERS[table](KEPT[table]) in PAGE


def test_accessors() -> None:
    rows = KEPT["accessors"]
    now = list(select(rows, mode="default", rule="process"))
    at_once = min(map(own_share, select(now, wait_ms=4)))
    assert f"pghot has at least {at_once * 100:.1f} % of the pages where they belong" in TEXT
    late = {"mode": "default", "order": "as they come", "slow_nodes": 1, "wait_ms": 1000}
    alone, asked = (
        own_share(one("accessors", **late, run=1, rule=rule)) for rule in ("record", "process")
    )
    assert f"it would be {percent(alone)} without the process, and is {percent(asked)} with" in TEXT
    worst = min(map(own_share, select(rows, mode="precise")))
    assert f"In precise mode at least {worst * 100:.1f} % are there" in TEXT
    apart = max(
        abs(own_share(row) - own_share(one("accessors", **(row_case(row) | {"slow_nodes": 2}))))
        for row in select(rows, slow_nodes=1)
    )
    assert f"With two slow nodes no figure is more than {apart * 100:.1f} points away" in TEXT
    private, shared = (max(unevenness(row, key) for row in now) for key in ("placed", "shared"))
    assert f"has at most {private:.2f} times the pages of the one with fewest" in TEXT
    assert f"that all nodes use, it is {shared:.2f} times" in TEXT


def row_case(row: Row) -> Row:
    return {key: value for key, value in row.items() if key != "seeds"}


def test_shares() -> None:
    def middle(what: str, groups: int, limits: int = 0) -> float:
        return float(median(one("shares", what=what, groups=groups, limits=limits)["values"]))

    held = middle("ask", 10000) + middle("take", 10000) + middle("settle", 10000) / BATCH
    assert f"With 10,000 cgroups the lock is held for {held:.0f} ns for each page" in TEXT
    assert f"would allow {1000 / held:.0f} million pages a second" in TEXT
    bytes_per_s = 1e9 / held * 4096
    assert f"which are {bytes_per_s / 1e9:.0f} GB" in TEXT
    fair = {row["groups"]: row for row in select(KEPT["shares"], what="fairness")}
    assert all(fair[groups]["least"] > 0.99 for groups in (1, 8, 100, 1000))
    assert f"{fair[10000]['most']:.1f} times what is their due" in TEXT


def test_batches() -> None:
    def mean(rule: str, groups: int, run: int, nodes: int = 4) -> str:
        row = one("batches", rule=rule, groups=groups, run=run, nodes=nodes)
        return f"{row['mean']:.1f}"

    assert f"64 cgroups with single pages have batches of {mean('by cgroup', 64, 1)} pages" in TEXT
    assert f"in runs of 64 pages of {mean('by cgroup', 64, 64)}" in TEXT
    assert f"{mean('by node', 64, 1)} pages by the other rule" in TEXT
    assert f"300 cgroups with single pages still have {mean('by node', 300, 1, 1)}" in TEXT


def test_scans() -> None:
    def us(mode: str, terabytes: int, ready: int, spread: bool = True) -> float:
        where = {"mode": mode, "terabytes": terabytes, "ready": ready, "spread": spread}
        return float(median(one("scans", what="scan", **where)["values"])) / 1000

    none = [us(mode, size, 0) for mode in ("default", "precise") for size in (1, 4, 6)]
    assert f"If nothing is ready, a look takes {min(none):.2f} to {max(none):.2f} us" in TEXT
    near, far = (us("default", size, 1000) for size in (1, 6))
    assert f"1,000 take {near:,.0f} ns each in 1 TiB, and {far:,.0f} ns each in 6 TiB" in TEXT
    close = us("default", 6, 100000, spread=False) * 1000 / 100000
    assert f"Pages side by side take {close:.1f} ns each" in TEXT


def test_lines() -> None:
    def row(mode: str, **where: bool) -> Row:
        return one("lines", mode=mode, **where)

    dense = {"spread": False, "shared": True, "waiting": True}
    for mode, pages in (("default", 64), ("precise", 16)):
        expected = f"{127 * (pages - 1) / 2**18 * 100:.2f} %"
        counted = f"{met(row(mode, **dense), 'record') * 100:.2f} %"
        assert f"127 * {pages - 1} / 262,144 = {expected}, and {counted} were counted" in TEXT
    shared = row("default", spread=False, shared=True, waiting=True)
    taken = row("default", spread=False, shared=True, waiting=False)
    assert f"{per(shared, 'head'):.2f} heads for each access" in TEXT
    assert f"{per(taken, 'head'):.2f} if kmigrated takes them" in TEXT
    spread = row("default", spread=True, shared=False, waiting=True)
    assert f"writes {per(spread, 'head'):.2f} heads, because its line has to be aged" in TEXT
    node = row("default", spread=True, shared=False, waiting=False)
    assert f"{per(node, 'node', 'taken'):.2f} writes for each page that becomes ready" in TEXT
