# SPDX-License-Identifier: GPL-2.0
"""Two looks at a machine, some seconds apart, and how far counters went between them."""

from dataclasses import dataclass

from pghot.read.machine import Machine
from pghot.read.module import Module

PAGE = 4096
"""Bytes. The module's counters are in pages of this size."""
NS = 1_000_000_000
# How a demotion by the kernel is counted, by who asked for it.
KERNEL_DEMOTIONS = ("pgdemote_kswapd", "pgdemote_direct", "pgdemote_khugepaged")


@dataclass(frozen=True)
class View:
    """before: the first look; the same as `now` if there was only one."""

    before: Machine
    now: Machine

    @property
    def module(self) -> Module | None:
        """pghot, as it is now."""
        return self.now.module

    @property
    def seconds(self) -> float:
        """From one look to the other."""
        return self.now.time - self.before.time

    def grew(self, name: str) -> int:
        """How far a sum of pghot's went; 0 if it was not loaded all the time."""
        if not self.now.module or not self.before.module:
            return 0
        # Fewer than before: it was loaded anew.
        return max(0, self.now.module.stat(name) - self.before.module.stat(name))

    def node_grew(self, nid: int, name: str) -> int:
        """The same of a counter of one node."""
        if not self.now.module or not self.before.module:
            return 0
        now, before = (m.nodes.get(nid, {}) for m in (self.now.module, self.before.module))
        return max(0, now.get(name, 0) - before.get(name, 0))

    def kernel_grew(self, *names: str) -> int:
        """How far counters of /proc/vmstat went together."""
        now, before = self.now.kernel.vmstat, self.before.kernel.vmstat
        return sum(max(0, now.get(name, 0) - before.get(name, 0)) for name in names)

    def per_second(self, amount: float) -> float:
        """An amount of this time as a rate."""
        return amount / self.seconds if self.seconds > 0 else 0.0
