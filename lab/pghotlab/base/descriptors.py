# SPDX-License-Identifier: GPL-2.0
"""What the module's parts say of themselves: sources, tunables, counters, events, out of kernel/.

The module's sources are the only place where these are listed. The lab, the tests of the
documentation and the documentation's tables read them here.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pghotlab.base import paths

# Constants of the kernel's headers that limits of tunables use.
KERNEL_CONSTANTS = {"NUMA_NO_NODE": -1}
DOORS = {"TUNABLE_SYSCTL": "sysctl", "TUNABLE_DEBUGFS": "debugfs"}


@dataclass(frozen=True)
class Source:
    """A source of hotness: a struct pghot_source.

    wanted: the policy asks it whether to have it on; it never has others on.
    """

    name: str
    title: str
    bit: int
    wanted: bool
    file: Path


@dataclass(frozen=True)
class Tunable:
    """A PGHOT_TUNABLE(): limits and first values are those of default and of precise mode.

    A limit that is no number is None: a node id has to be that of a node with memory. So is a
    first value that is none: the policy chooses the sources.
    """

    name: str
    description: str
    doors: frozenset[str]
    lowest: int | None
    highest: tuple[int | None, int | None]
    initial: tuple[int | None, int | None]
    file: Path


@dataclass(frozen=True)
class Counter:
    """A counter for the whole machine. part: the part that shows it, by part_of()."""

    name: str
    part: str


@dataclass(frozen=True)
class Event:
    """A trace event with its fields, as its format prints them. part: by part_of()."""

    name: str
    fields: tuple[str, ...]
    part: str


@dataclass(frozen=True)
class Reason:
    """Why a ready page is kept back, as the event pghot_refuse names it."""

    name: str
    meaning: str


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.[ch]") if path.is_file())


def _number(text: str) -> int | None:
    text = text.strip()
    if text in KERNEL_CONSTANTS:
        return KERNEL_CONSTANTS[text]
    return int(text, 0) if re.fullmatch(r"-?\w*\d\w*", text) and text[-1].isdigit() else None


def _member(block: str, name: str) -> str:
    """The initialiser of a member of a structure; empty if there is none."""
    found = re.search(rf"\.{name}\s*=\s*(\{{[^}}]*\}}|[^,;]+?),?\s*(?:,|\n|\)?;|$)", block)
    return found[1].strip() if found else ""


def _both(text: str) -> tuple[int | None, int | None]:
    """A limit or a first value, in both modes; 0 if nothing is said."""
    if not text:
        return 0, 0
    same = re.fullmatch(r"BOTH_MODES\((.*)\)", text)
    default, precise = [same[1]] * 2 if same else text.strip("{} ").split(",")
    return _number(default), _number(precise)


def constant(path: Path, name: str) -> int:
    """A number that a file, or a header in its folder, defines as a macro."""
    for file in (path, *sorted(path.parent.glob("*.h")), *sorted(path.parents[2].glob("*.h"))):
        found = re.search(rf"^#define {name}\s+(\w+)$", file.read_text(), re.MULTILINE)
        if found:
            return int(found[1].rstrip("uUlL"), 0)
    raise LookupError(f"{path}: no {name}")


@cache
def sources(kernel: Path = paths.MODULE_SOURCES) -> tuple[Source, ...]:
    """All sources, by their places in enabled_sources."""
    found = []
    for file in _files(kernel / "sources"):
        for block in re.findall(
            r"^struct pghot_source pghot_\w+_source = \{\n(.*?)^\};", file.read_text(), re.S | re.M
        ):
            found.append(
                Source(
                    name=_member(block, "name").strip('"'),
                    title=_member(block, "title").strip('"'),
                    bit=constant(file, _member(block, "bit")),
                    wanted=_member(block, "wanted") not in ("", "NULL"),
                    file=file,
                )
            )
    return tuple(sorted(found, key=lambda source: source.bit))


@cache
def tunables(kernel: Path = paths.MODULE_SOURCES) -> tuple[Tunable, ...]:
    """All tunables. That of the sources gets its limit from them."""
    found = []
    for file in _files(kernel):
        for name, description, block in re.findall(
            r'^(?:static )?PGHOT_TUNABLE\((\w+),\s*"([^"]*)",\n(.*?)\);\n',
            file.read_text(),
            re.S | re.M,
        ):
            doors = re.findall(r"TUNABLE_\w+", _member(block, "doors"))
            highest, initial = _both(_member(block, "max")), _both(_member(block, "initial"))
            if name == "enabled_sources":
                highest = (sum(1 << s.bit for s in sources(kernel)),) * 2
                initial = None, None
            found.append(
                Tunable(
                    name=name,
                    description=description,
                    doors=frozenset(DOORS[door] for door in doors),
                    lowest=_number(_member(block, "min") or "0"),
                    highest=highest,
                    initial=initial,
                    file=file,
                )
            )
    return tuple(found)


def part_of(file: Path, kernel: Path = paths.MODULE_SOURCES) -> str:
    """The part that a file belongs to: core, promote, the name of a source, or sources.

    The last is for what several sources share.
    """
    room, *folders = file.relative_to(kernel).parts[:-1]
    return folders[0] if folders else room


@cache
def counters(kernel: Path = paths.MODULE_SOURCES) -> tuple[Counter, ...]:
    """All counters for the whole machine."""
    return tuple(
        Counter(name, part_of(file, kernel))
        for file in _files(kernel)
        for name in re.findall(
            r"^PGHOT_(?:COUNTER|RECORDED)\((\w+)[,)]", file.read_text(), re.MULTILINE
        )
    )


@cache
def events(kernel: Path = paths.MODULE_SOURCES) -> tuple[Event, ...]:
    """All trace events that the headers of the parts define."""
    found = []
    for file in sorted(kernel.rglob("trace.h")):
        text = file.read_text()
        made = re.findall(
            r"^(TRACE_EVENT|DECLARE_EVENT_CLASS)\((\w+),.*?TP_printk\(\"(.*?)\"",
            text,
            re.DOTALL | re.MULTILINE,
        )
        formats = {name: shown for _macro, name, shown in made}
        names = [name for macro, name, _shown in made if macro == "TRACE_EVENT"]
        for of_class, name in re.findall(r"^DEFINE_EVENT\((\w+), (\w+),", text, re.MULTILINE):
            formats[name] = formats[of_class]
            names.append(name)
        part = part_of(file, kernel)
        found += [Event(name, tuple(re.findall(r"(\w+)=", formats[name])), part) for name in names]
    return tuple(found)


@cache
def listed_events(kernel: Path = paths.MODULE_SOURCES) -> dict[str, tuple[str, ...]]:
    """The names of the events that the descriptors of the parts list, by part."""
    found: dict[str, tuple[str, ...]] = {}
    for file in _files(kernel):
        for block in re.findall(r"\bEVENTS\(((?:EVENT\(\w+\)[,\s]*)+)\)", file.read_text()):
            found[part_of(file, kernel)] = tuple(re.findall(r"\bEVENT\((\w+)\)", block))
    return found


@cache
def reasons(kernel: Path = paths.MODULE_SOURCES) -> tuple[Reason, ...]:
    """Why ready pages are kept back, in the order of their numbers."""
    text = (kernel / "promote" / "refusal.h").read_text()
    told = re.findall(r"^ \* @PGHOT_REFUSED_(\w+): (.*?)(?=^ \* @|^ \*/)", text, re.M | re.S)
    meanings = {name: " ".join(said.replace(" *\t", " ").split()) for name, said in told}
    order = re.findall(r"^\tPGHOT_REFUSED_(\w+),", text, re.M)
    return tuple(Reason(name.lower(), meanings[name]) for name in order)


@cache
def node_counters(kernel: Path = paths.MODULE_SOURCES) -> tuple[str, ...]:
    """The names of all counters of nodes; of these hot_threshold_ms has no sum."""
    text = (kernel / "core" / "nodestat.c").read_text()
    return tuple(re.findall(r"^\t\[NODE_STAT_\w+\] = \"(\w+)\",", text, re.MULTILINE))
