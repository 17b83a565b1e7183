# SPDX-License-Identifier: GPL-2.0
"""Why memory on slow nodes is not promoted: reasons that lie in a mapping or in its process."""

from pghot.read.process import MOVING_POLICIES, Mapping, Process

DEVICE_FLAGS = frozenset(("io", "pf", "mm"))
REFUSALS = {
    "full": "fast nodes had no room",
    "dirty": "it was being written to disk",
    "pinned": "it is pinned for a device (RDMA, VFIO, io_uring)",
    "cold": "hotter pages went first (hot threshold)",
    "rate": "promote_rate_limit_MBps was used up",
    "policy": "a memory policy or a cpuset keeps it there",
    "share": "the cgroup has used its share of promote_cpu_percent",
    "cgroup": "the cgroup has used up its limit",
    "bounce": "pghot had demoted it just before",
}
"""What a refused page's reason means."""


def reasons(process: Process, mapping: Mapping, fast: set[int]) -> list[str]:
    """Why pages of a mapping cannot go to a fast node; none if nothing keeps them."""
    found = []
    policy, _, nodes = mapping.policy.partition(":")
    if policy not in MOVING_POLICIES and "balancing" not in mapping.policy:
        where = f" on node {nodes}" if nodes else ""
        found.append(f"the memory policy {mapping.policy} keeps it{where}")
    if "ht" in mapping.flags:
        found.append("these are hugetlb pages, which pghot never moves")
    if mapping.flags & DEVICE_FLAGS:
        found.append("this is memory of a device")
    if process.mems_allowed and not fast & set(process.mems_allowed):
        found.append("the process's cpuset has no fast node in cpuset.mems")
    if mapping.access[:3] == "---":
        found.append("nobody may access it")
    elif mapping.access[:2] == "r-" and mapping.name.startswith("/"):
        found.append("it is a read-only mapping of a file, such as a library's code")
    return found
