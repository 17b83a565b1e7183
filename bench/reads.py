# SPDX-License-Identifier: GPL-2.0
"""What the page cache source costs a read, in guest instructions: `make bench-reads`.

A program reads a cached file, a page with each system call, with the source off and on;
the file is on the fast node, and on the slow one. The plugin counts exactly.
"""

import sys

import recording
from pghotlab.base.errors import LabError
from recording import PAGES, per_page

NODES = {"fast": 0, "slow": 1}
# Of the file on each node: without pghot, with the source off, then on, and once more, and
# when pghot has gone.
WHEN = ("without", "off", "on", "again", "after")

STEPS = f"""
mark arm
sleep 2
for node in {" ".join(map(str, NODES.values()))}; do
	mkdir -p /tmp/$node
	mount -t tmpfs -o mpol=bind:$node node$node /tmp/$node
	dd if=/dev/zero of=/tmp/$node/file bs=4096 count={PAGES} 2>/dev/null
done

# read_file NODE: a region in which each page is read once
read_file()
{{
	mark begin
	dd if=/tmp/$1/file of=/dev/null bs=4096 2>/dev/null
	mark end
}}

for node in {" ".join(map(str, NODES.values()))}; do
	read_file $node
	load_pghot freq_threshold=3
	read_file $node
	set_value $PGHOT/enabled_sources 8
	read_file $node
	read_file $node
	cat $PGHOT/stats/recorded_accesses | report recorded.$node
	rmmod pghot
	read_file $node
done
"""


def measure() -> dict[str, float]:
    """Instructions for a read, by node and state of the source."""
    regions = [f"{name}_{when}" for name in NODES for when in WHEN]
    guest, cost = recording.measure(STEPS, regions, "reads", of_cpus=max)
    recorded = {name: int(guest.report.text(f"recorded.{nid}")) for name, nid in NODES.items()}
    if recorded != {"fast": 0, "slow": 2 * PAGES}:
        raise LabError(f"{guest.folder}: recorded {recorded} accesses")
    return {name: per_page(cost, name) for name in regions}


def main() -> int:
    """Measure, print the table, and write reads.json."""
    try:
        costs = measure()
    except LabError as error:
        print(f"reads: {error}", file=sys.stderr)
        return 1
    print("kernel instructions for a read(2) of 4 KiB of page cache")
    print(f"{'':>8}" + "".join(f"{when:>10}" for when in WHEN))
    for name in NODES:
        print(f"{name:>8}" + "".join(f"{costs[f'{name}_{when}']:>10,.1f}" for when in WHEN))
    recording.keep("reads", costs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
