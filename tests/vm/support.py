# SPDX-License-Identifier: GPL-2.0
"""What the tests in the guest share: booting with pghot, and reading what the guest reports."""

import functools
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pghotlab.base import paths
from pghotlab.guest.console import Progress
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import Hmu, load_machine
from pghotlab.setup import debugkernel, fetch, kernels

# The kernel that the tests boot, and what was built for it. PGHOT_KERNEL names another series than
# the default, or a kernel that checks itself.
DEBUG = paths.KERNEL_NAME in debugkernel.KINDS
KIND = paths.KERNEL_NAME.partition("-")[0] if DEBUG else ""
SERIES = kernels.version(kernels.selected().number)
BUILD = paths.KERNEL_BUILD
BUILT = BUILD / "tests"
# By how much memory shrinks that tests have promoted within a time of the guest's: the debug
# kernel takes so much longer for a page.
SHRINK = 8 if DEBUG else 1


@functools.cache
def kernel() -> fetch.Kernel:
    """The kernel that the tests boot."""
    return debugkernel.kernel(paths.KERNEL_NAME) if DEBUG else fetch.kernel()


def its_modules(*names: str) -> tuple[str, ...]:
    """Of these modules of some kernel those that this kernel has as modules."""
    return tuple(name for name in names if kernel().has_module(name))


# File systems for page cache: what ext4 needs, in the order of loading.
FILESYSTEM = its_modules("brd", "crc16", "crc32c_generic", "mbcache", "jbd2", "ext4")

# Steps that mount ext4 on a disk in memory at /tmp/disk.
MOUNT_DISK = f"""
for module in {" ".join(FILESYSTEM)}; do
	arguments=
	[ "$module" = brd ] && arguments="rd_nr=1 rd_size=131072"
	insmod /lib/$module.ko $arguments
done
mke2fs -F /dev/ram0 >/dev/null
mkdir -p /tmp/disk
mount -t ext4 /dev/ram0 /tmp/disk
"""

# Where the memory of nodes is to be filled: no CPU keeps more free pages for itself than it must.
# By itself that grows to an eighth of a node for all of them: free, and no part of the node's free
# pages.
FILL = """
set_value /proc/sys/vm/percpu_pagelist_high_fraction 1000000

# occupy NODE MEGABYTES: by $hog, which is one of $hogs; free_megabytes NODE
hogs=
occupy()
{
	rm -f /tmp/hog.$1
	hog "$1" "$2" >/tmp/hog.$1 &
	hog=$!
	hogs="$hogs $hog"
	until grep -q ready /tmp/hog.$1 2>/dev/null; do usleep 100000; done
}

free_megabytes()
{
	awk '/MemFree/ { print int($4 / 1024) }' /sys/devices/system/node/node$1/meminfo
}

# spare_megabytes: what node 0 has above its high watermark, in the zone of all but its start
spare_megabytes()
{
	awk '$1 == "Node" { here = $2 == "0," && $4 == "DMA32" }
		here && /pages free/ { free = $3 }
		here && $1 == "high" { print int((free - $2) / 256) }' /proc/zoneinfo
}

# fill DEMOTION: programs that sleep take what is left of node 0. The last of them may wake kswapd,
# which then demotes more than was taken, so each turn first waits for that. Balancing is off, as
# kswapd would demote up to a higher watermark for it
fill()
{
	balancing=$(cat /proc/sys/kernel/numa_balancing)
	set_value /proc/sys/kernel/numa_balancing 0
	set_value /sys/kernel/mm/numa/demotion_enabled 1
	for turn in $(seq 10); do
		usleep 200000
		spare=$(spare_megabytes)
		[ "$spare" -ge 1 ] || break
		occupy 0 "$spare"
	done
	set_value /sys/kernel/mm/numa/demotion_enabled "$1"
	set_value /proc/sys/kernel/numa_balancing "$balancing"
}
"""

# Some kernels watch all memory by DAMON from the boot on, for statistics: that takes CPU time, and
# the doctor finds it.
STATISTICS_OFF = """
statistics=/sys/module/damon_stat/parameters/enabled
[ ! -e $statistics ] || set_value $statistics N
"""

# A disk to swap to; what the debug kernel has as modules is built into the stock kernel.
SWAP = its_modules("zsmalloc", "lz4_decompress", "lz4_compress", "lz4hc_compress", "zram")
SWAP_ON = f"""
for module in {" ".join(SWAP)}; do
	insmod /lib/$module.ko
done
set_value /sys/block/zram0/disksize 512M
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
"""

# What ageing calls for each folio that it finds accessed, and pghot watches.
AGING_HOOK = "folio_update_gen" if SERIES < (6, 14) else "walk_update_folio"

