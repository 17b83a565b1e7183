# SPDX-License-Identifier: GPL-2.0
"""What one page of physical memory is, and why it is where it is."""

from collections.abc import Iterable
from dataclasses import dataclass

from pghot.decide.blocked import REFUSALS
from pghot.read.module import Module
from pghot.read.page import Page

# What keeps a page from being moved, by its flags; the first that is set counts.
UNMOVABLE = {
    "absent": "there is no memory at this address, only a gap between memory",
    "offline": "this memory is offline",
    "broken": "this memory is broken, as the hardware has reported",
    "free": "this memory is free, nobody uses it",
    "hugetlb": "this is part of a hugetlb page, which pghot never moves",
    "slab": "this is memory of the kernel",
    "page table": "this is a page table of a process, which the kernel does not move",
    "zero": "this is the page of zeroes that all processes share",
}
NOT_LISTED = (
    "this is no page on the lists of pages that programs use (LRU): it is memory of the kernel or "
    "of a device, or on its way to such a list"
)


@dataclass(frozen=True)
class Seen:
    """What was seen of a page while it was watched.

    accesses: how many were recorded. ready: whether they made it hot. refused: how often it was
    not promoted, by reason. moved_to: the node on which those who had it mapped have it at the end,
    if it is another page then. gone: nobody had it mapped, and it is something else at the end.
    """

    accesses: int
    ready: bool
    refused: dict[str, int]
    moved_to: int | None
    gone: bool


def kind(page: Page) -> str:
    """What a page is used for."""
    for flag, text in UNMOVABLE.items():
        if flag in page.flags:
            return text
    if "lru" not in page.flags:
        return NOT_LISTED
    return "anonymous memory" if "anonymous" in page.flags else "page cache"


def is_movable(page: Page) -> bool:
    """Whether it is of a kind that can be promoted."""
    return "lru" in page.flags and not page.flags & UNMOVABLE.keys()


def _policy(module: Module, page: Page) -> Iterable[str]:
    """What the policy has to say if it promotes no pages like this one now."""
    name = "huge" if page.pages > 1 else "small"
    for one in module.state.kinds if module.state and module.policy == "auto" else ():
        if one.name == name and one.verdict in ("quiet", "unknown"):
            yield f"The policy promotes no {name} pages now: {one.reason}."


def conclusions(
    page: Page, module: Module | None, seen: Seen | None, reasons: Iterable[str]
) -> list[str]:
    """Sentences, from what matters most on.

    seen: None if it could not be watched. reasons: what keeps it there, of all who have it mapped.
    """
    if not module:
        return ["pghot is not loaded, so nothing is promoted."]
    if page.nid not in module.slow_nodes:
        return [f"It is on node {page.nid}, which is fast: there is nothing to promote."]
    if not is_movable(page):
        return [f"It cannot be promoted: {kind(page)}."]
    if seen and seen.moved_to is not None:
        where = "slow, too" if seen.moved_to in module.slow_nodes else "fast"
        return [f"It was moved to node {seen.moved_to}, which is {where}, while it was watched."]
    if seen and seen.gone:
        return ["It was moved or freed while it was watched."]
    found = [f"It cannot be promoted: {reason}." for reason in dict.fromkeys(reasons)]
    if seen is None:
        return [*found, "Whether it is hot was not looked at: that takes root, and some seconds."]
    for reason, times in seen.refused.items():
        found.append(f"It was refused {times} times: {REFUSALS.get(reason, reason)}.")
    if not seen.accesses:
        found.append("pghot has found no access to it in this time: it looks idle.")
        found += _policy(module, page)
    elif not seen.ready:
        threshold = module.tunables.get("freq_threshold", 1)
        found.append(
            "It is used, but it is not hot: in the time that counts, its record did not reach "
            f"freq_threshold={threshold}."
        )
    elif not seen.refused:
        found.append("It is hot, and waits for its turn.")
    return found
