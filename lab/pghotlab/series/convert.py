# SPDX-License-Identifier: GPL-2.0
"""From the text of a file of the module to that of the same file in the kernel's tree.

The module reaches what the kernel does not export by static calls and by pointers. In the tree
these are direct calls and plain variables. Conditions that depend on the kernel are settled, as the
tree is one kernel. What lets tests of the module fail on request is left out: the kernel has fault
injection of its own.

All functions are pure, and each takes and returns the text of a file.
"""

import re
from collections.abc import Callable, Collection, Sequence

from pghotlab.base.errors import LabError

TAB = 8
# Columns that a line of the kernel may have.
LONGEST = 100
# What the module's conditions ask for: true for the newest kernel, or false.
HAS = frozenset(
    {
        *("PGHOT_HAS_HRTIMER_SETUP", "PGHOT_HAS_MAYBE_MAPPED_SHARED", "PGHOT_HAS_CONST_ANON_LOCK"),
        *("PGHOT_HAS_EXIT_OF_GROUP", "PGHOT_HAS_DEMOTION_MASK", "NODE_ADDED_FIRST_MEMORY"),
        "rdmsrq",
    }
)
HAS_NOT = frozenset({"PGHOT_INJECT", "PAGE_MAPPING_MOVABLE"})
# Pointers that the module has to variables of the kernel, and the variables.
_VARIABLES = {
    "*pghot_numa_balancing_mode": "sysctl_numa_balancing_mode",
    "*pghot_numa_demotion_enabled": "numa_demotion_enabled",
    "*pghot_numa_scan_size": "sysctl_numa_balancing_scan_size",
    "*pghot_numa_scan_period_max": "sysctl_numa_balancing_scan_period_max",
}

_ALLOCATION = re.compile(
    r"\b(?P<kind>kv?)(?:zalloc\(|calloc\((?P<array>(?:[^,()]|\([^()]*\))+),\s*)"
    r"(?:sizeof\((?P<of>[^()]+)\)|struct_size\((?P<flexible>\w+),\s*(?P<more>[^()]+)\)),"
    r"\s*GFP_KERNEL\)"
)
# What comments say of the module, and what is true of the kernel.
_WORDS = {
    "while the module loads": "while the kernel boots",
    "The module's load has succeeded.": "All of pghot has started.",
}


def _width(text: str) -> int:
    """The columns that the beginning of a line takes."""
    return len(text.expandtabs(TAB))


def _fits(text: str, begin: int) -> int:
    """Where in a line that is too long to break it: behind the last space that leaves it short."""
    quoted = False
    place = 0
    for i in range(begin, len(text)):
        if text[i] == '"' and text[i - 1] != "\\":
            quoted = not quoted
        if text[i] == " " and not quoted and _width(text[:i]) <= LONGEST:
            place = i + 1
    return place


