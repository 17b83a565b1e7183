# SPDX-License-Identifier: GPL-2.0
"""When pghot refuses to load, and when it has nothing to do, it says why."""

import errno
from pathlib import Path

import pytest

from pghotlab.base import descriptors
from pghotlab.guest.vm import Guest
from pghotlab.setup.kernels import load_kernels
from support import FTRACE_STOPS, changed, ftrace_stops, log_has, run, without_symbol

HERE = Path(__file__).parent
OLDEST, *_, NEWEST = load_kernels()


# Exit status of insmod: the kernel's error.
INVALID = errno.EINVAL
RANGE = errno.ERANGE
ALL_SOURCES = sum(1 << source.bit for source in descriptors.sources())
# Loads that must fail for want of something in the kernel.
REFUSED = {
    # Not ENOENT, which modprobe calls an unknown symbol.
    "no_event": errno.ENODEV,
    "missing": errno.ENOENT,
    "missing_diverted": errno.ENODEV,
    "taken": errno.EBUSY,
    "untested": errno.EOPNOTSUPP,
    "ftrace_off_early": errno.EINVAL,
    **({"ftrace_off": errno.EBUSY} if FTRACE_STOPS else {}),
}
# Parameters that must not be taken: why, and what the log says after "pghot: ".
WRONG = {
    "freq_threshold=4": (RANGE, "freq_threshold=4: must be a number from 1 to 3"),
    "freq_threshold=0": (RANGE, "freq_threshold=0: must be a number from 1 to 3"),
    "freq_threshold=8 mode=precise": (RANGE, "freq_threshold=8: must be a number from 1 to 7"),
    "mode=default freq_threshold=7": (RANGE, "freq_threshold=7: must be a number from 1 to 3"),
    "promote_freq_window_ms=999": (
        RANGE,
        "promote_freq_window_ms=999: must be a number from 1000 to 3968",
    ),
    "promote_freq_window_ms=16384 mode=precise": (
        RANGE,
        "promote_freq_window_ms=16384: must be a number from 1000 to 16383",
    ),
    "promote_rate_limit_MBps=0": (
        RANGE,
        "promote_rate_limit_MBps=0: must be a number from 1 to 1048576",
    ),
    "promote_threshold_window_ms=60001": (
        RANGE,
        "promote_threshold_window_ms=60001: must be a number from 1000 to 60000",
    ),
    "kmigrated_batch_nr=many": (
        INVALID,
        "kmigrated_batch_nr=many: must be a number from 64 to 1024",
    ),
    "kmigrated_batch_nr=": (INVALID, "kmigrated_batch_nr=: must be a number from 64 to 1024"),
    "kmigrated_sleep_ms=-1": (RANGE, "kmigrated_sleep_ms=-1: must be a number from 0 to 1000"),
    "enabled_sources=0x80000000": (
        RANGE,
        f"enabled_sources=0x80000000: must be a sum of bits of {ALL_SOURCES:#x}",
    ),
    f"enabled_sources={ALL_SOURCES + 1}": (
        RANGE,
        f"enabled_sources={ALL_SOURCES + 1}: must be a sum of bits of {ALL_SOURCES:#x}",
    ),
    "target_nid=2": (INVALID, "target_nid=2: must be -1 or a node with memory (0-1)"),
    "target_nid=-2": (RANGE, "target_nid=-2: must be -1 or a node with memory (0-1)"),
    "mode=fast": (INVALID, "mode=fast: must be default or precise"),
    "mode=": (INVALID, "mode=: must be default or precise"),
    "slow_nodes=2": (
        INVALID,
        "slow_nodes=2: must be a list of nodes (0-1), but not of all with memory (0-1)",
    ),
    "slow_nodes=0-1": (
        INVALID,
        "slow_nodes=0-1: must be a list of nodes (0-1), but not of all with memory (0-1)",
    ),
    "slow_nodes=1x": (
        INVALID,
        "slow_nodes=1x: must be a list of nodes (0-1), but not of all with memory (0-1)",
    ),
    "slow_nodes=0": (
        INVALID,
        "slow_nodes=0: node 0 has CPUs; slow_nodes_force=1 takes it all the same",
    ),
    "slow_nodes=5000": (
        RANGE,
        "slow_nodes=5000: must be a list of nodes (0-1), but not of all with memory (0-1)",
    ),
}
# Parameters that must be taken, and mode, freq_threshold and window then.
RIGHT = {
    "mode=default": "default 2 3000",
    "mode=precise": "precise 2 5000",
    "freq_threshold=7 mode=precise": "precise 7 5000",
    "mode=precise freq_threshold=0x7": "precise 7 5000",
    "promote_freq_window_ms=16383 freq_threshold=1 mode=precise": "precise 1 16383",
    "promote_freq_window_ms=3968 mode=default": "default 2 3968",
    "freq_threshold=3 freq_threshold=1": "default 1 3000",
    "slow_nodes=1 target_nid=0": "default 2 3000",
    "slow_nodes=0 slow_nodes_force=1": "default 2 3000",
    "enabled_sources=1": "default 1 3000",
    "enabled_sources=3": "default 2 3000",
    "enabled_sources=1 freq_threshold=2": "default 2 3000",
    "slow_nodes= target_nid=-1": "default 2 3000",
    "no_such_thing=0": "default 2 3000",
}
LOADS = "\n".join(
    f"load '{parameters}' /lib/pghot.ko {parameters}" for parameters in (*WRONG, *RIGHT)
)
# The function of which hint faults are made.
DIVERTED = "should_numa_migrate_memory"
# What pghot can do without, and what it says then.
OPTIONAL = {
    "next_demotion_node": "demote_to_swap stays 0: cannot tell whether nodes demote",
    "alloc_migration_target": "demote_second_chance stays 0: cannot watch alloc_migration_targ__",
    "mm_vmscan_write_folio": "demote_to_swap stays 0: cannot watch mm_vmscan_write_fol__",
    "sysctl_numa_balancing_scan_size": (
        "this kernel has no symbol sysctl_numa_balancing_scan_si__, which pghot can do without"
    ),
}

