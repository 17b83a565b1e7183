# SPDX-License-Identifier: GPL-2.0
"""pghot-events finds what each kind of machine has, on trees like theirs, and hands it over."""

import json
import random
import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

from pghotlab.base import paths

PROGRAM = paths.ROOT / "tools" / "pghot-events"

SOFTWARE = {"software/type": "1\n"}
IBS = {
    "ibs_op/type": "11\n",
    "ibs_op/format/cnt_ctl": "config:19\n",
    "ibs_fetch/type": "10\n",
    "ibs_fetch/format/rand_en": "config:57\n",
}
AMD = {
    "cpu/type": "4\n",
    "cpu/format/event": "config:0-7,32-35\n",
    "cpu/events/cycles": "event=0x76",
}
INTEL = {
    "type": "4\n",
    "format/event": "config:0-7\n",
    "format/umask": "config:8-15\n",
    "format/ldlat": "config1:0-15\n",
    "caps/max_precise": "3\n",
    "events/mem-loads": "event=0xcd,umask=0x1,ldlat=3\n",
}
AUX = {"events/mem-loads-aux": "event=0x03,umask=0x82\n"}
UNCORE = {
    "uncore_imc_0/type": "14\n",
    "uncore_imc_0/events/cas_count_read": "event=0x04,umask=0x03",
}


