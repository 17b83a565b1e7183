# SPDX-License-Identifier: GPL-2.0
"""Tunables take what is in range, and refuse the rest without changing."""

import pytest

from pghotlab.vm import Guest
from support import run

RANGES = {
    "enabled_sources": (0, 1),
    "freq_threshold": (1, 3),
    "freq_window_ms": (1000, 3968),
    "kmigrated_batch_nr": (64, 1024),
    "kmigrated_sleep_ms": (0, 1000),
}
NONSENSE = ("\\n", " ", "-1", "0x", "1 2", "1.5", "ten", "99999999999999999999", "\\377\\376")


def steps() -> str:
    lines = ["insmod /lib/pghot.ko"]
    for name, (lowest, highest) in RANGES.items():
        for value in (lowest, highest):
            lines.append(f"set_value $PGHOT/{name} {value}")
            lines.append(f'[ "$(cat $PGHOT/{name})" = {value} ]')
        wrong = [*NONSENSE, str(highest + 1)] + ([str(lowest - 1)] if lowest else [])
        lines.append(f"for value in {' '.join(repr(value) for value in wrong)}; do")
        lines.append(f'\trefused $PGHOT/{name} "$value"')
        lines.append(f"done | report {name}")
    lines.append("rmmod pghot")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(steps(), name="tunables")


@pytest.mark.parametrize("name", RANGES)
def test_bad_values_are_refused(guest: Guest, name: str) -> None:
    assert guest.report.text(name) == ""
