# SPDX-License-Identifier: GPL-2.0
"""What a healthy guest never prints: one list of patterns, looked for in the kernel log."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# What the kernel says when it finds itself broken. Matched anywhere in a line.
# KFENCE, KASAN, lockdep, soft lockups and bad pages all begin with BUG or WARNING.
BAD_PATTERNS = (
    r"\bWARNING: ",
    # Data races are looked at below: the kernel has many of its own.
    r"\bBUG:? (?!KCSAN: )",
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
_RACE = re.compile(r"\bBUG: KCSAN: (.*)")
# One access of a data race, if it is neither atomic nor marked as one that others may meet
# ("read (marked) to ..."). Its stack follows.
_PLAIN_ACCESS = re.compile(r"\b(?:read|write)(?: \(reordered\))? to 0x\S+ of \d+ bytes by ")
_OF_PGHOT = "[pghot]"
# How many functions of a stack answer for an access.
STACK = 2
_TIME = re.compile(r"^\[\s*(\d+\.\d+)\]")
_PHASE = re.compile(r"lab: phase (.*)")


@dataclass(frozen=True)
class BadLine:
    """A bad line of the log, numbered from 1."""

    number: int
    text: str


def _is_plain_access_of_pghot(lines: Sequence[str], index: int) -> bool:
    """Whether a line is a function of pghot that did what a line before it says.

    The kernel's find_next_bit() and the like do it for who calls them. So the function may also be
    the second of the stack.
    """
    stack = lines[max(index - STACK, 0) : index]
    return _OF_PGHOT in lines[index] and any(_PLAIN_ACCESS.search(line) for line in stack)


def find_bad(lines: Sequence[str]) -> BadLine | None:
    """The first bad line, if any.

    A data race is bad if one of its plain accesses is pghot's: its line is the function that did
    it. Where all that pghot did is atomic or marked, the plain access is the kernel's, and so is
    the race.
    """
    for index, line in enumerate(lines):
        if _BAD.search(line) or _is_plain_access_of_pghot(lines, index):
            return BadLine(index + 1, line)
    return None


def kernel_races(lines: Sequence[str]) -> Counter[str]:
    """Data races that are not pghot's, and how often each was reported."""
    heads = [number for number, line in enumerate(lines) if _RACE.search(line)]
    races: Counter[str] = Counter()
    for begin, end in pairwise([*heads, len(lines)]):
        head = _RACE.search(lines[begin])
        if head and not any(_is_plain_access_of_pghot(lines, i) for i in range(begin, end)):
            races[head[1].strip()] += 1
    return races


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
