# SPDX-License-Identifier: GPL-2.0
"""What can happen in a soak run: the actions, and how the arguments of each are drawn.

An action is a function `do_NAME` of tests/soak/guest/*.sh, which says what the arguments are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from pghotlab.base import descriptors
from pghotlab.hardware.machine import Machine

Arguments = Sequence[object]
Draw = Callable[[Random, Machine], Arguments]

PGHOT = "/sys/kernel/mm/pghot"
# Sources that the guest has whatever its settings are, and how to have performance counters, too.
AVAILABLE = ("hintfaults", "hwhints", "accessed", "pagecache", "windows")
PERF_EVENT = "perf_event=1,5,0,0"

KINDS = ("small", "huge", "file", "shared", "locked", "merged")
ANONYMOUS = ("small", "huge", "locked", "merged")
# A disk of 128 MiB has room for three of them.
FILE_MEGABYTES = 24
MEGABYTES = (8, 64)

# Files of the kernel, and what is written to them.
KERNEL_FILES: Mapping[str, Sequence[object]] = {
    "/proc/sys/kernel/numa_balancing": (0, 1, 2, 3),
    "/proc/sys/vm/compact_memory": (1,),
    "/proc/sys/vm/drop_caches": (1, 2, 3),
    "/proc/sys/vm/memory_failure_early_kill": (0, 1),
    "/proc/sys/vm/swappiness": (0, 60, 200),
    "/proc/sys/vm/watermark_scale_factor": (10, 100, 500),
    "/proc/sys/vm/zone_reclaim_mode": (0, 1, 7),
    "/sys/kernel/debug/sched/numa_balancing/scan_delay_ms": (10, 1000),
    "/sys/kernel/debug/sched/numa_balancing/scan_period_min_ms": (10, 1000),
    "/sys/kernel/debug/split_huge_pages": (1,),
    "/sys/kernel/mm/ksm/pages_to_scan": (100, 5000),
    "/sys/kernel/mm/ksm/run": (0, 1, 1, 2),
    "/sys/kernel/mm/lru_gen/enabled": (0, 1, 7),
    "/sys/kernel/mm/numa/demotion_enabled": (0, 1, 1),
    "/sys/kernel/mm/transparent_hugepage/defrag": ("always", "defer", "never"),
    "/sys/kernel/mm/transparent_hugepage/enabled": ("always", "madvise", "never"),
    "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs": (100, 10000),
}

# Texts that no tunable takes.
NONSENSE = ("-", "x", "0x", "1.5", "--1", "1x", "99999999999999999999", "-2147483649")


@dataclass(frozen=True)
class Kind:
    """A kind of action.

    weight: how often it is drawn, in relation to the others of its actor.
    pause_ms: the longest wait before it.
    """

    name: str
    weight: int
    pause_ms: int
    draw: Draw


def _seed(rng: Random) -> int:
    return rng.randrange(1, 1 << 32)


def _node(rng: Random, machine: Machine) -> int:
    return rng.randrange(len(machine.nodes))


def _slow_node(rng: Random, machine: Machine) -> int:
    return rng.choice(machine.slow_nodes)


def _somewhere(rng: Random, machine: Machine) -> int:
    """A node, mostly a slow one."""
    return _slow_node(rng, machine) if rng.random() < 0.75 else _node(rng, machine)


# Processes.


def keep(rng: Random, machine: Machine) -> Arguments:
    """KIND NODE MEGABYTES SECONDS SEED."""
    kind = rng.choice(KINDS)
    most = FILE_MEGABYTES if kind == "file" else MEGABYTES[1]
    megabytes = rng.randint(MEGABYTES[0], most)
    return kind, _somewhere(rng, machine), megabytes, rng.randint(5, 30), _seed(rng)


def pressure(rng: Random, machine: Machine) -> Arguments:
    """KIND NODE LEFT SECONDS SEED."""
    node = rng.choice(machine.fast_nodes)
    kind = rng.choice(("small", "huge"))
    return kind, node, rng.randint(32, 256), rng.randint(10, 40), _seed(rng)


# What no process of the soak run has, MiB.
ENOUGH = 1024


def forks(rng: Random, _machine: Machine) -> Arguments:
    """PROCESSES."""
    return (rng.randint(10, 200),)


def group(rng: Random, machine: Machine) -> Arguments:
    """NAME HIGH MAX NODES PROMOTION MS KIND NODE MEGABYTES SEED."""
    megabytes = rng.randint(8, 48)
    # The limits may be less than what it wants to have. But if its pages may not be on slow nodes,
    # the kernel's own demotion moves them within the fast node and takes that for progress: without
    # pghot as well, reclaim never ends then, and nothing kills the process.
    high, most = rng.randint(4, 64), rng.randint(16, 96)
    nodes = rng.choice(["0", f"0-{len(machine.nodes) - 1}"])
    if nodes == "0":
        high = most = ENOUGH
    promotion = rng.choice(["0", "1", "100", "max"])
    process = rng.choice(ANONYMOUS), _somewhere(rng, machine), megabytes, _seed(rng)
    return f"g{_seed(rng)}", high, most, nodes, promotion, rng.randint(100, 8000), *process


# The administrator.


def setting(rng: Random, machine: Machine) -> Arguments:
    """FILE TEXT VERDICT: a tunable of pghot's."""
    tunable = rng.choice(descriptors.tunables())
    doors = [f"{PGHOT}/{tunable.name}"]
    if "sysctl" in tunable.doors:
        doors.append(f"/proc/sys/vm/pghot_{tunable.name}")
    if "debugfs" in tunable.doors:
        doors.append(f"/sys/kernel/debug/pghot/{tunable.name}")
    door = rng.choice(doors)
    if rng.random() < 0.1:
        return door, rng.choice(NONSENSE), "refused"

    lowest = tunable.lowest or 0
    # A limit that is no number is the last node.
    both = [len(machine.nodes) - 1 if high is None else high for high in tunable.highest]
    if rng.random() < 0.2:
        value = rng.choice([lowest - 1, lowest, *both, both[1] + 1])
    else:
        # Small ones, too, where most are large.
        value = lowest - 1 + int((both[1] - lowest + 1) ** rng.random() ** 0.5)
    if not lowest <= value <= both[1]:
        return door, value, "refused"
    # The mode, and which sources the machine has, is not known here.
    sure = value <= both[0] and tunable.name != "enabled_sources"
    return door, value, "taken" if sure else "either"


