# SPDX-License-Identifier: GPL-2.0
"""Memory that was free when pghot was loaded, and is taken by others before a page turns hot."""

import pytest

from pghotlab.guest.vm import Guest
from support import FILL, difference, micro, run_modelled

MEGABYTES = 16
HOT = MEGABYTES * 256  # pages that are in use on the slow node
MOST = HOT * 9 // 10
SHARED_MEGABYTES = 64  # idle memory of a fast node that two processes map

# Whether a swap pays depends on what accesses and moves take, so the memory is modelled.
STEPS = (
    FILL
    + f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value /proc/sys/vm/watermark_boost_factor 0
set_value /sys/kernel/mm/numa/demotion_enabled 1
set_value $NUMAB 0
tlbflush 2000 >/dev/null
insmod /lib/pghot.ko
free_megabytes 0 | report free
occupy 0 $(($(free_megabytes 0) + 64))
hog 0 {SHARED_MEGABYTES} share >/tmp/shared &
shared=$!
until grep -q ready /tmp/shared; do usleep 100000; done
fill 1
set_value $TRACE/events/pghot/pghot_policy/enable 1
modelled_work "--bytes $(({MEGABYTES} << 20)) --pages 4k --accesses 12000000"
sed -n '/zero/s/.* N0=\\([0-9]*\\).*/\\1/p' /proc/$shared/numa_maps | report shared
sed -n 's/.* pghot_policy: //p' $TRACE/trace | report verdicts
"""
)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run_modelled(STEPS, name="room-ends")


def test_what_works_is_whole(guest: Guest) -> None:
    assert micro(guest, "micro")["verified"] is True


def test_there_was_room_at_first(guest: Guest) -> None:
    assert int(guest.report.text("free")) > 2 * MEGABYTES


def test_room_is_made(guest: Guest) -> None:
    """The policy has to see that there is none any more, and that idle pages can go."""
    change = difference(guest, "before", "after")
    assert change["pghot_promoted"] > MOST
    assert micro(guest, "micro")["pages_per_node"]["0"] > MOST
    assert change["pgdemote_kswapd"] > HOT / 2


def test_idle_pages_that_others_map_stay(guest: Guest) -> None:
    """Of two processes that do not use them, each page table says that they are idle."""
    assert int(guest.report.text("shared")) == SHARED_MEGABYTES * 256


def test_it_is_a_swap(guest: Guest) -> None:
    verdicts = guest.report.text("verdicts")
    assert "kind=small verdict=swap" in verdicts
    assert "verdict=promote" not in verdicts
