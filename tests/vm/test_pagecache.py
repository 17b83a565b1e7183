# SPDX-License-Identifier: GPL-2.0
"""Page cache that is read by system calls is promoted, dirty or not, where nobody maps it."""

import pytest

from pghotlab.guest.vm import Guest
from support import (
    FTRACE_STOPS,
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

MEGABYTES = 32 // SHRINK  # that each run reads
PAGES = MEGABYTES * 256
# Of each thread: some dozens for each page.
ACCESSES = 200_000 // SHRINK
# Rewrites of a file that is promoted meanwhile.
REWRITES = 3
CYCLES = 5
HOOK = "folio_mark_accessed"

# Balancing is off: nothing but the source reports accesses.
FUNCTIONS = f"""
set_value $NUMAB 0
hooked()
{{
	grep -c '^{HOOK} ' $TRACE/enabled_functions || true
}}

# read_file NAME ARGUMENTS...: a run that reads a file, and the counters around it
read_file()
{{
	name=$1
	shift
	phase "$name"
	counters | report "before.$name"
	micro --threads 4 --bytes $(({MEGABYTES} << 20)) --accesses {ACCESSES} --pages read \\
		--write-share 0 "$@" | report "$name"
	settled
	counters | report "after.$name"
}}
"""

STEPS = (
    FUNCTIONS
    + f"""
{MOUNT_DISK}mkdir -p /tmp/ram /tmp/cgroup
mount -t ramfs ram /tmp/ram
mount -t cgroup2 cgroup /tmp/cgroup
set_value /tmp/cgroup/cgroup.subtree_control +cpuset
mkdir /tmp/cgroup/slow
set_value /tmp/cgroup/slow/cpuset.mems 1

# written SECONDS: how soon dirty pages are written; never, as long as there is memory, for 0
written()
{{
	set_value /proc/sys/vm/dirty_background_ratio $(($1 ? 10 : 90))
	set_value /proc/sys/vm/dirty_ratio 95
	set_value /proc/sys/vm/dirty_expire_centisecs $(($1 ? 10 : 360000))
	set_value /proc/sys/vm/dirty_writeback_centisecs $(($1 * 10))
}}
bound="--provision 1 --cpus-node 0"

insmod /lib/pghot.ko enabled_sources=3
hooked | report hooked.load
read_file off $bound --file /tmp/a
set_value $PGHOT/enabled_sources 8
hooked | report hooked.on
written 1
read_file clean $bound --file /tmp/disk/clean
written 0
read_file dirty $bound --file /tmp/disk/dirty
md5sum </tmp/disk/dirty | report sum.cache
sync
set_value /proc/sys/vm/drop_caches 3
md5sum </tmp/disk/dirty | report sum.disk
written 1
rm /tmp/disk/clean /tmp/disk/dirty
read_file ramfs $bound --file /tmp/ram/a
rm /tmp/ram/a
read_file shmem $bound --file /tmp/a

phase mapped
counters | report before.mapped
micro --threads 4 --bytes $(({MEGABYTES} << 20)) --accesses 1000000 --pages file --file /tmp/a \\
	--write-share 0 $bound | report mapped
counters | report after.mapped
rm /tmp/a

phase rewritten
set_value $PGHOT/freq_threshold 1
counters | report before.rewritten
for i in $(seq {REWRITES}); do
	awk 'BEGIN {{ for (i = 0; i < 131072; i++) printf "%31d\\n", i * {REWRITES} + '$i' }}' \
		>/tmp/content
	# Its pages are on the slow node at first.
	(echo 0 >/tmp/cgroup/slow/cgroup.procs && exec head -c $((4 << 20)) /dev/zero >/tmp/disk/b)
	(for j in 1 2 3 4; do cat /tmp/disk/b; done >/dev/null) &
	dd if=/tmp/content of=/tmp/disk/b bs=64k conv=notrunc 2>/dev/null
	wait $!
	cmp /tmp/content /tmp/disk/b
	sync
	set_value /proc/sys/vm/drop_caches 3
	cmp /tmp/content /tmp/disk/b
	rm /tmp/disk/b
done
settled
counters | report after.rewritten

phase "with others"
set_value $PGHOT/freq_threshold 2
set_value $NUMAB 2
set_value $PGHOT/enabled_sources 15
set_value $TRACE/events/pghot/pghot_record/enable 1
read_file others $bound --file /tmp/a
set_value $TRACE/events/pghot/pghot_record/enable 0
rm /tmp/a
sed -n 's/.*pghot_record: .* \\(nid=.*\\) freq.*/\\1/p' $TRACE/trace | sort | uniq -c | report trace
set_value $NUMAB 0
set_value $PGHOT/enabled_sources 3
hooked | report hooked.off

phase "comes and goes"
rmmod pghot
(while [ ! -e /tmp/enough ]; do
	micro --threads 2 --bytes $((8 << 20)) --accesses 20000 --pages read --write-share 0 \\
		--file /tmp/b $bound >/tmp/micro || exit 1
done) &
for i in $(seq {CYCLES}); do
	insmod /lib/pghot.ko enabled_sources=8 freq_threshold=1 kmigrated_sleep_ms=1
	usleep $(((i % 5) * 20000))
	rmmod pghot
done
touch /tmp/enough
wait $!
report cycles </tmp/micro
hooked | report hooked.unloaded
counters | report unloaded

phase "not available"
ftrace 0
insmod /lib/pghot.ko enabled_sources=2
refused $PGHOT/enabled_sources 10 | report refused
ftrace 1
rmmod pghot
if insmod /lib/without-{HOOK}.ko enabled_sources=8; then
	echo loaded
fi 2>&1 | report missing
insmod /lib/without-{HOOK}.ko
rmmod pghot
"""
)

TARGET_STEPS = (
    FUNCTIONS
    + """
for mode in default precise; do
	insmod /lib/pghot.ko enabled_sources=8 mode=$mode
	for node in 0 1; do
		read_file "$mode.$node" --provision 2 --cpus-node $node --file /tmp/a
	done
	rmmod pghot
done
"""
)

PROMOTED = ("clean", "dirty", "shmem", "others")


@pytest.fixture(scope="module")
def guest() -> Guest:
    broken = without_symbol(HOOK)
    files = disk_files() | {f"lib/{broken.name}": broken}
    return run(STEPS, name="pagecache", timeout=900, files=files)


@pytest.fixture(scope="module")
def target() -> Guest:
    return run(TARGET_STEPS, name="pagecache-target", machine="three-node", timeout=600)


@pytest.mark.parametrize("name", PROMOTED)
def test_what_is_read_is_promoted(guest: Guest, name: str) -> None:
    change = difference(guest, f"before.{name}", f"after.{name}")
    assert micro(guest, name)["pages_per_node"]["0"] > 0.9 * PAGES
    assert change["pghot_promoted"] > 0.9 * PAGES
    # With other sources a page of the shell may be promoted between the two counters.
    assert name == "others" or change["pgpromote_success"] == change["pghot_promoted"]
    # A folio of several pages, which newer kernels have in files, is one record.
    ready = min(change["pghot_made_ready"], change["pghot_promoted"])
    assert change["pghot_recorded_pagecache"] >= 2 * ready > 0


@pytest.mark.parametrize("name", (*PROMOTED, "off", "ramfs", "mapped"))
def test_contents_survive(guest: Guest, name: str) -> None:
    assert micro(guest, name)["verified"] is True


def test_dirty_pages_move_without_being_written(guest: Guest) -> None:
    change = difference(guest, "before.dirty", "after.dirty")
    assert change["nr_dirty"] > 0.9 * PAGES
    assert change["nr_written"] < 0.1 * PAGES
    assert change["pghot_refused_dirty"] < 0.1 * PAGES
    assert guest.report.text("sum.cache") == guest.report.text("sum.disk")


def test_what_the_file_system_cannot_move_is_refused(guest: Guest) -> None:
    change = difference(guest, "before.ramfs", "after.ramfs")
    assert change["pghot_refused_dirty"] > 0.9 * PAGES
    assert change["pghot_promoted"] == change["pghot_failed_migrate"] == 0


def test_rewrites_are_not_lost(guest: Guest) -> None:
    """The guest compares; it has something to compare only if pages moved."""
    assert difference(guest, "before.rewritten", "after.rewritten")["pghot_promoted"] > 0


def test_off_at_load_and_then_nothing_is_hooked(guest: Guest) -> None:
    assert [guest.report.text(f"hooked.{when}") for when in ("load", "on", "off", "unloaded")] == [
        *("0", "1", "0", "0")
    ]
    change = difference(guest, "before.off", "after.off")
    assert change["pghot_recorded_pagecache"] == change["pghot_recorded_accesses"] == 0


def test_mapped_pages_are_left_to_others(guest: Guest) -> None:
    change = difference(guest, "before.mapped", "after.mapped")
    assert change["pghot_recorded_pagecache"] < 0.01 * PAGES


def test_trace_names_source_and_node(guest: Guest) -> None:
    found = {line.split(maxsplit=1)[1] for line in guest.report.text("trace").splitlines()}
    assert {line for line in found if "pagecache" in line} == {"nid=0 src=pagecache"}


def test_comes_and_goes_under_load(guest: Guest) -> None:
    assert micro(guest, "cycles")["verified"] is True
    after = counters(guest, "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0


def test_says_why_it_is_not_available(guest: Guest) -> None:
    because = "pghot: page cache: not available, because"
    if FTRACE_STOPS:
        assert guest.report.text("refused") == ""
        assert log_has(guest, f"{because} kernel.ftrace_enabled is 0")
    assert "loaded" not in guest.report.text("missing")
    assert log_has(guest, f"{because} this kernel has no function {HOOK[:-2]}__ to watch")


@pytest.mark.parametrize("mode", ("default", "precise"))
@pytest.mark.parametrize("node", ("0", "1"))
def test_goes_to_the_node_that_reads(target: Guest, mode: str, node: str) -> None:
    assert micro(target, f"{mode}.{node}")["pages_per_node"][node] > 0.9 * PAGES
