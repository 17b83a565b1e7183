# SPDX-License-Identifier: GPL-2.0
"""Tunables take what is in range through every door, and refuse the rest without changing."""

from dataclasses import dataclass

import pytest

from pghotlab.guest.vm import Guest
from support import run

MODES = ("default", "precise")
FUZZ_ROUNDS = 400
# Starting and stopping a source takes long.
FUZZ_ROUNDS_SOURCES = 150


@dataclass(frozen=True)
class Tunable:
    """A row of the table: default and range in each mode, and what doors it has."""

    initial: tuple[int, int]
    lowest: int
    highest: tuple[int, int]
    sysctl: bool = True
    debugfs: bool = True


# Of target_nid: the nodes of the machine; the test's own end is at their number. Of
# enabled_sources: the sources that this machine has, without an event for the next, 32.
TUNABLES = {
    "enabled_sources": Tunable((3, 3), 0, (31, 31)),
    "target_nid": Tunable((-1, -1), -1, (1, 1)),
    "freq_threshold": Tunable((2, 2), 1, (3, 7)),
    "promote_freq_window_ms": Tunable((3000, 5000), 1000, (3968, 16383), debugfs=False),
    "promote_rate_limit_MBps": Tunable((65536, 65536), 1, (1048576, 1048576), debugfs=False),
    "promote_threshold_window_ms": Tunable((60000, 60000), 1000, (60000, 60000), debugfs=False),
    "promote_cpu_percent": Tunable((50, 50), 1, (100, 100), debugfs=False),
    "kmigrated_sleep_ms": Tunable((4, 4), 0, (1000, 1000), sysctl=False),
    "kmigrated_batch_nr": Tunable((512, 512), 64, (1024, 1024), sysctl=False),
    "hmu_threshold": Tunable((0, 0), 0, (1000000, 1000000), debugfs=False),
    "scan_cpu_percent": Tunable((50, 50), 1, (100, 100), debugfs=False),
    "perf_overhead_permille": Tunable((10, 10), 1, (1000, 1000), debugfs=False),
    "perf_period": Tunable((10000,) * 2, 1, (134217712,) * 2, sysctl=False, debugfs=False),
    "perf_period_min": Tunable((1000,) * 2, 1, (134217712,) * 2, sysctl=False, debugfs=False),
    "mprof_period": Tunable((10000, 10000), 5000, (134217727, 134217727), debugfs=False),
}
# What is beyond their ends is refused otherwise than by ERANGE.
BEYOND = {"target_nid": "EINVAL", "enabled_sources": "ENOENT"}


def doors(name: str) -> list[str]:
    """The files of a tunable."""
    files = [f"/sys/kernel/mm/pghot/{name}"]
    if TUNABLES[name].sysctl:
        files.append(f"/proc/sys/vm/pghot_{name}")
    if TUNABLES[name].debugfs:
        files.append(f"/sys/kernel/debug/pghot/{name}")
    return files


DOORS = [(name, door) for name in TUNABLES for door in doors(name)]


def good(name: str, mode: str) -> list[tuple[bytes, int]]:
    """Texts to be taken, and the values they stand for; the last is the highest."""
    lowest, highest = TUNABLES[name].lowest, TUNABLES[name].highest[MODES.index(mode)]
    return [
        (f"{lowest}".encode(), lowest),
        (f"{highest}\n".encode(), highest),
        (b"+1" if lowest <= 1 else f"+{lowest}".encode(), max(1, lowest)),
        (f"{highest:#x}\n".encode(), highest),
    ]


def bad(name: str, mode: str) -> list[tuple[bytes, str]]:
    """Texts to be refused, and the errors; the value is the highest before."""
    lowest, highest = TUNABLES[name].lowest, TUNABLES[name].highest[MODES.index(mode)]
    no_number = (
        *(b"\n", b" ", b"-", b"+", b"0x", b"ten", b"1.5", b"1 2", b"--1", b"\0", b"\377\376"),
        *(f"{lowest}{tail}".encode() for tail in ("x", " ", "\0", "\n\n", "\n1", "\0\n")),
        *(f"{head}{lowest}".encode() for head in (" ", "\n", "\0", "=")),
        f"{lowest:064}".encode(),
        b"0" * 5000,
    )
    no_int = (b"9" * 40, b"-" + b"9" * 40, b"2147483648", b"4294967297", b"18446744073709551617")
    beyond = f"{highest + 1}".encode()
    return [
        *((text, "EINVAL") for text in no_number),
        *((text, "ERANGE") for text in no_int),
        (beyond, BEYOND.get(name, "ERANGE")),
        (b"134217728", "ERANGE"),
        (f"{lowest - 1}".encode(), "ERANGE"),
    ]


