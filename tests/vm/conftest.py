# SPDX-License-Identifier: GPL-2.0
"""The order of the tests in the guest: pytest reads this file by its name."""

import pytest

# Files whose guests take minutes: last, they would run with nothing beside them.
LONGEST = (
    *("test_stress", "test_inject", "test_mglru", "test_promotion", "test_accessed"),
    *("test_demotion", "test_pagecache", "test_trace", "test_tunables", "test_soak"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest; else in the order of names."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)
