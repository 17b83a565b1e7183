# SPDX-License-Identifier: GPL-2.0
"""A modelled machine: its TOML file, parsed and checked before anything boots.

Every error names the file, the key and the reason.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import MachineError
from pghotlab.base.strict import Table, parse_toml
from pghotlab.base.units import KIB, MIB, format_size

# The guest onlines and places memory in blocks of this size.
MEMORY_BLOCK = 128 * MIB
HUGE_PAGE = 2 * MIB
# QEMU's own needs beside the guest's memory.
HOST_OVERHEAD = 256 * MIB
MAX_CPUS = 64
CACHE_LINE = 64
# Of the plugin's sets, which are searched one way after the other.
MAX_WAYS = 64
# How memory that comes and goes reaches the guest. dimm: ACPI announces it, it is online
# after boot, the kernel puts it into the top tier, and each block may be taken offline.
# nvdimm: persistent memory, for the guest to make system RAM of through dax and kmem, in
# a tier of its own; its first block is lost to the header of the dax device.
HOTPLUG = ("dimm", "nvdimm")
# The kernel's measure of how far memory is: that of DRAM, and how much of it a memory tier takes in
# (MEMTIER_ADISTANCE_DRAM and MEMTIER_CHUNK_SIZE of include/linux/memory-tiers.h).
DRAM_DISTANCE = 576
TIER_SPAN = 128


@dataclass(frozen=True)
class Node:
    """One memory node: size in bytes, the CPUs on it, bandwidth in 10^6 bytes/s.

    hotplug: one of HOTPLUG, or None for memory that is there for good.
    """

    id: int
    size: int
    cpus: tuple[int, ...]
    bandwidth_mbps: int
    hotplug: str | None


@dataclass(frozen=True)
class Cache:
    """One cache level: size in bytes, associativity, and what a hit costs, ns."""

    size: int
    ways: int
    ns: int


@dataclass(frozen=True)
class TlbLevel:
    """Part of a TLB: how many pages it holds, associativity, and what a hit costs, ns."""

    entries: int
    ways: int
    ns: int = 0


@dataclass(frozen=True)
class Tlb:
    """The TLBs of each CPU, and the caches for upper levels of its page walks.

    l1_4k, l1_2m: the first level, by size of the page. l1_1g: the only level for pages of 1 GiB.
    l2: the second level, for pages of 4 KiB and of 2 MiB.
    pde, pdpte, pml4e: entries of page tables that walks need not read: of the tables that name
    tables of 4 KiB pages, of those above, and of the top ones.
    """

    l1_4k: TlbLevel
    l1_2m: TlbLevel
    l1_1g: TlbLevel
    l2: TlbLevel
    pde: int
    pdpte: int
    pml4e: int


@dataclass(frozen=True)
class Hmu:
    """The virtual hotness monitoring unit: what it does unless its driver wants otherwise.

    unit: bytes that it counts together.
    epoch_us: after so many microseconds it reports, and counts anew.
    threshold: accesses in an epoch from which on it reports a unit.
    sampling: it counts one access in so many.
    loss: per cent of its reports that get lost.
    entries: of its list, for each slow node; one of them stays empty.
    """

    unit: int = 4 * KIB
    epoch_us: int = 100_000
    threshold: int = 4
    sampling: int = 1
    loss: int = 0
    entries: int = 16_384


@dataclass(frozen=True)
class Machine:
    """A checked machine."""

    path: Path
    sha256: str
    name: str
    description: str
    scale: str
    insn_ps: int
    nodes: tuple[Node, ...]
    latency_ns: dict[int, tuple[int, ...]]
    """By node that has CPUs: idle latency to each memory node."""
    distance: tuple[tuple[int, ...], ...]
    l1: Cache
    l2: Cache
    llc: Cache
    streams: int
    window: int
    """Instructions within which misses overlap that do not need each other; 0: none do."""
    hmu: Hmu
    """The monitoring unit that policies get which use it."""
    device_read_ns: int
    """What a read of a device's memory takes, such as of its registers; 0: nothing."""
    tlb: Tlb | None
    """None: translation costs nothing, and QEMU's own TLB keeps all that is used."""

    @property
    def memory(self) -> int:
        """All nodes' memory, bytes."""
        return sum(node.size for node in self.nodes)

    @property
    def fixed_memory(self) -> int:
        """The memory of nodes without hotplug, bytes."""
        return self.memory - sum(node.size for node in self.hotplug_nodes)

    @property
    def hotplug_nodes(self) -> tuple[Node, ...]:
        """Nodes whose memory comes and goes."""
        return tuple(node for node in self.nodes if node.hotplug)

    @property
    def cpu_nodes(self) -> tuple[int, ...]:
        """The node of each vCPU."""
        owner = {cpu: node.id for node in self.nodes for cpu in node.cpus}
        return tuple(owner[cpu] for cpu in sorted(owner))

    @property
    def fast_nodes(self) -> tuple[int, ...]:
        """Nodes that the kernel promotes to: those with CPUs, and others that are as fast.

        Memory that comes and goes is slow, although DIMMs are in the top tier at first: tests name
        them to pghot as slow.
        """
        return tuple(node.id for node in self.nodes if node.cpus or self._is_top_tier(node))

    @property
    def slow_nodes(self) -> tuple[int, ...]:
        """Nodes that the kernel promotes from."""
        return tuple(node.id for node in self.nodes if node.id not in self.fast_nodes)

    def _is_top_tier(self, node: Node) -> bool:
        """Whether fixed memory without CPUs is in the tier of DRAM or above.

        As mt_perf_to_adistance() has it, in whole numbers: the distance of memory is in proportion
        to its latency, and in inverse proportion to its bandwidth. What it is compared with is the
        memory of the first node with CPUs.
        """
        if node.hotplug:
            return False
        base = self.cpu_nodes[0]
        latency = self.latency_ns[self.nearest_initiator(node.id)][node.id]
        distance = DRAM_DISTANCE * latency // self.latency_ns[base][base]
        distance = distance * self.nodes[base].bandwidth_mbps // node.bandwidth_mbps
        return distance // TIER_SPAN <= DRAM_DISTANCE // TIER_SPAN

    @property
    def host_memory(self) -> int:
        """The most a guest of this machine takes from the host, bytes."""
        return self.memory + HOST_OVERHEAD

    def nearest_initiator(self, node: int) -> int:
        """The node with CPUs that reaches a memory node fastest."""
        if node in self.latency_ns:
            return node
        return min(self.latency_ns, key=lambda cpu_node: self.latency_ns[cpu_node][node])


