# SPDX-License-Identifier: GPL-2.0
"""All of a machine that the verbs look at, at one moment."""

import time
from dataclasses import dataclass, field, replace

from pghot.read.bound import Bound, read_bound
from pghot.read.installed import Installed, kernels, read_installed
from pghot.read.kernel import Kernel, read_kernel
from pghot.read.module import Module, read_module
from pghot.read.nodes import Node, read_nodes
from pghot.read.root import Root
from pghot.read.settings import Settings, read_settings


@dataclass(frozen=True)
class Machine:
    """time: monotonic, seconds. module: None if pghot is not loaded.

    bound: memory that policies keep on slow nodes, if that was looked for with with_bound().
    """

    time: float
    kernel: Kernel
    nodes: list[Node]
    module: Module | None
    installed: list[Installed]
    kernels: list[str]
    settings: Settings
    bound: list[Bound] = field(default_factory=list)

    @property
    def slow(self) -> list[Node]:
        """The nodes that pghot promotes from; without pghot those below the kernel's top tier."""
        if self.module:
            return [node for node in self.nodes if node.id in self.module.slow_nodes]
        return [node for node in self.nodes if node.id in lower_tiers(self.nodes)]

    @property
    def fast(self) -> list[Node]:
        """All other nodes with memory."""
        slow = {node.id for node in self.slow}
        return [node for node in self.nodes if node.id not in slow]


def lower_tiers(nodes: list[Node]) -> set[int]:
    """Nodes that are not in the kernel's top tier, which ends with the last tier that has CPUs."""
    with_cpus = [node.tier for node in nodes if node.cpus and node.tier is not None]
    if not with_cpus:
        return set()
    return {node.id for node in nodes if node.tier is not None and node.tier > max(with_cpus)}


def read_machine(root: Root) -> Machine:
    """The machine as it is now."""
    return Machine(
        time=time.monotonic(),
        kernel=read_kernel(root),
        nodes=read_nodes(root),
        module=read_module(root),
        installed=read_installed(root),
        kernels=kernels(root),
        settings=read_settings(root),
    )


def with_bound(machine: Machine, root: Root) -> Machine:
    """The same, with memory that policies keep on slow nodes, which takes longer to find."""
    return replace(machine, bound=read_bound(root, {node.id for node in machine.slow}))
