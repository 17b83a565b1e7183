# SPDX-License-Identifier: GPL-2.0
"""Bad lines of the kernel log are found, good ones are not."""

import re

import pytest

from pghotlab.guest import kernlog

BAD = [
    "[    1.0] WARNING: CPU: 2 PID: 0 at mm/migrate.c:350 migrate_pages+0x6b/0x80",
    "[    1.0] BUG: kernel NULL pointer dereference, address: 0000000000000008",
    "[    1.0] BUG: unable to handle page fault for address: ffffc90000000000",
    "[    1.0] kernel BUG at mm/rmap.c:1200!",
    "[    1.0] Oops: Oops: 0000 [#1] PREEMPT SMP NOPTI",
    "[    1.0] Oops: general protection fault, probably for non-canonical address",
    "[    1.0] micro[88]: segfault at 8 ip 0000000000401d2c sp 00007ffd0 error 4 in micro",
    "[    1.0] traps: micro[88] trap invalid opcode ip:401d2c sp:7ffd0 error:0 in micro",
    "[    1.0] BUG: KFENCE: use-after-free read in pghot_scan+0x10/0x20 [pghot]",
    "[    1.0] BUG: KASAN: slab-out-of-bounds in x",
    "[    1.0] UBSAN: array-index-out-of-bounds in x.c:1:2",
    "[    1.0] WARNING: possible circular locking dependency detected",
    "[    1.0] WARNING: possible recursive locking detected",
    "[    1.0] WARNING: suspicious RCU usage",
    "[  250.0] INFO: task kmigrated1:77 blocked for more than 120 seconds.",
    "[   60.0] rcu: INFO: rcu_preempt self-detected stall on CPU",
    "[   60.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
    "[   60.0] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... }",
    "[   60.0] rcu: rcu_preempt kthread starved for 5000 jiffies!",
    "[   60.0] watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [micro:99]",
    "[   60.0] watchdog: Watchdog detected hard LOCKUP on cpu 0",
    "[    1.0] BUG: Bad page state in process micro  pfn:12345",
    "[    1.0] BUG: Bad rss-counter state mm:00000000 type:MM_ANONPAGES val:1",
    "[    1.0] Kernel panic - not syncing: Attempted to kill init!",
    "[    1.0] refcount_t: underflow; use-after-free.",
    "[    1.0] list_del corruption. prev->next should be ffff, but was 0",
    "[    1.0] WARNING: inconsistent lock state",
    "[    1.0] traps: PANIC: double fault, error_code: 0x0",
    "[    1.0] BUG: TASK stack guard page was hit at ffffc90000000000",
    "[    1.0] BUG pghot_batch: Objects remaining in slab cache on __kmem_cache_shutdown()",
    "[    1.0] kmem_cache_destroy pghot_batch: Slab cache still has objects",
    "unreferenced object 0xffff888003e1a000 (size 96):",
    "[    1.0] ODEBUG: free active (active state 0) object: 0 object type: work_struct",
    "[    1.0] INFO: lockdep is turned off.",
    "[    1.0] INFO: trying to register non-static key.",
    "[    1.0] kmemleak: Kernel memory leak detector disabled",
    "[    1.0] kmemleak: Memory pool empty, consider increasing CONFIG_DEBUG_KMEMLEAK",
    "[    1.0] tsc: Marking TSC unstable due to check_tsc_sync_source failed",
    "[    1.0] Out of memory: Killed process 99 (micro) total-vm:1kB",
]
# These are not pghot's.
KERNEL_RACES = [
    "[    1.0] BUG: KCSAN: data-race in tick_nohz_stop_tick / tick_sched_do_timer",
    "[    2.0] BUG: KCSAN: data-race in tick_nohz_stop_tick / tick_sched_do_timer",
    "[    3.0] BUG: KCSAN: data-race in virtqueue_disable_cb+0x1/0x2 [virtio_ring]",
]
# Two accesses each, with the first lines of their stacks.
RACE = """\
[    3.0] ==================================================================
[    3.0] BUG: KCSAN: data-race in folio_use_access_time / pghot_allowed_ask [pghot]
[    3.0]
[    3.0] {} to 0xfffffc68845a83c0 of 8 bytes by task 116 on cpu 7:
[    3.0]  pghot_allowed_ask+0x145/0x420 [pghot]
[    3.0]  pghot_judge_page+0x25f/0x990 [pghot]
[    3.0]
[    3.0] {} to 0xfffffc68845a83c0 of 8 bytes by interrupt on cpu 3:
[    3.0]  folio_use_access_time+0x50/0xe0
[    3.0]  change_protection_range+0xad0/0x1a80
"""
GOOD = [
    "[    0.0] Linux version 6.12.117+deb12-amd64 (debian-kernel@lists.debian.org)",
    "[    0.6] pghot: loading out-of-tree module taints kernel.",
    "[    0.6] pghot: module verification failed: signature and/or required key missing",
    "[    0.4] kfence: initialized - using 2097152 bytes for 255 objects",
    "[    0.4] Kernel command line: panic=-1 oops=panic",
    "[    0.4] rcu: Hierarchical RCU implementation.",
    "[    0.4] rcu: RCU calculated value of scheduler-enlistment delay is 25 jiffies.",
    "[    0.4] debug: INFO of nothing",
    *KERNEL_RACES,
    "[    0.4] kmemleak: Kernel memory leak detector initialized (mem pool available: 38000)",
    "[    0.4] mtrr: probably your BIOS does not setup all CPUs.",
    "[    0.4] microcode: no WARNINGS",
    "",
]


