# SPDX-License-Identifier: GPL-2.0
"""A short soak run, the same one each time: `make soak` runs longer ones."""

import pytest

from tests.soak.run import Outcome, soak
from tests.soak.schedule import draw

SEED = 1
SECONDS = 60


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return soak(draw(SEED, SECONDS), "soak")


def test_nothing_is_found(outcome: Outcome) -> None:
    assert outcome.findings == []


@pytest.mark.parametrize(
    "name",
    (
        *("keeper_pages_checked", "keeper_fork", "keeper_move", "keeper_rewrite"),
        *("groups_killed", "swap_cycles", "settings_taken", "loads", "unloads"),
        *("pgmigrate_success", "pgpromote_success", "pghot_promoted"),
    ),
)
def test_it_happened(outcome: Outcome, name: str) -> None:
    assert outcome.counts[name] > 0
