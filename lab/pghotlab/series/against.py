# SPDX-License-Identifier: GPL-2.0
"""The series against the module on the same kernel: what is run, and the table of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from pghotlab.base import paths
from pghotlab.measure.policy import Policy
from pghotlab.rows.summary import Row, whole

# A row for each run. "in_tree" says which of both it was.
RESULTS = paths.KEPT / "series.json"
# How far the times may be apart, as a part of the module's.
TOLERANCE = 0.01
# pghot's files in the guest.
FILES = "/sys/kernel/mm/pghot"


def in_tree(policy: Policy) -> Policy:
    """A policy on a kernel that has pghot built in.

    What the module gets as parameters is written to files of the same names. Where the module is
    not loaded, all sources are switched off. That comes before the kernel's settings, as pghot has
    set kernel.numa_balancing at the boot, and gives it back when it is told what to do.
    """
    values = {"enabled_sources": "0"} if policy.pghot is None else policy.pghot
    files = {f"{FILES}/{name}": value for name, value in values.items()}
    for name, value in policy.sysctl.items():
        files[f"/proc/sys/{name.replace('.', '/')}"] = value
    return replace(policy, sysctl={}, files={**files, **policy.files}, pghot=None)


@dataclass(frozen=True)
class Against:
    """A policy with the module, and with pghot in the tree: medians over the seeds.

    Times are in nanoseconds of the modelled machine, each of the module first.
    """

    policy: str
    guest_ns: tuple[float, float]
    promoted: tuple[float, float]
    kernel_instructions: tuple[float, float]

    @property
    def ratio(self) -> float:
        """The time in the tree as a part of the module's."""
        return self.guest_ns[1] / self.guest_ns[0]

    @property
    def same(self) -> bool:
        """Whether both take the same time, to within the tolerance."""
        return abs(self.ratio - 1) <= TOLERANCE


def compare(rows: Sequence[Row]) -> list[Against]:
    """Rows with both of each policy and seed, by policy."""

    def both(policy: str, key: str) -> tuple[float, float]:
        mine = [row for row in rows if row["policy"] == policy]
        module, tree = (
            median(row[key] for row in mine if row["in_tree"] is one) for one in (False, True)
        )
        return module, tree

    return [
        Against(
            policy,
            both(policy, "guest_ns"),
            both(policy, "pages_promoted"),
            both(policy, "kernel_instructions"),
        )
        for policy in dict.fromkeys(row["policy"] for row in rows)
    ]


def lines(compared: Sequence[Against]) -> list[tuple[str, ...]]:
    """The table, its header first; cells with a slash tell of the module first.

    The ratio is the time in the tree as a part of the module's.
    """
    return [
        ("policy", "guest time s", "ratio", "promoted", "kernel Minsn"),
        *(
            (
                one.policy,
                " / ".join(f"{ns / 1e9:.3f}" for ns in one.guest_ns),
                f"{one.ratio:.4f}",
                " / ".join(map(whole, one.promoted)),
                " / ".join(whole(count / 1e6) for count in one.kernel_instructions),
            )
            for one in compared
        ),
    ]
