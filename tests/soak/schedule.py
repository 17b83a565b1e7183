# SPDX-License-Identifier: GPL-2.0
"""The schedule of a soak run: all of it follows from one seed.

    schedule = draw(seed=7, seconds=60)
    schedule.lines("worker0")    # ["412 keep huge 1 64 12 3721", ...]

The actions are in actions.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from pghotlab.base import paths
from pghotlab.hardware.machine import Machine, load_machine
from tests.soak.actions import ACTORS, ONLY, Kind

MACHINES = ("two-node", "three-node")
# For runs that are limited to something. Each busy CPU takes interrupts of its timer, which cost
# much on a debug kernel, and all CPUs wait for one another when a module is loaded.
FEW_CPUS = str(paths.ROOT / "tests" / "vm" / "two-slow.toml")
PAGES = ("break", "stay")


@dataclass(frozen=True)
class Action:
    """Something that an actor does after a pause."""

    pause_ms: int
    name: str
    arguments: tuple[str, ...]

    def line(self) -> str:
        """As the guest reads it."""
        return " ".join([str(self.pause_ms), self.name, *self.arguments])


@dataclass(frozen=True)
class Schedule:
    """What each actor does, on which machine. Pauses alone take at least as long as the run.

    pages: whether the memory of some pages fails, "break" or "stay". The kernel does not take a
    memory block back in which a page failed. So either pages fail, or blocks go and come. "move":
    nothing happens to pages but that they are moved and written.
    """

    seed: int
    seconds: int
    machine: str
    pages: str
    actions: Mapping[str, Sequence[Action]]

    def lines(self, actor: str) -> list[str]:
        """The actions of an actor as the guest reads them."""
        return [action.line() for action in self.actions[actor]]


def _draw_action(rng: Random, kinds: Sequence[Kind], machine: Machine) -> Action:
    kind = rng.choices(kinds, [kind.weight for kind in kinds])[0]
    pause_ms = rng.randint(0, kind.pause_ms)
    return Action(pause_ms, kind.name, tuple(map(str, kind.draw(rng, machine))))


def draw(seed: int, seconds: int, only: str = "") -> Schedule:
    """The schedule of a seed. A longer run begins with the actions of a shorter one.

    only: a key of ONLY, for a run that is limited to that.
    """
    name = FEW_CPUS if only else Random(f"{seed} machine").choice(MACHINES)
    pages = "move" if only == "moves" else Random(f"{seed} pages").choice(PAGES)
    machine = load_machine(name)
    actions: dict[str, list[Action]] = {}
    for actor, all_kinds in (ONLY[only] if only else ACTORS).items():
        kinds = [kind for kind in all_kinds if kind.name != "block" or pages == "stay"]
        rng = Random(f"{seed} {actor}")
        drawn: list[Action] = []
        left_ms = seconds * 1000
        while left_ms > 0:
            drawn.append(_draw_action(rng, kinds, machine))
            left_ms -= drawn[-1].pause_ms
        actions[actor] = drawn
    return Schedule(seed, seconds, name, pages, actions)