def policy(rng: Random, _machine: Machine) -> Arguments:
    """FILE TEXT VERDICT: who chooses the sources."""
    word = rng.choice(("auto", "auto", "manual", "maybe"))
    return f"{PGHOT}/policy", word, "refused" if word == "maybe" else "taken"


def kernel(rng: Random, _machine: Machine) -> Arguments:
    """FILE TEXT."""
    file = rng.choice(sorted(KERNEL_FILES))
    return file, rng.choice(KERNEL_FILES[file])


def swap(rng: Random, _machine: Machine) -> Arguments:
    """MS."""
    return (rng.randint(0, 3000),)


def events(rng: Random, _machine: Machine) -> Arguments:
    """ON."""
    return (rng.choice((0, 1)),)


def damon(rng: Random, _machine: Machine) -> Arguments:
    """MS SAMPLE_US."""
    return rng.randint(1000, 4000), rng.choice((5000, 50000))


def nothing(_rng: Random, _machine: Machine) -> Arguments:
    """No arguments."""
    return ()


# The module.


def _parameters(rng: Random, machine: Machine) -> list[str]:
    """What pghot takes at load."""
    bits = {source.name: 1 << source.bit for source in descriptors.sources()}
    taken = []
    if rng.random() < 0.5:
        taken.append(f"mode={rng.choice(('default', 'precise'))}")
    if rng.random() < 0.6:
        mask = sum(bits[name] for name in AVAILABLE if rng.random() < 0.5)
        if rng.random() < 0.2:
            mask += bits["perf"]
            taken.append(PERF_EVENT)
        taken.append(f"enabled_sources={mask}")
    if rng.random() < 0.5:
        taken.append(f"freq_threshold={rng.randint(1, 3)}")
    if rng.random() < 0.3:
        taken.append(f"kmigrated_sleep_ms={rng.choice((0, 1, 100, 1000))}")
    if rng.random() < 0.2:
        taken.append(f"target_nid={rng.randint(-1, len(machine.nodes) - 1)}")
    if rng.random() < 0.1:
        nodes = range(len(machine.nodes))
        slow = rng.sample(nodes, rng.randint(1, len(nodes) - 1))
        # Any nodes, also those that pghot would not take without this word.
        taken += [f"slow_nodes={','.join(map(str, sorted(slow)))}", "slow_nodes_force=1"]
    return taken


def _wrong_parameter(rng: Random, machine: Machine) -> str:
    nodes = len(machine.nodes)
    return rng.choice(
        (
            "mode=fast",
            "freq_threshold=0",
            "freq_threshold=8",
            "enabled_sources=x",
            f"target_nid={nodes}",
            f"slow_nodes=0-{nodes - 1}",
        )
    )


def _build(rng: Random) -> str:
    """pghot as it is, or as it is built for errors."""
    return rng.choice(("pghot", "pghot-inject"))


def reload(rng: Random, machine: Machine) -> Arguments:
    """FILE VERDICT PARAMETER..."""
    file, verdict, taken = _build(rng), "taken", _parameters(rng, machine)
    chance = rng.random()
    if chance < 0.15:
        verdict = "refused"
        taken.append(_wrong_parameter(rng, machine))
    elif chance < 0.5 and file == "pghot-inject":
        verdict = "either"
        taken.append(f"inject_alloc={rng.randint(1, 60)}")
    return file, verdict, *taken


