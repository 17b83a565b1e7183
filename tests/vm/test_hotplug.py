# SPDX-License-Identifier: GPL-2.0
"""Slow memory that comes and goes while pghot is loaded: CXL memory by dax and kmem, and blocks."""

import pytest

from hotplug import DIMM, NVDIMM, ONE_TIER, answers, run_hotplug
from pghotlab.guest.vm import Guest
from support import DEBUG, EXACT_SLABS, counters, difference, leaks, log_has, micro

PAGES = 64 * 256  # of the 64 MiB that a run of the benchmark touches

# Enough for all pages to be found and promoted meanwhile, also by a slow kernel.
ACCESSES = 36_000_000 if DEBUG else 12_000_000

MEASURE = f"""
# measure NAME NODE: a run of the benchmark in memory of NODE and the counters around it
measure()
{{
	phase "$1"
	counters | report "before.$1"
	micro --threads 4 --bytes $((64 << 20)) --accesses {ACCESSES} --provision $2 \\
		--cpus-node 0 | report "$1"
	settled
	counters | report "after.$1"
}}
"""

# A node that is not there when pghot is loaded, comes twice, and goes under use.
FOLLOW_STEPS = (
    MEASURE
    + """
set_value $NUMAB 2
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
answer gone.before thread_is_gone
devdax
plug
answer runs.first thread_runs
measure first 1

phase away
hog 1 16 >/tmp/hog &
hog=$!
eventually grep -q ready /tmp/hog
measure elsewhere 0 &
unplug
answer gone.first thread_is_gone
wait %2
kill $hog

phase again
plug
answer runs.second thread_runs
measure second 1
unplug
answer gone.second thread_is_gone
rmmod pghot
counters | report unloaded

phase balancing
set_value $NUMAB 1
insmod /lib/pghot.ko
report balancing.alone <$NUMAB
plug
answer balancing.pauses grep -q 0 $NUMAB
set_value $NUMAB 1 # as an administrator would
sleep 3
report balancing.stays <$NUMAB
unplug
rmmod pghot
"""
)

# Blocks that may go: the kernel has things of its own in some of a node it booted with.
CHURN_STEPS = (
    MEASURE
    + """
set_value $NUMAB 2
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
free=
for block in $(blocks 1); do
	if offline $block; then
		give $block
		free="$free $block"
	fi
done
echo $free | report free

phase churn
counters | report before.churn
(churn 1 128 4 && echo 0 || echo $?) >/tmp/churn &
laps=0
until [ -s /tmp/churn ]; do
	for block in $free; do
		take $block
		usleep 20000
		give $block
	done
	laps=$((laps + 1))
done
wait
report churn </tmp/churn
echo $laps | report laps
counters | report after.churn
measure again 1
rmmod pghot
counters | report unloaded
"""
)

CYCLES = 40

CYCLE_STEPS = f"""
set_value $NUMAB 2
devdax
plug
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
answer runs thread_runs

# cycles N: take the node away, and bring it back, so often
cycles()
{{
	for i in $(seq "$1"); do
		unplug
		plug
	done
}}

cycles 5
for half in 0 1; do
	memory | report memory.$half
	phase "cycles, half $half"
	cycles {CYCLES // 2}
done
memory | report memory.2
answer runs.after thread_runs
"""

# pghot comes and goes while blocks do, and while processes write there.
UNLOAD_STEPS = """
set_value $NUMAB 2
devdax
plug
set -- $(blocks 1)
shift # the first stays: the processes need the node
blocks=$*

(while [ ! -e /tmp/enough ]; do
	churn 1 64 1 || exit 1
done; echo 0) >/tmp/churn &
(while [ ! -e /tmp/enough ]; do
	for block in $blocks; do
		take $block
		give $block
	done
	echo .
done) >/tmp/laps &

for i in $(seq 10); do
	insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1 kmigrated_sleep_ms=1
	usleep $(((i % 5) * 150000))
	rmmod pghot
done
touch /tmp/enough
wait
report churn </tmp/churn
wc -l </tmp/laps | report laps
unplug
"""

# What the kernel sees as one tier, its administrator may know better. Balancing is
# off: what is promoted was recorded by the test's own source, once.
RECORDED = 4000
# Some may be of processes that end meanwhile.
PROMOTED = RECORDED * 9 // 10
ONE_TIER_STEPS = f"""
# record NAME: record the accesses to memory of node 1, and what comes of it
record()
{{
	hog 1 20 >/tmp/hog &
	hog=$!
	eventually grep -q ready /tmp/hog
	counters | report "before.$1"
	goal=$(($(cat $PGHOT/stats/promoted) + {PROMOTED}))
	insmod /lib/recorder.ko nid=1 nr_pages={RECORDED}
	eventually has_promoted $goal || true
	counters | report "after.$1"
	rmmod recorder
	kill $hog
	wait $hog || true
}}

set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko enabled_sources=3 slow_nodes=1 slow_nodes_force=1 freq_threshold=1
answer runs thread_runs
record named
"""
DIMM_STEPS = """
all=$(blocks 1)
for block in $all; do
	take $block
done
answer gone thread_is_gone
for block in $all; do
	give $block
done
answer back thread_runs
record back
"""


