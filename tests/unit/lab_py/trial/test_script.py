# SPDX-License-Identifier: GPL-2.0
"""The guest's script `try`: how much fast memory it leaves, and what it makes of a run.

It runs here with files that stand for the kernel's, and programs that stand for the guest's.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pghotlab.base import paths
from pghotlab.base.units import MIB
from scripted import program

SCRIPT = paths.ROOT / "lab" / "guest" / "workloads" / "try" / "try.sh"
HUGE = "hugepages/hugepages-2048kB/nr_hugepages"
# Of two fast nodes. In the first zone, all that is free is kept for other uses.
ZONES = """\
Node 0, zone      DMA
  per-node stats
      nr_inactive_anon 5
  pages free     1000
        boost    0
        low      10
        high     20
        protection: (0, 995, 995)
Node 0, zone    DMA32
  pages free     FREE0
        low      1000
        protection: (0, 0, 0)
Node 1, zone   Normal
  pages free     FREE1
        low      1000
        protection: (0, 0, 0)
Node 2, zone   Normal
  pages free     777777
        low      1000
        protection: (0, 0, 0)
"""
# Huge pages take what is free.
SET_VALUE = """\
echo "$2" >"$1"
free()
{
	echo $((257000 - 512 * $(cat FOLDER/sys/devices/system/node/node$1/HUGE)))
}
sed "s/FREE0/$(free 0)/; s/FREE1/$(free 1)/" FOLDER/zones >FOLDER/proc/zoneinfo
"""
OBSERVE = """\
printf '%s\\n' "$@" >FOLDER/observed
echo "words of the program" >FOLDER/tmp/try.output
echo '{"guest_ns":5,"begun":true}'
exit STATUS
"""


@dataclass
class Ran:
    """What the script has left: its status, what it printed and reported, huge pages by node."""

    status: int
    printed: dict[str, Any]
    reported: str
    huge: list[int]
    observed: list[str]


def run(folder: Path, options: str, status: int = 0) -> Ran:
    nodes = folder / "sys/devices/system/node"
    for node in ("node0", "node1", "node2"):
        (nodes / node / HUGE).parent.mkdir(parents=True)
        (nodes / node / HUGE).write_text("0\n")
    for name in ("proc/sys/vm", "proc/sys/debug", "sys/fs/cgroup", "tmp", "dev", "bin", "try/dev"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "zones").write_text(ZONES)
    (folder / "proc/zoneinfo").write_text(
        ZONES.replace("FREE0", "257000").replace("FREE1", "257000")
    )
    for name in ("mount", "ifconfig"):
        program(folder / "bin" / name, "")
    program(folder / "bin/fast_nodes", "echo 0; echo 1\n")
    # The kernel makes the files of a cgroup.
    group = folder / "sys/fs/cgroup/try"
    made = f"[ ! -d {group} ] || echo 4096 >{group}/memory.peak"
    program(folder / "bin/mkdir", f'command -p mkdir "$@"\n{made}\n')
    for name, body in (("set_value", SET_VALUE.replace("HUGE", HUGE)), ("observe", OBSERVE)):
        text = body.replace("FOLDER", str(folder)).replace("STATUS", str(status))
        program(folder / "bin" / name, text)
    script = re.sub(r'(?<=[ =>"])/(sys|proc|tmp|dev)/', rf"{folder}/\1/", SCRIPT.read_text())
    script = script.replace("PATH=/usr", f"PATH={folder}/bin:/usr")
    script = script.replace("tree=/try\n", f"tree={folder}/try\n")
    (folder / "script").write_text(script)
    command = f"PATH={folder}/bin:$PATH exec sh {folder}/script {options}"
    done = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "not found" not in done.stderr, done.stderr
    observed, report = folder / "observed", folder / "dev/ttyS1"
    return Ran(
        done.returncode,
        json.loads(done.stdout) if done.stdout else {"error": done.stderr},
        report.read_text() if report.exists() else "",
        [int((nodes / node / HUGE).read_text()) for node in ("node0", "node1", "node2")],
        observed.read_text().splitlines() if observed.exists() else [],
    )


def test_memory_that_is_left(tmp_path: Path) -> None:
    """Split between the fast nodes, to 2 MiB; the watermark and what is kept do not count."""
    ran = run(tmp_path, f"--fast-bytes {200 * MIB} --seed 1 --provision 2 -- /bin/job 'a b'")
    assert (ran.status, ran.huge) == (0, [450, 450, 0])
    assert ran.printed["fast_free_bytes"] == 2000 * MIB
    assert ran.printed["fast_left_bytes"] == 200 * MIB
    assert ran.printed["peak_bytes"] == 4096
    assert (ran.printed["verified"], ran.printed["guest_ns"]) == (True, 5)
    assert ran.reported == "@begin output\nwords of the program\n@end output\n"
    assert ran.observed[-3:] == ["--", "/bin/job", "a b"]
    assert "--start" not in ran.observed


def test_fast_memory_alone_is_not_limited(tmp_path: Path) -> None:
    ran = run(tmp_path, f"--fast-bytes {200 * MIB} --seed 1 --provision 0 -- /bin/job")
    assert ran.huge == [0, 0, 0]
    assert ran.printed["fast_left_bytes"] == 2000 * MIB


def test_texts_reach_the_observer(tmp_path: Path) -> None:
    ran = run(tmp_path, "--folder /x --start 'is ready' --end \"it's\" --provision 0 -- /bin/job")
    assert ran.observed[2:10] == [
        *("--folder", "/x", "--output", f"{tmp_path}/tmp/try.output"),
        *("--start", "is ready", "--end", "it's"),
    ]


def test_a_program_that_fails(tmp_path: Path) -> None:
    """All is said, and the status is that of the observer."""
    ran = run(tmp_path, "--provision 0 --marks yes -- /bin/job", status=1)
    assert ran.status == 1
    assert ran.printed["begun"] is True
    assert "words of the program" in ran.reported
    assert "--marks" in ran.observed


@pytest.mark.parametrize(
    ("options", "status", "error"),
    [
        ("--odd 1 -- x", 2, "try: --odd: no such option"),
        (f"--fast-bytes {2001 * MIB} --provision 2 -- x", 1, "of fast memory are free, not"),
    ],
)
def test_wrong_options(tmp_path: Path, options: str, status: int, error: str) -> None:
    ran = run(tmp_path, options)
    assert ran.status == status
    assert error in ran.printed["error"]
    assert ran.huge == [0, 0, 0]
