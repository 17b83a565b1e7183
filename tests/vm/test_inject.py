# SPDX-License-Identifier: GPL-2.0
"""Each error path once: loads that run out of memory, pages that cannot be taken or moved."""

import pytest

from pghotlab.guest.vm import Guest
from support import AGING_HOOK, BUILD, EXACT_SLABS, counters, difference, leaks, log_has, micro, run

FILES = {"lib/pghot-inject.ko": BUILD / "inject" / "pghot.ko"}
# Fewer than the hog maps: its last pages wait for their list in a per-CPU batch.
PAGES = 4000
# What the records of a section take in precise mode, and how often they get no block of memory.
SECTION_BYTES = 135168
BLOCKS = 3
ISOLATIONS = 1000
MIGRATIONS = 3
UNHOOK_ACCESSES = 12_000_000
UNHOOK_SOURCES = 1 | 8 | 16
HOOKED = ("should_numa_migrate_memory", "folio_mark_accessed", AGING_HOOK)

LOAD_STEPS = """
# load: with one allocation that fails, the nth
load()
{
	insmod /lib/pghot-inject.ko enabled_sources=575 perf_event=1,5,0,0 \\
		inject_alloc=$n 2>/tmp/error
}

# loads [CHECK...]: fail each allocation in turn, then none, with a check after each failed load
loads()
{
	n=1
	until load && [ "$(cat /sys/module/pghot/parameters/inject_alloc)" -gt 0 ]; do
		if [ -e /sys/module/pghot ]; then
			echo $n >>/tmp/survived
			rmmod pghot
		else
			"$@"
		fi
		n=$((n + 1))
	done
	rmmod pghot
}

check()
{
	sed "s/^/$n /" /tmp/error >>/tmp/errors
	remains | sed "s/^/$n /" >>/tmp/remains
	insmod /lib/pghot.ko enabled_sources=3
	rmmod pghot
}

# Each CPU has allocations of its own, all alike: two will do.
for cpu in 2 3 4 5 6 7; do
	set_value /sys/devices/system/cpu/cpu$cpu/online 0
done

phase "once, with checks"
loads check
report errors </tmp/errors
report survived </tmp/survived
report remains </tmp/remains

for half in 0 1; do
	memory | report memory.$half
	phase "loads, half $half"
	loads true
done
memory | report memory.2

insmod /lib/pghot.ko enabled_sources=3 inject_alloc=1
ls /sys/module/pghot/parameters 2>/dev/null | report parameters || true
rmmod pghot
"""

# Balancing is off at first: what is promoted was recorded by the test's own source, once.
# Precise mode remembers a page for 16 s. The default mode's 4 s may pass on a slow host.
PAGE_STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot-inject.ko enabled_sources=3 mode=precise freq_threshold=1 \\
	promote_freq_window_ms=16383
FAIL=/sys/module/pghot/parameters

# record [OPTION...]: record the first pages of node 1 that are on its lists, the same each time
record()
{{
	set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
	insmod /lib/recorder.ko nid=1 nr_pages={PAGES} "$@"
	rmmod recorder
}}

record_hog()
{{
	record
	settled
}}

# has_failed PAGES: whether pghot could not migrate so many since its load, or more
has_failed()
{{
	[ $(cat $PGHOT/stats/failed_migrate) -ge $1 ]
}}

start_hog()
{{
	rm -f /tmp/hog
	hog 1 16 >/tmp/hog &
	hog=$!
	until grep -q ready /tmp/hog 2>/dev/null; do usleep 100000; done
}}

# mapped: how many sections have records that are mapped page by page, and what else pghot has so
mapped()
{{
	grep -cF '[pghot]' /proc/vmallocinfo || true
}}

phase "records without blocks"
mapped | report mapped.before
rmmod pghot
insmod /lib/pghot-inject.ko enabled_sources=3 mode=precise freq_threshold=1 \\
	promote_freq_window_ms=16383 inject_block={BLOCKS}
mapped | report mapped.without
cat $FAIL/inject_block | report mapped.left

phase "memory comes without records"
# sections: how many have records, in precise mode
sections()
{{
	echo $(($(cat $PGHOT/record_bytes) / {SECTION_BYTES}))
}}