STEPS = f"""
# load NAME FILE ARGUMENTS...: its exit status, and whether anything is left of it
load()
{{
	name=$1
	shift
	status=0
	insmod "$@" || status=$?
	[ -d $PGHOT ] && left=yes || left=no
	if [ $left = yes ]; then
		cat $PGHOT/mode $PGHOT/freq_threshold $PGHOT/promote_freq_window_ms |
			tr '\\n' ' ' | report "$name.values"
	fi
	echo "$status $left" | report "$name"
	rmmod pghot 2>/dev/null || true
}}

load good /lib/pghot.ko
load untested /lib/changed-newest.ko
load untested_wanted /lib/changed-newest.ko untested_kernel=1
load tested_wanted /lib/pghot.ko untested_kernel=1
load no_event /lib/pghot.ko enabled_sources=32
load missing /lib/without-zone_watermark_ok.ko
load missing_diverted /lib/without-{DIVERTED}.ko enabled_sources=3
load missing_diverted_auto /lib/without-{DIVERTED}.ko
load missing_optional /lib/without-next_demotion_node.ko
load missing_function /lib/without-alloc_migration_target.ko
load missing_tracepoint /lib/without-mm_vmscan_write_folio.ko
load missing_limit /lib/without-sysctl_numa_balancing_scan_size.ko
insmod /lib/diverter.ko
load taken /lib/pghot.ko enabled_sources=3
load taken_but_off /lib/pghot.ko enabled_sources=0
load taken_auto /lib/pghot.ko
rmmod diverter

# Looking for symbols leaves no trace in ftrace: else its next user would kill it by leaving.
FTRACE=/proc/sys/kernel/ftrace_enabled
ftrace 0
load ftrace_off_early /lib/pghot.ko mode=fast
ftrace 1
insmod /lib/diverter.ko
rmmod diverter

ftrace 0
load ftrace_off /lib/pghot.ko enabled_sources=3
load ftrace_off_auto /lib/pghot.ko
insmod /lib/pghot.ko enabled_sources=2
refused $PGHOT/enabled_sources 3 | report ftrace_off.sources
ftrace 1
set_value $PGHOT/enabled_sources 3
rmmod pghot
insmod /lib/pghot.ko enabled_sources=3
refused $FTRACE 0 | report ftrace_on.loaded
set_value $PGHOT/enabled_sources 0

# What is only counted keeps nobody from switching ftrace off, in each order of events.
# off_and_on STEPS...: with ftrace off; then it must be as good as before
off_and_on()
{{
	if ! echo 0 2>/dev/null >$FTRACE; then
		echo "refused, then: $*"
		return
	fi
	"$@"
	ftrace 1
	insmod /lib/diverter.ko
	rmmod diverter
	set_value $PGHOT/enabled_sources 27
	refused $FTRACE 0
	set_value $PGHOT/enabled_sources 0
}}
switch_sources()
{{
	for source in 1 8 16 27; do
		refused $PGHOT/enabled_sources $source
	done
	set_value $PGHOT/enabled_sources 4
	set_value $PGHOT/enabled_sources 0
}}
load_anew()
{{
	rmmod pghot
	insmod /lib/pghot.ko enabled_sources=0
}}
{{
	off_and_on switch_sources
	off_and_on load_anew
}} | report ftrace_off.counting
rmmod pghot
ftrace 0
insmod /lib/pghot.ko enabled_sources=0
rmmod pghot
ftrace 1
insmod /lib/diverter.ko
rmmod diverter
{LOADS}
load again /lib/pghot.ko
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    broken = [without_symbol(symbol) for symbol in ("zone_watermark_ok", DIVERTED, *OPTIONAL)]
    # To this module, which is tested with no kernel, each one is too new.
    broken.append(changed("newest", NEWEST, "6.1"))
    return run(STEPS, name="load", files={f"lib/{path.name}": path for path in broken})


@pytest.mark.parametrize(
    "name",
    (
        "good",
        "untested_wanted",
        "tested_wanted",
        "taken_but_off",
        # The policy does without a source that it would like, and cannot have.
        "missing_diverted_auto",
        "taken_auto",
        "ftrace_off_auto",
        "again",
        "missing_optional",
        "missing_function",
        "missing_tracepoint",
        "missing_limit",
    ),
)
def test_loads(guest: Guest, name: str) -> None:
    assert guest.report.text(name) == "0 yes"


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(guest: Guest, name: str) -> None:
    assert guest.report.text(name) == f"{REFUSED[name]} no"


def test_untested_kernels_are_named_with_the_range(guest: Guest) -> None:
    reason = f"this kernel is {guest.kernel}, and pghot was tested with {OLDEST} to 6.1"
    lines = [line.partition("pghot: ")[2] for line in guest.console]
    assert f"{reason}: untested_kernel=1 loads it all the same" in lines
    assert reason in lines
    assert not log_has(guest, f"was tested with {OLDEST} to {NEWEST}")


def test_names_the_missing_symbol(guest: Guest) -> None:
    assert log_has(guest, "pghot: this kernel has no symbol zone_watermark__")


@pytest.mark.parametrize("symbol", OPTIONAL)
def test_says_what_is_off_without(guest: Guest, symbol: str) -> None:
    assert log_has(guest, f"pghot: {OPTIONAL[symbol]}")


def test_names_the_missing_function(guest: Guest) -> None:
    assert log_has(guest, f"pghot: this kernel has no function {DIVERTED[:-2]}__ to divert")


def test_names_the_taken_diversion(guest: Guest) -> None:
    assert log_has(guest, f"pghot: {DIVERTED} is diverted already")


@ftrace_stops
def test_says_that_ftrace_is_off(guest: Guest) -> None:
    assert log_has(guest, f"pghot: cannot divert {DIVERTED} while kernel.ftrace_enabled is 0")
    assert not log_has(guest, "cannot watch alloc_migration_target (-16)")
    assert guest.report.text("ftrace_off.sources") == ""


@ftrace_stops
def test_ftrace_stays_on_for_sources(guest: Guest) -> None:
    assert guest.report.text("ftrace_on.loaded") == ""


@ftrace_stops
def test_ftrace_may_be_switched_off_without_sources(guest: Guest) -> None:
    assert guest.report.text("ftrace_off.counting") == ""


@pytest.mark.parametrize("parameters", WRONG)
def test_wrong_parameters_are_named(guest: Guest, parameters: str) -> None:
    error, log = WRONG[parameters]
    assert guest.report.text(parameters) == f"{error} no"
    assert log_has(guest, f"pghot: {log}")


@pytest.mark.parametrize("parameters", RIGHT)
def test_right_parameters_are_taken(guest: Guest, parameters: str) -> None:
    assert guest.report.text(parameters) == "0 yes"
    assert guest.report.text(f"{parameters}.values").strip() == RIGHT[parameters]


# Loads that the kernel's log tells nothing of but why they failed.
SILENT = """
insmod /lib/pghot.ko enabled_sources=32 || true
insmod /lib/pghot.ko slow_nodes=0 || true
dmesg | grep 'pghot: ' | report log
"""


def test_a_load_that_fails_tells_only_why() -> None:
    guest = run(SILENT, name="silent")
    lines = guest.report.text("log").splitlines()
    said = {line.partition("pghot: ")[2] for line in lines}
    # The kernel's own words about a module, and what is said before parameters are looked at.
    words = ("taint", "types of this kernel", "does not describe its types")
    general = {text for text in said if any(word in text for word in words)}
    assert said - general == {
        "performance counters: not available, because perf_event is none: pghot-events shows "
        "what there is",
        "slow_nodes=0: node 0 has CPUs; slow_nodes_force=1 takes it all the same",
    }


def test_slow_nodes_that_look_fast_are_refused() -> None:
    """Node 1 is nearer than node 2, and both are in the tier below node 0."""
    steps = """