def _power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def _read_hotplug(table: Table) -> str | None:
    if not table.has("hotplug"):
        return None
    hotplug = table.text("hotplug")
    if hotplug not in HOTPLUG:
        raise table.fail("hotplug", f"must be one of {', '.join(HOTPLUG)}, not {hotplug!r}")
    return hotplug


def _read_node(table: Table, index: int) -> Node:
    number = table.number("id", least=0)
    if number != index:
        raise table.fail("id", f"must be {index}: nodes are numbered in the file's order")
    size = table.size("size")
    if size == 0 or size % HUGE_PAGE:
        raise table.fail("size", f"must be a multiple of {format_size(HUGE_PAGE)}, a huge page")
    cpus = table.numbers("cpus", least=0)
    if not cpus and index == 0:
        raise table.fail("cpus", "node 0 needs CPUs: the guest boots on it")
    node = Node(number, size, cpus, table.number("bandwidth_mbps"), _read_hotplug(table))
    if node.hotplug and size % MEMORY_BLOCK:
        block = format_size(MEMORY_BLOCK)
        why = f"must be a multiple of {block}, the guest's memory block, as it is plugged in"
        raise table.fail("size", why)
    if node.hotplug and cpus:
        raise table.fail("hotplug", "is for nodes without CPUs")
    if node.hotplug == "nvdimm" and size == MEMORY_BLOCK:
        raise table.fail("size", "of an nvdimm: its first block never becomes memory, add one")
    table.end()
    return node


def _check_cpus(root: Table, nodes: Collection[Node]) -> None:
    owner: dict[int, int] = {}
    for node in nodes:
        for cpu in node.cpus:
            if cpu in owner:
                where = f"node[{node.id}].cpus"
                raise root.fail(where, f"CPU {cpu} is on node {owner[cpu]} already")
            owner[cpu] = node.id
    for cpu in range(max(owner) + 1):
        if cpu not in owner:
            raise root.fail("node", f"CPU {cpu} is on no node (CPUs are numbered without gaps)")
    if len(owner) > MAX_CPUS:
        raise root.fail("node", f"{len(owner)} CPUs are more than {MAX_CPUS}")


