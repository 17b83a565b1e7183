# SPDX-License-Identifier: GPL-2.0
"""`pghot doctor` names what keeps hot pages slow, or has pages come and go, while it watches."""

import pytest

from doctor import findings, run_doctor
from pghotlab.guest.vm import Guest
from support import FILL, SWAP_ON, swap_files

# What is done, and the cause that has to be found then, by the name of the situation.
FOUND = {
    "locked": "locked-memory",
    "pinned": "pinned-memory",
    "bound": "bound-memory",
    "share": "cpu-share",
    "kernel-ping-pong": "ping-pong-kernel",
    "swap": "swap-thrash",
}

STEPS = (
    FILL
    + SWAP_ON
    + """
swapoff /dev/zram0 # until it is wanted
insmod /lib/pghot.ko
hog 0 600 lock >/tmp/locked &
eventually grep -q ready /tmp/locked
look locked
kill $!
wait $! || true
rmmod pghot

# A device reports pages that may not be moved, and then more pages than the CPU time is for.
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 mode=precise promote_freq_window_ms=16383
hold pinned 4000 0
look_while_reported pinned 4
let_go
hold bind 4000 0
look_while_reported bound 4
let_go
set_value $PGHOT/promote_cpu_percent 1
hold mapped 40000 1
look_while_reported share 6
let_go
set_value $PGHOT/promote_cpu_percent 100

# Who takes more than node 0 has, again and again, has the kernel demote others.
occupy 0 $(($(free_megabytes 0) - 40))
hold mapped 40000 1
(
	until [ -e /tmp/over ]; do
		occupy 0 $(($(free_megabytes 0) + 64))
		kill $hog
		wait $hog || true
	done
) &
taking=$!
look_while_reported kernel-ping-pong 10
touch /tmp/over
wait $taking
let_go
kill $hogs
wait $hogs || true

# A program whose group may have half of the memory that it uses.
swapon /dev/zram0
mkdir /tmp/cgroup
mount -t cgroup2 none /tmp/cgroup
set_value /tmp/cgroup/cgroup.subtree_control +memory
mkdir /tmp/cgroup/small
set_value /tmp/cgroup/small/memory.max 16M
mkfifo /tmp/in.small
(
	echo 0 >/tmp/cgroup/small/cgroup.procs
	exec holds 1 8000 mapped 1
) </tmp/in.small >/tmp/out.small &
exec 9>/tmp/in.small
eventually grep -q ready /tmp/out.small
look swap 4
exec 9>&-
wait $! || true
swapoff /dev/zram0
rmmod pghot
"""
)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run_doctor(STEPS, name="doctor-limits", timeout=900, files=swap_files())


@pytest.mark.parametrize("situation", FOUND)
def test_cause_is_found(guest: Guest, situation: str) -> None:
    assert FOUND[situation] in findings(guest, situation)
