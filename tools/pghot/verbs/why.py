# SPDX-License-Identifier: GPL-2.0
"""pghot why: where the memory of a process or a group is, what is hot in it, and what holds it."""

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import look
from pghot.decide import page as decide
from pghot.decide.blocked import REFUSALS, reasons
from pghot.decide.view import PAGE
from pghot.errors import PghotError, UsageError
from pghot.read.cgroup import read_cgroup
from pghot.read.machine import Machine, read_machine
from pghot.read.page import Page, addresses, frame_at, node_of, read_page
from pghot.read.process import Mapping, Process, largest, page_frames, read_process
from pghot.read.root import Root
from pghot.read.trace import Event, tracing
from pghot.show.screen import Screen, size
from pghot.verb import Context, Example, Option, Verb, watch_option

EVENTS = ("pghot_record", "pghot_refuse")
# Of those who have a page mapped, as many are looked for; they are looked for in so many processes.
USERS = 8
PROCESSES = 1 << 22


@dataclass(frozen=True)
class MappingLine:
    """A mapping with memory on slow nodes. Sizes are in bytes.

    by_node: memory by node. hot: slow memory of which an access was recorded in this time; null
    without root. refused: how often a hot page was refused, by reason. reasons: why its pages
    cannot go to a fast node.
    """

    start: str
    end: str
    name: str
    policy: str
    by_node: dict[int, int]
    slow: int
    hot: int | None
    refused: dict[str, int]
    reasons: list[str]


@dataclass(frozen=True)
class ProcessLine:
    """A process. by_node: its memory by node, bytes. mappings: those with slow memory."""

    pid: int
    name: str
    by_node: dict[int, int]
    mappings: list[MappingLine]


@dataclass(frozen=True)
class PageLine:
    """The page at a physical address, of a folio of `size` bytes. kind: what it is used for.

    accesses: how many were recorded in this time; null if it was not watched. refused: how often it
    was refused, by reason.
    """

    address: str
    node: int
    kind: str
    size: int
    accesses: int | None
    refused: dict[str, int]


@dataclass(frozen=True)
class Why:
    """subject: what was asked for. by_node: its memory, bytes. conclusions: sentences.

    page: if a physical address was asked for; `processes` have it mapped then.
    """

    subject: str
    page: PageLine | None
    by_node: dict[int, int]
    processes: list[ProcessLine]
    conclusions: list[str]


@dataclass(frozen=True)
class Subject:
    """What the argument names. address: a place within a process, or None."""

    text: str
    pids: list[int]
    by_node: dict[int, int] | None
    address: int | None
    notes: list[str]


def parse(text: str, root: Root) -> Subject:
    """PID, PID:ADDRESS, or the path of a control group; UsageError for anything else."""
    pid, colon, address = text.partition(":")
    if pid.isdigit():
        try:
            place = int(address, 16) if colon else None
        except ValueError:
            raise UsageError(f"{text}: {address!r} is no hexadecimal address") from None
        return Subject(text, [int(pid)], None, place, [])
    if text.startswith("/"):
        group = read_cgroup(root, text.removeprefix("/sys/fs/cgroup"))
        notes = [f"{size(group.promoted * PAGE)} were promoted for this group."]
        if group.limit is not None:
            notes.append(f"pghot promotes at most {group.limit} MiB/s for it (pghot's cgroups).")
        return Subject(group.path, group.processes, group.bytes, None, notes)
    raise UsageError(
        f"{text}: must be a process id, PROCESS:ADDRESS with a hexadecimal address, the path of a "
        "control group (/...), or a physical address (0x...)"
    )


def physical(text: str) -> int | None:
    """A physical address, 0x and hexadecimal; None if it is something else, UsageError if wrong."""
    if text[:2].lower() != "0x":
        return None
    try:
        return int(text, 16)
    except ValueError:
        raise UsageError(f"{text}: is no hexadecimal address") from None


def _watch(
    context: Context, seconds: float, filters: dict[str, str] | None = None
) -> list[Event] | None:
    """Events of this time; None without permission. filters: as for tracing()."""
    if not seconds:
        return None
    try:
        with tracing(context.root, EVENTS, filters) as trace:
            events: list[Event] = []
            look.wait(context, seconds, "watching accesses")
            events += trace.read()
            return events
    except PghotError:
        return None


def _frames(root: Root, process: Process, mapping: Mapping, wanted: set[int]) -> set[int]:
    """The page frames of a mapping that are among those wanted."""
    pairs = page_frames(root, process.pid, mapping.start, mapping.end)
    return {frame for _, frame in pairs if frame in wanted}


