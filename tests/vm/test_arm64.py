# SPDX-License-Identifier: GPL-2.0
"""On arm64: each source that needs no hardware promotes what it finds, by itself.

On x86-64 a file of its own tests each of them, and takes minutes. This one takes the least that
shows that a source works where its way into the kernel is another one.
"""

import pytest

from pghotlab.base.arch import ARM64
from pghotlab.guest.vm import Guest
from support import difference, kernel, micro, run

pytestmark = pytest.mark.skipif(kernel().arch != ARM64, reason="other files test more of it")

MEGABYTES = 8  # that each run touches
PAGES = MEGABYTES * 256
# Of each thread, in a second, and for so many seconds: several looks, or rounds of ageing.
RATE = 20_000
SECONDS = 8
# What each source counts.
COUNTERS = {
    "accessed": "recorded_pgtscans",
    "pagecache": "recorded_pagecache",
    "mglru": "recorded_mglru",
}

STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
echo 7 >/sys/kernel/mm/lru_gen/enabled

# measure NAME BIT ARGUMENTS...: a run of the benchmark with one source, and the counters around it
measure()
{{
	name=$1
	bit=$2
	shift 2
	phase "$name"
	insmod /lib/pghot.ko enabled_sources=$bit freq_threshold=1
	counters | report "before.$name"
	micro --threads 4 --bytes $(({MEGABYTES} << 20)) --rate {RATE} \\
		--accesses {RATE * SECONDS} --provision 1 --cpus-node 0 "$@" | report "$name"
	settled
	counters | report "after.$name"
	rmmod pghot
	rm -f /tmp/a
}}

measure accessed 4 --pages 4k
measure pagecache 8 --pages read --file /tmp/a --write-share 0
# QEMU's TLB never forgets a page by itself. The scanner of accessed bits sees to that itself.
tlbflush 10000 >/dev/null
measure mglru 16 --pages 4k
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="arm64", timeout=600)


@pytest.mark.parametrize("name", COUNTERS)
def test_source_promotes_what_it_finds(guest: Guest, name: str) -> None:
    assert micro(guest, name)["verified"] is True
    change = difference(guest, f"before.{name}", f"after.{name}")
    assert change[f"pghot_{COUNTERS[name]}"] >= change["pghot_promoted"] > 0.9 * PAGES
    assert change["pgpromote_success"] == change["pghot_promoted"]
