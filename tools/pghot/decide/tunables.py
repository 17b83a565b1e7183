# SPDX-License-Identifier: GPL-2.0
"""The tunables of the module: their units and ranges, so that a wrong value gets a clear answer.

The module's sources are where these come from; a test compares the two.
"""

from dataclasses import dataclass

from pghot.errors import UsageError

NO_NODE = -1
"""target_nid: the node that uses the page."""


@dataclass(frozen=True)
class Tunable:
    """highest and initial: those of mode=default, and of mode=precise.

    highest: None if the value has to be the number of a node with memory, or lowest.
    initial: None if the policy chooses it. is_mask: a sum of bits of `highest`.
    """

    name: str
    unit: str
    lowest: int
    highest: tuple[int, int] | None
    initial: tuple[int, int] | None
    about: str
    is_mask: bool = False

    def range(self, mode: str, nodes: list[int]) -> str:
        """The values that are taken, as a phrase."""
        if self.highest is None:
            return f"{self.lowest}, or a node with memory ({', '.join(map(str, nodes))})"
        highest = self.highest[mode == "precise"]
        if self.is_mask:
            return f"a sum of bits of {highest} (0 to {highest})"
        return f"a number from {self.lowest} to {highest}"

    def check(self, text: str, mode: str, nodes: list[int]) -> int:
        """The value that a text stands for; UsageError if the module would refuse it."""
        try:
            value = int(text, 0)
        except ValueError:
            value = None
        if self.highest is None:
            right = value in (self.lowest, *nodes)
        else:
            highest = self.highest[mode == "precise"]
            right = value is not None and self.lowest <= value <= highest
            right = right and not (self.is_mask and value is not None and value & ~highest)
        if value is None or not right:
            raise UsageError(f"{self.name}={text}: must be {self.range(mode, nodes)}")
        return value


def _same(value: int) -> tuple[int, int]:
    return value, value


TUNABLES = {
    tunable.name: tunable
    for tunable in (
        Tunable(
            "enabled_sources",
            "bit mask",
            0,
            _same(1023),
            None,
            "Sources of hotness. Setting it makes the policy manual.",
            is_mask=True,
        ),
        Tunable(
            "target_nid",
            "node",
            NO_NODE,
            None,
            _same(NO_NODE),
            "Node to promote to. -1 is the node that uses the page.",
        ),
        Tunable(
            "freq_threshold", "accesses", 1, (3, 7), _same(2), "Accesses that make a page ready."
        ),
        Tunable(
            "promote_freq_window_ms",
            "ms",
            1000,
            (3968, 16383),
            (3000, 5000),
            "Window in which accesses are counted.",
        ),
        Tunable(
            "promote_rate_limit_MBps",
            "MiB/s",
            1,
            _same(1048576),
            _same(65536),
            "How much is promoted to each node in a second.",
        ),
        Tunable(
            "promote_threshold_window_ms",
            "ms",
            1000,
            _same(60000),
            _same(60000),
            "How often the hot threshold is adjusted.",
        ),
        Tunable(
            "promote_cpu_percent",
            "% of all CPUs",
            1,
            _same(100),
            _same(50),
            "CPU time that promotion may take.",
        ),
        Tunable(
            "kmigrated_sleep_ms",
            "ms",
            0,
            _same(1000),
            _same(4),
            "For how long ready pages are collected.",
        ),
        Tunable("kmigrated_batch_nr", "pages", 64, _same(1024), _same(512), "Pages of one batch."),
        Tunable(
            "scan_cpu_percent",
            "% of one CPU",
            1,
            _same(100),
            _same(50),
            "CPU time that a scanning source may take.",
        ),
        Tunable(
            "perf_overhead_permille",
            "per mille of each CPU",
            1,
            _same(1000),
            _same(10),
            "CPU time that performance counters may take.",
        ),
        Tunable(
            "perf_period",
            "events",
            1,
            _same(134217712),
            _same(10000),
            "Events from one sample to the next, at first.",
        ),
        Tunable(
            "perf_period_min", "events", 1, _same(134217712), _same(1000), "The shortest period."
        ),
        Tunable(
            "mprof_period",
            "micro-operations",
            5000,
            _same(134217727),
            _same(10000),
            "AMD's memory profiler looks at one of so many.",
        ),
        Tunable(
            "hmu_threshold",
            "accesses in an epoch",
            0,
            _same(1000000),
            _same(0),
            "What a hotness monitoring unit reports. 0 leaves the device's own value.",
        ),
    )
}
LOAD_ONLY = ("mode", "slow_nodes", "slow_nodes_force", "untested_kernel")
"""Parameters that can only be given when the module is loaded."""
OTHERS = ("perf_event", "chmu_map")
"""Parameters whose values are texts, which the module checks."""
PARAMETERS = (*TUNABLES, *LOAD_ONLY, *OTHERS)


def similar(name: str) -> str:
    """A parameter whose name is like this one, for a question back; empty if there is none."""
    # A lazy import: only a mistake needs it.
    from difflib import get_close_matches  # noqa: PLC0415

    return next(iter(get_close_matches(name, PARAMETERS, 1)), "")


def unknown(name: str) -> str:
    """What is said of a name that is no parameter."""
    meant = similar(name)
    return f"{name}: pghot has no such parameter" + (f"; did you mean {meant}?" if meant else "")