def put(texts: list[bytes], files: list[str]) -> str:
    """A shell command that writes each text to the first file and shows all of them."""
    octal = "".join(f"\\{byte:03o}" for text in texts for byte in text + b"\036")
    return f"printf '{octal}' | put {' '.join(files)}"


def mode_steps(mode: str) -> list[str]:
    """Steps that use every door in one mode, and fuzz it."""
    lines = [
        f"phase {mode}",
        f"insmod /lib/pghot.ko enabled_sources=3 mode={mode}",
        "sysctl=/proc/sys/vm/pghot_",
    ]
    lines += [f"cat $PGHOT/{name} | report {mode}.{name}" for name in ("mode", "slow_nodes")]
    for name, door in DOORS:
        files = [door, *(other for other in doors(name) if other != door)]
        lines.append(f"cat {' '.join(files)} | tr '\\n' ' ' | report {mode}.{door}.initial")
        for kind, pairs in (("good", good(name, mode)), ("bad", [*bad(name, mode), (b"", "")])):
            texts = [text for text, _ in pairs]
            lines.append(f"{put(texts, files)} | report {mode}.{door}.{kind}")
        initial = TUNABLES[name].initial[MODES.index(mode)]
        lines.append(f"set_value {door} {initial}")
    for seed, (name, door) in enumerate(DOORS):
        highest = TUNABLES[name].highest[MODES.index(mode)]
        rounds = FUZZ_ROUNDS_SOURCES if name == "enabled_sources" else FUZZ_ROUNDS
        ends = f"{TUNABLES[name].lowest} {highest}"
        lines.append(
            f"fuzz_tunable {door} {ends} {rounds} {seed} | report {mode}.{door}.fuzz || true"
        )
    lines += [
        # One byte at a time, as a shell's `read` does.
        "dd if=${sysctl}promote_rate_limit_MBps bs=1 2>/dev/null | "
        f"cmp - $PGHOT/promote_rate_limit_MBps && echo same | report {mode}.bytewise",
        # The second is not at the start of the file.
        "{ printf 2; printf 3; } 2>/dev/null >${sysctl}freq_threshold || true",
        f"cat $PGHOT/freq_threshold | report {mode}.twice",
        "rmmod pghot",
        "[ ! -e $PGHOT ] && [ ! -e /sys/kernel/debug/pghot ]",
        "[ ! -e ${sysctl}freq_threshold ]",
    ]
    return lines


@pytest.fixture(scope="module")
def guest() -> Guest:
    lines = [line for mode in MODES for line in mode_steps(mode)]
    return run("\n".join(lines), name="tunables", timeout=600)


@pytest.mark.parametrize("mode", MODES)
def test_load_only(guest: Guest, mode: str) -> None:
    assert guest.report.text(f"{mode}.mode") == mode
    assert guest.report.text(f"{mode}.slow_nodes") == "1"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "door"), DOORS)
def test_default(guest: Guest, mode: str, name: str, door: str) -> None:
    values = guest.report.text(f"{mode}.{door}.initial").split()
    assert set(values) == {str(TUNABLES[name].initial[MODES.index(mode)])}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "door"), DOORS)
def test_good_values_are_taken_for_all_doors(guest: Guest, mode: str, name: str, door: str) -> None:
    lines = guest.report.text(f"{mode}.{door}.good").splitlines()
    for (text, value), line in zip(good(name, mode), lines, strict=True):
        assert line == " ".join(["taken", *[str(value)] * len(doors(name))]), text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "door"), DOORS)
def test_bad_values_are_refused(guest: Guest, mode: str, name: str, door: str) -> None:
    # An empty write does not reach a file of sysfs.
    empty = "taken" if door.startswith("/sys/kernel/mm/") else "EINVAL"
    lines = guest.report.text(f"{mode}.{door}.bad").splitlines()
    value = str(TUNABLES[name].highest[MODES.index(mode)])
    for (text, error), line in zip([*bad(name, mode), (b"", empty)], lines, strict=True):
        assert line == " ".join([error, *[value] * len(doors(name))]), text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "door"), DOORS)
def test_fuzzed(guest: Guest, mode: str, name: str, door: str) -> None:
    rounds = FUZZ_ROUNDS_SOURCES if name == "enabled_sources" else FUZZ_ROUNDS
    (line,) = guest.report.text(f"{mode}.{door}.fuzz").splitlines()
    written, taken = (int(word) for word in line.split() if word.isdigit())
    assert written == rounds
    assert rounds / 10 < taken < rounds


@pytest.mark.parametrize("mode", MODES)
def test_sysctl_reads_byte_by_byte(guest: Guest, mode: str) -> None:
    assert guest.report.text(f"{mode}.bytewise") == "same"


@pytest.mark.parametrize("mode", MODES)
def test_sysctl_takes_whole_values_only(guest: Guest, mode: str) -> None:
    assert guest.report.text(f"{mode}.twice") == "2"
