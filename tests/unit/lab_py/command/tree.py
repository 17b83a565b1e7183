# SPDX-License-Identifier: GPL-2.0
"""Made-up machines: trees of files as sysfs, procfs and the administrator's folders have them.

The names are those of a guest with two nodes on which pghot runs; a test in the guest has the
command read the real ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pghot.read.machine import Machine, read_machine
from pghot.read.root import Root
from pghot.version import VERSION

KERNEL = "6.12.117+deb13-amd64"
PGHOT = "sys/kernel/mm/pghot"
STATE = """\
small: promote: there is free memory on fast nodes
small: hot 1500, idle 20 uses in 1000 s, moving costs 2500 ns, window 10000 us
huge: unknown: too few hot pages, or idle ones, have been found
huge: hot 0, idle 0 uses in 1000 s, moving costs 2500 ns, window 1000 us
access: fast 90 ns, slow 260 ns
effort: 50 % of a CPU, all memory
bar: 1
price: 1
"""
SOURCES = """\
hintfaults 1 off
hwhints 2 on
accessed 4 off
pagecache 8 on
mglru 16 off
perf 32 off
mprof 64 off
chmu 128 off
vhmu 256 off
windows 512 on
"""
TUNABLES = {
    "enabled_sources": 522,
    "target_nid": -1,
    "freq_threshold": 2,
    "promote_freq_window_ms": 3000,
    "promote_rate_limit_MBps": 65536,
    "promote_threshold_window_ms": 60000,
    "promote_cpu_percent": 50,
    "kmigrated_sleep_ms": 4,
    "kmigrated_batch_nr": 512,
    "scan_cpu_percent": 50,
    "perf_overhead_permille": 10,
    "perf_period": 10000,
    "perf_period_min": 1000,
    "mprof_period": 10000,
    "hmu_threshold": 0,
}
STATS = (
    *("promoted", "received", "demoted", "bounced", "made_ready", "kmigrated_cpu_ns"),
    *("windows_cpu_ns", "refused_full", "refused_policy", "refused_pinned", "refused_rate"),
    *("refused_share", "refused_cgroup", "recorded_windows", "recorded_hintfaults"),
    *("recorded_pagecache", "recorded_accesses", "expired"),
)
NODE_STATS = ("promoted", "received", "demoted", "refused_full", "refused_policy")
VMSTAT = {
    **dict.fromkeys(("pswpin", "pswpout", "numa_pages_migrated", "pgdemote_kswapd"), 0),
    "pgpromote_success": 0,
    "nr_anon_pages": 10000,
    "nr_mapped": 2000,
}


def table(values: Mapping[str, int]) -> str:
    return "".join(f"{name} {value}\n" for name, value in values.items())


def node(nid: int, cpus: str, distance: str, total_kib: int, free_kib: int) -> dict[str, str]:
    folder = f"sys/devices/system/node/node{nid}"
    return {
        f"{folder}/cpulist": f"{cpus}\n",
        f"{folder}/distance": f"{distance}\n",
        f"{folder}/meminfo": (
            f"Node {nid} MemTotal:       {total_kib} kB\nNode {nid} MemFree: {free_kib} kB\n"
            f"Node {nid} Mlocked:         0 kB\nNode {nid} HugePages_Total:     0\n"
        ),
        f"{folder}/vmstat": table({"nr_free_pages": free_kib // 4}),
        f"{folder}/hugepages/hugepages-2048kB/nr_hugepages": "0\n",
    }


def plain() -> dict[str, str]:
    """A machine with two tiers, without pghot."""
    tiers = "sys/devices/virtual/memory_tiering"
    return {
        **node(0, "0-7", "10 50", 2 << 20, 1 << 20),
        **node(1, "", "50 10", 1 << 20, 1 << 19),
        f"{tiers}/memory_tier4/nodelist": "0\n",
        f"{tiers}/memory_tier961/nodelist": "1\n",
        "proc/sys/kernel/osrelease": f"{KERNEL}\n",
        "proc/sys/kernel/numa_balancing": "0\n",
        "proc/sys/kernel/ftrace_enabled": "1\n",
        "proc/sys/kernel/hostname": "secret-host\n",
        "proc/cmdline": "root=/dev/vda1 quiet\n",
        "proc/vmstat": table(VMSTAT),
        "sys/kernel/mm/numa/demotion_enabled": "true\n",
        "sys/kernel/mm/lru_gen/enabled": "0x0007\n",
        "sys/kernel/security/lockdown": "[none] integrity confidentiality\n",
        "sys/module/module/parameters/sig_enforce": "N\n",
        "dev/kmsg": "",
        f"lib/modules/{KERNEL}/modules.dep": "",
    }


def installed(kernel: str = KERNEL) -> dict[str, str]:
    return {f"lib/modules/{kernel}/updates/dkms/pghot.ko": "ELF\n~Module signature appended~\n"}


def loaded() -> dict[str, str]:
    """The same machine, with pghot as it is loaded at boot."""
    return {
        **plain(),
        **installed(),
        "etc/modules-load.d/pghot.conf": "pghot\n",
        "sys/module/pghot/version": f"{VERSION}\n",
        "sys/module/pghot/refcnt": "0\n",
        f"{PGHOT}/mode": "default\n",
        f"{PGHOT}/policy": "auto\n",
        f"{PGHOT}/policy_state": STATE,
        f"{PGHOT}/slow_nodes": "1\n",
        f"{PGHOT}/record_bytes": "294912\n",
        f"{PGHOT}/sources": SOURCES,
        **{f"{PGHOT}/{name}": f"{value}\n" for name, value in TUNABLES.items()},
        **{f"{PGHOT}/stats/{name}": "0\n" for name in STATS},
        **{f"{PGHOT}/node{nid}/{name}": "0\n" for nid in (0, 1) for name in NODE_STATS},
    }


def stats(**values: int) -> dict[str, str]:
    """Sums of the module."""
    return {f"{PGHOT}/stats/{name}": f"{value}\n" for name, value in values.items()}


def sources(*on: str) -> dict[str, str]:
    """Just these sources are on."""
    lines = [line.split() for line in SOURCES.splitlines()]
    return {
        f"{PGHOT}/sources": "".join(
            f"{name} {bit} {'on' if name in on else 'off'}\n" for name, bit, _ in lines
        )
    }


def log(*lines: str) -> dict[str, str]:
    """The kernel's log."""
    return {"dev/kmsg": "".join(f"6,{n},{n},-;{line}\n" for n, line in enumerate(lines))}


def make(folder: Path, files: Mapping[str, str]) -> Root:
    """Write a tree."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Root(folder)


@dataclass
class Trees:
    """Writes trees below a folder, each in a place of its own."""

    folder: Path
    number: int = 0

    def root(self, *parts: Mapping[str, str]) -> Root:
        """A tree of these files, the last part wins."""
        self.number += 1
        files: dict[str, str] = {}
        for part in parts:
            files |= part
        return make(self.folder / str(self.number), files)

    def machine(self, *parts: Mapping[str, str], time: float = 0) -> Machine:
        """What the command reads of such a tree, at a time."""
        return replace(read_machine(self.root(*parts)), time=time)
