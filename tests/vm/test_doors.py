# SPDX-License-Identifier: GPL-2.0
"""Everybody reads and writes through all doors while pghot comes and goes."""

import pytest

from pghotlab.guest.vm import Guest
from support import run

CYCLES = 10

STEPS = f"""
set_value $NUMAB 2
files=
for file in kmigrated_sleep_ms freq_threshold target_nid enabled_sources promote_freq_window_ms; do
	files="$files $PGHOT/$file /proc/sys/vm/pghot_$file /sys/kernel/debug/pghot/$file"
done
for i in 1 2 3; do
	# shellcheck disable=SC2086 # a list
	write_loop /tmp/enough $files >/tmp/writer.$i &
done
(while [ ! -e /tmp/enough ]; do
	cat $PGHOT/stats/* $PGHOT/node*/* $PGHOT/slow_nodes /sys/kernel/debug/pghot/vmstat
done) >/dev/null 2>&1 &

for i in $(seq {CYCLES}); do
	insmod /lib/pghot.ko enabled_sources=0
	usleep $(((i % 6) * 20000))
	until rmmod pghot 2>/dev/null; do
		usleep 5000 # somebody has a file of debugfs open
	done
done
touch /tmp/enough
wait
cat /tmp/writer.* | report written
[ ! -e $PGHOT ] && [ ! -e /sys/kernel/debug/pghot ] && [ ! -e /proc/sys/vm/pghot_target_nid ]
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="doors", timeout=600)


def test_doors_open_and_close_under_load(guest: Guest) -> None:
    written = guest.report.text("written").split("\n")
    assert all(int(line) > CYCLES for line in written), written