@pytest.fixture(scope="module")
def follow() -> Guest:
    return run_hotplug(FOLLOW_STEPS, name="hotplug-follow", machine=NVDIMM)


@pytest.fixture(scope="module")
def churn() -> Guest:
    # All memory that QEMU has above 4 GiB, so all of node 1, becomes a movable zone.
    return run_hotplug(
        CHURN_STEPS,
        name="hotplug-churn",
        machine="two-node",
        kernel_arguments="kernelcore=1900M",
    )


@pytest.fixture(scope="module")
def cycles() -> Guest:
    return run_hotplug(
        CYCLE_STEPS, name="hotplug-cycles", machine=NVDIMM, kernel_arguments=EXACT_SLABS
    )


@pytest.fixture(scope="module")
def unload() -> Guest:
    # In one host thread, as test_stress.py explains.
    return run_hotplug(UNLOAD_STEPS, name="hotplug-unload", machine=NVDIMM)


@pytest.fixture(scope="module")
def one_tier() -> Guest:
    return run_hotplug(ONE_TIER_STEPS, name="hotplug-one-tier", machine=ONE_TIER)


@pytest.fixture(scope="module")
def dimm() -> Guest:
    return run_hotplug(ONE_TIER_STEPS + DIMM_STEPS, name="hotplug-dimm", machine=DIMM)


def test_waits_for_slow_memory(follow: Guest) -> None:
    assert log_has(follow, "pghot: all memory is in one tier (nodes 0)")
    assert answers(follow, "gone.before")


@pytest.mark.parametrize("name", ("first", "second"))
def test_thread_follows_the_node(follow: Guest, name: str) -> None:
    assert answers(follow, f"runs.{name}")
    assert answers(follow, f"gone.{name}")


@pytest.mark.parametrize("name", ("first", "second"))
def test_new_memory_is_promoted_from(follow: Guest, name: str) -> None:
    result = micro(follow, name)
    change = difference(follow, f"before.{name}", f"after.{name}")
    assert result["verified"] is True
    assert result["pages_per_node"]["0"] > 0.9 * PAGES, result["pages_per_node"]
    assert change["pghot_promoted"] > 0.9 * PAGES
    assert change["pgpromote_success"] == change["pghot_promoted"]


def test_balancing_pauses_when_slow_memory_comes(follow: Guest) -> None:
    """All CPUs are on one node. What is set after that stays."""
    assert follow.report.text("balancing.alone").strip() == "1"
    assert answers(follow, "balancing.pauses")
    assert follow.report.text("balancing.stays").strip() == "1"


def test_going_harms_nobody_elsewhere(follow: Guest) -> None:
    assert micro(follow, "elsewhere")["verified"] is True


def test_churn_survives_blocks_that_go(churn: Guest) -> None:
    assert len(churn.report.text("free").split()) >= 4
    assert int(churn.report.text("laps")) >= 1
    assert churn.report.text("churn") == "0"


def test_blocks_that_go_do_not_stop_promotion(churn: Guest) -> None:
    assert difference(churn, "before.churn", "after.churn")["pghot_promoted"] > 5000
    assert micro(churn, "again")["verified"] is True
    assert difference(churn, "before.again", "after.again")["pghot_promoted"] > 0.9 * PAGES


@pytest.mark.parametrize("name", ("follow", "churn"))
def test_nothing_stays_isolated(name: str, request: pytest.FixtureRequest) -> None:
    after = counters(request.getfixturevalue(name), "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0


def test_cycles_leave_nothing(cycles: Guest) -> None:
    assert answers(cycles, "runs")
    assert answers(cycles, "runs.after")
    assert leaks(cycles, CYCLES // 2) == {}


def test_unloads_while_blocks_go(unload: Guest) -> None:
    assert unload.report.text("churn") == "0"
    assert int(unload.report.text("laps")) >= 1


def test_named_nodes_are_slow(one_tier: Guest) -> None:
    assert answers(one_tier, "runs")
    change = difference(one_tier, "before.named", "after.named")
    assert change["pghot_promoted"] >= PROMOTED


def test_named_node_goes_and_comes_back(dimm: Guest) -> None:
    assert answers(dimm, "gone")
    assert answers(dimm, "back")
    for name in ("named", "back"):
        change = difference(dimm, f"before.{name}", f"after.{name}")
        assert change["pghot_promoted"] >= PROMOTED
