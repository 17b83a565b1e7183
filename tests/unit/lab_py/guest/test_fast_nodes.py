# SPDX-License-Identifier: GPL-2.0
"""Which nodes the guest's program `fast_nodes` names, by the kernel's memory tiers."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from pghotlab.base import paths

SCRIPT = paths.ROOT / "lab" / "guest" / "tools" / "fast_nodes.sh"


def fast_nodes(folder: Path, tiers: Mapping[int, str], cpus: Mapping[int, str]) -> list[int]:
    """The nodes that it names.

    tiers: nodes of each tier, by its number. cpus: of nodes; of those that are not there, none.
    """
    for tier, nodes in tiers.items():
        place = folder / f"virtual/memory_tiering/memory_tier{tier}"
        place.mkdir(parents=True)
        (place / "nodelist").write_text(f"{nodes}\n")
    for node in range(16):
        place = folder / f"system/node/node{node}"
        place.mkdir(parents=True)
        (place / "cpulist").write_text(f"{cpus.get(node, '')}\n")
    script = SCRIPT.read_text().replace("/sys/devices/", f"{folder}/")
    done = subprocess.run(
        ["sh", "-s"], input=script, capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stderr == ""
    return list(map(int, done.stdout.split()))


@pytest.mark.parametrize(
    ("tiers", "cpus", "wanted"),
    [
        ({4: "0", 22: "1"}, {0: "0-3"}, [0]),
        # All in one tier: nothing is promoted.
        ({4: "0-1"}, {0: "0-3"}, [0, 1]),
        # HBM, DRAM and CXL memory. Numbers are compared, and not texts.
        ({3: "1", 4: "0", 22: "2"}, {0: "0-3"}, [0, 1]),
        ({4: "0-1,3", 10: "2,4-6"}, {0: "0", 1: "1", 3: "2"}, [0, 1, 3]),
        # A node with CPUs makes its tier fast, however slow it is.
        ({4: "0", 9: "1", 12: "2-3"}, {0: "0", 2: "1"}, [0, 1, 2, 3]),
    ],
)
def test_fast_nodes(
    tmp_path: Path, tiers: Mapping[int, str], cpus: Mapping[int, str], wanted: list[int]
) -> None:
    assert fast_nodes(tmp_path, tiers, cpus) == wanted
