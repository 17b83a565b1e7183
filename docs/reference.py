# SPDX-License-Identifier: GPL-2.0
"""A page of tables out of the module's own descriptors: sources, tunables, counters, events."""

from collections.abc import Iterable, Sequence

from pghotlab.base import descriptors


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def both(values: tuple[int | None, int | None], other: str = "a node with memory") -> str:
    """A limit or a first value, and that of precise mode if it is another; other: no number."""
    default, precise = (other if value is None else str(value) for value in values)
    return default if default == precise else f"{default}; precise mode {precise}"


def sources() -> str:
    """All sources of hotness."""
    rows = (
        (f"`{s.name}`", str(1 << s.bit), s.title, "yes" if s.wanted else "no")
        for s in descriptors.sources()
    )
    return table(
        ("source", "bit in enabled_sources", "what messages call it", "chosen by the policy"), rows
    )


def tunables() -> str:
    """All tunables, by name."""
    rows = (
        (
            f"`{t.name}`",
            t.description,
            str(t.lowest),
            both(t.highest),
            both(t.initial, "what the policy chooses"),
            ", ".join(("sysfs", "parameter", *sorted(t.doors))),
        )
        for t in sorted(descriptors.tunables(), key=lambda t: t.name)
    )
    return table(("tunable", "what it is", "lowest", "highest", "default", "where it is set"), rows)


def owner(part: str) -> str:
    """What a table calls a part that shows something."""
    names = {"promote": "promotion", "sources": "shared by sources"}
    is_source = part in {source.name for source in descriptors.sources()}
    return f"source `{part}`" if is_source else names.get(part, part)


def counters() -> str:
    """All counters, by name."""
    rows = [(f"`{c.name}`", "stats/", owner(c.part)) for c in descriptors.counters()]
    for name in (*descriptors.node_counters(), "promoted_bytes"):
        places = "node<N>/" if name == "hot_threshold_ms" else "stats/, node<N>/"
        # A record expires in the core, whatever the source; all else is promotion's.
        rows.append((f"`{name}`", places, owner("core" if name == "expired" else "promote")))
    return table(("counter", "in /sys/kernel/mm/pghot/", "whose"), sorted(rows))


def events() -> str:
    """All trace events, by name."""
    rows = sorted(
        (f"`{event.name}`", ", ".join(f"`{field}`" for field in event.fields), owner(event.part))
        for event in descriptors.events()
    )
    return table(("event", "fields", "whose"), rows)


def reasons() -> str:
    """Why ready pages are kept back, by number."""
    rows = (
        (f"`{reason.name}`", str(number), f"`refused_{reason.name}`", reason.meaning)
        for number, reason in enumerate(descriptors.reasons())
    )
    return table(("reason", "number in filters", "counter", "meaning"), rows)


def page() -> str:
    """The page, in Markdown."""
    return (
        "# Reference\n\n"
        "These tables are made from the descriptors in the module's code. What each means is in\n"
        "the [administrator's guide](admin-guide.md).\n\n"
        f"## Sources\n\n{sources()}\n## Tunables\n\n{tunables()}\n## Counters\n\n{counters()}\n"
        f"## Trace events\n\nThey are in `/sys/kernel/tracing/events/pghot/`.\n\n{events()}\n"
        "## Why a page is kept back\n\nThese are the values of `reason` in `pghot_refuse`.\n\n"
        f"{reasons()}"
    )
