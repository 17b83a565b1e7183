# SPDX-License-Identifier: GPL-2.0
"""On the debug kernel: each of its checkers is awake, and what it says fails the run."""

import pytest

from pghotlab.base.errors import RunError
from support import DEBUG, run

pytestmark = pytest.mark.skipif(not DEBUG, reason="the stock kernel does not check itself")


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
