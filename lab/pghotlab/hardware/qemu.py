# SPDX-License-Identifier: GPL-2.0
"""A machine as QEMU's command line and as the plugin's configuration."""

from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.arch import AMD64, Arch
from pghotlab.base.units import MIB
from pghotlab.hardware.machine import Hmu, Machine, Tlb
from pghotlab.hardware.nodemap import below_4g

SLICE_NS = 20_000
INTERVAL_NS = 10_000_000

KERNEL_ARGUMENTS = ("loglevel=7", "panic=-1", "oops=panic")
# In a movable zone the kernel keeps nothing of its own, so the memory can go again.
HOTPLUG_KERNEL_ARGUMENTS = ("memhp_default_state=online_movable",)


def sockets(machine: Machine) -> int:
    """CPU packages: one per node with CPUs, so that no package spans nodes.

    QEMU fills equal packages in CPU order; where the nodes are not like that,
    each CPU is a package of its own.
    """
    counts = [len(node.cpus) for node in machine.nodes if node.cpus]
    in_order = list(machine.cpu_nodes) == sorted(machine.cpu_nodes)
    if len(set(counts)) == 1 and in_order:
        return len(counts)
    return len(machine.cpu_nodes)


def kernel_arguments(machine: Machine, arch: Arch = AMD64) -> tuple[str, ...]:
    """What the guest's kernel is told on this machine."""
    told = (f"console={arch.console},115200", *KERNEL_ARGUMENTS, *arch.told)
    return told + (HOTPLUG_KERNEL_ARGUMENTS if machine.hotplug_nodes else ())


def _size_argument(machine: Machine) -> str:
    size = f"{machine.fixed_memory // MIB}M"
    if machine.hotplug_nodes:
        size += f",slots={len(machine.hotplug_nodes)},maxmem={machine.memory // MIB}M"
    return size


def memory_arguments(machine: Machine) -> list[str]:
    """Nodes, distances and the HMAT, from which the kernel makes its memory tiers."""
    args = ["-m", _size_argument(machine)]
    args += ["-smp", f"{len(machine.cpu_nodes)},sockets={sockets(machine)}"]
    # The largest first. QEMU 10.0 looks for what has changed in each from the first one's address
    # on, and saves no guest if one of them is larger than that.
    for node in sorted(machine.nodes, key=lambda node: -node.size):
        args += ["-object", f"memory-backend-ram,id=mem{node.id},size={node.size // MIB}M"]
    for node in machine.nodes:
        memory = "" if node.hotplug else f"memdev=mem{node.id},"
        args += [
            "-numa",
            f"node,nodeid={node.id},{memory}initiator={machine.nearest_initiator(node.id)}"
            + "".join(f",cpus={cpu}" for cpu in node.cpus),
        ]
        if node.hotplug:
            device = {"dimm": "pc-dimm", "nvdimm": "nvdimm"}[node.hotplug]
            args += ["-device", f"{device},memdev=mem{node.id},node={node.id}"]
    for a, row in enumerate(machine.distance):
        for b, value in enumerate(row):
            args += ["-numa", f"dist,src={a},dst={b},val={value}"]
    for initiator, row in machine.latency_ns.items():
        for target, latency in enumerate(row):
            pair = f"hmat-lb,initiator={initiator},target={target},hierarchy=memory"
            bandwidth = machine.nodes[target].bandwidth_mbps
            args += ["-numa", f"{pair},data-type=access-latency,latency={latency}"]
            args += ["-numa", f"{pair},data-type=access-bandwidth,bandwidth={bandwidth}M"]
    return args


def plugin_of(machine: Machine) -> Path:
    """The memory model that has all that the machine needs."""
    return paths.PLUGIN_DEVICES if machine.device_read_ns else paths.PLUGIN


def accelerator_arguments(plugin: Path | None, config: Path, arch: Arch = AMD64) -> list[str]:
    """With the plugin: a clock of instructions besides; else TCG with the architecture's clock.

    One host thread for all CPUs, always: with one for each, QEMU runs code now and again that
    the kernel has just patched. Its store and the end of the old translation are two steps,
    between which another CPU may translate it anew.
    """
    arguments = ["-accel", "tcg,thread=single"]
    if plugin is None:
        return [*arguments, *arch.clock]
    return [
        *arguments,
        *("-icount", "shift=0,sleep=off"),
        *("-plugin", f"{plugin},config={config}"),
    ]