def _line(
    root: Root, process: Process, mapping: Mapping, machine: Machine, events: list[Event] | None
) -> MappingLine:
    slow_nodes = {node.id for node in machine.slow}
    hot, refused = None, Counter[str]()
    if events is not None:
        wanted = {event.number("pfn") for event in events}
        mine = _frames(root, process, mapping, wanted) if wanted else set()
        of_mine = [event for event in events if event.number("pfn") in mine]
        recorded = {e.number("pfn") for e in of_mine if e.name == "pghot_record"}
        hot = len(recorded) * PAGE
        refused.update(e.fields["reason"] for e in of_mine if e.name == "pghot_refuse")
    return MappingLine(
        start=f"{mapping.start:#x}",
        end=f"{mapping.end:#x}",
        name=mapping.name,
        policy=mapping.policy,
        by_node={nid: pages * PAGE for nid, pages in mapping.pages.items()},
        slow=sum(pages for nid, pages in mapping.pages.items() if nid in slow_nodes) * PAGE,
        hot=hot,
        refused=dict(refused),
        reasons=reasons(process, mapping, {node.id for node in machine.fast}),
    )


def _sum(parts: list[dict[int, int]]) -> dict[int, int]:
    total: Counter[int] = Counter()
    for part in parts:
        total.update(part)
    return dict(sorted(total.items()))


def _process(
    context: Context, pid: int, subject: Subject, machine: Machine, events: list[Event] | None
) -> ProcessLine:
    process = read_process(context.root, pid)
    mappings = process.mappings
    if not mappings:
        raise PghotError(f"process {pid} has no memory of its own: it is a kernel thread")
    if subject.address is not None:
        mappings = [m for m in mappings if m.start <= subject.address < m.end]
        if not mappings:
            raise PghotError(f"process {pid} has no memory at {subject.address:#x}")
    slow = {node.id for node in machine.slow}
    shown = [m for m in mappings if subject.address is not None or slow & m.pages.keys()]
    return ProcessLine(
        pid,
        process.name,
        {nid: pages * PAGE for nid, pages in _sum([m.pages for m in mappings]).items()},
        [_line(context.root, process, mapping, machine, events) for mapping in shown],
    )


def conclusions(machine: Machine, processes: list[ProcessLine], watched: bool) -> list[str]:
    """Sentences, from what matters most on."""
    lines = [line for process in processes for line in process.mappings]
    slow = sum(line.slow for line in lines)
    if not machine.module:
        return ["pghot is not loaded, so nothing is promoted."]
    if not slow:
        return ["None of this memory is on slow nodes."]
    found = []
    held: Counter[str] = Counter()
    for line in lines:
        for reason in line.reasons:
            held[reason] += line.slow
    for reason, amount in held.most_common():
        if amount:
            found.append(f"{size(amount)} of slow memory cannot be promoted: {reason}.")
    refused: Counter[str] = Counter()
    for line in lines:
        refused.update(line.refused)
    for reason, times in refused.most_common():
        found.append(f"Hot pages were refused {times} times: {REFUSALS.get(reason, reason)}.")
    hot = sum(line.hot or 0 for line in lines)
    free = slow - sum(line.slow for line in lines if line.reasons)
    if watched and not hot and free:
        found.append("pghot has found no access to the rest of it in this time: it looks idle.")
        for kind in machine.module.state.kinds if machine.module.state else ():
            if machine.module.policy == "auto" and kind.verdict in ("quiet", "unknown"):
                found.append(f"The policy promotes no {kind.name} pages now: {kind.reason}.")
    elif not watched:
        found.append("What is hot in it was not looked at: that takes root, and some seconds.")
    return found


def _why_memory(context: Context, text: str, seconds: float) -> Why:
    """Watch accesses, and put them beside the mappings of processes."""
    subject = parse(text, context.root)
    # Who is not there, or may not be looked at, is told at once.
    for pid in subject.pids[:1]:
        read_process(context.root, pid)
    machine = read_machine(context.root)
    events = _watch(context, seconds) if machine.module else None
    processes = []
    for pid in subject.pids:
        context.progress.show(f"process {pid}")
        try:
            processes.append(_process(context, pid, subject, machine, events))
        except PghotError:
            # One of a group may have ended; who asked for one process is told.
            if subject.by_node is None:
                raise
    total = subject.by_node or _sum([process.by_node for process in processes])
    sentences = conclusions(machine, processes, events is not None)
    return Why(subject.text, None, total, processes, [*subject.notes, *sentences])


def _users(context: Context, page: Page) -> list[tuple[Process, Mapping, int]]:
    """Who has a page mapped, in which mapping, and at which address."""
    found: list[tuple[Process, Mapping, int]] = []
    for pid in largest(context.root, PROCESSES) if decide.is_movable(page) else ():
        context.progress.show(f"who has the page: process {pid}")
        try:
            process = read_process(context.root, pid)
        except PghotError:
            continue
        places = addresses(context.root, process, page.pfn, page.nid)
        found += [(process, mapping, address) for mapping, address in places]
        if len(found) >= USERS:
            break
    context.progress.done()
    return found