def _read_latency(table: Table, nodes: Collection[Node]) -> dict[int, tuple[int, ...]]:
    latency = {
        node.id: table.numbers(f"node{node.id}", least=1, length=len(nodes))
        for node in nodes
        if node.cpus
    }
    table.end()
    return latency


def _read_distance(table: Table, nodes: Collection[Node]) -> tuple[tuple[int, ...], ...]:
    rows = []
    for node in nodes:
        key = f"node{node.id}"
        row = table.numbers(key, least=10, length=len(nodes))
        if any(value > 254 for value in row):
            raise table.fail(key, "a distance is at most 254")
        if row[node.id] != 10:
            raise table.fail(key, "the distance of a node to itself is 10")
        for other, value in enumerate(row):
            if other != node.id and value == 10:
                raise table.fail(key, f"the distance to node {other} must be more than 10")
        rows.append(row)
    for a, row in enumerate(rows):
        for b, value in enumerate(row):
            if rows[b][a] != value:
                raise table.fail(
                    f"node{a}", f"{value} to node {b}, but {rows[b][a]} back from node {b}"
                )
    table.end()
    return tuple(rows)


def _read_cache(table: Table, key: str, hit_is_free: bool) -> Cache:
    level = table.table(key)
    size = level.size("size")
    if not _power_of_two(size):
        raise level.fail("size", "must be a power of two")
    ways = level.number("ways")
    if not _power_of_two(ways):
        raise level.fail("ways", "must be a power of two")
    if size < ways * CACHE_LINE:
        raise level.fail("size", f"is less than {ways} ways of one {CACHE_LINE}-byte line")
    ns = 0 if hit_is_free else level.number("ns")
    level.end()
    return Cache(size, ways, ns)


def _at_most(table: Table, key: str, value: int, most: int) -> int:
    if value > most:
        raise table.fail(key, f"must be at most {most}, not {value}")
    return value


