# SPDX-License-Identifier: GPL-2.0
"""The run without the model: what it says of a program, and when it is made."""

import json
from pathlib import Path
from typing import Any

import pytest

from pghotlab.base.errors import RunError
from pghotlab.base.units import MIB
from pghotlab.guest.report import Report
from pghotlab.guest.vm import Guest
from pghotlab.hardware.machine import load_machine
from pghotlab.measure.workload import Workload
from pghotlab.trial import footprint
from pghotlab.trial.footprint import complaint, measure

MACHINE = load_machine("two-node")
GOOD = {"begun": True, "ended": True, "status": 0, "peak_bytes": 100 * MIB}
GOOD |= {"fast_free_bytes": 1000 * MIB}


def workload(**options: str) -> Workload:
    return Workload("job", "try", options, loads_unmodelled=True, words=("/job", "a b"))


@pytest.mark.parametrize(
    ("options", "found", "reason"),
    [
        ({"start": "ready"}, {"begun": False, "ended": False}, "--start: no line .* had 'ready'"),
        ({"marks": "yes"}, {"begun": False, "ended": False}, 'never gave the mark "start"'),
        ({"end": "done"}, {"ended": False}, "--end: after the start no line .* had 'done'"),
        ({"end": "done"}, {"ended": False, "status": 3}, "ended with status 3"),
        (
            {"start": "x"},
            {"begun": False, "status": 127},
            "not found in the guest. Give what is missing as --file",
        ),
        ({}, {"status": 128 + 4}, "-march=x86-64-v3"),
        ({}, {"status": 128 + 11}, r"crashed in the guest \(signal 11, Segmentation fault"),
        ({}, {"status": 1}, "ended with status 1. If it misses a file"),
    ],
)
def test_what_is_wrong(options: dict[str, str], found: dict[str, Any], reason: str) -> None:
    said = complaint(workload(**options), {**GOOD, **found}, "last words")
    with pytest.raises(RunError, match=f"(?s){reason}.*last words"):
        raise RunError(said)
    assert "it has written nothing" in complaint(workload(**options), {**GOOD, **found}, " ")


def test_nothing_is_wrong() -> None:
    assert complaint(workload(), GOOD, "") == ""


def fake_boots(monkeypatch: pytest.MonkeyPatch, answer: str | Exception) -> list[str]:
    """Guests that report this; the steps of each."""
    booted: list[str] = []

    def boot(_machine: object, steps: str, folder: Path, **more: object) -> Guest:
        booted.append(steps)
        # A CPU that waits for a busy host is no lockup.
        assert "nowatchdog" in str(more["kernel_arguments"])
        if isinstance(answer, Exception):
            raise answer
        report = Report(blocks={"workload": [answer], "output": ["said"]}, statuses={"steps": 0})
        return Guest(folder, [], "6.12", "10.0", report, [], [], [], 12.34)

    monkeypatch.setattr(footprint, "boot", boot)
    return booted


def test_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    booted = fake_boots(monkeypatch, json.dumps(GOOD))
    for key in ("a", "a", "b"):
        found = measure(MACHINE, workload(start="it's"), key, tmp_path)
        assert (found.peak, found.fast_free, found.seconds) == (100 * MIB, 1000 * MIB, 12.3)
    assert len(booted) == 2
    assert (
        "try --start 'it'\"'\"'s' --seed 1 --provision 0 --cpus-node 0 -- /job 'a b'" in booted[0]
    )
    # One that another version of the lab wrote.
    (tmp_path / "footprint.json").write_text('{"key": "b", "size": 1}')
    measure(MACHINE, workload(), "b", tmp_path)
    assert len(booted) == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "console.log: the guest could not run the program"),
        (json.dumps({**GOOD, "status": 5}), "(?s)job: it ended with status 5.*said"),
        (RunError("x:1: Out of memory: Killed process 1"), "needs more memory than machine two-"),
        (RunError("the guest hangs in phase 'run'"), "within 20 minutes. If it never ends by"),
        (RunError("x:1: WARNING: y"), "WARNING: y"),
    ],
)
def test_a_run_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str | Exception, reason: str
) -> None:
    fake_boots(monkeypatch, answer)
    with pytest.raises(RunError, match=reason):
        measure(MACHINE, workload(), "a", tmp_path)
    assert not (tmp_path / "footprint.json").exists()