def _seen(
    root: Root, page: Page, users: list[tuple[Process, Mapping, int]], events: list[Event]
) -> decide.Seen:
    """What events say of a page, and where it is after them."""
    frames = (frame_at(root, process.pid, address) for process, _, address in users)
    new = next((frame for frame in frames if frame and frame != page.pfn), None)
    records = [event for event in events if event.name == "pghot_record"]
    refused = Counter(e.fields["reason"] for e in events if e.name == "pghot_refuse")
    return decide.Seen(
        accesses=len(records),
        ready=any(event.number("ready") for event in records),
        refused=dict(refused),
        moved_to=None if new is None else node_of(root, new),
        gone=not users and not decide.is_movable(read_page(root, page.pfn * PAGE)),
    )


def _why_page(context: Context, address: int, seconds: float) -> Why:
    """Watch one page, and say who has it."""
    root = context.root
    page = read_page(root, address)
    machine = read_machine(root)
    users = _users(context, page)
    # A record is that of the folio's first page.
    events = (
        _watch(context, seconds, dict.fromkeys(EVENTS, f"pfn == {page.head:#x}"))
        if machine.module and page.nid in machine.module.slow_nodes and decide.is_movable(page)
        else None
    )
    seen = None if events is None else _seen(root, page, users, events)
    fast = {node.id for node in machine.fast}
    return Why(
        f"{address:#x}",
        PageLine(
            f"{page.pfn * PAGE:#x}",
            page.nid,
            decide.kind(page),
            page.pages * PAGE,
            None if seen is None else seen.accesses,
            {} if seen is None else seen.refused,
        ),
        {page.nid: page.pages * PAGE},
        [
            ProcessLine(
                process.pid,
                process.name,
                {nid: pages * PAGE for nid, pages in mapping.pages.items()},
                [_line(root, process, mapping, machine, None)],
            )
            for process, mapping, _ in users
        ],
        decide.conclusions(
            page,
            machine.module,
            seen,
            [reason for process, mapping, _ in users for reason in reasons(process, mapping, fast)],
        ),
    )


def run(context: Context, args: Namespace) -> Iterator[Why]:
    """Of a page, or of processes."""
    address = physical(args.subject)
    if address is None:
        yield _why_memory(context, args.subject, args.seconds)
    else:
        yield _why_page(context, address, args.seconds)


def _nodes(by_node: dict[int, int]) -> str:
    return ", ".join(f"node {nid}: {size(amount)}" for nid, amount in by_node.items()) or "none"


def show(why: Why, screen: Screen) -> None:
    """Mappings with most slow memory first."""
    if why.page:
        page = why.page
        screen.line(f"page {page.address} on node {page.node}, {size(page.size)}: {page.kind}")
    else:
        screen.line(f"memory of {why.subject}: {_nodes(why.by_node)}")
    for process in why.processes:
        screen.line()
        screen.line(screen.paint(f"{process.name} (process {process.pid})", "bold"))
        screen.line(f"    {_nodes(process.by_node)}")
        for line in sorted(process.mappings, key=lambda one: -one.slow)[:10]:
            hot = "" if line.hot is None else f", {size(line.hot)} of it used"
            screen.line(f"    {line.start}-{line.end} {line.name}".rstrip())
            screen.line(f"        slow: {size(line.slow)}{hot}; policy {line.policy}")
            for reason in line.reasons:
                screen.paragraph(reason, "            ", "        held: ")
            for reason, times in line.refused.items():
                screen.paragraph(
                    f"{times} times, {REFUSALS.get(reason, reason)}",
                    "            ",
                    "        refused: ",
                )
    screen.line()
    for sentence in why.conclusions:
        screen.paragraph(sentence)


VERB = Verb(
    name="why",
    summary="say where memory is, what is hot in it, and why it was not promoted",
    about=(
        "Shows on which nodes the memory of a process or of a control group is, which of it was "
        "used while it watched, and what keeps memory on slow nodes: memory policies, cpusets, "
        "hugetlb pages, limits, full nodes, and what else pghot refuses pages for.",
        "Of the page at a physical address, as hardware or the kernel's log names it, it shows the "
        "node, what it is used for, who has it mapped, and why it was not promoted.",
        "What is hot is found with pghot's tracepoints. This takes root, and so does the memory of "
        "other users' processes.",
    ),
    result=Why,
    run=run,
    show=show,
    options=(
        Option(
            ("subject",),
            "a process id, PROCESS:ADDRESS for the mapping at a hexadecimal address, the path of a "
            "control group below /sys/fs/cgroup, or a physical address that begins with 0x",
            metavar="PID|CGROUP|PID:ADDRESS|0xPHYSICAL",
        ),
        watch_option(5),
    ),
    examples=(
        Example("sudo pghot why $(pidof redis-server)", "a process"),
        Example("sudo pghot why /system.slice/postgresql.service", "a control group"),
        Example("sudo pghot why 0x1800042000", "the page at a physical address"),
    ),
)