@pytest.mark.parametrize("line", BAD)
def test_bad(line: str) -> None:
    found = kernlog.find_bad([*GOOD, line, "after"])
    assert found == kernlog.BadLine(len(GOOD) + 1, line)


def test_good() -> None:
    assert kernlog.find_bad(GOOD) is None


@pytest.mark.parametrize("access", ["read", "write", "read-write", "read (reordered)"])
def test_a_plain_access_of_pghot_in_a_race(access: str) -> None:
    report = RACE.format(access, "write (marked)").splitlines()
    found = kernlog.find_bad([*GOOD, *report])
    assert found == kernlog.BadLine(len(GOOD) + 5, report[4])
    assert kernlog.kernel_races(report) == {}


def test_a_plain_access_that_pghot_has_the_kernel_do() -> None:
    report = RACE.format("write (marked)", "read").splitlines()
    report[-1:] = [
        "[    3.0]  look_at+0x380/0xe30 [pghot]",
        "[    3.0]  kmigrated+0x72f/0x890 [pghot]",
    ]
    assert kernlog.find_bad(report) == kernlog.BadLine(10, report[9])
    report.insert(9, "[    3.0]  one_more+0x1/0x2")
    assert kernlog.find_bad(report) is None


def test_a_race_with_an_access_that_nobody_saw() -> None:
    report = [
        "[    3.0] BUG: KCSAN: data-race in pghot_mark+0x10/0x20 [pghot]",
        "[    3.0] race at unknown origin, with read to 0xffff of 4 bytes by task 9 on cpu 1:",
        "[    3.0]  pghot_mark+0x10/0x20 [pghot]",
    ]
    assert kernlog.find_bad(report) == kernlog.BadLine(3, report[2])


@pytest.mark.parametrize("access", ["read (marked)", "read-write (marked)", "write (marked)"])
def test_a_race_with_a_plain_access_of_the_kernel(access: str) -> None:
    report = RACE.format(access, "read").splitlines()
    assert kernlog.find_bad(report) is None
    race = "data-race in folio_use_access_time / pghot_allowed_ask [pghot]"
    assert kernlog.kernel_races([*report, *report]) == {race: 2}


def test_races_of_the_kernel_are_counted() -> None:
    assert kernlog.kernel_races([*GOOD, *BAD]) == {
        "data-race in tick_nohz_stop_tick / tick_sched_do_timer": 2,
        "data-race in virtqueue_disable_cb+0x1/0x2 [virtio_ring]": 1,
    }


def test_every_pattern_is_tried() -> None:
    unused = [p for p in kernlog.BAD_PATTERNS if not any(re.search(p, line) for line in BAD)]
    assert unused == []


def test_clock_and_phase() -> None:
    lines = ["[    0.5] a", "[    1.25] lab: phase booted", "no time here"]
    assert kernlog.guest_seconds(lines) == 1.25
    assert kernlog.last_phase(lines) == "booted"
    assert kernlog.guest_seconds([]) == 0
    assert kernlog.last_phase(["[ 1.0] x"]) == "boot"
