# SPDX-License-Identifier: GPL-2.0
"""The schedule of a soak run follows from its seed, and has what it should have."""

import re

import pytest

from pghotlab.base import descriptors, paths
from pghotlab.hardware.machine import load_machine
from tests.soak.actions import ACTORS, KERNEL_FILES, KINDS, NONSENSE
from tests.soak.schedule import MACHINES, PAGES, Action, Schedule, draw

GUEST = paths.ROOT / "tests" / "soak" / "guest"
SEEDS = range(4)
HOUR = 3600


@pytest.fixture(scope="module", params=SEEDS)
def schedule(request: pytest.FixtureRequest) -> Schedule:
    return draw(request.param, HOUR)


def named(schedule: Schedule, name: str) -> list[Action]:
    return [
        action for actions in schedule.actions.values() for action in actions if action.name == name
    ]


def test_same_seed_gives_the_same_schedule() -> None:
    assert draw(7, 600) == draw(7, 600)


def test_other_seeds_give_others() -> None:
    assert len({tuple(draw(seed, 60).lines("machine")) for seed in SEEDS}) == len(SEEDS)


def test_a_longer_run_begins_as_a_shorter_one() -> None:
    short, long = draw(7, 60), draw(7, 600)
    assert short.machine == long.machine
    for actor, actions in short.actions.items():
        assert long.actions[actor][: len(actions)] == actions


def test_loads_alone() -> None:
    """Nothing else happens to the module, under load of processes."""
    loads = draw(7, 600, "loads")
    assert {action.name for action in loads.actions["module"]} == {"cycles"}
    assert loads.actions.keys() == {"worker0", "worker1", "module"}
    assert loads.pages in PAGES


def test_moves_alone() -> None:
    """Of memory that is taken from slow nodes, so that there is something to promote."""
    moves = draw(7, 600, "moves")
    assert moves.pages == "move"
    slow = set(map(str, load_machine(moves.machine).slow_nodes))
    assert {action.arguments[1] for action in named(moves, "keep")} <= slow
    drawn = {action.name for actions in moves.actions.values() for action in actions}
    assert drawn == {"keep", "kernel", "reload"}
    assert {action.arguments for action in named(moves, "reload")} == {
        ("pghot", "taken", "enabled_sources=3", "freq_threshold=1")
    }


def test_each_machine_is_drawn() -> None:
    drawn = [draw(seed, 1) for seed in range(30)]
    assert {(schedule.machine, schedule.pages) for schedule in drawn} == {
        (machine, pages) for machine in MACHINES for pages in PAGES
    }


def test_each_action_occurs(schedule: Schedule) -> None:
    for actor, kinds in ACTORS.items():
        drawn = {action.name for action in schedule.actions[actor]}
        wanted = {kind.name for kind in kinds}
        assert drawn == (wanted - {"block"} if schedule.pages == "break" else wanted)


def test_pauses_fill_the_time(schedule: Schedule) -> None:
    for actions in schedule.actions.values():
        assert sum(action.pause_ms for action in actions) >= HOUR * 1000


def test_the_guest_has_a_function_for_each_action() -> None:
    shell = "\n".join(path.read_text() for path in GUEST.glob("*.sh"))
    functions = set(re.findall(r"^do_(\w+)\(\)", shell, re.MULTILINE))
    assert functions == {kind.name for kinds in ACTORS.values() for kind in kinds}


def test_words_are_words(schedule: Schedule) -> None:
    """The guest's shell splits a line into words, and expands patterns."""
    for actions in schedule.actions.values():
        for action in actions:
            assert all(re.fullmatch(r"[^\s*?\[\]\\]+", word) for word in action.arguments)


def test_memory_is_in_range(schedule: Schedule) -> None:
    nodes = range(len(load_machine(schedule.machine).nodes))
    for action in named(schedule, "keep"):
        kind, node, megabytes, seconds, seed = action.arguments
        assert kind in KINDS
        assert int(node) in nodes
        assert 2 <= int(megabytes) <= (24 if kind == "file" else 64)
        assert 1 <= int(seconds) <= 30
        assert int(seed) > 0


def test_verdicts_are_right_in_both_modes(schedule: Schedule) -> None:
    nodes = len(load_machine(schedule.machine).nodes)
    tunables = {tunable.name: tunable for tunable in descriptors.tunables()}
    settings = [a for a in named(schedule, "setting") if not a.arguments[0].endswith("/policy")]
    for action in settings:
        file, text, verdict = action.arguments
        tunable = tunables[re.sub(r".*/(pghot_(?!.*/))?", "", file)]
        limits = [nodes - 1 if high is None else high for high in tunable.highest]
        if text in NONSENSE:
            assert verdict == "refused"
        elif verdict != "either":
            fits = {(tunable.lowest or 0) <= int(text) <= high for high in limits}
            assert fits == {verdict == "taken"}
    assert {action.arguments[2] for action in settings} == {"taken", "refused", "either"}


def test_kernel_files_get_what_they_take(schedule: Schedule) -> None:
    for action in named(schedule, "kernel"):
        file, text = action.arguments
        assert text in map(str, KERNEL_FILES[file])


def test_the_first_cpu_stays(schedule: Schedule) -> None:
    cpus = range(1, len(load_machine(schedule.machine).cpu_nodes))
    assert all(int(action.arguments[0]) in cpus for action in named(schedule, "cpu"))


def test_nothing_is_injected_that_keeps_the_module_loaded(schedule: Schedule) -> None:
    assert "unhook" not in {action.arguments[0] for action in named(schedule, "inject")}