sections | report sections.before
eventually offlined $(ls -r /sys/devices/system/node/node1/memory[0-9]*/state)
sections | report sections.without
set_value $FAIL/inject_alloc 1
set_value $state online
sections | report sections.failed
cat $FAIL/inject_alloc | report sections.left
eventually offlined $state
sections | report sections.again
set_value $state online
sections | report sections.after

phase isolate
# The fast node is not so roomy that nothing counts as a candidate.
reserve=/proc/sys/vm/min_free_kbytes
saved=$(cat $reserve)
set_value $reserve 1200000
start_hog
counters | report isolate.before
set_value $FAIL/inject_isolate {ISOLATIONS}
record_hog
counters | report isolate.after
set_value $reserve "$saved"
kill $hog
wait $hog || true

phase migrate
start_hog
counters | report migrate.before
set_value $FAIL/inject_migrate {MIGRATIONS}
record_hog
cat $FAIL/inject_migrate | report migrate.left
counters | report migrate.after
kill $hog
wait $hog || true

phase "never moved"
start_hog
set_value $PGHOT/freq_threshold 3
counters | report never.before
set_value $FAIL/inject_migrate 1000000
record rounds=3
eventually has_failed {PAGES}
cat $FAIL/inject_migrate | report never.left
set_value $FAIL/inject_migrate 0
counters | report never.after
usleep 500000
counters | report never.later
record_hog
counters | report never.again
set_value $PGHOT/freq_threshold 1
kill $hog
wait $hog || true

phase "between two tries"
start_hog
set_value $PGHOT/kmigrated_batch_nr 64
set_value $FAIL/inject_migrate 1000000
while [ ! -e /tmp/enough ]; do record; done &
recorder=$!
# have_slept: whether workers with a batch were met asleep some times
have_slept()
{{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		grep -hE '\\((kworker/[^ ]*\\+pghot|kmigrated1)\\)' /proc/[0-9]*/stat 2>/dev/null || true
	done >>/tmp/states
	[ $(grep -cE '\\+pghot\\) [^R]' /tmp/states) -ge 5 ]
}}
eventually have_slept || true
touch /tmp/enough
wait $recorder
sed 's/.*(\\(kworker\\|kmigrated\\).*) \\(.\\) .*/\\1 \\2/' /tmp/states | sort -u | report states
set_value $FAIL/inject_migrate 0
set_value $PGHOT/kmigrated_batch_nr 512
settled
kill $hog
wait $hog || true

phase "charged to nobody"
start_hog
counters | report uncharged.before
set_value $FAIL/inject_uncharged {PAGES}
record_hog
cat $FAIL/inject_uncharged | report uncharged.left
cat /proc/sys/vm/stat_refresh
counters | report uncharged.after
kill $hog
wait $hog || true

phase contents
set_value $NUMAB 2
counters | report contents.before
set_value $FAIL/inject_isolate 3000
set_value $FAIL/inject_migrate 300
micro --threads 4 --bytes $((64 << 20)) --accesses 12000000 --provision 1 --cpus-node 0 \\
	--pages 4k | report contents
cat $FAIL/inject_isolate $FAIL/inject_migrate | report contents.left
counters | report contents.after
rmmod pghot
counters | report unloaded
"""

# A function that ftrace does not give back: the module has to stay.
UNHOOK_STEPS = f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value $NUMAB 2
insmod /lib/pghot-inject.ko enabled_sources=3
FAIL=/sys/module/pghot/parameters/inject_unhook

# work NAME: with the counters around it
work()
{{
	counters | report $1.before
	micro --threads 4 --bytes $((16 << 20)) --accesses {UNHOOK_ACCESSES} --provision 1 \\
		--cpus-node 0 --pages 4k | report $1
	counters | report $1.after
}}

phase "while it is loaded"
set_value $FAIL 3
set_value $PGHOT/enabled_sources {UNHOOK_SOURCES}
set_value $PGHOT/enabled_sources 0
cat $FAIL | report left
for source in 1 8 16; do
	refused $PGHOT/enabled_sources $source
done | report again
work unhook.off
set_value $PGHOT/freq_threshold 1
set_value $PGHOT/enabled_sources 4
work unhook.other
set_value $PGHOT/enabled_sources 0
if rmmod pghot 2>/dev/null; then
	echo removed
fi | report removed
cat /sys/module/pghot/initstate /sys/module/pghot/refcnt | report state
"""

