# SPDX-License-Identifier: GPL-2.0
"""Which figures calibration expects, and what it finds off."""

import copy
from pathlib import Path
from typing import Any

import pytest

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.hardware.machine import Machine, load_machine, shipped_machines
from pghotlab.measure.results import read_json
from pghotlab.tables import calibrate
from pghotlab.tables.calibrate import Figure, figures, stream_limit

OUTPUT = {
    "latency": [
        {"cpu_node": 0, "node": 0, "latency_ns": 80.5},
        {"cpu_node": 0, "node": 1, "latency_ns": 249.0},
    ],
    "bandwidth": [{"node": 0, "mbps": 7950.0}, {"node": 1, "mbps": 801.0}],
    "sleep": [{"kind": "nanosleep", "ask_ns": 1000000, "mean_ns": 1005000}],
    "clock": {"backward": 0, "max_skew_ns": 1500},
}


def off(output: dict[str, Any]) -> list[str]:
    return [figure.name for figure in figures(load_machine("two-node"), output) if not figure.ok]


def test_all_right() -> None:
    assert off(OUTPUT) == []
    assert len(figures(load_machine("two-node"), OUTPUT)) == 7


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        (("latency", 1, "latency_ns"), 263.0, "latency, CPU node 0 to node 1"),
        (("latency", 0, "latency_ns"), 75.9, "latency, CPU node 0 to node 0"),
        (("bandwidth", 1, "mbps"), 759.0, "streaming bandwidth, node 1"),
        (("sleep", 0, "mean_ns"), 1051000, "nanosleep, 1 ms"),
        (("clock", "backward"), 1, "clock steps back"),
        (("clock", "max_skew_ns"), 20001, "clock skew between CPUs"),
    ],
)
def test_off(path: tuple[Any, ...], value: float, name: str) -> None:
    output: Any = copy.deepcopy(OUTPUT)
    at = output
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert off(output) == [name]


def test_tolerance_is_five_percent() -> None:
    assert Figure("x", "ns", 105.0, 100.0).ok
    assert Figure("x", "ns", 95.0, 100.0).ok
    assert not Figure("x", "ns", 105.1, 100.0).ok
    assert not Figure("x", "ns", 94.9, 100.0).ok


def test_missing_figure() -> None:
    for key in OUTPUT:
        with pytest.raises(KeyError):
            figures(load_machine("two-node"), {k: v for k, v in OUTPUT.items() if k != key})


def test_streams_are_limited_by_node_or_cpus() -> None:
    two, three = load_machine("two-node"), load_machine("three-node")
    assert [stream_limit(two, node) for node in (0, 1)] == [8000, 800]
    assert [stream_limit(three, node) for node in (0, 1, 2)] == [4000, 4000, 400]


def test_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Figure("latency", "ns", 80.5, 80)]

    def measure(_machine: Machine, _folder: Path) -> list[Figure]:
        return found

    monkeypatch.setattr(calibrate, "measure", measure)
    machine, keep = load_machine("two-node"), tmp_path / "kept.json"
    calibrate.calibrate([machine], keep)
    (kept,) = read_json(keep)
    assert (kept["machine"], kept["sha256"]) == ("two-node", machine.sha256)
    assert [Figure(**figure) for figure in kept["figures"]] == found
    keep.unlink()
    found[0] = Figure("latency", "ns", 90, 80)
    with pytest.raises(LabError, match=r"two-node\.toml: latency: 90\.0, expected 80\.0"):
        calibrate.calibrate([machine], keep)
    assert not keep.exists()


@pytest.mark.parametrize("name", shipped_machines())
def test_machines_are_calibrated(name: str) -> None:
    """As their files are now, by `make calibrate`."""
    kept = {row["machine"]: row for row in read_json(paths.CALIBRATION)}
    assert kept[name]["sha256"] == load_machine(name).sha256
    assert all(Figure(**figure).ok for figure in kept[name]["figures"])
