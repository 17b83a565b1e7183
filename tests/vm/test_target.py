# SPDX-License-Identifier: GPL-2.0
"""Default mode promotes to the node that uses the memory, whichever that is."""

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, SHRINK, micro, run

MEGABYTES = 64 // SHRINK
PAGES = MEGABYTES * 256
# Enough for all pages to be found and promoted meanwhile, also by a slow kernel.
ACCESSES = 60_000_000 if DEBUG else 20_000_000

STEPS = f"""
set_value $NUMAB 2
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
for node in 0 1; do
	phase "used by node $node"
	micro --threads 2 --bytes $(({MEGABYTES} << 20)) --accesses {ACCESSES} --provision 2 \\
		--cpus-node $node | report node$node
done
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="target", machine="three-node")


@pytest.mark.parametrize("node", ("0", "1"))
def test_promoted_to_the_node_that_uses_it(guest: Guest, node: str) -> None:
    assert micro(guest, f"node{node}")["pages_per_node"][node] > 0.9 * PAGES
