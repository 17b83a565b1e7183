# SPDX-License-Identifier: GPL-2.0
"""What a user without privileges can read and write of pghot: no addresses, and nothing."""

import re

import pytest

from pghotlab.guest.vm import Guest
from support import run

# What everybody may read: the tunables, counters, and these.
OTHERS = {"mode", "slow_nodes", "sources", "policy", "policy_state", "accessed_scale", "perf_event"}
# What root alone may: device addresses, and which control groups there are.
SECRET = {"chmu_map", "cgroups"}

# Where pghot has files, but for what is in directories that a user cannot enter.
STEPS = """
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1
hog 1 16 >/tmp/hog &
until grep -q ready /tmp/hog; do usleep 100000; done
echo 1 >$TRACE/events/pghot/enable
insmod /lib/recorder.ko nid=1 nr_pages=4000
sleep 1
grep -q pfn= $TRACE/trace

# look COMMAND: it runs as nobody for every file, whose path is its argument; those where it
# succeeds
look()
{
	find $PGHOT /proc/sys/vm/pghot_* /sys/devices/virtual/workqueue/pghot /sys/module/pghot \\
		-type f | while read -r file; do
		if nobody sh -c "$1" look "$file" >/dev/null 2>&1; then
			echo "$file"
		fi
	done
}

# Opening is enough.
# shellcheck disable=SC2016 # for the shell that runs it
look 'exec 9>>"$1"' | report writable
# shellcheck disable=SC2016 # the same
look 'cat "$1"' | report readable
find $PGHOT -type f | report files
for file in $(find $PGHOT -type f); do
	nobody cat "$file" 2>/dev/null | sed "s,^,$file ," || true
done | report content
for file in $TRACE/trace $TRACE/events/pghot/pghot_record/enable \\
	/sys/kernel/debug/pghot/vmstat /sys/kernel/debug/pghot/target_nid; do
	[ -e $file ]
	if nobody cat $file >/dev/null 2>&1; then
		echo $file
	fi
done | report hidden
id=$(cat $TRACE/events/pghot/pghot_record/id)
perf_open $id | report perf.root
nobody perf_open $id | report perf.nobody
nobody rmmod pghot 2>/dev/null || echo no | report rmmod
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="unprivileged")


def test_nothing_can_be_written(guest: Guest) -> None:
    assert guest.report.text("writable") == ""
    assert guest.report.text("rmmod") == "no"


def test_secrets_cannot_be_read(guest: Guest) -> None:
    readable = set(guest.report.text("readable").splitlines())
    files = set(guest.report.text("files").splitlines())
    unread = {file.rpartition("/")[2] for file in files - readable}
    assert unread == SECRET


def test_what_can_be_read_is_numbers_of_no_page(guest: Guest) -> None:
    """Counters and tunables are one decimal number each; the rest is known by name."""
    for line in guest.report.text("content").splitlines():
        path, _, value = line.partition(" ")
        if path.rpartition("/")[2] not in OTHERS:
            assert re.fullmatch(r"-?\d+", value), line


def test_traces_and_debugfs_are_hidden(guest: Guest) -> None:
    assert guest.report.text("hidden") == ""


def test_tracepoints_cannot_be_opened_as_performance_events(guest: Guest) -> None:
    assert guest.report.text("perf.root") == "opened"
    assert guest.report.text("perf.nobody") in ("Permission denied", "Operation not permitted")


def test_no_addresses_of_the_module(guest: Guest) -> None:
    readable = guest.report.text("readable").splitlines()
    assert not [file for file in readable if "/sections/" in file]
