# SPDX-License-Identifier: GPL-2.0
"""On a kernel that checks itself: its checkers are awake, and what they say fails the run."""

import pytest

from pghotlab.base.errors import RunError
from support import KIND, counters, log_has, run


@pytest.mark.skipif(KIND != "debug", reason="only the debug kernel has these checkers")
@pytest.mark.parametrize(
    ("kind", "said"),
    (
        ("uaf", "BUG: KASAN: slab-use-after-free in mistake_init"),
        ("sleep", "BUG: (scheduling while atomic|sleeping function)"),
        ("order", "WARNING: possible circular locking dependency detected"),
        ("leak", "unreferenced object 0x"),
    ),
)
def test_a_mistake_fails_the_run(kind: str, said: str) -> None:
    with pytest.raises(RunError, match=rf"console\.log:\d+: .*{said}"):
        run(f"insmod /lib/mistake.ko kind={kind}", name=f"mistake-{kind}")


@pytest.mark.skipif(KIND != "kcsan", reason="this kernel does not look for data races")
def test_races_are_looked_for() -> None:
    guest = run(
        "sed -n 's/: / /; /^[a-z_]* [0-9]*$/p' /sys/kernel/debug/kcsan | report kcsan", name="kcsan"
    )
    assert log_has(guest, "kcsan: enabled early")
    watched = counters(guest, "kcsan")
    assert watched["enabled"] == 1
    assert watched["setup_watchpoints"] > 0