# Kernels since 7.3 refuse to switch ftrace off.
FTRACE_STOPS = SERIES < (7, 3)
ftrace_stops = pytest.mark.skipif(
    not FTRACE_STOPS, reason="this kernel refuses kernel.ftrace_enabled=0"
)

# A kernel argument for what memory() counts: caches under checks keep no slabs for
# CPUs, so that objects in use are counted exactly.
EXACT_SLABS = "slab_debug=F"

PRELUDE = f"""
# ftrace 0|1: switch it off or on, where the kernel lets itself be told
ftrace()
{{
	{"set_value /proc/sys/kernel/ftrace_enabled $1" if FTRACE_STOPS else ":"}
}}
"""
PRELUDE += """
PGHOT=/sys/kernel/mm/pghot
TRACE=/sys/kernel/tracing
NUMAB=/proc/sys/kernel/numa_balancing

# counters: vmstat and, when pghot is loaded, its own, as "name value" lines. CPUs keep up to
# 125 of each of vmstat's to themselves, and one that sleeps may do so for long: these are folded
# in first, by a read that has no lines
counters()
{
	cat /proc/sys/vm/stat_refresh /proc/vmstat
	if [ -d $PGHOT ]; then
		grep -H . $PGHOT/stats/* | sed 's,.*/,pghot_,; s/:/ /'
	fi
}

# memory: what the kernel holds for itself when nothing runs, in KiB, and objects by slab
# cache, without what caches keep for their next user. Slabs themselves do not count, as
# they fragment, but allocations too large for a slab do: the rest of what meminfo calls Slab.
# Stacks of threads do not count, as those of kworkers come and go by themselves. What a
# process that ended, or its fork's copy, had is freed a grace period later: awk waits for that
# itself, as one more process to wait with would leave its own. What kfree_rcu() has, as each open
# file of sysfs, may wait 5 seconds more, unless a shrinker asks for it. Then it reads stat_refresh,
# which has no line, to fold the CPUs' own differences in
memory()
{
	sync
	for pass in 1 2 3 4; do # one leaves what was used since the one before
		set_value /proc/sys/vm/drop_caches 3
	done
	for cache in /sys/kernel/slab/*/shrink; do # last, as KASAN keeps what is free until then
		echo 1 >"$cache"
	done
	for pass in 1 2 3 4; do # the files of the caches have inodes, too
		set_value /proc/sys/vm/drop_caches 2
	done
	awk 'BEGIN { end = systime() + 2; while (systime() < end); }
		FNR == 1 { file++ }
		file == 1 && FNR > 2 { print "cache:" $1, $2; slabs += $15 * $6 * 4 }
		file == 2 && /^Percpu:/ { print "Percpu", $2 }
		file == 2 && /^Slab:/ { print "kmalloc_large", $2 - slabs }
		file == 3 && !/clone|fork|copy_process|dup_task|unpurged/ { vmalloc += $2 / 1024 }
		END { print "vmalloc", vmalloc }
	' /proc/sys/vm/stat_refresh /proc/slabinfo /proc/meminfo /proc/vmallocinfo
}

# pin CPUS: run there from here on, with all that is started then. The shell's own number is
# not $$, as it is a part of the one that has it
pin()
{
	taskset -pc "$1" "$(exec sh -c 'echo $PPID')" >/dev/null
}

# eventually COMMAND...: whether it succeeds within 20 seconds
eventually()
{
	tries=200
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		usleep 100000
	done
}

# has_promoted PAGES: whether pghot has promoted so many since its load, or more
has_promoted()
{
	[ $(cat $PGHOT/stats/promoted) -ge $1 ]
}

# on_its_way: what pghot, if it is loaded, has done so far, and what is isolated
on_its_way()
{
	(cd $PGHOT/stats && grep . made_ready promoted batches failed_migrate) 2>/dev/null
	cat /proc/sys/vm/stat_refresh
	grep '^nr_isolated' /proc/vmstat
}

# is_settled: whether nothing is isolated, and nothing became of a page for a second
is_settled()
{
	on_its_way >/tmp/settled.then
	sleep 1
	on_its_way >/tmp/settled.now
	! grep -q '^nr_isolated.* [1-9]' /tmp/settled.now && cmp -s /tmp/settled.then /tmp/settled.now
}

# settled: wait until what is on its way has arrived, a second at least and 20 at most
settled()
{
	looks=20
	until is_settled || [ $looks -eq 1 ]; do
		looks=$((looks - 1))
	done
}

# offlined FILE...: whether one of these memory blocks goes, by the files of their states;
# $state is its file then. One whose pages are on their way somewhere does not
offlined()
{
	for state in "$@"; do
		if echo offline 2>/dev/null >$state; then
			return
		fi
	done
	return 1
}

# remains: what pghot left behind, when it is gone or its load failed
remains()
{
	for path in $PGHOT /sys/module/pghot /sys/devices/virtual/workqueue/pghot \\
		/sys/kernel/debug/pghot /proc/sys/vm/pghot_*; do
		[ ! -e $path ] || echo $path
	done
	pidof kmigrated1 pghot_accessed pghot_mglru || true
	grep pghot /proc/vmallocinfo $TRACE/enabled_functions \\
		/sys/devices/system/cpu/hotplug/states || true
}

# refused FILE TEXT: the write must fail and change nothing; reports what happened
refused()
{
	before=$(cat "$1")
	if printf "$2" 2>/dev/null >"$1"; then
		echo "$1 took '$2'"
	elif [ "$(cat "$1")" != "$before" ]; then
		echo "$1 changed to $(cat "$1")"
	fi
}
"""


