# SPDX-License-Identifier: GPL-2.0
"""The order of the tests in the guest, and what is said after them: pytest reads it by its name."""

import time
from collections import Counter

import pytest

from pghotlab.guest import kernlog
from support import BUILD, KIND

# Files whose guests take minutes: last, they would run with nothing beside them.
LONGEST = (
    *("test_stress", "test_inject", "test_mglru", "test_promotion", "test_accessed"),
    *("test_demotion", "test_pagecache", "test_trace", "test_tunables", "test_soak"),
)
STARTED = time.time()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest; else in the order of names."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the data races that were seen and are not pghot's."""
    if KIND != "kcsan":
        return
    races: Counter[str] = Counter()
    for log in (BUILD / "vm").glob("*/console.log"):
        if log.stat().st_mtime >= STARTED:
            races += kernlog.kernel_races(log.read_text(errors="replace").splitlines())
    terminalreporter.section(f"{len(races)} data races of the kernel's own")
    for race, number in races.most_common():
        terminalreporter.write_line(f"{number:5} {race}")
