# SPDX-License-Identifier: GPL-2.0
"""What the tests of memory that comes and goes share: how a guest plugs and unplugs it."""

from collections.abc import Mapping
from pathlib import Path

from pghotlab.vm import Guest
from support import kernel_module, run

HERE = Path(__file__).parent
NVDIMM = HERE / "nvdimm.toml"
DIMM = HERE / "dimm.toml"
ONE_TIER = HERE / "one-tier.toml"

# System RAM from persistent memory, in the order of loading.
DAX = (
    "drivers/nvdimm/libnvdimm",
    "drivers/acpi/nfit/nfit",
    "drivers/dax/dax_pmem",
    "drivers/dax/kmem",
)

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


def run_hotplug(
    steps: str,
    *,
    name: str,
    machine: str | Path,
    timeout: float = 600,
    kernel_arguments: str = "",
) -> Guest:
    """Boot with the modules of DAX and run the steps after PRELUDE."""
    files: Mapping[str, Path] = {f"lib/{Path(path).name}.ko": kernel_module(path) for path in DAX}
    return run(
        PRELUDE + steps,
        name=name,
        machine=machine,
        timeout=timeout,
        files=files,
        kernel_arguments=kernel_arguments,
    )


def answers(guest: Guest, name: str) -> bool:
    """What `answer` found."""
    return guest.report.text(name) == "yes"
