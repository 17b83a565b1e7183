# SPDX-License-Identifier: GPL-2.0
"""The record map's benchmark, and its summary and tables."""

import json
import subprocess
from itertools import product
from pathlib import Path

import pytest

from core_tables import AGEING, KINDS, PATTERNS, Row, draw, summary, text
from pghotlab.base import paths

READY = (0, 1000, 1000000)


@pytest.mark.parametrize("mode", ["default", "precise"])
def test_the_map_is_measured(mode: str) -> None:
    """With the module as it is: records, ageing and scans, once each."""
    program = paths.BUILD / "bench" / f"measure-{mode}"
    make = ["make", "-s", "-C", str(paths.ROOT / "bench" / "core"), str(program)]
    subprocess.run(make, check=True)
    done = subprocess.run([str(program), "1", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["what"] for row in rows} == {"bytes_empty", "bytes", "record", "age", "scan"}
    assert {(row["mode"], row["terabytes"], len(row["values"])) for row in rows} == {(mode, 1, 1)}


def made_up_rows() -> list[Row]:
    """Rows as a run makes them, each with values that say where they come from."""
    rows: list[Row] = []
    for weight, mode in ((1, "default"), (4, "precise")):
        for size in (1, 4):
            place: Row = {"mode": mode, "terabytes": size}
            rows.append(place | {"what": "bytes_empty", "values": [8192]})
            rows.append(place | {"what": "bytes", "values": [size * weight * 2**28]})
            for number, (pattern, threads) in enumerate(product(PATTERNS, (1, 2))):
                ns = weight * size * (10 + number)
                where = {"what": "record", "pattern": pattern, "threads": threads}
                rows.append(place | where | {"values": [ns + 2, ns, ns - 1]})
            for records in AGEING:
                rows.append(place | {"what": "age", "records": records, "values": [7]})
            for ready, spread in product(READY, (True, False)):
                if ready or spread:
                    ns = weight * (ready if spread else ready // 10) + size
                    where = {"what": "scan", "ready": ready, "spread": spread}
                    rows.append(place | where | {"values": [ns]})
        for number, kind in enumerate(KINDS):
            where = {"what": "instructions", "kind": kind}
            rows.append({"mode": mode, **where, "values": [weight * (50 + number)]})
    return rows


def test_summary_of_made_up_rows() -> None:
    found = summary(made_up_rows())
    assert found["record_instructions"] == {"default": 53, "precise": 212}
    assert found["record_ns"] == {"default": {"1": 40, "2": 44}, "precise": {"1": 160, "2": 176}}
    assert found["bytes_per_terabyte"] == {"default": 2**28, "precise": 2**30}
    assert len(found["scan_ns"]) == 2 * 2 * len(READY)
    assert {"mode": "precise", "terabytes": 4, "ready": 1000, "ns": 4004} in found["scan_ns"]
    assert {"mode": "default", "terabytes": 1, "ready": 0, "ns": 1} in found["scan_ns"]
    assert len(found["scan_clustered_ns"]) == 2 * 2 * (len(READY) - 1)


def test_text_has_the_goal_beside_the_figure() -> None:
    lines = text(made_up_rows()).splitlines()
    (line,) = (line for line in lines if line.startswith(KINDS["record_again"]))
    assert line.split()[-3:] == ["53", "212", "60"]
    assert any("1,000 anywhere" in line and "1.00 (1.00-1.00)" in line for line in lines)


def test_picture(tmp_path: Path) -> None:
    draw(made_up_rows(), tmp_path / "core.png")
    assert (tmp_path / "core.png").stat().st_size > 10000


def test_committed_rows_have_all_that_is_summarised() -> None:
    rows = json.loads((paths.ROOT / "docs" / "results" / "core.json").read_text())
    found = summary(rows)
    for mode in ("default", "precise"):
        assert found["record_instructions"][mode] > 0
        assert set(found["record_ns"][mode]) == {"1", "2"}
        assert found["bytes_per_terabyte"][mode] > 2**28
        for size, ready in product((1, 4), READY):
            (ns,) = (
                scan["ns"]
                for scan in found["scan_ns"]
                if (scan["mode"], scan["terabytes"], scan["ready"]) == (mode, size, ready)
            )
            assert ns > 0