def cycles(rng: Random, machine: Machine) -> Arguments:
    """TIMES MS FILE PARAMETER..."""
    return rng.randint(3, 10), rng.randint(0, 1000), _build(rng), *_parameters(rng, machine)


def inject(rng: Random, _machine: Machine) -> Arguments:
    """POINT NUMBER. What pghot could not do without is left out: inject_unhook."""
    points = {"alloc": 8, "block": 8, "isolate": 500, "migrate": 500, "uncharged": 500}
    point = rng.choice(sorted(points))
    return point, rng.randint(1, points[point])


def source(rng: Random, machine: Machine) -> Arguments:
    """NODE NUMBER WEIGHT MS."""
    weight = rng.choice((1, 2, 1000))
    return _slow_node(rng, machine), rng.randrange(1000), weight, rng.randint(100, 4000)


def recorder(rng: Random, machine: Machine) -> Arguments:
    """NODE PAGES ROUNDS."""
    return _slow_node(rng, machine), rng.randint(1, 20000), rng.randint(1, 4)


# The machine.


def block(rng: Random, machine: Machine) -> Arguments:
    """NODE NUMBER MS."""
    return _node(rng, machine), rng.randrange(1000), rng.randint(0, 2000)


def cpu(rng: Random, machine: Machine) -> Arguments:
    """NUMBER MS. The first one stays."""
    return rng.randrange(1, len(machine.cpu_nodes)), rng.randint(0, 2000)


def sleep(rng: Random, _machine: Machine) -> Arguments:
    """LEVEL SECONDS."""
    return rng.choice(("freezer", "devices", "platform")), rng.randint(1, 2)


WORKER = (Kind("keep", 1, 500, keep),)

ACTORS: Mapping[str, Sequence[Kind]] = {
    "worker0": WORKER,
    "worker1": WORKER,
    "worker2": WORKER,
    "processes": (
        Kind("pressure", 2, 1000, pressure),
        Kind("forks", 4, 2000, forks),
        Kind("group", 6, 1000, group),
    ),
    "administrator": (
        Kind("setting", 30, 300, setting),
        Kind("setting", 5, 300, policy),
        Kind("kernel", 30, 500, kernel),
        Kind("swap", 2, 1000, swap),
        Kind("look", 5, 300, nothing),
        Kind("events", 3, 300, events),
        Kind("damon", 1, 1000, damon),
    ),
    "module": (
        Kind("reload", 10, 4000, reload),
        Kind("cycles", 3, 4000, cycles),
        Kind("inject", 10, 2000, inject),
        Kind("source", 6, 2000, source),
        Kind("recorder", 4, 2000, recorder),
    ),
    "machine": (
        Kind("block", 10, 2000, block),
        Kind("cpu", 5, 2000, cpu),
        Kind("sleep", 2, 2000, sleep),
    ),
}
"""Who does what: the actors act side by side, each one thing at a time."""


# Where pages are moved all the time. Hint faults find all that is used, and each fault is enough.
MOVED = ("small", "huge", "file", "shared")
QUICK = {
    "/proc/sys/kernel/numa_balancing": 2,
    "/sys/kernel/debug/sched/numa_balancing/scan_delay_ms": 10,
    "/sys/kernel/debug/sched/numa_balancing/scan_period_min_ms": 10,
}


def keep_moved(rng: Random, machine: Machine) -> Arguments:
    """KIND NODE MEGABYTES SECONDS SEED."""
    kind, most = rng.choice(MOVED), FILE_MEGABYTES
    node = _slow_node(rng, machine)
    return kind, node, rng.randint(MEGABYTES[0], most), rng.randint(20, 60), _seed(rng)


def quick(rng: Random, _machine: Machine) -> Arguments:
    """FILE TEXT."""
    return rng.choice(sorted(QUICK.items()))


def promote(_rng: Random, _machine: Machine) -> Arguments:
    """FILE VERDICT PARAMETER..."""
    return "pghot", "taken", "enabled_sources=3", "freq_threshold=1"


MOVER = (Kind("keep", 1, 100, keep_moved),)

ONLY: Mapping[str, Mapping[str, Sequence[Kind]]] = {
    "loads": {
        "worker0": WORKER,
        "worker1": WORKER,
        "module": (Kind("cycles", 1, 100, cycles),),
    },
    "moves": {
        "worker0": MOVER,
        "worker1": MOVER,
        "administrator": (Kind("kernel", 1, 5000, quick),),
        "module": (Kind("reload", 1, 60000, promote),),
    },
}
"""What a run can be limited to: loads and unloads of the module under load, or moves of pages."""