insmod /lib/pghot.ko slow_nodes=1 && exit 1
insmod /lib/pghot.ko slow_nodes=1 slow_nodes_force=1
rmmod pghot
insmod /lib/pghot.ko slow_nodes=2
rmmod pghot
insmod /lib/pghot.ko slow_nodes=1-2
"""
    guest = run(steps, name="inverted", machine=HERE / "two-slow.toml")
    assert log_has(guest, "slow_nodes=1: node 1 is nearer to CPUs than node 2, which would be fast")
    assert log_has(guest, "pghot: promoting from node 1 to fast nodes (0,2)")
    assert log_has(guest, "pghot: promoting from node 2 to fast nodes (0-1)")
    assert log_has(guest, "pghot: promoting from node 2 to fast nodes (0)")


def test_one_tier_is_said_and_left_alone() -> None:
    steps = """
insmod /lib/pghot.ko
[ -z "$(cat $PGHOT/slow_nodes)" ]
[ -z "$(pidof kmigrated0 kmigrated1)" ]
rmmod pghot

# The administrator knows better.
insmod /lib/pghot.ko enabled_sources=0 slow_nodes=1 slow_nodes_force=1
[ "$(cat $PGHOT/slow_nodes)" = 1 ]
[ -n "$(pidof kmigrated1)" ]
rmmod pghot
"""
    guest = run(steps, name="one-tier", machine=HERE / "one-tier.toml")
    assert log_has(guest, "pghot: all memory is in one tier (nodes 0-1), nothing to do")
