# SPDX-License-Identifier: GPL-2.0
"""The sources of hotness, by their bits; a test compares them with the module's own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceKind:
    """about: how it finds hot pages."""

    bit: int
    name: str
    about: str

    @property
    def counter(self) -> str:
        """The counter of the accesses that it has reported."""
        return f"recorded_{'pgtscans' if self.name == 'accessed' else self.name}"


SOURCES = (
    SourceKind(1, "hintfaults", "NUMA hint faults; kernel.numa_balancing needs its bit 2"),
    SourceKind(2, "hwhints", "drivers and other modules"),
    SourceKind(4, "accessed", "accessed bits in page tables"),
    SourceKind(8, "pagecache", "page cache that is read by system calls"),
    SourceKind(16, "mglru", "ageing of the multi-gen LRU"),
    SourceKind(32, "perf", "performance counters: AMD IBS, Intel PEBS"),
    SourceKind(64, "mprof", "AMD's memory profiler"),
    SourceKind(128, "chmu", "hotness monitoring units of CXL devices"),
    SourceKind(256, "vhmu", "the lab's virtual monitoring unit"),
    SourceKind(512, "windows", "accessed bits in short windows"),
)
COUNTERS = {source.name: source.counter for source in SOURCES}
"""The counter of each source, by its name."""
