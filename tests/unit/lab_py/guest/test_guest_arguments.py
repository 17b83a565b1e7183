# SPDX-License-Identifier: GPL-2.0
"""The guest's programs refuse a bad argument by its name, and what can run here runs."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from pghotlab.base import paths
from scripted import program


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
        ("redisload", "--pattern=odd", "--pattern: 'odd' is not one of even, normal, zipf"),
        ("redisload", "--bind=hot", "--bind: 'hot' is not one of all, none"),
        ("tenants", "--tenants=129", "--tenants: 129 is not within 1..128"),
        ("tenants", "--reader=all", "--reader: 'all' is not one of none, rest, own"),
        ("tenants", "--pages=read", "--pages: 'read' is not one of 4k, thp"),
        ("tenants", "--threads=2", "--cpus-node: is needed: the node that is fast"),
        ("tlbflush", "99", "US: 99 is not within 100..1000000"),
    ],
)
def test_bad_argument(program: str, argument: str, error: str) -> None:
    path = paths.GUEST_BUILD / program
    run = subprocess.run([path, argument], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"{program}: {error}\n")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("1000 small 0", "PAGES: 1000 is not a power of two"),
        ("8 small 0", "PAGES: 8 is not within 16..1048576"),
        ("1024 tall 0", "tall: is not one of small, huge, sparse"),
        ("1024 small 8", "NODE: 8 is not within 0..7"),
    ],
)
def test_bad_argument_of_reach(arguments: str, error: str) -> None:
    command = [str(paths.GUEST_BUILD / "reach"), *arguments.split()]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"reach: {error}\n")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("both 64 0", "both: is not one of dependent, independent"),
        ("dependent 48 0", "MEGABYTES: 48 is not a power of two"),
        ("dependent 0 0", "MEGABYTES: 0 is not within 1..1048576"),
        ("independent 64 far", "NODE: 'far' is not a whole number"),
    ],
)
def test_bad_argument_of_misses(arguments: str, error: str) -> None:
    command = [str(paths.GUEST_BUILD / "misses"), *arguments.split()]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"misses: {error}\n")


def test_more_keys_than_can_be_ordered() -> None:
    options = "socket=x server=1 keys=16777217 value-bytes=8 requests=1 connections=1 pipeline=1"
    arguments = [f"--{option}" for option in f"{options} pattern=zipf".split()]
    command = [str(paths.GUEST_BUILD / "redisload"), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    error = "redisload: --keys: 16777217 is more than zipf can order, 16777216\n"
    assert (run.returncode, run.stdout, run.stderr) == (2, "", error)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("--hot-bytes=2M --moves=1", "--moves: 1 need 2 times --hot-bytes in --tenant-bytes"),
        ("--hot-bytes=8M", "--hot-bytes: is not a multiple of 4096 up to --tenant-bytes"),
        ("--hot-bytes=1M --spread=zipf", "--hot-bytes: is for --spread set only"),
        ("--reader=rest", "--reader: finds no rest beside --hot-bytes"),
        (
            "--fast-bytes=4M",
            "--fast-bytes: is not a multiple of the size of pages up to all memory",
        ),
        ("--pages=thp", "--tenant-bytes: is not a multiple of the size of pages"),
    ],
)
def test_tenants_sizes(arguments: str, error: str) -> None:
    command = [str(paths.GUEST_BUILD / "tenants"), "--cpus-node=0", "--tenant-bytes=3M"]
    run = subprocess.run(
        [*command, *arguments.split()], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"tenants: {error}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "--spread zipf",
        "--spread zipf --start hot --pages thp",
        "--hot-bytes 2M --moves 2",
        "--hot-bytes 2M --reader rest",
    ],
)
def test_tenants_leave_memory_as_it_was(tmp_path: Path, arguments: str) -> None:
    """Played and taken back by two threads, on the one node that any machine has."""
    command = [str(paths.GUEST_BUILD / "tenants"), "--cpus-node", "0", "--threads", "2"]
    # Long enough for a busy host to give the reader a CPU meanwhile.
    accesses = 10_000_000 if "--reader" in arguments else 100_000
    sizes = f"--tenant-bytes 8M --fast-bytes 4M --accesses {accesses}"
    program(tmp_path / "fast_nodes", "echo 0\n")
    run = subprocess.run(
        [*command, *sizes.split(), *arguments.split()],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    printed = json.loads(run.stdout)
    assert printed["verified"] is True
    assert printed["accesses"] == 2 * accesses
    # None of it is slow.
    assert printed["fast_pages_at_begin"] == 2048
    assert (printed["read_mbps"] > 0) == ("--reader" in arguments)


def test_receive_wants_a_name() -> None:
    path = paths.GUEST_BUILD / "receive"
    run = subprocess.run([path], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (2, "receive: wants the name of a file\n")
