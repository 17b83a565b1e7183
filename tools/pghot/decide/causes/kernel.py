# SPDX-License-Identifier: GPL-2.0
"""Causes that lie in the kernel's own settings."""

from collections.abc import Iterator

from pghot.decide.finding import WARNING, Finding
from pghot.decide.view import View
from pghot.read.module import Source

TIERING = 2
"""The bit of kernel.numa_balancing for tiering mode."""
SOURCES_OF_FTRACE = ("hintfaults", "pagecache", "mglru")
# A fast node of which less than this part is free fills up.
FILLING = 8


def tiering_mode(view: View) -> Iterator[Finding]:
    """Hint faults are on, and the kernel makes none. The other way round the module follows."""
    module, mode = view.module, view.now.kernel.numa_balancing
    if not module or mode is None:
        return
    if module.is_on("hintfaults") and not mode & TIERING:
        yield Finding(
            "tiering-mode-off",
            WARNING,
            f"The source hintfaults is on, but kernel.numa_balancing is {mode}: without its bit 2, "
            "tiering mode, no hint fault arrives.",
            ["sudo sysctl kernel.numa_balancing=2"],
        )


def balancing_beside(view: View) -> Iterator[Finding]:
    """The kernel moves pages itself, so that pghot's counters stay behind."""
    module, mode = view.module, view.now.kernel.numa_balancing
    if not module or not module.slow_nodes or not mode or module.is_on("hintfaults"):
        return
    by_kernel = view.kernel_grew("numa_pages_migrated") - view.grew("promoted")
    if by_kernel > view.grew("promoted") and by_kernel > 0:
        yield Finding(
            "kernel-moves-pages",
            WARNING,
            f"kernel.numa_balancing is {mode}: the kernel has moved {by_kernel} pages itself in "
            f"{view.seconds:.0f} s, in page faults of the programs. pghot does not count these.",
            ["sudo sysctl kernel.numa_balancing=0"],
        )


def demotion_off(view: View) -> Iterator[Finding]:
    """Fast nodes fill up, and nothing may be demoted."""
    if (
        not view.module
        or not view.module.slow_nodes
        or view.now.kernel.demotion_enabled is not False
    ):
        return
    full = [node for node in view.now.fast if node.free < node.total / FILLING]
    if full and len(full) == len(view.now.fast):
        yield Finding(
            "demotion-off",
            WARNING,
            "Fast nodes are nearly full, and demotion is off: pages are promoted only as long as "
            "there is free memory.",
            [
                "echo 1 | sudo tee /sys/kernel/mm/numa/demotion_enabled",
                "sudo pghot setup    # and at each boot",
            ],
        )


def mglru_walks(view: View) -> Iterator[Finding]:
    """Ageing is on, and the multi-gen LRU does not walk page tables."""
    state = view.now.kernel.lru_gen
    if view.module and view.module.is_on("mglru") and (state is None or state & 3 != 3):
        yield Finding(
            "mglru-walks-off",
            WARNING,
            "The source mglru is on, but the multi-gen LRU or its page table walks are off.",
            ["echo 7 | sudo tee /sys/kernel/mm/lru_gen/enabled"],
        )


def ftrace_off(view: View) -> Iterator[Finding]:
    """Sources that need ftrace, and it is off."""
    if view.module and view.now.kernel.ftrace_enabled is False:
        yield Finding(
            "ftrace-off",
            WARNING,
            "kernel.ftrace_enabled is 0, so these sources cannot be switched on: "
            f"{', '.join(SOURCES_OF_FTRACE)}.",
            [
                "sudo sysctl kernel.ftrace_enabled=1",
                "sudo pghot set policy=manual && sudo pghot set policy=auto",
            ],
        )


def is_diverted(view: View, source: Source) -> bool:
    """Whether a source needs a function that somebody else has diverted."""
    # ftrace says the same, EBUSY, while it is off.
    return "cannot be diverted (-16)" in source.reason and view.now.kernel.ftrace_enabled is True


def live_patch(view: View) -> Iterator[Finding]:
    """A live patch has the function that hint faults need."""
    for source in view.module.sources if view.module else ():
        if source.on or not is_diverted(view, source):
            continue
        patches = view.now.kernel.live_patches
        by = f"the live patch {', '.join(patches)}" if patches else "another module"
        yield Finding(
            "live-patch",
            WARNING,
            f"The kernel function that the source {source.name} needs is diverted already, by "
            f"{by}. The other sources work.",
            [
                *(f"echo 0 | sudo tee /sys/kernel/livepatch/{name}/enabled" for name in patches),
                "sudo pghot set policy=manual && sudo pghot set policy=auto    # tries again",
            ],
        )
