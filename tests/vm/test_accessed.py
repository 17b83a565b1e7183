# SPDX-License-Identifier: GPL-2.0
"""The accessed-bit scanner alone, without NUMA balancing: what it finds, whom it leaves alone."""

from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from pghotlab.guest.vm import Guest
from support import (
    DEBUG,
    MOUNT_DISK,
    SHRINK,
    counters,
    difference,
    disk_files,
    log_has,
    micro,
    run,
    without_symbol,
)

HERE = Path(__file__).parent
MEGABYTES = 64 // SHRINK  # that each run touches
PAGES = MEGABYTES * 256
# Of each thread, in a second: every page several times, and asleep between.
RATE = 50_000
SECONDS = 12 if DEBUG else 6  # in which the scanner comes by several times
# As fast as it can: NUMA balancing scans for threads that use CPUs.
HINT_ACCESSES = 72_000_000 if DEBUG else 24_000_000
KINDS = ("4k", "thp", "file")
# Texts for accessed_scale, and what becomes of them; PID is that of a process that runs.
SCALES = (
    ("PID 0", "taken"),
    ("PID 10\\n", "taken"),
    ("PID 11", "ERANGE"),
    ("PID 99999999999", "ERANGE"),
    ("PID -1", "EINVAL"),
    ("PID ", "EINVAL"),
    ("PID", "EINVAL"),
    ("PID 3 4", "EINVAL"),
    ("PID 3x", "EINVAL"),
    ("PID  3", "EINVAL"),
    ("PID 3\\0", "EINVAL"),
    ("x 3", "EINVAL"),
    ("4294967297 3", "ERANGE"),
    ("-1 3", "ESRCH"),
    ("0 3", "ESRCH"),
    ("4000000 3", "ESRCH"),
)
CYCLES = 8
SOME = f"--rate {RATE} --accesses {RATE * SECONDS}"
CAP_SYS_NICE = 23
SHARE = 10 if DEBUG else 1  # % of one CPU
IDLE = 8 if DEBUG else 16  # MiB that a process does not touch again, but for one page
MAPPED = 4 * 256  # pages of the mapping of `mappings` that is to be scanned
OWN = 500  # pages of a small program, at most
DELAY = 1  # s
THREADS = 2000
PROCESSES = 50
PF_NOFREEZE = 0x8000

FUNCTIONS = f"""
set_value $NUMAB 0

# measure NAME COMMAND...: a run of the benchmark and the counters around it
measure()
{{
	name=$1
	shift
	phase "$name"
	counters | report "before.$name"
	"$@" --threads 4 --bytes $(({MEGABYTES} << 20)) --provision 1 --cpus-node 0 \\
		| report "$name"
	counters | report "after.$name"
}}
"""