@functools.cache
def kernel_module(name: str) -> Path:
    """A module of that kernel, unpacked."""
    unpacked = BUILT / "kernel-modules" / f"{name}.ko"
    unpacked.parent.mkdir(parents=True, exist_ok=True)
    # Tests in another process may want it at the same time.
    half = unpacked.with_name(f"{unpacked.name}.{os.getpid()}")
    half.write_bytes(kernel().module(name))
    half.replace(unpacked)
    return unpacked


def disk_files() -> dict[str, Path]:
    """The modules that MOUNT_DISK loads, by path in the guest."""
    return {f"lib/{name}.ko": kernel_module(name) for name in FILESYSTEM}


def swap_files() -> dict[str, Path]:
    """The modules that SWAP_ON loads, by path in the guest."""
    return {f"lib/{name}.ko": kernel_module(name) for name in SWAP}


def built_files() -> dict[str, Path]:
    """pghot, the tests' modules and their programs, by path in the guest."""
    files = {"lib/pghot.ko": BUILD / "kernel" / "pghot.ko"}
    files |= {f"lib/{p.name}": p for p in (BUILT / "modules").glob("*.ko")}
    return files | {f"bin/{p.name}": p for p in (BUILT / "bin").glob("*")}


# Steps that have the command `pghot` in the guest: its sources, and the module where modprobe finds
# it. command_files() and the archive "python" of packages.py are to be there, too.
COMMAND = """
modules=/lib/modules/$(uname -r)
mkdir -p $modules/updates
cp /lib/pghot.ko $modules/updates/
depmod

pghot()
{
	PYTHONPATH=/lib/command /python/bin/python3 -m pghot "$@"
}
"""


def command_files() -> dict[str, Path]:
    """The sources of the command, by path in the guest."""
    top = paths.ROOT / "tools"
    sources = (p for p in (top / "pghot").rglob("*") if p.suffix in (".py", ".css"))
    return {f"lib/command/{path.relative_to(top)}": path for path in sources}


def without_symbol(symbol: str) -> Path:
    """A pghot.ko that looks for a symbol that no kernel has, of the same length."""
    module = built_files()["lib/pghot.ko"].read_bytes()
    assert module.count(f"\0{symbol}\0".encode()) >= 1
    broken = BUILT / f"without-{symbol}.ko"
    broken.write_bytes(module.replace(f"\0{symbol}\0".encode(), f"\0{symbol[:-2]}__\0".encode()))
    return broken


def changed(name: str, old: str, new: str) -> Path:
    """A pghot.ko with another text in place of one, which may not be shorter."""
    module = built_files()["lib/pghot.ko"].read_bytes()
    assert len(new) <= len(old) and f"\0{old}\0".encode() in module
    broken = BUILT / f"changed-{name}.ko"
    text = new.encode().ljust(len(old), b"\0")
    broken.write_bytes(module.replace(f"\0{old}\0".encode(), b"\0" + text + b"\0"))
    return broken


# On the debug kernel: huge pages are not queued for being split when they are underused, and
# so not queued again by migration. 6.12 does that to a folio that is mapped again already; if
# it is unmapped in part just then, DEBUG_VM warns of the kernel's own migrate_folio_move().
DEBUG_STEPS = """
set_value /sys/kernel/mm/transparent_hugepage/shrink_underused 0
"""


