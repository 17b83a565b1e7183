# SPDX-License-Identifier: GPL-2.0
"""The guest's programs refuse a bad argument by its name, before they do anything."""

import subprocess

import pytest

from pghotlab.base import paths


@pytest.mark.parametrize(
    ("program", "argument", "error"),
    [
        ("micro", "--provision=8", "--provision: 8 is not within 0..7"),
        ("micro", "--provision=fast", "--provision: 'fast' is not a whole number"),
        ("micro", "--threads=0", "--threads: 0 is not within 1..256"),
        ("micro", "--pattern=odd", "--pattern: 'odd' is not one of even, normal, linear"),
        ("micro", "64M", "64M: is not an option"),
        ("graph500", "--provision=8", "--provision: 8 is not within 0..7"),
        ("graph500", "--scale=31", "--scale: 31 is not within 6..30"),
        ("graph500", "--scenario=far", "--scenario: 'far' is not one of migrated, direct"),
        ("redisload", "--provision=8", "--provision: 8 is not within 0..7"),
        ("redisload", "--pattern=odd", "--pattern: 'odd' is not one of even, normal"),
        ("tlbflush", "99", "US: 99 is not within 100..1000000"),
    ],
)
def test_bad_argument(program: str, argument: str, error: str) -> None:
    path = paths.GUEST_BUILD / program
    run = subprocess.run([path, argument], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"{program}: {error}\n")
