# SPDX-License-Identifier: GPL-2.0
"""What the guest's program `placed` makes of a process' numa_maps."""

import json
import os
import subprocess
from pathlib import Path

from pghotlab.base import paths
from scripted import program

SCRIPT = paths.ROOT / "lab" / "guest" / "tools" / "placed.sh"
MAPS = """\
5566 default file=/usr/bin/server mapped=4 N0=3 N1=1 kernelpagesize_kB=4
7788 default heap anon=120 dirty=120 N0=20 N1=100 kernelpagesize_kB=4
99aa default stack anon=1 N0=1 kernelpagesize_kB=4
ffff default
"""


def placed(folder: Path, maps: str) -> dict[str, object]:
    for name in ("nodes/node0", "nodes/node1", "bin"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    program(folder / "bin/fast_nodes", "echo 0\n")
    (folder / "7").mkdir(exist_ok=True)
    (folder / "7/numa_maps").write_text(maps)
    script = SCRIPT.read_text().replace("/tmp/placed.nodes", str(folder / "placed.nodes"))
    script = script.replace("/sys/devices/system/node", str(folder / "nodes"))
    script = script.replace("/proc/", f"{folder}/")
    done = subprocess.run(
        ["sh", "-s", "7"],
        input=script,
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": f"{folder}/bin:{os.environ['PATH']}"},
    )
    found: dict[str, object] = json.loads(f"{{{done.stdout}}}")
    return found


def test_pages_by_node(tmp_path: Path) -> None:
    assert placed(tmp_path, MAPS) == {
        "placed_per_node": {"0": 24, "1": 101},
        "fast_at_start_percent": 19.2,
    }


def test_nothing_is_placed(tmp_path: Path) -> None:
    assert placed(tmp_path, "5566 default\n") == {
        "placed_per_node": {"0": 0, "1": 0},
        "fast_at_start_percent": 0,
    }
