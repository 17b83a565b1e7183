# SPDX-License-Identifier: GPL-2.0
"""What the tests of memory that comes and goes share: how a guest plugs and unplugs it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pghotlab.guest.vm import Guest
from support import DEBUG, kernel_module, run

HERE = Path(__file__).parent
NVDIMM = HERE / "nvdimm.toml"
DIMM = HERE / "dimm.toml"
ONE_TIER = HERE / "one-tier.toml"

# System RAM from persistent memory, in the order of loading.
DAX = (
    "libnvdimm",
    "nfit",
    "dax_pmem",
    "kmem",
)

# Persistent memory as firmware without tables for it names it, in the order of loading.
LEGACY = (
    "libnvdimm",
    "nd_btt",
    "nd_pmem",
    "nd_e820",
)


@dataclass(frozen=True)
class DeviceMemory:
    """Device memory with struct pages (ZONE_DEVICE), in the midst of a memory block of a node.

    The debug kernel has no driver for it: there it is memory that nobody has.
    """

    node: int
    address: int
    size: int

    @property
    def kernel_argument(self) -> str:
        """What has the kernel leave it to a driver."""
        return f"memmap={self.size}!{self.address}"

    @property
    def files(self) -> Mapping[str, Path]:
        """The driver's modules, by path in the guest."""
        return {} if DEBUG else module_files(LEGACY)

    @property
    def steps(self) -> str:
        """Have the driver take it, and report what the kernel then says it is."""
        if DEBUG:
            return ""
        return f"""
for module in {" ".join(LEGACY)}; do
	insmod /lib/$module.ko
done
eventually [ -e /sys/block/pmem0 ]
sed -n 's/^ *\\([0-9a-f-]*\\) : namespace0.0$/\\1/p' /proc/iomem | report device.range
awk '/^Node/ {{ here = $2 $4 == "{self.node},Device" }}
	here && $1 == "spanned" {{ print $2 }}' /proc/zoneinfo | report device.spanned
"""

    def check(self, guest: Guest) -> None:
        """Was it what it is meant to be?"""
        if DEBUG:
            return
        last = self.address + self.size - 1
        assert guest.report.text("device.range") == f"{self.address:x}-{last:x}"
        assert int(guest.report.text("device.spanned")) == self.size // 4096


PRELUDE = """
NODES=/sys/devices/system/node
MEMORY=/sys/devices/system/memory

# devdax: a dax device of the machine's persistent memory, as ndctl makes one
devdax()
{
	for module in libnvdimm nfit dax_pmem kmem; do
		insmod /lib/$module.ko
	done
	dax=/sys/bus/nd/devices/dax0.0
	eventually [ -e $dax ]
	set_value $dax/mode ram
	set_value $dax/uuid "$(cat /proc/sys/kernel/random/uuid)"
	set_value $dax/namespace namespace0.0
	set_value /sys/bus/nd/drivers/dax_pmem/bind dax0.0
}

# plug: make system RAM of it, a node of its own
plug()
{
	set_value /sys/bus/dax/drivers/kmem/new_id dax0.0
}

# unplug: take all of it away again
unplug()
{
	for block in $(blocks 1); do
		take $block
	done
	set_value /sys/bus/dax/drivers/kmem/remove_id dax0.0
	set_value /sys/bus/dax/drivers/kmem/unbind dax0.0
}

# blocks NODE: numbers of its memory blocks
blocks()
{
	for block in $NODES/node$1/memory[0-9]*; do
		echo ${block##*/memory}
	done | sort -n
}

offline()
{
	echo offline 2>/dev/null >$MEMORY/memory$1/state
}

# take BLOCK: offline it, as soon as what holds its pages lets go
take()
{
	if ! eventually offline $1; then
		echo "lab: memory block $1 stays" >/dev/kmsg
		return 1
	fi
}

# give BLOCK: bring it back
give()
{
	set_value $MEMORY/memory$1/state online_movable
}

thread_runs()
{
	pidof kmigrated1 >/dev/null
}

thread_is_gone()
{
	! thread_runs
}

# answer NAME COMMAND...: report whether it succeeds in time
answer()
{
	name=$1
	shift
	if eventually "$@"; then
		echo yes
	else
		echo no
	fi | report "$name"
}
"""


def module_files(modules: Iterable[str]) -> Mapping[str, Path]:
    """Modules of the kernel, by path in the guest."""
    return {f"lib/{name}.ko": kernel_module(name) for name in modules}


def run_hotplug(
    steps: str,
    *,
    name: str,
    machine: str | Path,
    timeout: float = 600,
    kernel_arguments: str = "",
) -> Guest:
    """Boot with the modules of DAX and run the steps after PRELUDE."""
    return run(
        PRELUDE + steps,
        name=name,
        machine=machine,
        timeout=timeout,
        files=module_files(DAX),
        kernel_arguments=kernel_arguments,
    )


def answers(guest: Guest, name: str) -> bool:
    """What `answer` found."""
    return guest.report.text(name) == "yes"
