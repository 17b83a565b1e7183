# SPDX-License-Identifier: GPL-2.0
"""How bench/throttle.py reads a run, on made-up samples."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from pghotlab.base.errors import LabError
from pghotlab.draw.picture import ThrottleLine, draw_throttle
from throttle import (
    CASES,
    LAST,
    TUNE_MS,
    UNIT_MS,
    Case,
    Samples,
    Span,
    clear,
    convergence,
    files,
    is_held,
    mean_rate,
    parse_samples,
    spans,
    steps,
    summary,
    table,
)

LIMIT = 1000


def bursts(times_ms: list[int], pages: int, end_ms: int) -> Samples:
    """Samples every 20 ms; at each of the times as many pages ask and are promoted."""
    times = range(0, end_ms, 20)
    grown = tuple(pages * sum(burst <= t for burst in times_ms) for t in times)
    return Samples(
        tuple(t / 1000 for t in times),
        {"candidates": grown, "promoted": grown, "threshold_ms": tuple(500 for _ in times)},
    )


def second(promoted: int, candidates: int = LIMIT, length: float = 1.0, sharp: bool = True) -> Span:
    return Span(0, length, candidates, promoted, 0, sharp)


def tunings(*thresholds: int, candidates: int = LIMIT * TUNE_MS // 1000) -> list[Span]:
    return [Span(0, 3, candidates, 0, threshold, True) for threshold in thresholds]


def test_parse_samples() -> None:
    samples = parse_samples("2000000000 5 7\n2500000000 6 9\n", ["a", "b"])
    assert samples.times == (0, 0.5)
    assert samples.columns == {"a": (5, 6), "b": (7, 9)}
    assert samples.grew("b", 0, 1) == 2


@pytest.mark.parametrize("text", ["", "1 2\n1\n", "1 2 3\n"])
def test_samples_of_another_form(text: str) -> None:
    with pytest.raises(LabError, match=r"^samples:"):
        parse_samples(text, ["a"])


def test_spans_begin_with_the_first_event_after_the_last_one_ran_out() -> None:
    samples = bursts([100, 700, 1060, 1130, 2200], 10, 3000)
    first, last = spans(samples, 1.0, "promoted")
    assert (first.start, first.length, first.promoted) == (0.08, 1.04, 30)
    assert (last.start, last.length, last.promoted) == (1.12, 1.06, 10)
    assert last.threshold_ms == 500
    assert first.sharp
    assert not last.sharp


END = second(1000)


def test_seconds_count_when_both_ends_are_sure() -> None:
    seconds = [second(1), second(2, sharp=False), second(3), second(4), END]
    assert clear(seconds) == [second(3), second(4)]


def test_mean_rate_is_over_time() -> None:
    assert mean_rate([second(1000), second(1000, length=1.5)], LIMIT) == 0.8
    assert mean_rate([], LIMIT) == 0


@pytest.mark.parametrize(
    ("seconds", "held"),
    [
        ([second(1000), second(990), second(300, 300)], True),
        ([second(1000), second(1000, length=1.2)], False),
        ([second(1000), second(900)], False),
        ([second(1000), second(1060, 1060)], False),
        ([second(1000), second(1060, 990)], False),
        ([second(1000), second(1000), second(1060, 1060, sharp=False)], True),
        ([second(300, 300)], False),
    ],
)
def test_is_held(seconds: list[Span], held: bool) -> None:
    assert is_held([*seconds, END], LIMIT) is held


@pytest.mark.parametrize(
    ("last", "verdict"),
    [
        (tunings(1000, *[500] * LAST), "settled"),
        (tunings(1000, *[500, 500 + UNIT_MS] * LAST), "between two steps"),
        (tunings(*[250, 375, 500] * LAST), "375 +- a step"),
        (tunings(*[250, 375, 500] * LAST, candidates=1000), "moving"),
        (tunings(*[UNIT_MS] * LAST, candidates=9000), "at its floor"),
        (tunings(*[2000] * LAST, candidates=1000), "at its ceiling"),
        (tunings(*range(1000, 500, -100), 500), "moving"),
        (tunings(*[500] * (LAST - 1)), "unknown"),
        (tunings(*[0] * LAST), "unknown"),
    ],
)
def test_convergence(last: list[Span], verdict: str) -> None:
    assert convergence(last, LIMIT) == verdict


def test_steps() -> None:
    for case in CASES:
        text = steps(case, "micro --some")
        assert ("insmod" in text) == bool(case.mode)
        assert f"{case.limit}" in text
        for path in files(case).values():
            assert f" {path} " in text
        assert text.index("lock") < text.index("mark arm") < text.index("micro --some")


def test_summary_and_table() -> None:
    seconds = [asdict(second(1024, 1200)), asdict(second(512, 512)), asdict(END)]
    periods = [asdict(t) for t in tunings(*[250] * LAST, candidates=1024 * TUNE_MS // 1000)]
    case = Case("x", "some policy", 4, "default")
    row = summary({"case": asdict(case), "seconds": seconds, "tunings": periods})
    assert json.loads(json.dumps(row)) == row
    assert row["held"]
    assert row["seconds_with_enough"] == 1
    assert row["seconds"] == 2
    line = table([row]).splitlines()[2].split()
    assert line[:4] == ["some", "policy", "4", "1"]
    assert line[4:9] == ["100.0", "100.0", "100.0", "yes", "100.0"]
    assert line[9:] == ["settled"] + ["250"] * LAST

    stock = Case("x", "stock", 4)
    row = summary({"case": asdict(stock), "seconds": seconds, "tunings": periods})
    line = table([row]).splitlines()[2].split()
    assert line == ["stock", "4", "1", "100.0", "-", "-", "-", "100.0", "-", "-"]


def test_picture(tmp_path: Path) -> None:
    lines = [ThrottleLine("a", 4, [(0, 4), (1, 3.9)], [(0, 1000)]), ThrottleLine("b", 8, [], [])]
    draw_throttle(lines, tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