FINDS = (
    FUNCTIONS
    + f"""
{MOUNT_DISK}
insmod /lib/pghot.ko enabled_sources=3
cat $PGHOT/enabled_sources | report mask
(pidof pghot_accessed || true) | report thread
rmmod pghot

insmod /lib/pghot.ko enabled_sources=4 freq_threshold=1
measure 4k micro {SOME} --pages 4k
measure thp micro {SOME} --pages thp
measure file micro {SOME} --pages file --file /tmp/disk/a --write-share 0
rm /tmp/disk/a

phase "with hint faults"
# Hint faults take long to come by all of the memory. The scanner begins when there were some:
# NUMA balancing goes by the CPU time of threads, which on a slow host is late.
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 200
set_value /sys/kernel/debug/sched/numa_balancing/scan_size_mb 1
set_value $NUMAB 2
set_value $PGHOT/enabled_sources 1
set_value $TRACE/buffer_size_kb 16384
set_value $TRACE/events/pghot/pghot_record/enable 1
hinted=$(cat $PGHOT/stats/recorded_hintfaults)
(until [ $(cat $PGHOT/stats/recorded_hintfaults) -gt $hinted ]; do usleep 50000; done
set_value $PGHOT/enabled_sources 5) &
joined=$!
measure both micro --accesses {HINT_ACCESSES} --pages 4k
kill $joined 2>/dev/null || true
set_value $TRACE/events/pghot/pghot_record/enable 0
sed -n 's/.*pghot_record: .* src=\\([^ ]*\\).*/\\1/p' $TRACE/trace | sort -u | report sources
set_value $NUMAB 0
set_value $PGHOT/enabled_sources 4

phase "memory that the process does not use itself"
# left_over NAME: what the scanner has left in the flags of pages
left_over()
{{
	insmod /lib/leftover.ko nid=1
	(cd /sys/module/leftover/parameters; grep . young idle | tr : ' ') | report "left.$1"
	rmmod leftover
}}

start_idle()
{{
	micro {SOME} --threads 1 --bytes $(({IDLE} << 20)) --hot-bytes 4096 --hot-share 100 \\
		--provision 1 --cpus-node 0 --pages 4k >/tmp/idle &
	idle=$!
}}

left_over before
counters | report before.idle
start_idle
sleep {SECONDS * 2 // 3}
left_over after
wait $idle
counters | report after.idle
report idle.nobody </tmp/idle

start_idle
sleep 1
: >$TRACE/trace
set_value $TRACE/buffer_size_kb 16384
set_value $TRACE/set_ftrace_filter __mmu_notifier_clear_young
# Before the calls are traced: the locks tell them apart.
set_value $TRACE/events/mmap_lock/mmap_lock_released/enable 1
set_value $TRACE/current_tracer function
# Only now: the scanner may be through with this memory before all of that is switched on.
insmod /lib/onlooker.ko pid=$idle
wait $idle
set_value $TRACE/events/mmap_lock/mmap_lock_released/enable 0
rmmod onlooker
# Of the entries that the scanner asked for: all, and the most under one lock.
awk '/pghot_accessed-/ && / __mmu_notifier_clear_young/ {{ all++; asked++ }}
	/pghot_accessed-.* mmap_lock_released:/ {{
		if (asked > most)
			most = asked
		asked = 0
	}}
	END {{ print all + 0, most + 0 }}' $TRACE/trace | report asked
set_value $TRACE/current_tracer nop # drops the trace
: >$TRACE/set_ftrace_filter
: >$TRACE/trace
report idle.onlooker </tmp/idle

phase "mappings"
counters | report before.mappings
echo >$TRACE/trace
set_value $TRACE/events/pghot/pghot_accessed_scan_end/enable 1
mappings 1 {MAPPED // 256} kinds >/tmp/kinds &
kinds=$!
contended=$(cat $PGHOT/stats/accessed_contended)
mappings 1 {MAPPED // 256} changing >/tmp/changing &
wait $kinds
wait $!
# The scanner may have come by at other moments, on a busy host above all.
for again in 1 2 3; do
	[ "$(cat $PGHOT/stats/accessed_contended)" -gt "$contended" ] && break
	mappings 1 {MAPPED // 256} changing >/tmp/changing
done
set_value $TRACE/events/pghot/pghot_accessed_scan_end/enable 0
counters | report after.mappings
report kinds </tmp/kinds
report changing </tmp/changing
sed -n "s/.*pghot_accessed_scan_end: tgid=$kinds pages=\\([0-9]*\\).*/\\1/p" $TRACE/trace |
	report kinds.pages

# The shell's scale is that of what it executes, and of its children.
measure told sh -c 'echo "$$ 0" >/sys/kernel/mm/pghot/accessed_scale; exec micro "$@"' sh {SOME}
cat $PGHOT/accessed_scale | report scale.gone
measure inherited sh -c 'echo "$$ 0" >/sys/kernel/mm/pghot/accessed_scale; micro "$@"; true' sh \\
	{SOME}
set_value $TRACE/events/pghot/pghot_accessed_scan_end/enable 1
hog 1 16 bound >/tmp/hog &
hog=$!
sleep 5
sed -n "s/.*pghot_accessed_scan_end: tgid=$hog pages=\\([0-9]*\\).*/\\1/p" $TRACE/trace |
	awk '{{ pages += $1 }} END {{ print pages + 0 }}' | report bound
set_value $TRACE/events/pghot/pghot_accessed_scan_end/enable 0

# try TEXT: write it to accessed_scale
try()
{{
	printf "$1" | sed "s/PID/$hog/" | put $PGHOT/accessed_scale
}}

sh -c 'echo "$$ 3" >/sys/kernel/mm/pghot/accessed_scale; sleep 100; true' &
pid=$!
sleep 1
sed "s/^$pid /parent /; s/^[0-9]* /child /" $PGHOT/accessed_scale | report scale.shown
kill $(pidof sleep) || true
wait $pid || true
{{
	{"; ".join(f"try '{text}'" for text, _ in SCALES)}
}} | sed 's/ .*//' | report scales
echo "$hog 0" | incapable {CAP_SYS_NICE} put $PGHOT/accessed_scale | report scale.incapable
set_value $PGHOT/accessed_scale "$hog 8"
cat $PGHOT/accessed_scale | report scale.none
kill $hog
wait $hog || true

phase "share"
set_value $PGHOT/scan_cpu_percent {SHARE}
for i in 1 2 3 4; do
	micro --threads 1 --bytes $((32 << 20)) --rate {RATE} --accesses {8 * RATE} \\
		--provision 0 --cpus-node 0 --pages 4k >/dev/null &
done
sleep 2
awk '{{ print "ms", int($1 * 1000) }}' /proc/uptime | report share.before
counters | report share.counters.before
sleep 3
awk '{{ print "ms", int($1 * 1000) }}' /proc/uptime | report share.after
counters | report share.counters.after
wait
rmmod pghot
counters | report unloaded
"""
)

