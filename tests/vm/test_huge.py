# SPDX-License-Identifier: GPL-2.0
"""Huge pages that are all in use: hot ones take the place of those that are used less."""

import pytest

from pghotlab.guest.vm import Guest
from support import FILL, difference, micro, run_modelled

HUGE_PAGE = 512  # base pages
HOT = 32 * HUGE_PAGE
MOST = HOT * 2 // 3

# All but 128 MiB of the fast node is taken by somebody who has locked it, and does nothing. A
# program has 192 MiB, of which 64 are hot, and on the slow node at first. The others are used
# several thousand times a second each, so that there is none that stays idle from one look to the
# next.
STEPS = (
    FILL
    + f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled madvise
set_value /sys/kernel/mm/numa/demotion_enabled 1
set_value $NUMAB 0
hog 0 $(($(free_megabytes 0) - 128)) lock >/tmp/locked &
until grep -q ready /tmp/locked 2>/dev/null; do usleep 100000; done
tlbflush 2000 >/dev/null
insmod /lib/pghot.ko
modelled_work "--bytes $((192 << 20)) --hot-bytes $(({HOT} * 4096)) --hot-share 90 --bind hot \\
	--pages thp --write-share 50 --accesses 6000000"
"""
)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run_modelled(STEPS, name="huge")


def test_what_works_is_whole(guest: Guest) -> None:
    assert micro(guest, "micro")["verified"] is True


def test_hot_ones_are_promoted(guest: Guest) -> None:
    """Also where a page is used again between the look that found it idle and its demotion."""
    assert difference(guest, "before", "after")["pghot_promoted"] > MOST


def test_they_take_the_place_of_others(guest: Guest) -> None:
    """pghot demotes them. kswapd, which it wakes, may have done a part of it."""
    change = difference(guest, "before", "after")
    assert change["pghot_demoted"] > 0
    assert change["pgdemote_kswapd"] > MOST


def test_few_go_back_and_forth(guest: Guest) -> None:
    """With six seeds, 0 to 9 of 32 hot pages came up soon after they had gone down.

    In twelve such runs a hot page was moved up 1.0 to 1.5 times, and 1.0 to 1.6 pages went down for
    it, as room is made ahead. It was up to nine times before pages in use were told from idle ones.
    """
    change = difference(guest, "before", "after")
    assert change["pghot_bounced"] < HOT // HUGE_PAGE // 2
    assert change["pghot_promoted"] < 2 * HOT
    assert change["pghot_demoted"] < 2 * HOT
