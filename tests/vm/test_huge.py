# SPDX-License-Identifier: GPL-2.0
"""A small fast node, and memory that is all in use: who takes whose place, and who nobody's."""

import pytest

from pghotlab.base import paths
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import load_machine
from support import DEBUG, FILL, PRELUDE, built_files, difference, micro

HUGE_PAGE = 512  # base pages
HOT = 32 * HUGE_PAGE
MOST = HOT * 2 // 3
FEW = 2 * HUGE_PAGE
AHEAD = 8 * HUGE_PAGE

# All but 128 MiB of the fast node is taken by somebody who has locked it, and does nothing. A
# program has 192 MiB. First in huge pages: 64 MiB are hot, and on the slow node at first. The
# others are used several thousand times a second each, so that there is none that stays idle from
# one look to the next. Then it uses all of its memory alike.
STEPS = (
    FILL
    + f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled madvise
set_value /sys/kernel/mm/numa/demotion_enabled 1
set_value $NUMAB 0
hog 0 $(($(free_megabytes 0) - 128)) lock >/tmp/locked &
until grep -q ready /tmp/locked 2>/dev/null; do usleep 100000; done
tlbflush 2000 >/dev/null
mark arm

# work NAME [OPTION]...: with pghot, and the counters around it
work()
{{
	name=$1
	shift
	insmod /lib/pghot.ko
	counters | report $name.before
	micro --threads 4 --bytes $((192 << 20)) --provision 1 --cpus-node 0 --write-share 50 "$@" \\
		>/tmp/micro
	counters | report $name.after
	report $name </tmp/micro
	rmmod pghot
}}

work hot --pages thp --hot-bytes $(({HOT} * 4096)) --hot-share 90 --bind hot --accesses 6000000
work even.thp --pages thp --bind none --accesses 3000000
work even.4k --pages 4k --bind none --accesses 3000000
mark rest
"""
)


@pytest.fixture(scope="module")
def guest() -> Guest:
    if DEBUG:
        pytest.skip("the memory model is calibrated with the stock kernel")
    return boot(
        load_machine("dram-pmem"),
        PRELUDE + STEPS,
        timeout=600,
        modules=built_files(),
        plugin=paths.PLUGIN,
        folder=paths.BUILD / "vm" / "huge",
    )


@pytest.mark.parametrize("name", ("hot", "even.thp", "even.4k"))
def test_what_works_is_whole(guest: Guest, name: str) -> None:
    assert micro(guest, name)["verified"] is True


def moved(guest: Guest, name: str) -> tuple[int, int]:
    """Base pages that were promoted and that were demoted."""
    change = difference(guest, f"{name}.before", f"{name}.after")
    return change["pghot_promoted"], change["pghot_demoted"]


def test_hot_ones_are_promoted(guest: Guest) -> None:
    assert moved(guest, "hot")[0] > MOST


def test_they_take_the_place_of_others(guest: Guest) -> None:
    """Also where a page is used again between the look that found it idle and its demotion."""
    assert moved(guest, "hot")[1] > MOST


def test_few_go_back_and_forth(guest: Guest) -> None:
    assert max(moved(guest, "hot")) < 2 * HOT


@pytest.mark.parametrize("name", ("even.thp", "even.4k"))
def test_nobody_takes_the_place_of_his_like(guest: Guest, name: str) -> None:
    """And locked memory, which is idle, has no place to give."""
    promoted, demoted = moved(guest, name)
    assert promoted < FEW
    # Room is made ahead for a few hot pages that there always are.
    assert demoted < FEW + AHEAD