def machine_arguments(machine: Machine, seed: int, arch: Arch = AMD64) -> list[str]:
    """Everything but accelerator, kernel and files."""
    has_nvdimm = any(node.hotplug == "nvdimm" for node in machine.nodes)
    return [
        *("-nodefaults", "-no-user-config", "-no-reboot"),
        *("-display", "none", "-monitor", "none", "-nic", "none"),
        *("-machine", arch.board + (",nvdimm=on" if has_nvdimm else "")),
        *("-cpu", arch.cpu),
        *arch.firmware,
        *("-seed", str(seed)),
        *("-rtc", "base=2024-01-01T00:00:00,clock=vm"),
        *memory_arguments(machine),
    ]


def serial_arguments(console: Path, reports: Path) -> list[str]:
    """The files of the guest's two serial lines. What they have already stays."""
    arguments = []
    for name, file in (("console", console), ("reports", reports)):
        arguments += ["-chardev", f"file,id={name},path={file},append=on"]
        arguments += ["-serial", f"chardev:{name}"]
    return arguments


def hmu_bytes(machine: Machine, hmu: Hmu) -> int:
    """Shared memory for a monitoring unit: a BAR's size, so a power of two.

    As hmu_bytes() of the plugin has it: a page, then for each node without CPUs its registers and
    its list of 8 bytes an entry.
    """
    units = sum(not node.cpus for node in machine.nodes)
    needed = 4096 + 16 + units * (256 + 8 * hmu.entries)
    return max(MIB, 1 << (needed - 1).bit_length())


def hmu_arguments(file: Path, size: int) -> list[str]:
    """A monitoring unit for the guest: an ivshmem device, whose memory is the file."""
    return [
        *("-object", f"memory-backend-file,id=hmu,mem-path={file},size={size},share=on"),
        *("-device", "ivshmem-plain,memdev=hmu"),
    ]


def hmu_config(hmu: Hmu, file: Path, seed: int) -> str:
    """Lines of the plugin's configuration that make it fill a monitoring unit."""
    numbers = (hmu.unit, hmu.epoch_us, hmu.threshold, hmu.sampling, hmu.loss, hmu.entries, seed)
    return f"hmu_file {file}\nhmu {' '.join(map(str, numbers))}\n"


def _tlb_config(tlb: Tlb) -> list[str]:
    """Lines of the plugin's configuration that make it model TLBs."""
    first = {"4k": tlb.l1_4k, "2m": tlb.l1_2m, "1g": tlb.l1_1g}
    return [
        *(f"tlb_{size} {level.entries} {level.ways}" for size, level in first.items()),
        f"tlb_l2 {tlb.l2.entries} {tlb.l2.ways} {tlb.l2.ns}",
        f"tlb_upper {tlb.pde} {tlb.pdpte} {tlb.pml4e}",
    ]


def plugin_config(machine: Machine, out: Path, pages: Path) -> str:
    """The plugin's configuration file.

    out: where its regions and censuses go, one JSON object a line.
    pages: where the last region's accesses served by each page go, the kernel's stores left
    out, little-endian u32 in the order of RAM.
    """
    lines = [
        f"out {out}",
        f"pages {pages}",
        f"below4g {below_4g(machine.memory)}",
        *(f"node {node.size} {node.bandwidth_mbps}" for node in machine.nodes),
        "cpus " + " ".join(map(str, machine.cpu_nodes)),
        *(f"latency {node} " + " ".join(map(str, row)) for node, row in machine.latency_ns.items()),
        f"l1 {machine.l1.size} {machine.l1.ways}",
        f"l2 {machine.l2.size} {machine.l2.ways} {machine.l2.ns}",
        f"llc {machine.llc.size} {machine.llc.ways} {machine.llc.ns}",
        f"streams {machine.streams}",
        f"insn_ps {machine.insn_ps}",
        f"slice_ns {SLICE_NS}",
        f"interval_ns {INTERVAL_NS}",
        *([f"window {machine.window}"] if machine.window else []),
        *(_tlb_config(machine.tlb) if machine.tlb else []),
        *([f"device_read_ns {machine.device_read_ns}"] if machine.device_read_ns else []),
    ]
    return "\n".join(lines) + "\n"
