# SPDX-License-Identifier: GPL-2.0
"""`pghot doctor` names it if pages that pghot has demoted come up again soon."""

import pytest

from doctor import findings, run_doctor
from pghotlab.guest.vm import Guest
from support import FILL, difference, run_modelled

# Base pages that are in use on the slow node, and come up in place of idle ones.
HOT = 3000
# So many of the idle ones have gone down before a device says that they are hot, and so many come
# up again at least.
DOWN = HOT // 2
UP = HOT // 4
# Memory of the fast node that becomes free after that, MiB: enough for all that went down.
ROOM = 24

# Fast memory is full of idle pages, so that pghot demotes some for hot ones. A device says of all
# pages of the slow node that they are hot, also of those that have just gone down. When there is
# room again they come up. None of that depends on when a program uses what. Whether a swap pays
# depends on what accesses and moves take, so the memory is modelled.
STEPS = (
    FILL
    + f"""
# has COUNTER PAGES: whether so many pages were demoted, or bounced, or more
has()
{{
	[ $(cat $PGHOT/stats/$1) -ge $2 ]
}}

# is_watching: whether the doctor has seen the counters for the first time
is_watching()
{{
	grep -qs nanosleep /proc/$(pidof python3)/wchan
}}

set_value /proc/sys/vm/watermark_boost_factor 0
tlbflush 2000 >/dev/null
hog 0 {ROOM} lock >/tmp/locked &
locked=$!
eventually grep -q ready /tmp/locked
insmod /lib/pghot.ko
fill 1
look bounces 15 &
doctor=$!
eventually is_watching
counters | report before
mark arm
hold mapped {HOT} 1
eventually has demoted {DOWN}
report_all
kill $locked
wait $locked || true
eventually has bounced {UP}
report_enough
mark rest
let_go
wait $doctor
counters | report after
"""
)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run_doctor(STEPS, name="doctor-bounces", boots=run_modelled)


def test_pages_come_up_again(guest: Guest) -> None:
    change = difference(guest, "before", "after")
    assert change["pghot_demoted"] >= DOWN
    assert change["pghot_bounced"] >= UP


def test_cause_is_found(guest: Guest) -> None:
    assert "promoted again within 2 s" in findings(guest, "bounces")["ping-pong"]