def _read_tlb_level(table: Table, key: str, hit_is_free: bool = True) -> TlbLevel:
    level = table.table(key)
    entries = _at_most(level, "entries", level.number("entries"), 1 << 20)
    ways = _at_most(level, "ways", level.number("ways"), MAX_WAYS)
    if entries % ways or not _power_of_two(entries // ways):
        raise level.fail("entries", f"{entries} in {ways} ways do not make a power of two of sets")
    ns = 0 if hit_is_free else _at_most(level, "ns", level.number("ns", least=0), 1000)
    level.end()
    return TlbLevel(entries, ways, ns)


def _read_tlb(table: Table) -> Tlb:
    tlb = Tlb(
        l1_4k=_read_tlb_level(table, "l1_4k"),
        l1_2m=_read_tlb_level(table, "l1_2m"),
        l1_1g=_read_tlb_level(table, "l1_1g"),
        l2=_read_tlb_level(table, "l2", hit_is_free=False),
        pde=_at_most(table, "pde", table.number("pde"), MAX_WAYS),
        pdpte=_at_most(table, "pdpte", table.number("pdpte"), MAX_WAYS),
        pml4e=_at_most(table, "pml4e", table.number("pml4e"), MAX_WAYS),
    )
    table.end()
    return tlb


def _read_hmu_number(table: Table, key: str, default: int, least: int, most: int) -> int:
    value = table.number(key, least) if table.has(key) else default
    return _at_most(table, key, value, most)


def _read_device(table: Table) -> int:
    ns = _at_most(table, "read_ns", table.number("read_ns"), 1_000_000)
    table.end()
    return ns


def read_hmu(table: Table) -> Hmu:
    """Check a monitoring unit's table; what it does not say is as usual."""
    usual = Hmu()
    unit = table.size("unit") if table.has("unit") else usual.unit
    if not _power_of_two(unit) or not 4 * KIB <= unit <= 2 * MIB:
        raise table.fail("unit", "must be a power of two from 4K to 2M")
    # Its registers have 12 bits for a number of 100 us, 1 ms, 10 ms, ...
    epoch = _read_hmu_number(table, "epoch_us", usual.epoch_us, 100, 10_000_000)
    if not any(epoch % step == 0 and epoch // step < 4096 for step in (100, 10**3, 10**4)):
        raise table.fail(
            "epoch_us",
            "must be a multiple of 100, above 409500 of 1000, and above 4095000 of 10000",
        )
    sampling = _read_hmu_number(table, "sampling", usual.sampling, 1, 1 << 15)
    if not _power_of_two(sampling):
        raise table.fail("sampling", f"must be a power of two, not {sampling}")
    hmu = Hmu(
        unit=unit,
        epoch_us=epoch,
        threshold=_read_hmu_number(table, "threshold", usual.threshold, 1, 65535),
        sampling=sampling,
        loss=_read_hmu_number(table, "loss", usual.loss, 0, 100),
        entries=_read_hmu_number(table, "entries", usual.entries, 2, 65535),
    )
    table.end()
    return hmu


def parse_machine(path: Path, content: bytes) -> Machine:
    """Check a machine file's content; MachineError names what is wrong in it."""
    root = parse_toml(path, content, MachineError)
    name = root.text("name")
    if name != path.stem:
        raise root.fail("name", f"{name!r} differs from the file's name")
    description = root.text("description")
    scale = root.text("scale")
    insn_ps = root.number("insn_ps")
    nodes = tuple(_read_node(table, index) for index, table in enumerate(root.tables("node")))
    _check_cpus(root, nodes)
    latency = _read_latency(root.table("latency"), nodes)
    distance = _read_distance(root.table("distance"), nodes)
    cache = root.table("cache")
    machine = Machine(
        path=path,
        sha256=hashlib.sha256(content).hexdigest(),
        name=name,
        description=description.strip(),
        scale=scale.strip(),
        insn_ps=insn_ps,
        nodes=nodes,
        latency_ns=latency,
        distance=distance,
        l1=_read_cache(cache, "l1", hit_is_free=True),
        l2=_read_cache(cache, "l2", hit_is_free=False),
        llc=_read_cache(cache, "llc", hit_is_free=False),
        streams=_at_most(cache, "streams", cache.number("streams"), 256),
        window=_at_most(cache, "window", cache.number("window"), 100_000)
        if cache.has("window")
        else 0,
        hmu=read_hmu(root.table("hmu")) if root.has("hmu") else Hmu(),
        device_read_ns=_read_device(root.table("device")) if root.has("device") else 0,
        tlb=_read_tlb(root.table("tlb")) if root.has("tlb") else None,
    )
    cache.end()
    root.end()
    return machine


def check_modelled(machine: Machine) -> None:
    """MachineError when the memory model does not take the machine."""
    for node in machine.hotplug_nodes:
        raise MachineError(
            f"{machine.path}: node[{node.id}].hotplug: the memory model has no memory that "
            "comes and goes: such a machine is for functional tests"
        )


def machine_path(name: str | Path) -> Path:
    """The file of a machine given by name (two-node) or by path (my/machine.toml)."""
    if str(name).endswith(".toml"):
        return Path(name)
    return paths.MACHINES / f"{name}.toml"


def shipped_machines() -> list[str]:
    """Names of the machines that come with the lab."""
    return sorted(path.stem for path in paths.MACHINES.glob("*.toml"))


def load_machine(name: str | Path) -> Machine:
    """Read and check a machine, by name or path."""
    path = machine_path(name)
    try:
        content = path.read_bytes()
    except OSError as error:
        known = ", ".join(shipped_machines())
        raise MachineError(
            f"{path}: {error.strerror} (machines that come with the lab: {known})"
        ) from None
    return parse_machine(path, content)


def host_available() -> int:
    """Memory the host can give without swapping, bytes."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise MachineError("/proc/meminfo has no MemAvailable")


def check_fits(machine: Machine, available: int) -> None:
    """MachineError when the host cannot hold the machine."""
    if machine.host_memory > available:
        raise MachineError(
            f"{machine.path}: node.size: the machine needs {machine.host_memory // MIB} MiB "
            f"with QEMU's own {HOST_OVERHEAD // MIB}, "
            f"this host has {available // MIB} MiB available. End other programs, or take a "
            "machine with smaller nodes"
        )
