# SPDX-License-Identifier: GPL-2.0
"""Room for hot pages, which new memory of other programs takes as well."""

import pytest

from pghotlab.guest.vm import Guest
from support import FILL, difference, micro, run_modelled

MEGABYTES = 16
HOT = MEGABYTES * 256  # pages that are in use on the slow node
NEW = 60  # steps in which somebody asks for 8 MiB

# Whether a swap pays depends on what accesses and moves take, so the memory is modelled.
STEPS = (
    FILL
    + f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value /proc/sys/vm/watermark_boost_factor 0
set_value $NUMAB 0
fill 1
tlbflush 2000 >/dev/null
insmod /lib/pghot.ko
set_value $TRACE/events/pghot/pghot_policy/enable 1
mkdir /tmp/new
for step in $(seq {NEW}); do
	dd if=/dev/zero of=/tmp/new/$step bs=1M count=8 2>/dev/null
	usleep 10000
done &
modelled_work "--bytes $(({MEGABYTES} << 20)) --pages 4k --accesses 24000000"
ls /tmp/new | wc -l | report steps
cat $PGHOT/node0/room_taken $PGHOT/node1/room_taken | report taken
sed -n 's/.* pghot_policy: //p' $TRACE/trace | report verdicts
"""
)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run_modelled(STEPS, name="room-taken")


def test_what_works_is_whole(guest: Guest) -> None:
    assert micro(guest, "micro")["verified"] is True


def test_others_asked_for_memory_meanwhile(guest: Guest) -> None:
    assert int(guest.report.text("steps")) == NEW


def test_what_they_took_is_counted(guest: Guest) -> None:
    fast, slow = map(int, guest.report.text("taken").split())
    change = difference(guest, "before", "after")
    assert 0 < fast <= change["pghot_demoted"]
    assert change["pghot_room_taken"] == fast
    assert slow == 0


def test_what_is_hot_enough_is_promoted_all_the_same(guest: Guest) -> None:
    assert micro(guest, "micro")["pages_per_node"]["0"] > HOT * 9 // 10
    assert "kind=small verdict=swap" in guest.report.text("verdicts")
