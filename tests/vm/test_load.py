# SPDX-License-Identifier: GPL-2.0
"""When pghot refuses to load, and when it has nothing to do, it says why."""

from pathlib import Path

import pytest

from pghotlab.vm import Guest
from support import BUILT, built_files, log_has, run

HERE = Path(__file__).parent


def without_symbol(symbol: str) -> Path:
    """A pghot.ko that looks for a symbol that no kernel has, of the same length."""
    module = built_files()["lib/pghot.ko"].read_bytes()
    assert module.count(f"\0{symbol}\0".encode()) >= 1
    broken = BUILT / "missing-symbol.ko"
    broken.write_bytes(module.replace(f"\0{symbol}\0".encode(), f"\0{symbol[:-2]}__\0".encode()))
    return broken


STEPS = """
# load NAME FILE ARGUMENTS...: its exit status, and whether anything is left of it
load()
{
	name=$1
	shift
	status=0
	insmod "$@" || status=$?
	[ -d $PGHOT ] && left=yes || left=no
	echo "$status $left" | report "$name"
	rmmod pghot 2>/dev/null || true
}

load good /lib/pghot.ko
load missing /lib/missing-symbol.ko
insmod /lib/diverter.ko
load taken /lib/pghot.ko
load taken_but_off /lib/pghot.ko enabled_sources=0
rmmod diverter
load threshold /lib/pghot.ko freq_threshold=4
load window /lib/pghot.ko freq_window_ms=999
load batch /lib/pghot.ko kmigrated_batch_nr=many
load negative /lib/pghot.ko kmigrated_sleep_ms=-1
load source /lib/pghot.ko enabled_sources=0x80000000
load unknown /lib/pghot.ko target_nid=0
load again /lib/pghot.ko
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    files = {"lib/missing-symbol.ko": without_symbol("zone_watermark_ok")}
    return run(STEPS, name="load", files=files)


@pytest.mark.parametrize("name", ("good", "taken_but_off", "unknown", "again"))
def test_loads(guest: Guest, name: str) -> None:
    assert guest.report.text(name) == "0 yes"


@pytest.mark.parametrize(
    "name", ("missing", "taken", "threshold", "window", "batch", "negative", "source")
)
def test_refuses(guest: Guest, name: str) -> None:
    status, left = guest.report.text(name).split()
    assert status != "0"
    assert left == "no"


def test_names_the_missing_symbol(guest: Guest) -> None:
    assert log_has(guest, "pghot: this kernel has no symbol zone_watermark__")


def test_names_the_taken_diversion(guest: Guest) -> None:
    assert log_has(guest, "pghot: should_numa_migrate_memory is diverted already")


@pytest.mark.parametrize(
    ("name", "value"),
    (
        ("freq_threshold", "4"),
        ("freq_window_ms", "999"),
        ("kmigrated_batch_nr", "many"),
        ("kmigrated_sleep_ms", "-1"),
        ("enabled_sources", "0x80000000"),
    ),
)
def test_names_the_wrong_parameter(guest: Guest, name: str, value: str) -> None:
    assert log_has(guest, f"pghot: `{value}' invalid for parameter `{name}'")


def test_one_tier_is_said_and_left_alone() -> None:
    steps = """
insmod /lib/pghot.ko
[ ! -d $PGHOT ]
[ -z "$(pidof kmigrated0 kmigrated1)" ]
rmmod pghot
"""
    guest = run(steps, name="one-tier", machine=HERE / "one-tier.toml")
    assert log_has(guest, "pghot: all memory is in one tier (nodes 0-1), nothing to do")
