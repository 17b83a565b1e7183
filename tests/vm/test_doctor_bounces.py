# SPDX-License-Identifier: GPL-2.0
"""`pghot doctor` names it if pages that pghot has demoted come up again soon."""

import pytest

from doctor import findings, run_doctor
from pghotlab.guest.vm import Guest
from support import FILL, difference, run_modelled

PAGES = 3000
# Fast memory for one of the two programs, and not for both, MiB.
ROOM = 14

# Two programs take turns, and all else in fast memory has to stay there: so the pages of who has
# the turn come up in place of those of who has just had it. Whether a swap pays depends on what
# accesses and moves take, so the memory is modelled.
STEPS = (
    FILL
    + f"""
set_value /proc/sys/vm/watermark_boost_factor 0
tlbflush 2000 >/dev/null

# user NAME FD: a program with memory on node 1, which stands still
user()
{{
	mkfifo /tmp/in.$1
	holds 1 {PAGES} mapped 1 </tmp/in.$1 >/tmp/out.$1 &
	eval "$1=$!"
	eval "exec $2>/tmp/in.$1"
	eventually grep -q ready /tmp/out.$1
	kill -STOP $!
}}

hog 0 $(($(spare_megabytes) - {ROOM})) lock >/tmp/locked &
eventually grep -q ready /tmp/locked
insmod /lib/pghot.ko
mark arm
user one 8
user two 9
counters | report before
(
	until [ -e /tmp/enough ]; do
		kill -CONT $one
		usleep 700000
		kill -STOP $one
		kill -CONT $two
		usleep 700000
		kill -STOP $two
	done
) &
turns=$!
usleep 2000000
look bounces 4
touch /tmp/enough
wait $turns
counters | report after
mark rest
"""
)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run_doctor(STEPS, name="doctor-bounces", boots=run_modelled)


def test_pages_come_up_again(guest: Guest) -> None:
    change = difference(guest, "before", "after")
    assert change["pghot_demoted"] > PAGES
    assert change["pghot_bounced"] * 8 > change["pghot_promoted"]


def test_cause_is_found(guest: Guest) -> None:
    assert "promoted again within 2 s" in findings(guest, "bounces")["ping-pong"]
