# SPDX-License-Identifier: GPL-2.0
"""The kernel that runs: its version, the settings that matter to pghot, and who else is at work."""

import re
from dataclasses import dataclass

from pghot.read.root import Root

# Where firmware says whether Secure Boot is on; its last byte does.
SECURE_BOOT = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
DAMON = "sys/kernel/mm/damon/admin/kdamonds"
# Modules of the kernel that start DAMON by themselves.
DAMON_MODULES = ("damon_reclaim", "damon_lru_sort", "damon_stat")
# Programs that move pages between tiers, or clear accessed bits, by name.
DAEMONS = frozenset(("memtierd", "numad", "damo", "tierd", "memtisd", "hmsdk"))


@dataclass(frozen=True)
class Kernel:
    """Settings are None if they cannot be read, or if this kernel does not have them.

    lockdown: none, integrity or confidentiality. parameters: pghot's on the kernel's command
    line. damon: who uses DAMON. daemons: other programs that move pages. vmstat: /proc/vmstat.
    pghot_log: the log's lines that are about pghot, or None if one may not read the log.
    """

    release: str
    numa_balancing: int | None
    demotion_enabled: bool | None
    ftrace_enabled: bool | None
    lru_gen: int | None
    lockdown: str
    signatures_enforced: bool
    secure_boot: bool | None
    live_patches: list[str]
    damon: list[str]
    daemons: list[str]
    parameters: dict[str, str]
    vmstat: dict[str, int]
    pghot_log: list[str] | None


def _lockdown(root: Root) -> str:
    found = re.search(r"\[(\w+)\]", root.text("sys/kernel/security/lockdown") or "")
    return found[1] if found else "none"


def _secure_boot(root: Root) -> bool | None:
    try:
        return root.path(SECURE_BOOT).read_bytes()[-1:] == b"\1"
    except OSError:
        return None


def _damon(root: Root) -> list[str]:
    """What has DAMON at work: kdamonds of its sysfs files, and modules of the kernel."""
    users = [
        f"/{name.rpartition('/')[0]}"
        for name in root.names(f"{DAMON}/*/state")
        if root.text(name) == "on"
    ]
    return users + [
        name for name in DAMON_MODULES if root.flag(f"sys/module/{name}/parameters/enabled")
    ]


def _daemons(root: Root) -> list[str]:
    names = {root.text(name) or "" for name in root.names("proc/[0-9]*/comm")}
    return sorted(names & DAEMONS)


def about_pghot(lines: list[str]) -> list[str]:
    """The lines of the log that are pghot's, or the kernel's about it."""
    return [
        line
        for line in lines
        if line.startswith("pghot: ")
        or re.search(r"Loading of .*module|unsigned module loading is restricted", line)
    ]


def read_kernel(root: Root) -> Kernel:
    """The kernel as it is now."""
    log = root.log()
    words = (root.text("proc/cmdline") or "").split()
    return Kernel(
        release=root.text("proc/sys/kernel/osrelease") or "unknown",
        numa_balancing=root.number("proc/sys/kernel/numa_balancing"),
        demotion_enabled=root.flag("sys/kernel/mm/numa/demotion_enabled"),
        ftrace_enabled=root.flag("proc/sys/kernel/ftrace_enabled"),
        lru_gen=root.number("sys/kernel/mm/lru_gen/enabled"),
        lockdown=_lockdown(root),
        signatures_enforced=bool(root.flag("sys/module/module/parameters/sig_enforce")),
        secure_boot=_secure_boot(root),
        live_patches=[
            name.rpartition("/")[2]
            for name in root.names("sys/kernel/livepatch/*")
            if root.flag(f"{name}/enabled")
        ],
        damon=_damon(root),
        daemons=_daemons(root),
        parameters=dict(
            word.removeprefix("pghot.").partition("=")[::2]
            for word in words
            if word.startswith("pghot.")
        ),
        vmstat=root.table("proc/vmstat"),
        pghot_log=None if log is None else about_pghot(log),
    )
