# SPDX-License-Identifier: GPL-2.0
"""A ready page that finds no room keeps its record, and is promoted when there is room."""

import pytest

from pghotlab.guest.vm import Guest
from support import SHRINK, counters, run

# Fewer than the hog maps: its last pages wait for their list in a per-CPU batch.
PAGES = 4000 // SHRINK

# Balancing is off: what is promoted was recorded by the test's own source, once.
STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 promote_freq_window_ms=3968

# has_refused PASSES: whether so many passes have met a full node
has_refused()
{{
	[ $(cat $PGHOT/stats/refused_full) -ge $1 ] && [ $(cat $PGHOT/stats/made_ready) -ge {PAGES} ]
}}

hog 1 16 >/tmp/hog &
until grep -q ready /tmp/hog; do usleep 100000; done

# The fast node counts as full below its watermarks: raise them over what is free.
reserve=/proc/sys/vm/min_free_kbytes
saved=$(cat $reserve)
set_value $reserve 2000000
insmod /lib/recorder.ko nid=1 nr_pages={PAGES}
# Of the passes there must be two, and each has to have met the full node.
eventually has_refused 2 || true
counters | report full
set_value $reserve "$saved"
eventually has_promoted {PAGES} || true
settled
counters | report room
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="refused")


def test_full_node_is_left_alone(guest: Guest) -> None:
    full = counters(guest, "full")
    assert full["pghot_made_ready"] == full["pghot_recorded_accesses"] == PAGES
    assert full["pghot_refused_full"] > 0
    assert full["pghot_promoted"] == 0


def test_full_is_counted_once_a_pass(guest: Guest) -> None:
    """The first base page without room stands for all that the pass would have met."""
    full = counters(guest, "full")
    assert full["pghot_passes"] > 1
    # One may be on its way.
    assert abs(full["pghot_refused_full"] - full["pghot_passes"]) <= 1


def test_promoted_without_another_access(guest: Guest) -> None:
    full, room = counters(guest, "full"), counters(guest, "room")
    assert room["pghot_recorded_accesses"] == full["pghot_recorded_accesses"]
    assert room["pghot_promoted"] == PAGES
    assert room["pgpromote_success"] == PAGES