LEAVES = (
    FUNCTIONS
    + f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
trace_scanner()
{{
	for event in $TRACE/events/pghot/pghot_accessed_*; do
		set_value $event/enable "$1"
	done
}}

# busy SECONDS
busy()
{{
	micro --threads 2 --bytes $((16 << 20)) --rate {RATE} --accesses $(({RATE} * $1)) \\
		--provision 1 --cpus-node 0 --pages 4k
}}

phase "memory that is all fast"
insmod /lib/pghot.ko enabled_sources=4 freq_threshold=1
micro --threads 2 --bytes $((16 << 20)) --rate {RATE} --accesses {8 * RATE} --provision 0 \\
	--cpus-node 0 --pages 4k >/dev/null &
sleep 2
counters | report before.fast
sleep 5
counters | report after.fast
wait

phase "switched off for a while"
set_value $PGHOT/enabled_sources 0
set_value $PGHOT/freq_threshold 3
micro --threads 2 --bytes $((16 << 20)) --rate {RATE} --accesses {60 * RATE} --provision 1 \\
	--cpus-node 0 --pages 4k >/dev/null &
pid=$!
# It has filled its memory, and its two threads use that: on a debug kernel this takes seconds, in
# which the memory would have been promoted.
works() {{ [ "$(ls /proc/$pid/task | wc -l)" -gt 2 ]; }}
eventually works
trace_scanner 1
set_value $PGHOT/enabled_sources 4
# passed TIMES: the scanner has been through all of the process's memory, since the trace began.
# A pass takes several scans where a scan takes long, as on a debug kernel.
passed() {{ [ "$(grep -c "scan_start: tgid=$pid address=0x0 " $TRACE/trace)" -gt $1 ]; }}
eventually passed 1
set_value $PGHOT/enabled_sources 0
sleep 1
: >$TRACE/trace
set_value $TRACE/events/pghot/pghot_record/enable 1
set_value $PGHOT/enabled_sources 4
eventually passed 2
set_value $PGHOT/enabled_sources 0
set_value $TRACE/events/pghot/pghot_record/enable 0
awk '/scan_start: tgid='$pid' address=0x0 / {{ pass++ }}
	/pghot_record:/ {{ records[pass]++ }}
	END {{ print records[1] + 0, records[2] + 0 }}' $TRACE/trace | report again
kill $pid
wait $pid || true
trace_scanner 0
: >$TRACE/trace
rmmod pghot

phase "processes end while they are scanned"
insmod /lib/pghot.ko enabled_sources=0 freq_threshold=1 scan_cpu_percent=100
set_value $TRACE/trace_clock mono
set_value $TRACE/events/sched/sched_process_fork/enable 1
trace_scanner 1
set_value $PGHOT/enabled_sources 4
for i in $(seq {CYCLES}); do
	busy 60 >/dev/null &
	usleep $((1000000 + (i % 5) * 150000))
	kill -9 $(pidof micro) # not the shell, which began it
	wait $! || true
done 2>/dev/null
set_value $PGHOT/enabled_sources 0
(pidof pghot_accessed || true) | report thread.off
for event in mm_enter mm_exit scan_start scan_end; do
	echo "$event" $(grep -c "pghot_accessed_$event:" $TRACE/trace)
done | report events
trace_scanner 0
set_value $TRACE/events/sched/sched_process_fork/enable 0
sed -n '
	s/.* \\([0-9.]*\\): sched_process_fork: .* child_pid=\\([0-9]*\\).*/born \\2 \\1/p
	s/.* \\([0-9.]*\\): pghot_accessed_scan_start: tgid=\\([0-9]*\\).*/scanned \\2 \\1/p
' $TRACE/trace | report lives
(pidof micro || true) | report micro
counters | report killed
rmmod pghot

phase "unloading while it scans"
busy {3 * CYCLES} | report unloading &
for i in $(seq {CYCLES}); do
	insmod /lib/pghot.ko enabled_sources=4 freq_threshold=1 scan_cpu_percent=100
	sh -c 'echo "$$ 9" >/sys/kernel/mm/pghot/accessed_scale'
	usleep $((900000 + (i % 6) * 130000))
	rmmod pghot
done
wait
[ ! -d $PGHOT ]
(pidof pghot_accessed || true) | report thread.unloaded

phase "many threads"
set_value $TRACE/trace_clock mono
insmod /lib/pghot.ko enabled_sources=4
# visited: the most processes that the scanner has looked at in a round, of some
visited()
{{
	: >$TRACE/trace
	set_value $TRACE/events/pghot/pghot_accessed_find/enable 1
	sleep 2
	set_value $TRACE/events/pghot/pghot_accessed_find/enable 0
	sed -n 's/.*pghot_accessed_find: visited=//p' $TRACE/trace | sort -n | tail -n 1
}}
visited | report visited.before
threads {THREADS} >/tmp/threads &
threads=$!
until grep -q ready /tmp/threads 2>/dev/null; do usleep 100000; done
ls /proc/$threads/task | wc -l | report threads
visited | report visited.threads
kill $threads
wait $threads || true
for i in $(seq {PROCESSES}); do
	sleep 1000 &
done
visited | report visited.processes
kill $(pidof sleep)
wait

phase "suspend"
set_value $PGHOT/enabled_sources 20
for thread in pghot_accessed pghot_mglru; do
	cut -d ' ' -f 3,9 /proc/$(pidof $thread)/stat
done | report flags
echo mono >$TRACE/trace_clock
: >$TRACE/trace
set_value $TRACE/events/pghot/pghot_accessed_find/enable 1
sleep 2
set_value /sys/power/pm_test freezer # all but that is left out, for some seconds
set_value $TRACE/events/power/suspend_resume/enable 1
set_value /sys/power/state freeze
set_value $TRACE/events/power/suspend_resume/enable 0
sleep 2
set_value $TRACE/events/pghot/pghot_accessed_find/enable 0
# When it looks, in ms, and when all was frozen: from the end of freezing to that of waiting.
awk '{{ sub(/:$/, "", $4); ms = int($4 * 1000) }}
	/pghot_accessed_find/ {{ print "look", ms }}
	/freeze_processes\\[0\\] end/ {{ print "frozen", ms }}
	/thaw_processes\\[0\\] begin/ {{ print "thawed", ms }}' $TRACE/trace | report frozen
rmmod pghot

phase "a kernel that lacks something"
insmod /lib/without.ko
if echo 4 2>/dev/null >$PGHOT/enabled_sources; then
	echo taken
else
	cat $PGHOT/enabled_sources
fi | report lacking
rmmod pghot
"""
)

ONE_TIER = (
    FUNCTIONS
    + f"""
insmod /lib/pghot.ko enabled_sources=4 freq_threshold=1 slow_nodes=1 slow_nodes_force=1
measure one-tier micro {SOME} --pages 4k
rmmod pghot
"""
)

TARGET = f"""
set_value $NUMAB 0
insmod /lib/pghot.ko enabled_sources=4 freq_threshold=1
set_value $TRACE/events/pghot/pghot_accessed_scan_end/enable 1
# From its first page on, the process is on one node, and so are all pages of it that are fast.
for node in 0 1; do
	echo >$TRACE/trace
	taskset -c $((2 * node)) micro {SOME} --threads 2 --bytes $(({MEGABYTES} << 20)) \\
		--provision 2 --cpus-node $node --pages 4k | report used.$node
	sed -n 's/.*scan_end: .* useful=\\([0-9]*\\) .* target_node=\\(.*\\)/\\1 \\2/p' $TRACE/trace |
		report target.$node
done
"""


@pytest.fixture(scope="module")
def finds() -> Guest:
    return run(FINDS, name="accessed", timeout=900, files=disk_files())


@pytest.fixture(scope="module")
def leaves() -> Guest:
    files = {"lib/without.ko": without_symbol("vma_policy_mof")}
    return run(LEAVES, name="accessed-leaves", timeout=900, files=files)


@pytest.fixture(scope="module")
def one_tier() -> Guest:
    return run(ONE_TIER, name="accessed-one-tier", machine=HERE / "one-tier.toml", timeout=600)


@pytest.fixture(scope="module")
def target() -> Guest:
    return run(TARGET, name="accessed-target", machine="three-node", timeout=600)


def test_off_at_load(finds: Guest) -> None:
    assert finds.report.text("mask") == "3"
    assert finds.report.text("thread") == ""


@pytest.mark.parametrize("kind", KINDS)
def test_pages_reach_the_fast_node(finds: Guest, kind: str) -> None:
    result = micro(finds, kind)
    assert result["pages_per_node"]["0"] > 0.9 * PAGES, result["pages_per_node"]
    assert result["verified"] is True


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_else_reports(finds: Guest, kind: str) -> None:
    change = difference(finds, f"before.{kind}", f"after.{kind}")
    assert change["numa_hint_faults"] == 0
    assert change["pghot_recorded_hintfaults"] == change["pghot_recorded_hwhints"] == 0
    assert change["pghot_recorded_pgtscans"] >= change["pghot_recorded_accesses"] > 0


def test_huge_pages_count_once(finds: Guest) -> None:
    change = difference(finds, "before.thp", "after.thp")
    assert change["pghot_recorded_accesses"] < 4 * PAGES / 512 + 200
    assert change["thp_migration_split"] == 0


def test_pages_wait_for_a_second_access(finds: Guest) -> None:
    change = difference(finds, "before.4k", "after.4k")
    assert change["pghot_accessed_idlepage"] > 0.9 * PAGES
    assert change["pghot_accessed_slowtier"] >= change["pghot_accessed_idlepage"]
    assert change["pghot_accessed_toptier"] > 0
    assert change["pghot_accessed_pages"] >= change["pghot_accessed_slowtier"]
    assert change["pghot_accessed_mm_scans"] > 1
    assert change["pghot_accessed_vma_scans"] > 1
    assert change["pghot_accessed_cpu_ns"] > 0


def test_all_fast_processes_keep_their_bits(leaves: Guest) -> None:
    change = difference(leaves, "before.fast", "after.fast")
    assert change["pghot_accessed_pages"] > 16 * 256
    assert change["pghot_accessed_toptier"] < 0.2 * 16 * 256


def test_nothing_is_reported_before_it_waited_again(leaves: Guest) -> None:
    """What was looked at before the scanner was switched off says nothing of when it was used."""
    first, second = map(int, leaves.report.text("again").split()[:2])
    assert first == 0
    assert second > 0.9 * 16 * 256


def test_beside_hint_faults(finds: Guest) -> None:
    change = difference(finds, "before.both", "after.both")
    assert change["pghot_recorded_hintfaults"] > 0
    assert change["pghot_recorded_pgtscans"] > 0
    assert finds.report.text("sources").split() == ["accessed", "hintfaults"]
    assert micro(finds, "both")["pages_per_node"]["0"] > 0.9 * PAGES
    assert micro(finds, "both")["verified"] is True


def test_accesses_by_others_who_map_the_memory(finds: Guest) -> None:
    """As a virtual machine's guest, whose accesses the monitor's page tables do not show."""
    nobody, onlooker = (micro(finds, f"idle.{who}") for who in ("nobody", "onlooker"))
    # Before it verified all of the memory, which is an access.
    assert nobody["vmstat"].get("pgpromote_success", 0) < 0.05 * IDLE * 256
    assert onlooker["pages_per_node"]["0"] > 0.9 * IDLE * 256


def test_entries_that_others_map_are_asked_for_in_small_pieces(finds: Guest) -> None:
    """Each takes the monitor's locks, inside of those of the page table and the mappings."""
    asked, most = map(int, finds.report.text("asked").split())
    assert asked > 0.9 * IDLE * 256
    assert 0 < most <= 2 * 512


def test_processes_are_looked_for_not_threads(leaves: Guest) -> None:
    before, threads, processes = (
        int(leaves.report.text(f"visited.{when}")) for when in ("before", "threads", "processes")
    )
    assert int(leaves.report.text("threads")) > THREADS
    assert before > 0
    # Kernel workers come and go.
    assert threads < before + PROCESSES
    assert processes >= threads - PROCESSES // 2 + PROCESSES


def test_threads_are_frozen_for_suspend(leaves: Guest) -> None:
    flags = [line.split() for line in leaves.report.text("flags").splitlines()]
    assert len(flags) == 2
    assert [int(flag) & PF_NOFREEZE for _, flag in flags] == [0, 0]
    # What sleeps so does not count in the load average.
    assert {state for state, _ in flags} <= {"I", "S", "R"}
    lines = [line.split() for line in leaves.report.text("frozen").splitlines()]
    happened, ms = [what for what, _ in lines], [int(when) for _, when in lines]
    frozen, thawed = happened.index("frozen"), happened.index("thawed")
    assert "look" in happened[thawed:]
    assert "look" not in happened[frozen:thawed]
    # It would have looked in that time.
    assert ms[thawed] - ms[frozen] > 2 * median(b - a for a, b in pairwise(ms[:frozen]))


def test_tables_that_nobody_uses_are_skipped(finds: Guest) -> None:
    change = difference(finds, "before.idle", "after.idle")
    # All but one table of the idle memory, in most of the scans.
    assert change["pghot_accessed_skipped"] >= IDLE * 256 / 512


def test_reclaim_still_learns_of_accesses(finds: Guest) -> None:
    """What was accessed before its bit was cleared, once for each page, is young for reclaim."""
    left = difference(finds, "left.before", "left.after")
    assert left["young"] > 0.9 * IDLE * 256
    assert left["idle"] > 0.9 * IDLE * 256


def test_only_mappings_that_may_move_are_scanned(finds: Guest) -> None:
    # The others are larger each, and what is in use of them stays where it is.
    scans = [int(line) for line in finds.report.text("kinds.pages").split()]
    assert MAPPED <= max(scans) < MAPPED + OWN, scans
    moved = [int(number) for number in finds.report.text("kinds").split()]
    assert moved[0] >= 0.9 * MAPPED
    assert moved[1:] == [0, 0, 0]


def test_address_space_that_changes_all_the_time(finds: Guest) -> None:
    change = difference(finds, "before.mappings", "after.mappings")
    assert change["pghot_accessed_contended"] > 0
    assert int(finds.report.text("changing")) >= 0.9 * MAPPED


@pytest.mark.parametrize("name", ("told", "inherited"))
def test_scale_0_is_never_scanned(finds: Guest, name: str) -> None:
    change = difference(finds, f"before.{name}", f"after.{name}")
    assert change["pghot_promoted"] < PAGES / 20
    assert micro(finds, name)["pages_per_node"]["1"] > 0.9 * PAGES


def test_bound_memory_is_not_scanned(finds: Guest) -> None:
    assert int(finds.report.text("bound")) < 500


def test_scale_goes_to_children_and_ends_with_the_process(finds: Guest) -> None:
    assert finds.report.text("scale.shown").splitlines() == ["parent 3", "child 3"]
    assert finds.report.text("scale.gone") == ""
    assert finds.report.text("scale.none") == ""


def test_scale_takes_what_is_right_only(finds: Guest) -> None:
    lines = finds.report.text("scales").splitlines()
    assert [(text, line) for (text, _), line in zip(SCALES, lines, strict=True)] == list(SCALES)
    assert finds.report.text("scale.incapable").startswith("EPERM ")


def test_share_of_a_cpu(finds: Guest) -> None:
    elapsed_ns = difference(finds, "share.before", "share.after")["ms"] * 1_000_000
    used = difference(finds, "share.counters.before", "share.counters.after")
    assert 0 < used["pghot_accessed_cpu_ns"] < 2 * SHARE / 100 * elapsed_ns


def test_nothing_stays_isolated(finds: Guest) -> None:
    after = counters(finds, "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0


def test_lets_go_of_processes_that_end(leaves: Guest) -> None:
    assert leaves.report.text("micro") == ""
    events = counters(leaves, "events")
    assert events["mm_enter"] == events["mm_exit"] >= CYCLES
    assert events["scan_start"] == events["scan_end"] > 0
    assert counters(leaves, "killed")["pghot_accessed_slowtier"] > 0
    assert leaves.report.text("thread.off") == ""


def test_processes_are_left_alone_at_first(leaves: Guest) -> None:
    born: dict[str, float] = {}
    ages: dict[str, float] = {}
    for line in leaves.report.text("lives").splitlines():
        event, process, when = line.split()
        if event == "born":
            born[process] = float(when)
            ages.pop(process, None)
        elif process in born:
            ages.setdefault(process, float(when) - born[process])
    assert ages
    # By a few of the timer's ticks the clocks of both may differ.
    assert min(ages.values()) > DELAY - 0.05, ages


def test_unloads_while_it_scans(leaves: Guest) -> None:
    assert micro(leaves, "unloading")["verified"] is True
    assert leaves.report.text("thread.unloaded") == ""


def test_not_available_on_a_kernel_that_lacks_a_symbol(leaves: Guest) -> None:
    # What the policy had chosen, without the other source that the symbol is missing for: drivers
    # and the page cache.
    assert leaves.report.text("lacking") == "10"
    assert log_has(leaves, "accessed bits: not available, because this kernel lacks a symbol")


def test_works_where_the_kernel_sees_one_tier(one_tier: Guest) -> None:
    result = micro(one_tier, "one-tier")
    assert result["pages_per_node"]["0"] > 0.9 * PAGES, result["pages_per_node"]
    change = difference(one_tier, "before.one-tier", "after.one-tier")
    assert change["pghot_promoted"] > 0.9 * PAGES
    assert change["numa_hint_faults"] == 0


@pytest.mark.parametrize("node", ("0", "1"))
def test_goes_where_the_process_has_most_of_its_accesses(target: Guest, node: str) -> None:
    result = micro(target, f"used.{node}")
    assert result["pages_per_node"][node] > 0.9 * PAGES, result["pages_per_node"]


@pytest.mark.parametrize("node", ("0", "1"))
def test_trace_tells_the_target(target: Guest, node: str) -> None:
    scans = [line.split() for line in target.report.text(f"target.{node}").splitlines()]
    assert {said for useful, said in scans if int(useful) > PAGES / 2} == {node}
