# SPDX-License-Identifier: GPL-2.0
"""A module of somebody else as a source: what it reports is promoted, and it may go any time.

Processes check what they wrote while that happens.
"""

import pytest

from pghotlab.guest.vm import Guest
from support import counters, difference, run

PAGES = 2 * 32 * 256  # that churn maps
# Of the hog; its last pages wait for their list in a per-CPU batch.
HOG = 16 * 256 - 100

# Balancing is off: nothing but the source reports accesses.
STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never

# All memory of node 1.
block_size=$((0x$(cat /sys/devices/system/memory/block_size_bytes)))
block_pages=$((block_size / 4096))
first=$(for block in /sys/devices/system/node/node1/memory[0-9]*; do
	echo ${{block##*/memory}}
done | sort -n | head -n 1)
blocks=$(ls -d /sys/devices/system/node/node1/memory[0-9]* | wc -l)
range="first_pfn=$((first * block_pages)) nr_pages=$((blocks * block_pages))"
parameters=/sys/module/source/parameters

# has_reported PAGES: whether the source got so many recorded, or more
has_reported()
{{
	[ $(cat $parameters/recorded) -ge $1 ]
}}

insmod /lib/pghot.ko enabled_sources=3 freq_threshold=2

phase "one report"
hog 1 16 >/tmp/hog &
hog=$!
until grep -q ready /tmp/hog; do usleep 100000; done
insmod /lib/source.ko $range interval_ms=3600000
eventually has_reported {HOG} || true
grep . $parameters/recorded | report recorded.once
rmmod source
counters | report once
insmod /lib/source.ko $range interval_ms=3600000 weight=2
eventually has_promoted {HOG} || true
rmmod source
counters | report twice
kill $hog
wait $hog || true

phase "reports"
insmod /lib/source.ko $range weight=2
counters | report before
churn 1 32 2
settled
counters | report after
grep . $parameters/recorded | report recorded
grep . $parameters/errors | report errors
rmmod source

phase "nonsense"
insmod /lib/source.ko first_pfn=0xfffffffffffff000 nr_pages=0x100000
usleep 200000
rmmod source
insmod /lib/source.ko first_pfn=$((1 << 45)) nr_pages=10000
usleep 200000
rmmod source

phase "comes and goes"
churn 1 32 8 &
for i in $(seq 30); do
	insmod /lib/source.ko $range weight=7 interval_ms=0
	usleep $(((i % 4) * 20000))
	rmmod source
done
wait $!

phase "held"
insmod /lib/source.ko $range
if rmmod pghot 2>/tmp/rmmod; then
	echo gone
else
	echo held
fi | report held
[ -d $PGHOT ]
rmmod source
rmmod pghot
[ ! -d $PGHOT ]
counters | report unloaded
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="source", timeout=600)


def test_one_report_of_two_accesses_is_enough(guest: Guest) -> None:
    once, twice = counters(guest, "once"), counters(guest, "twice")
    assert int(guest.report.text("recorded.once")) >= HOG
    assert once["pghot_made_ready"] == once["pghot_promoted"] == 0
    assert twice["pghot_promoted"] >= HOG


def test_what_it_reports_is_promoted(guest: Guest) -> None:
    assert difference(guest, "before", "after")["pghot_promoted"] > PAGES // 2
    assert int(guest.report.text("recorded")) > PAGES // 2
    assert guest.report.text("errors") == "0"


def test_reports_are_counted_by_source(guest: Guest) -> None:
    change = difference(guest, "before", "after")
    assert change["pghot_recorded_hwhints"] > PAGES // 2
    assert change["pghot_recorded_hintfaults"] == 0


def test_holds_pghot(guest: Guest) -> None:
    assert guest.report.text("held") == "held"


def test_leaves_nothing_isolated(guest: Guest) -> None:
    after = counters(guest, "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0
