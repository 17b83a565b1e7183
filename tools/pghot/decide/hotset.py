# SPDX-License-Identifier: GPL-2.0
"""How much memory is in use at all, from what the policy's looks at memory tell."""

from collections.abc import Iterable
from dataclasses import dataclass

from pghot.decide.view import PAGE, View
from pghot.read.trace import Event

LOOK = "pghot_policy_look"


@dataclass(frozen=True)
class HotSet:
    """bytes: memory that is used within one window of the policy, as an estimate; None if it has
    not looked, or may not be asked. capacity: of the fast nodes, bytes.
    """

    bytes: int | None
    capacity: int


def mapped_bytes(view: View) -> int:
    """Memory that processes have mapped."""
    vmstat = view.now.kernel.vmstat
    return PAGE * (vmstat.get("nr_anon_pages", 0) + vmstat.get("nr_mapped", 0))


def estimate(view: View, looks: Iterable[Event] | None) -> HotSet:
    """The part of what was looked at that was used, of all that is mapped.

    looks: events pghot_policy_look, or None.
    """
    capacity = sum(node.total for node in view.now.fast)
    looked = used = 0
    for event in looks or ():
        looked += event.number("looked")
        used += event.number("used")
    return HotSet(mapped_bytes(view) * used // looked if looked else None, capacity)