def under(name: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{name}/{path}": text for path, text in files.items()}


ATOM = {
    **INTEL,
    "type": "10\n",
    "cpus": "16-23\n",
    "events/mem-loads": "event=0xd0,umask=0x5,ldlat=3\n",
}
MACHINES: dict[str, dict[str, str]] = {
    "zen2": SOFTWARE | AMD | {"ibs_op/type": "9\n"},
    "zen3": SOFTWARE | AMD | IBS,
    "zen4": SOFTWARE
    | AMD
    | IBS
    | {"ibs_op/format/l3missonly": "config:16\n", "ibs_op/caps/zen4_ibs_extensions": "1\n"},
    "skylake": SOFTWARE | UNCORE | under("cpu", INTEL),
    "sapphire-rapids": SOFTWARE | UNCORE | under("cpu", INTEL | AUX),
    "sierra-forest": SOFTWARE | under("cpu", {**ATOM, "type": "4\n"}),
    "hybrid": SOFTWARE
    | under("cpu_core", INTEL | AUX | {"cpus": "0-15\n"})
    | under("cpu_atom", ATOM),
    "arm": SOFTWARE | {"arm_spe_0/type": "8\n", "armv8_pmuv3_0/type": "7\n"},
    "intel-vm": SOFTWARE | under("cpu", {**INTEL, "caps/max_precise": "0\n"}),
    "vm": SOFTWARE | {"msr/type": "6\n"},
}
FAULTS = ("page-faults-min", "1 0x5 0x0 0x0 0")
# What can be used, the best first, by name and as it is handed over.
USABLE = {
    "zen2": [("ibs_op", "9 0x0 0x0 0x0 0"), FAULTS],
    "zen3": [("ibs_op", "11 0x80000 0x0 0x0 0"), FAULTS],
    "zen4": [("ibs_op", "11 0x90000 0x0 0x0 0"), FAULTS],
    "skylake": [
        ("cpu/mem_load_retired.l3_miss/", "4 0x20d1 0x0 0x0 1"),
        ("cpu/mem-loads/", "4 0x1cd 0x80 0x0 1"),
        FAULTS,
    ],
    "sapphire-rapids": [("cpu/mem_load_retired.l3_miss/", "4 0x20d1 0x0 0x0 1"), FAULTS],
    "sierra-forest": [("cpu/mem-loads/", "4 0x5d0 0x80 0x0 1"), FAULTS],
    "hybrid": [
        ("cpu_core/mem_load_retired.l3_miss/", "4 0x20d1 0x0 0x0 1"),
        ("cpu_atom/mem-loads/", "10 0x5d0 0x80 0x0 1"),
        FAULTS,
    ],
    "arm": [FAULTS],
    "intel-vm": [FAULTS],
    "vm": [FAULTS],
}
# What cannot, and a word of why.
REFUSED = {
    "sapphire-rapids": [("cpu/mem-loads/", "mem-loads-aux")],
    "hybrid": [("cpu_core/mem-loads/", "mem-loads-aux")],
    "arm": [("arm_spe_0", "buffer")],
    "intel-vm": [("cpu/mem-loads/", "virtual machines")],
}


def plant(root: Path, files: dict[str, str], *, module: bool = True) -> Path:
    """A /sys like that of a machine; where pghot is loaded unless told otherwise."""
    devices = root / "bus/event_source/devices"
    devices.mkdir(parents=True)
    for path, text in files.items():
        file = devices / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    if module:
        (root / "kernel/mm/pghot").mkdir(parents=True)
        (root / "kernel/mm/pghot/perf_event").write_text("none\n")
    return root


def handed_over(root: Path) -> str:
    return (root / "kernel/mm/pghot/perf_event").read_text()


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PROGRAM), "--root", str(root), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def events(root: Path) -> list[dict[str, Any]]:
    done = run(root, "--json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def failure(root: Path, *arguments: str) -> str:
    done = run(root, *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert all(line.startswith("pghot-events: ") for line in done.stderr.splitlines())
    return done.stderr


@pytest.mark.parametrize("machine", MACHINES)
def test_finds(tmp_path: Path, machine: str) -> None:
    found = events(plant(tmp_path, MACHINES[machine]))
    assert [(e["name"], e["text"]) for e in found if not e["refused"]] == USABLE[machine]
    refused = [(e["name"], e["refused"]) for e in found if e["refused"]]
    expected = REFUSED.get(machine, [])
    assert [name for name, _why in refused] == [name for name, _word in expected]
    for (_name, why), (_same, word) in zip(refused, expected, strict=True):
        assert word in why


@pytest.mark.parametrize("machine", MACHINES)
def test_table_has_all(tmp_path: Path, machine: str) -> None:
    done = run(plant(tmp_path, MACHINES[machine]))
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert len(lines) == len(USABLE[machine]) + len(REFUSED.get(machine, []))
    for name, text in USABLE[machine]:
        assert any(line.startswith(name) and text in line for line in lines)


def test_hybrid_says_which_cpus(tmp_path: Path) -> None:
    done = run(plant(tmp_path, MACHINES["hybrid"]))
    assert "on CPUs 0-15 only" in done.stdout
    assert "on CPUs 16-23 only" in done.stdout


@pytest.mark.parametrize("machine", MACHINES)
def test_sets_the_first(tmp_path: Path, machine: str) -> None:
    root = plant(tmp_path, MACHINES[machine])
    done = run(root, "--set")
    assert done.returncode == 0, done.stderr
    assert handed_over(root) == USABLE[machine][0][1] + "\n"


def test_sets_by_name(tmp_path: Path) -> None:
    root = plant(tmp_path, MACHINES["zen4"])
    assert run(root, "--set", "page-faults-min").returncode == 0
    assert handed_over(root) == "1 0x5 0x0 0x0 0\n"


def test_unknown_name(tmp_path: Path) -> None:
    root = plant(tmp_path, MACHINES["zen4"])
    assert "no event 'ibs' here; there are: ibs_op, page-faults-min" in failure(
        root, "--set", "ibs"
    )
    assert handed_over(root) == "none\n"


def test_refused_name(tmp_path: Path) -> None:
    root = plant(tmp_path, MACHINES["arm"])
    assert "arm_spe_0 cannot be used" in failure(root, "--set", "arm_spe_0")
    assert handed_over(root) == "none\n"


def test_module_not_loaded(tmp_path: Path) -> None:
    root = plant(tmp_path, MACHINES["zen3"], module=False)
    assert "load pghot first" in failure(root, "--set")


def test_module_refuses(tmp_path: Path) -> None:
    root = plant(tmp_path, MACHINES["zen3"])
    file = root / "kernel/mm/pghot/perf_event"
    file.unlink()
    file.mkdir()
    assert "cannot write '11 0x80000 0x0 0x0 0'" in failure(root, "--set")


def test_nothing_to_use(tmp_path: Path) -> None:
    said = failure(plant(tmp_path, {"arm_spe_0/type": "8\n"}))
    assert "arm_spe_0; cannot be used" in said
    assert "this machine has no event that can be used" in said
    assert "no event that can be used" in failure(tmp_path, "--set")


def test_no_events_at_all(tmp_path: Path) -> None:
    assert "bus/event_source/devices: No such file" in failure(tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("ibs_op/type", "many\n", "'many' is no number"),
        ("ibs_op/format/cnt_ctl", "config9:19\n", "cannot read 'config9:19'"),
        ("ibs_op/format/cnt_ctl", "config:a\n", "cannot read 'config:a'"),
        ("cpu/events/mem-loads", "event=x\n", "cannot read 'event=x'"),
    ],
)
def test_sysfs_that_makes_no_sense(tmp_path: Path, file: str, text: str, told: str) -> None:
    assert told in failure(plant(tmp_path, MACHINES["zen3"] | {file: text}))


def test_value_without_room(tmp_path: Path) -> None:
    root = plant(tmp_path, MACHINES["skylake"] | {"cpu/format/umask": "config:8\n"})
    assert "no room for 0x20" in failure(root)


def test_scattered_bits(tmp_path: Path) -> None:
    wide = MACHINES["skylake"] | {"cpu/format/umask": "config:8-11,40-47\n"}
    assert events(plant(tmp_path, wide))[0]["config"] == 0xD1 | 2 << 40


# What a file of sysfs may hold, as far as the command knows.
CONTENTS = (
    *(b"", b"\n", b"0", b"3", b"-1", b"4294967296", b"9" * 30, b"0x4", b"1_0", "\u0661".encode()),
    *(b"event", b"event=0xcd", b"event=-1", b"event=0x" + b"f" * 17, b"event=010", b"=1", b"a\0=1"),
    *(b"event=0xcd,umask=0x1,ldlat=3", b"../type=1", b"x" * 300, b"\xff\xfe", b"event=0xd0,"),
    *(
        b"config:0-7",
        b"config:7-0",
        b"config1:63",
        b"config:64",
        b"config:0-999999999",
        b"config3:0",
    ),
    *(b"config:0-3,8", b"config:", b"config:1,", b"config:0-1-2", "config:\u0661".encode()),
)
LINE = re.compile(r"[0-9]{1,10}( 0x[0-9a-f]{1,16}){3} [0-3]")


@pytest.mark.parametrize("machine", ["zen4", "skylake", "hybrid"])
def test_any_content_is_an_event_or_an_error(
    machine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loader = SourceFileLoader("pghot_events", str(PROGRAM))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    program = sys.modules[loader.name] = module_from_spec(spec)
    loader.exec_module(program)
    plant(tmp_path, MACHINES[machine])
    rng = random.Random(1)
    files = [path for path in tmp_path.rglob("bus/**/*") if path.is_file()]
    right = {path: path.read_bytes() for path in files}
    found = 0
    for _ in range(300):
        changed = rng.sample(files, rng.randint(1, 3))
        for path in changed:
            path.write_bytes(rng.choice(CONTENTS))
        status = program.main(["--json", "--root", str(tmp_path)])
        said = capsys.readouterr()
        if status == 0:
            usable = [event["text"] for event in json.loads(said.out) if not event["refused"]]
            assert usable and all(LINE.fullmatch(text) for text in usable)
            found += 1
        else:
            assert status == 1
            assert said.out == "" and said.err.startswith("pghot-events: ")
        for path in changed:
            path.write_bytes(right[path])
    assert 15 < found < 285
