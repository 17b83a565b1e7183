# SPDX-License-Identifier: GPL-2.0
"""What a healthy guest never prints: one list of patterns, looked for in the kernel log."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# What the kernel says when it finds itself broken. Matched anywhere in a line.
# KFENCE, KASAN, lockdep, soft lockups and bad pages all begin with BUG or WARNING.
BAD_PATTERNS = (
    r"\bWARNING: ",
    # Of data races, those of pghot only: the kernel has many of its own.
    r"\bBUG:? (?!KCSAN: )",
    r"\bBUG: KCSAN: .*\[pghot\]",
    r"\bOops\b",
    r"\bKernel panic\b",
    r"\bUBSAN: ",
    r"\bunable to handle\b",
    r"\bgeneral protection fault\b",
    r"\bsegfault at\b",
    r"\btraps: ",
    r"\bINFO: task .* blocked for more than\b",
    r"\brcu.*\bdetected (?:expedited )?stalls?\b",
    r"\brcu.*\bself-detected stall\b",
    r"\brcu.*\bkthread starved\b",
    r"\bhard LOCKUP\b",
    r"\bdouble fault\b",
    r"\blist_(?:add|del) corruption\b",
    r"\brefcount_t: ",
    r"\bSlab cache still has objects\b",
    r"\bunreferenced object\b",
    r"\bODEBUG: ",
    r"\bINFO: lockdep is turned off\b",
    r"\bINFO: trying to register non-static key\b",
    r"\bkmemleak: .*(?:disabled|empty)\b",
    r"\bOut of memory: Killed\b",
    r"\btsc: Marking TSC unstable\b",
)
_BAD = re.compile("|".join(f"(?:{pattern})" for pattern in BAD_PATTERNS))
_KERNEL_RACE = re.compile(r"\bBUG: KCSAN: (?!.*\[pghot\])(.*)")
_TIME = re.compile(r"^\[\s*(\d+\.\d+)\]")
_PHASE = re.compile(r"lab: phase (.*)")


@dataclass(frozen=True)
class BadLine:
    """A bad line of the log, numbered from 1."""

    number: int
    text: str


def find_bad(lines: list[str]) -> BadLine | None:
    """The first bad line, if any."""
    for number, line in enumerate(lines, 1):
        if _BAD.search(line):
            return BadLine(number, line)
    return None


def kernel_races(lines: Sequence[str]) -> Counter[str]:
    """Data races in which no function of pghot takes part, and how often each was reported."""
    found = (_KERNEL_RACE.search(line) for line in lines)
    return Counter(race.group(1).strip() for race in found if race)


def guest_seconds(lines: list[str]) -> float:
    """The guest's clock in the last line that shows it, seconds since boot."""
    for line in reversed(lines):
        found = _TIME.match(line)
        if found:
            return float(found.group(1))
    return 0.0


def last_phase(lines: list[str]) -> str:
    """The phase that the steps announced last; "boot" before the first."""
    for line in reversed(lines):
        found = _PHASE.search(line)
        if found:
            return found.group(1)
    return "boot"