# The same, but in the midst of the unload.
LEAVE_STEPS = f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value $NUMAB 2
insmod /lib/pghot-inject.ko enabled_sources=3
set_value /sys/module/pghot/parameters/inject_unhook 1
rmmod pghot &
leaving=$!
idle() {{ grep -q '^State:.I ' /proc/$leaving/status; }}
eventually idle && echo idle | report leaving
cat /sys/module/pghot/initstate | report state
micro --threads 4 --bytes $((16 << 20)) --accesses {UNHOOK_ACCESSES} --provision 1 \\
	--cpus-node 0 --pages 4k | report work
if insmod /lib/diverter.ko 2>/dev/null; then
	rmmod diverter
	echo free
else
	echo taken
fi | report diversion
idle && echo idle | report leaving.still
"""


@pytest.fixture(scope="module")
def unhook() -> Guest:
    return run(UNHOOK_STEPS, name="inject-unhook", timeout=600, files=FILES)


@pytest.fixture(scope="module")
def leave() -> Guest:
    return run(LEAVE_STEPS, name="inject-leave", timeout=600, files=FILES)


@pytest.fixture(scope="module")
def loads() -> Guest:
    return run(
        LOAD_STEPS, name="inject-load", timeout=900, files=FILES, kernel_arguments=EXACT_SLABS
    )


@pytest.fixture(scope="module")
def pages() -> Guest:
    return run(PAGE_STEPS, name="inject-pages", timeout=600, files=FILES)


def test_each_failing_allocation_fails_the_load(loads: Guest) -> None:
    errors = loads.report.text("errors").splitlines()
    failed = [int(error.split()[0]) for error in errors]
    survived = [int(number) for number in loads.report.text("survived").split()]
    assert sorted(failed + survived) == list(range(1, len(failed) + len(survived) + 1))
    assert len(failed) > 25
    # What counts demotions is not needed: two allocations to watch a function.
    assert len(survived) == 2
    assert log_has(loads, "pghot: demote_second_chance stays 0: cannot watch")
    assert [error for error in errors if not error.endswith(": Cannot allocate memory")] == []
    assert log_has(loads, "pghot: cannot divert should_numa_migrate_memory (-12)")
    for cpu in (0, 1):
        counter = f"because CPU {cpu} cannot count event 1 0x5 0x0 0x0 0 (-12)"
        assert log_has(loads, f"pghot: performance counters: not available, {counter}")


def test_failing_loads_leave_nothing_in_sight(loads: Guest) -> None:
    assert loads.report.text("remains") == ""


def test_failing_loads_leave_no_memory(loads: Guest) -> None:
    # insmod tries each load twice, in two ways.
    assert leaks(loads, 2) == {}


def test_ordinary_module_cannot_be_made_to_fail(loads: Guest) -> None:
    assert log_has(loads, "pghot: unknown parameter 'inject_alloc' ignored")
    assert "inject" not in loads.report.text("parameters")


def test_memory_without_records_comes_nevertheless(pages: Guest) -> None:
    before, *others = (
        int(pages.report.text(f"sections.{when}"))
        for when in ("before", "without", "failed", "again", "after")
    )
    assert others == [before - 1] * 3 + [before]
    assert pages.report.text("sections.left") == "0"


def test_records_without_blocks_are_mapped(pages: Guest) -> None:
    """And are used like the others, by all tests of this guest; and freed when it unloads."""
    before, without = (int(pages.report.text(f"mapped.{when}")) for when in ("before", "without"))
    assert without - before == BLOCKS
    assert pages.report.text("mapped.left") == "0"
    assert log_has(pages, "pghot: no memory for the records of 32768 pages of node 1")


def test_page_that_cannot_be_isolated_keeps_its_record(pages: Guest) -> None:
    change = difference(pages, "isolate.before", "isolate.after")
    assert change["pghot_failed_isolate"] == ISOLATIONS
    assert change["pghot_recorded_accesses"] == PAGES
    assert change["pghot_promoted"] == PAGES


def test_page_that_cannot_be_isolated_is_charged_once(pages: Guest) -> None:
    assert difference(pages, "isolate.before", "isolate.after")["pghot_candidates"] == PAGES


def test_page_that_cannot_be_moved_is_tried_again(pages: Guest) -> None:
    change = difference(pages, "migrate.before", "migrate.after")
    assert pages.report.text("migrate.left") == "0"
    assert change["pghot_failed_migrate"] == 0
    assert change["pghot_promoted"] == PAGES


def test_page_that_can_never_be_moved_is_let_go(pages: Guest) -> None:
    change = difference(pages, "never.before", "never.after")
    assert change["pghot_failed_migrate"] == PAGES
    assert change["pghot_promoted"] == 0
    # Tried more than once, but not for ever: migrate_pages() itself tries groups of 8 pages.
    tries = 1_000_000 - int(pages.report.text("never.left"))
    assert 2 * PAGES / 8 < tries <= 3 * PAGES
    later = difference(pages, "never.after", "never.later")
    assert later["pghot_promoted"] == later["pghot_failed_migrate"] == 0


def test_who_waits_is_no_load(pages: Guest) -> None:
    """Tasks in D state count as load. kmigrated may be frozen, and so sleeps as S or idly."""
    states = set(pages.report.text("states").splitlines())
    assert "kworker I" in states
    assert states <= {"kworker I", "kworker R", *(f"kmigrated {state}" for state in "ISR")}


def test_page_that_was_let_go_keeps_its_history(pages: Guest) -> None:
    """One more access is enough, where three make a page hot."""
    change = difference(pages, "never.later", "never.again")
    assert change["pghot_recorded_accesses"] == PAGES
    assert change["pghot_promoted"] == PAGES


def test_page_that_is_charged_to_no_cgroup_is_counted(pages: Guest) -> None:
    change = difference(pages, "uncharged.before", "uncharged.after")
    assert pages.report.text("uncharged.left") == "0"
    assert change["pghot_promoted"] == PAGES
    assert change["pgpromote_success"] == PAGES
    assert change["numa_pages_migrated"] == PAGES


def test_contents_survive_failures(pages: Guest) -> None:
    change = difference(pages, "contents.before", "contents.after")
    assert micro(pages, "contents")["verified"] is True
    assert pages.report.text("contents.left").split() == ["0", "0"]
    assert change["pghot_failed_isolate"] >= 3000
    assert change["pghot_promoted"] > 0


def test_nothing_stays_isolated(pages: Guest) -> None:
    after = counters(pages, "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0


def test_module_stays_if_a_function_is_not_given_back(unhook: Guest) -> None:
    assert unhook.report.text("left") == "0"
    for function in HOOKED:
        stays = f"pghot: cannot give {function} back (-19): the module stays until a reboot"
        assert log_has(unhook, stays)
    assert unhook.report.text("removed") == ""
    assert unhook.report.text("state").split() == ["live", "3"]


def test_source_that_could_not_be_stopped_is_off_for_good(unhook: Guest) -> None:
    assert unhook.report.text("again") == ""
    change = difference(unhook, "unhook.off.before", "unhook.off.after")
    # The kernel promotes in the fault again, and pghot hears of nothing.
    assert change["numa_hint_faults"] > 0
    assert change["pgpromote_success"] > 0
    assert change["pghot_promoted"] == change["pghot_recorded_accesses"] == 0
    assert micro(unhook, "unhook.off")["verified"] is True


def test_other_sources_go_on(unhook: Guest) -> None:
    change = difference(unhook, "unhook.other.before", "unhook.other.after")
    assert change["pghot_accessed_mm_scans"] > 0
    assert micro(unhook, "unhook.other")["verified"] is True


def test_module_that_is_leaving_never_goes_if_a_function_is_not_given_back(leave: Guest) -> None:
    assert leave.report.text("leaving") == leave.report.text("leaving.still") == "idle"
    assert leave.report.text("state") == "going"
    assert log_has(leave, "pghot: cannot give should_numa_migrate_memory back (-19)")
    assert micro(leave, "work")["verified"] is True
    assert leave.report.text("diversion") == "taken"
