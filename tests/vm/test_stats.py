# SPDX-License-Identifier: GPL-2.0
"""Every counter is where it should be, and nodes, sums and debugfs tell the same."""

import pytest

from pghotlab.guest.vm import Guest
from support import SHRINK, counters, run

SOURCES = (
    "hintfaults",
    "hwhints",
    "pgtscans",
    "pagecache",
    "mglru",
    "perf",
    "mprof",
    "chmu",
    "vhmu",
    "windows",
)
RECORDED = tuple(f"recorded_{name}" for name in SOURCES)
REACHED = ("recorded_accesses", "made_ready")
OF_SCANNER = tuple(
    f"accessed_{name}"
    for name in (
        *("mm_scans", "vma_scans", "pages", "skipped", "slowtier", "idlepage", "toptier"),
        *("contended", "cpu_ns"),
    )
)
OF_AGEING = ("mglru_rounds", "mglru_cpu_ns")
OF_PERF = tuple(
    f"perf_{name}"
    for name in ("samples", "kernel", "cached", "unmapped", "cpu_ns", "enabled_ns", "running_ns")
)
OF_SAMPLES = ("samples_lost",)
OF_MAPPINGS = ("left_bound",)
OF_MPROF = ("mprof_samples", "mprof_filtered", "mprof_spurious")
OF_HMU = tuple(f"hmu_{name}" for name in ("entries", "unmapped", "overflows", "errors", "cpu_ns"))
OF_WINDOWS = tuple(
    f"windows_{name}" for name in ("slices", "entries", "cpu_ns", "split", "contended")
)
OF_POLICY = ("bounced",)
OF_DEMOTION = ("demote_second_chance", "demote_to_swap")
OF_NODES = (
    *("promoted", "promoted_bytes", "received", "candidates"),
    *("refused_full", "refused_dirty", "refused_pinned", "refused_cold", "refused_rate"),
    "refused_policy",
    *("refused_share", "refused_cgroup", "refused_bounce"),
    *("failed_isolate", "failed_migrate", "expired", "passes", "batches", "kmigrated_cpu_ns"),
    *("passes_cpu_ns", "demoted", "room_taken"),
)
STATES = ("hot_threshold_ms",)
NODES = (0, 1)
PAGES = 4000 // SHRINK

# What is promoted was recorded by the test's own source.
STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1
hog 1 16 >/tmp/hog &
until grep -q ready /tmp/hog; do usleep 100000; done
insmod /lib/recorder.ko nid=1 nr_pages={PAGES}
eventually has_promoted {PAGES} || true
settled

# values DIRECTORY: its files, as "name value" lines
values()
{{
	for file in "$1"/*; do
		echo "${{file##*/}} $(cat "$file")"
	done
}}
values $PGHOT/stats | report stats
for node in {" ".join(map(str, NODES))}; do
	values $PGHOT/node$node | report node$node
done
report vmstat </sys/kernel/debug/pghot/vmstat
ls -d $PGHOT/node* | report nodes
{{
	for file in $PGHOT/stats/promoted $PGHOT/node1/promoted $PGHOT/mode $PGHOT/slow_nodes \\
		/sys/kernel/debug/pghot/vmstat; do
		if echo 0 2>/dev/null >"$file"; then
			echo "$file can be written"
		fi
	done
}} | report written
rmmod recorder
rmmod pghot
insmod /lib/pghot.ko enabled_sources=3
values $PGHOT/stats | report again
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="stats")


def test_names(guest: Guest) -> None:
    assert set(counters(guest, "stats")) == {
        *(
            *RECORDED,
            *REACHED,
            *OF_SCANNER,
            *OF_AGEING,
            *OF_PERF,
            *OF_SAMPLES,
            *OF_MAPPINGS,
            *OF_MPROF,
            *OF_HMU,
            *OF_WINDOWS,
            *OF_POLICY,
            *OF_DEMOTION,
            *OF_NODES,
        )
    }
    for node in NODES:
        assert set(counters(guest, f"node{node}")) == {*OF_NODES, *STATES}
    assert len(guest.report.text("nodes").split()) == len(NODES)


def test_promotion_is_counted(guest: Guest) -> None:
    fast, slow = (counters(guest, f"node{node}") for node in NODES)
    sums = counters(guest, "stats")
    assert sums["recorded_hwhints"] == sums["recorded_accesses"] == PAGES
    assert sums["made_ready"] == PAGES
    assert slow["promoted"] == fast["received"] == PAGES
    assert fast["promoted"] == slow["received"] == 0
    assert slow["promoted_bytes"] == PAGES * 4096
    assert slow["passes"] > 0
    assert slow["batches"] >= PAGES / 512


def test_sums_are_those_of_the_nodes(guest: Guest) -> None:
    nodes = [counters(guest, f"node{node}") for node in NODES]
    sums = counters(guest, "stats")
    for name in OF_NODES:
        assert sums[name] == sum(node[name] for node in nodes), name


def test_debugfs_tells_the_same(guest: Guest) -> None:
    sums = {f"pghot_{name}": value for name, value in counters(guest, "stats").items()}
    assert counters(guest, "vmstat") == sums


def test_nobody_writes_to_what_is_only_told(guest: Guest) -> None:
    assert guest.report.text("written") == ""


def test_loading_starts_from_zero(guest: Guest) -> None:
    assert set(counters(guest, "again").values()) == {0}
