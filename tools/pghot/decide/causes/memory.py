# SPDX-License-Identifier: GPL-2.0
"""Causes that lie in the memory itself: it may not be moved, or records take much of it."""

import re
from collections.abc import Iterator

from pghot.decide.finding import WARNING, Finding
from pghot.decide.view import View

MIB = 1 << 20
# How much of slow memory something has to take before it is worth a word.
MUCH = 16
# Records that take more than this part of the fast memory.
RECORDS_MUCH = 20
# What the module says in the kernel's log, with the node.
NO_RECORDS = re.compile(r"no memory for the records of \d+ pages of node (\d+)")
STARTED = re.compile(r"promoting from node (\d+) to")
# Pages that are refused within the look, so that chance is none.
SOME = 16


def bound(view: View) -> Iterator[Finding]:
    """Memory policies or cpusets keep hot pages where they are."""
    refused = view.grew("refused_policy")
    if refused >= SOME:
        yield Finding(
            "bound-memory",
            WARNING,
            f"{refused} hot pages stayed slow within {view.seconds:.0f} s, because a memory policy "
            "(numactl, mbind) or a cpuset keeps them there.",
            ["sudo pghot why PID    # says which memory of a process that is"],
        )


def bound_by_policy(view: View) -> Iterator[Finding]:
    """A program's memory policy keeps much memory on slow nodes: no source even looks at it."""
    slow = sum(node.total for node in view.now.slow)
    for one in view.now.bound if view.module else ():
        if one.bytes > slow / MUCH:
            yield Finding(
                "bound-by-policy",
                WARNING,
                f"{one.bytes // MIB} MiB of {one.name} (process {one.pid}) are kept on slow nodes "
                f"by the memory policy {one.policy} (numactl, mbind). pghot leaves such memory "
                "where it is.",
                [f"sudo pghot why {one.pid}", "# start it without numactl, or with --localalloc"],
            )


def hugetlb(view: View) -> Iterator[Finding]:
    """Slow nodes have pools of hugetlb pages."""
    for node in view.now.slow if view.module else ():
        if node.huge_pages > node.total / MUCH:
            yield Finding(
                "hugetlb",
                WARNING,
                f"{node.huge_pages // MIB} MiB of node {node.id} are hugetlb pages, which pghot "
                "never moves.",
                [
                    f"grep . /sys/devices/system/node/node{node.id}/hugepages/*/nr_hugepages",
                ],
            )


def mlocked(view: View) -> Iterator[Finding]:
    """Fast nodes hold much locked memory, which makes no room."""
    for node in view.now.fast if view.module else ():
        if node.mlocked > node.total / 4:
            yield Finding(
                "locked-memory",
                WARNING,
                f"{node.mlocked // MIB} MiB of the fast node {node.id} are locked (mlock), and "
                "cannot be demoted to make room.",
                ["grep -l 'VmLck:[^0]*[1-9]' /proc/[0-9]*/status"],
            )


def pinned(view: View) -> Iterator[Finding]:
    """Hot pages are pinned for devices."""
    refused = view.grew("refused_pinned")
    if refused >= SOME:
        yield Finding(
            "pinned-memory",
            WARNING,
            f"{refused} hot pages stayed slow within {view.seconds:.0f} s, because they are pinned "
            "for devices (RDMA, VFIO, io_uring).",
            ["sudo pghot why PID    # for the program; have it allocate on fast nodes"],
        )


def records(view: View) -> Iterator[Finding]:
    """There was no memory for records when memory was onlined."""
    missing: dict[str, str] = {}
    for line in view.now.kernel.pghot_log or () if view.module else ():
        if found := NO_RECORDS.search(line):
            missing[found[1]] = line.removeprefix("pghot: ")
        elif found := STARTED.search(line):
            # It was loaded anew since, and has made records of all that there is.
            missing.pop(found[1], None)
    for line in missing.values():
        yield Finding(
            "records-missing",
            WARNING,
            "Some slow memory is not watched, because there was no memory for its records: "
            f"{line}.",
            ["sudo pghot unload && sudo pghot load    # when some fast memory is free"],
        )


def record_share(view: View) -> Iterator[Finding]:
    """Records take much of the fast memory."""
    fast = sum(node.total for node in view.now.fast)
    if view.module and fast and view.module.record_bytes > fast / RECORDS_MUCH:
        share = 100 * view.module.record_bytes / fast
        yield Finding(
            "records-large",
            WARNING,
            f"Records of slow memory take {view.module.record_bytes // MIB} MiB, {share:.0f} % of "
            f"the fast memory. mode={view.module.mode}.",
            ["sudo pghot setup mode=default", "sudo pghot unload && sudo pghot load"]
            if view.module.mode == "precise"
            else [],
        )