def filled(statement: str) -> str:
    """A statement in one line, in as many lines as it needs: aligned to what is open."""
    lines: list[str] = []
    line = statement
    while _width(line) > LONGEST:
        place = _fits(line, len(line) - len(line.lstrip()))
        if not place:
            break
        # What is open where it is broken, in the columns of this line.
        opened: list[int] = []
        for i, sign in enumerate(line[:place]):
            if sign == "(":
                opened.append(_width(line[: i + 1]))
            elif sign == ")" and opened:
                opened.pop()
        column = opened[-1] if opened else _width(line[: len(line) - len(line.lstrip())]) + TAB
        lines.append(line[: place - 1])
        line = "\t" * (column // TAB) + " " * (column % TAB) + line[place:]
    return "\n".join((*lines, line))


def _closing(text: str, start: int) -> int:
    """Where the parenthesis closes that is opened before `start`."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return place
    raise LabError("a parenthesis is not closed")


def _statement(text: str, place: int) -> tuple[int, int]:
    """The lines that the statement at a place takes: where the first begins, the last ends."""
    begin = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    while end >= 0 and text.count("(", begin, end) > text.count(")", begin, end):
        end = text.find("\n", end + 1)
    return begin, end if end >= 0 else len(text)


def _replace(text: str, start: int, end: int, new: str) -> str:
    """Replace a part of a statement, and break its lines anew if it has several."""
    begin, last = _statement(text, start)
    statement = text[begin:start] + new + text[end:last]
    if "\n" in text[begin:last]:
        statement = filled(re.sub(r"\s*\n\s*", " ", statement))
    return text[:begin] + statement + text[last:]


def direct_calls(text: str) -> str:
    """static_call(pghot_NAME)(...) becomes NAME(...)."""
    while found := re.search(r"static_call\(pghot_(\w+)\)(?=\()", text):
        text = _replace(text, found.start(), found.end(), found[1])
    return text


def plain_variables(text: str) -> str:
    """Pointers to variables of the kernel become these variables."""
    for pointer, variable in _VARIABLES.items():
        text = text.replace(pointer, variable)
    return text


def without_injection(text: str) -> str:
    """inject_alloc(FAILURE, CALL) becomes CALL, and the header of it is not included."""
    text = text.replace('#include "testing/inject.h"\n', "")
    while found := re.search(r"\binject_alloc\(", text):
        end = _closing(text, found.end())
        comma = re.compile(r"(?:[^(),]|\([^()]*\))*,\s*").match(text, found.end())
        if comma is None or comma.end() > end:
            raise LabError("inject_alloc() without a call")
        text = _replace(text, found.start(), end + 1, text[comma.end() : end])
    return text


def typed_allocations(text: str) -> str:
    """Allocations name the object, and not its size; GFP_KERNEL goes without saying.

    kzalloc(sizeof(*X), GFP_KERNEL) becomes kzalloc_obj(*X), kcalloc(N, sizeof(*X), GFP_KERNEL)
    becomes kzalloc_objs(*X, N), kzalloc(struct_size(X, ...), GFP_KERNEL) becomes
    kzalloc_flex(*X, ...), and so with kvzalloc and kvcalloc.
    """
    while found := _ALLOCATION.search(text):
        array, of, flexible, more = (found[name] for name in ("array", "of", "flexible", "more"))
        if flexible:
            new = f"flex(*{flexible}, {more})"
        elif array:
            new = f"objs({of}, {array})"
        else:
            new = f"obj({of})"
        text = _replace(text, found.start(), found.end(), f"{found['kind']}zalloc_{new}")
    return text


def settled(text: str, has: Collection[str] = HAS, has_not: Collection[str] = HAS_NOT) -> str:
    """Settle all #ifdef and #ifndef of the names that are known; other conditions stay."""
    out: list[str] = []
    # Of each condition that is open: whether it is settled, and whether its lines are kept.
    open_: list[tuple[bool, bool]] = []
    for line in text.splitlines(keepends=True):
        word = re.match(r"#\s*(ifdef|ifndef|if|elif|else|endif)\b", line)
        name = re.match(r"#\s*ifn?def\s+(\w+)", line)
        header = line.startswith("#if __has_include")
        if not word:
            if all(keep for _, keep in open_):
                out.append(line)
            continue
        if word[1] in ("if", "ifdef", "ifndef"):
            # Headers that are asked for are there in the newest kernel.
            known = header or (name is not None and name[1] in {*has, *has_not})
            keep = not (known and name) or (name[1] in has) == (word[1] == "ifdef")
            open_.append((known, keep))
            shown = not known
        elif word[1] == "else":
            known, keep = open_[-1]
            shown = not known
            if known:
                open_[-1] = (True, not keep)
        elif word[1] == "elif":
            shown = not open_[-1][0]
        else:
            known, _ = open_.pop()
            shown = not known
        if shown and all(keep for _, keep in open_):
            out.append(line)
    return "".join(out)


def renamed(text: str) -> str:
    """What the module calls wrapper/ is mm/ in the tree, and its interface is in include/linux."""
    text = re.sub(r'#include "wrapper/', '#include "mm/', text)
    return text.replace("PGHOT_WRAPPER_", "PGHOT_MM_").replace("wrapper/", "mm/")


def worded(text: str) -> str:
    """Comments say of the kernel what was true of the module."""
    for old, new in _WORDS.items():
        text = text.replace(old, new)
    return text


def public_header(text: str) -> str:
    """The module's interface is <linux/pghot.h>, among what is included of the kernel."""
    line = '#include "pghot.h"\n'
    if line not in text:
        return text
    text = text.replace(line, "")
    wanted = "#include <linux/pghot.h>\n"
    before = [
        found
        for found in re.finditer(r"^#include <linux/[\w/.-]+>\n", text, re.MULTILINE)
        if found[0] < wanted
    ]
    if before:
        return text[: before[-1].end()] + wanted + text[before[-1].end() :]
    first = re.search(r"^#include [<\"]", text, re.MULTILINE)
    if first is None:
        raise LabError("pghot.h is not among other headers")
    blank = "" if text[first.start() :].startswith("#include <") else "\n"
    return text[: first.start()] + wanted + blank + text[first.start() :]


def tidy(text: str) -> str:
    """Without empty lines that nothing is between any more."""
    text = re.sub(r"\n{3,}", "\n\n", text)
    return re.sub(r"\n+\Z", "\n", text)


# All rules, in the order in which they are applied.
_RULES: Sequence[Callable[[str], str]] = (
    settled,
    direct_calls,
    plain_variables,
    without_injection,
    typed_allocations,
    public_header,
    renamed,
    worded,
    tidy,
)


def convert(text: str) -> str:
    """All of the above."""
    for rule in _RULES:
        text = rule(text)
    return text
