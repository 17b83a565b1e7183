# SPDX-License-Identifier: GPL-2.0
"""What the runs of a program come to: a table, and sentences that say it."""

from collections.abc import Iterable, Mapping, Sequence

from pghotlab.base.units import MIB
from pghotlab.hardware.machine import Machine
from pghotlab.measure.policy import BOUND, OWN, REFERENCE
from pghotlab.rows import summary
from pghotlab.rows.summary import Column, Row
from pghotlab.trial.plan import NOTHING

# A program whose time is nearer to another one than this is as fast, for who decides on a machine.
SAME = 0.02
# As near to all memory fast as many would accept.
NEAR = 0.05
# The share of the accesses that fast memory should serve.
MOST = 0.95
# The kernel's NUMA balancing begins after a second. A run should be several times as long.
SHORT_SECONDS = 5
# A program of which caches hold more than one part in so many uses memory little.
CACHED = 4

TITLES = {
    NOTHING: "without balancing",
    REFERENCE: "with NUMAB2",
    OWN: "with pghot",
    "damon": "with DAMON",
}
COLUMNS: dict[str, Column] = {
    **summary.TIME_COLUMN,
    f"to {BOUND}": summary.ratio_column("score_to_bound"),
    "fast share": summary.COLUMNS["fast share"],
    **summary.PROMOTED,
    "demoted": lambda rows: summary.whole(summary.middle(rows, "pages_demoted")),
    **summary.KERNEL,
}


def title(policy: str) -> str:
    """A policy within a sentence."""
    return TITLES.get(policy, f"with {policy}")


def mib(size: int) -> str:
    """Bytes in MiB."""
    return f"{size / MIB:.0f} MiB"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _listed(texts: Sequence[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def slowdowns(rows: Iterable[Row]) -> dict[str, float]:
    """By policy, but those whose memory is all fast: the time to that of the latter, the median."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["provision"] != "fast" and row["score_to_bound"] is not None:
            found.setdefault(row["policy"], []).append(row)
    return {policy: summary.middle(mine, "score_to_bound") for policy, mine in found.items()}


def _times(slowdown: float) -> str:
    percent = (slowdown - 1) * 100
    if abs(percent) < 100 * SAME:
        return "as long"
    return f"{abs(percent):.0f} % {'longer' if percent > 0 else 'shorter'}"


def how_far(name: str, share: float, peak: int, found: Mapping[str, float]) -> str:
    """What each policy makes of a share of fast memory, in per cent; found: slowdowns()."""
    each = _listed([f"{title(policy)} {_times(slowdown)}" for policy, slowdown in found.items()])
    return (
        f"With {share:g} % of its {mib(peak)} in fast memory, {name} takes, compared with a run in "
        f"fast memory alone: {each}."
    )


def advice(found: Mapping[str, float]) -> str:
    """Whether tiering helps, by the slowdowns at one share of fast memory; empty if unknown."""
    others = {policy: value for policy, value in found.items() if policy != NOTHING}
    if not others or NOTHING not in found:
        return ""
    before = found[NOTHING]
    best = min(others, key=lambda policy: others[policy])
    gain = before / others[best] - 1
    if before < 1 + SAME and gain < SAME:
        return "Slow memory hardly slows it down at this share: no policy is needed."
    if gain < SAME:
        return "No policy makes it faster than without balancing."
    return f"The best is {best}: it is {_percent(gain)} faster than without balancing."


def enough(hottest: int, peak: int) -> str:
    """How much fast memory would do, if it always held the pages in use."""
    return (
        f"{_percent(MOST)} of its accesses to memory go to {mib(hottest)}, which are "
        f"{_percent(hottest / peak)} of its memory: so much fast memory would do, if it always "
        "held the right pages."
    )


def from_which(by_share: Mapping[float, Mapping[str, float]]) -> str:
    """From which share of fast memory on each policy is near to fast memory alone."""
    policies = list(dict.fromkeys(policy for found in by_share.values() for policy in found))
    texts = []
    for policy in policies:
        share = None
        for one in sorted(by_share, reverse=True):
            if by_share[one].get(policy, 1 + 2 * NEAR) > 1 + NEAR:
                break
            share = one
        texts.append(f"{title(policy)} " + ("at none" if share is None else f"from {share:g} % on"))
    return f"It comes within {_percent(NEAR)} of fast memory alone: {_listed(texts)}."


def sweep_table(by_share: Mapping[float, Mapping[str, float]]) -> list[tuple[str, ...]]:
    """The slowdowns of all policies, a line for each share of fast memory."""
    policies = list(dict.fromkeys(policy for found in by_share.values() for policy in found))
    lines: list[tuple[str, ...]] = [("fast memory", *policies)]
    for share, found in sorted(by_share.items()):
        cells = [f"{found[policy]:.3f}" if policy in found else "-" for policy in policies]
        lines.append((f"{share:g} %", *cells))
    return lines


def warnings(machine: Machine, peak: int, rows: Sequence[Row]) -> list[str]:
    """What makes the figures say little."""
    found = []
    if peak < CACHED * machine.llc.size:
        found.append(
            f"Note: it needs only {mib(peak)}, and the machine's last cache has "
            f"{mib(machine.llc.size)}. Give it more data, or it hardly uses memory at all."
        )
    seconds = min(row["guest_ns"] for row in rows) / 1e9
    if seconds < SHORT_SECONDS:
        found.append(
            f"Note: the shortest run took {seconds:.1f} s of the guest's time. The kernel's NUMA "
            "balancing begins after a second, so that short runs say little about it."
        )
    return found