def run(
    steps: str,
    *,
    name: str,
    machine: str | Path = "two-node",
    timeout: float = 300,
    files: Mapping[str, Path] | None = None,
    kernel_arguments: str = "",
    hmu: Hmu | None = None,
    packages: Path | None = None,
    progress: Progress | None = None,
) -> Guest:
    """Boot without the memory model and run the steps after PRELUDE; the kernel log is checked.

    What many tests have in common is booted once, and saved. A guest that is told something, or has
    a monitoring unit, is booted for itself.
    """
    own = bool(kernel_arguments or hmu) or not kernel().arch.saved
    return boot(
        load_machine(machine),
        PRELUDE + (DEBUG_STEPS if DEBUG else "") + steps,
        timeout=timeout,
        kernel=kernel(),
        modules=(built_files() if own else {}) | dict(files or {}),
        common=None if own else built_files(),
        folder=BUILD / "vm" / name,
        kernel_arguments=kernel_arguments,
        hmu=hmu,
        packages=packages,
        progress=progress,
    )


# What a modelled guest does that works for a while: micro with the arguments of $1, its counters
# before and after, and its own report.
MODELLED_WORK = """
modelled_work()
{
	mark arm
	counters | report before
	micro --threads 4 --cpus-node 0 --provision 1 $1 >/tmp/micro
	counters | report after
	mark rest
	report micro </tmp/micro
}
"""


def run_modelled(
    steps: str,
    *,
    name: str,
    files: Mapping[str, Path] | None = None,
    packages: Path | None = None,
) -> Guest:
    """Boot dram-pmem with the memory model and run the steps after PRELUDE; skips on DEBUG."""
    if DEBUG:
        pytest.skip("the memory model is calibrated with the stock kernel")
    return boot(
        load_machine("dram-pmem"),
        PRELUDE + MODELLED_WORK + steps,
        timeout=600,
        modules=built_files() | dict(files or {}),
        plugin=paths.PLUGIN,
        folder=BUILD / "vm" / name,
        packages=packages,
    )


def counters(guest: Guest, name: str) -> dict[str, int]:
    """A block of "name value" lines."""
    pairs = (line.split() for line in guest.report.text(name).splitlines())
    return {key: int(value) for key, value in pairs}


def difference(guest: Guest, before: str, after: str) -> dict[str, int]:
    """How far counters went between two blocks; those of a later block only count from 0."""
    old = counters(guest, before)
    return {key: value - old.get(key, 0) for key, value in counters(guest, after).items()}


# What is kept for others: how much of it there is says nothing.
KEPT = (
    "cache:vmap_area",
    "cache:debug_objects_cache",
    "cache:kmemleak_object",
    # DAMON's statistics, which newer kernels make from the boot on.
    "cache:damon_region",
)


# What each thread has in a cache that others use, too: the area of its stack, and what security
# modules know of it (alloc_traces of the cache, on 6.12 and 7.3). kworkers come and go, more of
# them on a slow host.
OF_A_THREAD = {"cache:kmalloc-96": 2}


def _grown(half: Mapping[str, int], kind: str) -> int:
    """How far a kind grew between two blocks, without what new threads have of it."""
    threads = max(0, half.get("cache:task_struct", 0))
    return half.get(kind, 0) - OF_A_THREAD.get(kind, 0) * threads


def leaks(guest: Guest, cycles: int) -> dict[str, int]:
    """What grew with each cycle, by kind: one object, or page, for each.

    From blocks memory.0, .1 and .2 with so many cycles in between: what is lost in
    each cycle shows in both halves. The kernel drops vmap areas late, so their number
    grows with each fork; vmalloc has those in use. The debug kernel's debugobjects keep
    objects of their own for the next user, hundreds at a time, and kmemleak has one for each
    object of the others, which count themselves. A thread that is lost is one in task_struct.
    """
    halves = [difference(guest, f"memory.{i}", f"memory.{i + 1}") for i in (0, 1)]
    grown = {kind: min(_grown(half, kind) for half in halves) for kind in halves[1]}
    return {
        kind: growth
        for kind, growth in grown.items()
        if growth >= cycles * (1 if kind.startswith("cache:") else 4) and kind not in KEPT
    }


def micro(guest: Guest, name: str) -> dict[str, Any]:
    """What the micro-benchmark printed."""
    result: dict[str, Any] = json.loads(guest.report.text(name))
    return result


def migrations_by_thread(guest: Guest, name: str) -> dict[str, int]:
    """Pages migrated, by thread name, from a histogram of mm_migrate_pages by thread."""
    pages: dict[str, int] = {}
    for line in guest.report.text(name).splitlines():
        found = re.match(r"\{ common_pid: (\S+) .*\} .*succeeded: +(\d+)", line)
        if found:
            pages[found[1]] = pages.get(found[1], 0) + int(found[2])
    return pages


def log_has(guest: Guest, text: str) -> bool:
    """Whether some line of the kernel log holds the text."""
    return any(text in line for line in guest.console)
