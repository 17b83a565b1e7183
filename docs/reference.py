# SPDX-License-Identifier: GPL-2.0
"""A page of tables out of the module's own descriptors: sources, tunables, counters."""

from collections.abc import Iterable, Sequence

from pghotlab.base import descriptors


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def both(values: tuple[int | None, int | None]) -> str:
    """A limit or a first value, and that of precise mode if it is another."""
    default, precise = ("a node with memory" if value is None else str(value) for value in values)
    return default if default == precise else f"{default}; precise mode {precise}"


def sources() -> str:
    """All sources of hotness."""
    rows = (
        (f"`{s.name}`", str(1 << s.bit), s.title, "yes" if s.on_at_load else "no")
        for s in descriptors.sources()
    )
    return table(("source", "bit in enabled_sources", "what messages call it", "on at load"), rows)


def tunables() -> str:
    """All tunables, by name."""
    rows = (
        (
            f"`{t.name}`",
            t.description,
            str(t.lowest),
            both(t.highest),
            both(t.initial),
            ", ".join(("sysfs", "parameter", *sorted(t.doors))),
        )
        for t in sorted(descriptors.tunables(), key=lambda t: t.name)
    )
    return table(("tunable", "what it is", "lowest", "highest", "default", "where it is set"), rows)


def counters() -> str:
    """All counters, by name."""
    rows = [(f"`{name}`", "stats/") for name in descriptors.counters()]
    for name in descriptors.node_counters():
        rows.append((f"`{name}`", "node<N>/" if name == "hot_threshold_ms" else "stats/, node<N>/"))
    return table(("counter", "in /sys/kernel/mm/pghot/"), sorted(rows))


def page() -> str:
    """The page, in Markdown."""
    return (
        "# Reference\n\n"
        "These tables are made from the descriptors in the module's code. What each means is in\n"
        "the [administrator's guide](admin-guide.md).\n\n"
        f"## Sources\n\n{sources()}\n## Tunables\n\n{tunables()}\n## Counters\n\n{counters()}"
    )
