# SPDX-License-Identifier: GPL-2.0
"""What each verb makes of a machine, and how it answers to what is wrong."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from command import tree
from command.tree import PGHOT, Trees
from pghot import command, persist, recording
from pghot.cli import main
from pghot.decide.hotset import estimate
from pghot.decide.private import clean
from pghot.decide.verdict import verdict
from pghot.decide.view import View
from pghot.errors import FAILED, OK, USAGE, PghotError
from pghot.read.blocks import read_ranges
from pghot.read.root import Root
from pghot.read.trace import Event
from pghot.show.screen import Screen, duration, size
from pghot.verbs import VERBS, bundle, selftest, status, top
from pghot.version import VERSION

LOADED = tree.loaded()
PLAIN = tree.plain()


def answer(root: Root, *words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any, str]:
    """Exit status, JSON if there is some, and what was complained of."""
    code = main(["--root", str(root.folder), words[0], "--json", *words[1:]])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The programs that were called; none runs."""
    called: list[Sequence[str]] = []

    def run(words: Sequence[str]) -> str:
        called.append(tuple(words))
        return ""

    monkeypatch.setattr(command, "run", run)
    return called


def test_status(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    code, found, _ = answer(trees.root(LOADED), "status", "-s", "0", capsys=capsys)
    assert code == OK
    assert (found["version"], found["module_version"]) == (VERSION, VERSION)
    assert [(n["id"], n["slow"], n["why"]) for n in found["nodes"]] == [
        (0, False, "top tier"),
        (1, True, "below the kernel's top tier"),
    ]
    assert found["nodes"][1]["distance"] == 50
    assert found["decisions"][0] == "small: promote: there is free memory on fast nodes"
    assert found["hot_bytes"] is None
    assert found["fast_bytes"] == 2 << 30


def test_status_of_rates(trees: Trees) -> None:
    counted = tree.stats(promoted=2560, demoted=256, kmigrated_cpu_ns=20_000_000)
    before = trees.machine(LOADED)
    view = View(before, trees.machine(LOADED, counted, time=10))
    look = Event(1.0, "pghot_policy_look", 1, {"looked": "1000", "used": "100"})
    found = status.make(view, [look, look])
    assert found.flow.promoted_per_second == 1 << 20
    assert found.flow.promoted == 10 << 20
    assert found.flow.demoted == 1 << 20
    assert found.cpu_share == 0.002
    assert found.hot_bytes == 12000 * 4096 // 10
    assert found.verdict == (
        "pghot promotes 1.0 MiB/s from node 1, and demotes idle ones to make room."
    )


def test_no_estimate_without_looks(trees: Trees) -> None:
    machine = trees.machine(LOADED)
    assert estimate(View(machine, machine), []).bytes is None


QUIET = tree.STATE.replace(
    "promote: there is free memory on fast nodes", "quiet: moving pages would not pay"
)
UNKNOWN = tree.STATE.replace("promote: there is free", "unknown: too few pages, there is free")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (PLAIN, "not installed"),
        ({**PLAIN, **tree.installed()}, "installed and not loaded"),
        ({**LOADED, f"{PGHOT}/slow_nodes": "\n"}, "all memory is in one tier"),
        ({**LOADED, **tree.sources()}, "no source is on"),
        ({**LOADED, **tree.stats(refused_full=1)}, "fast nodes are full"),
        (LOADED, "All hot pages"),
        ({**LOADED, f"{PGHOT}/policy_state": QUIET}, "moves nothing at this moment: moving pages"),
        ({**LOADED, f"{PGHOT}/policy_state": UNKNOWN}, "too few pages in use"),
        ({**LOADED, f"{PGHOT}/policy": "manual\n"}, "watches node 1"),
    ],
)
def test_verdict(trees: Trees, files: dict[str, str], words: str) -> None:
    zero = tree.stats(refused_full=0) if f"{PGHOT}/policy" in files else {}
    view = View(trees.machine(files, zero), trees.machine(files, time=1))
    assert words in verdict(view)


def test_status_for_people(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    for files in (LOADED, PLAIN):
        assert main(["--root", str(trees.root(files).folder), "status", "-s", "0"]) == OK
        said = capsys.readouterr().out
        assert "\x1b" not in said
        assert max(map(len, said.splitlines())) <= 120
        assert "2.0 GiB" in said


def test_sources(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED, tree.stats(recorded_windows=12))
    code, found, _ = answer(root, "sources", "-s", "0", capsys=capsys)
    assert code == OK
    assert found["enabled_sources"] == 522
    assert found["sources"][-1]["recorded"] == 12
    code, _, said = answer(trees.root(PLAIN), "sources", capsys=capsys)
    assert (code, said) == (FAILED, "pghot sources: the module is not loaded (sudo pghot load)\n")


# Settings that must be refused, with what is said, and none of which changes anything.
WRONG = {
    "freq_threshold=4": "freq_threshold=4: must be a number from 1 to 3",
    "freq_threshold=x": "freq_threshold=x: must be a number from 1 to 3",
    "freq_threshold=": "freq_threshold=: must be a number from 1 to 3",
    "freq_threshold": "freq_threshold: write NAME=VALUE",
    "target_nid=7": "target_nid=7: must be -1, or a node with memory (0, 1)",
    "enabled_sources=1024": "enabled_sources=1024: must be a sum of bits of 1023",
    "mode=precise": "mode: can be set only when the module is loaded",
    "policy=on": "policy=on: must be auto or manual",
    "freq_treshold=1": "freq_treshold: pghot has no such setting; did you mean freq_threshold?",
    "xyzzy=1": "xyzzy: pghot has no such setting\n",
}


@pytest.mark.parametrize("text", WRONG)
def test_set_refuses(trees: Trees, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED)
    code, _, said = answer(root, "set", "target_nid=0", text, "--persist", capsys=capsys)
    assert code == USAGE
    assert WRONG[text] in said
    assert root.number(f"{PGHOT}/target_nid") == -1
    assert not root.has(persist.MODPROBE)


def test_set(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED)
    code, found, _ = answer(root, "set", "freq_threshold=0x3", "policy=manual", capsys=capsys)
    assert code == OK
    assert found["changed"][0] == {
        "name": "freq_threshold",
        "before": "2",
        "value": "0x3",
        "persistent": False,
    }
    assert root.text(f"{PGHOT}/policy") == "manual"
    assert not root.has(persist.MODPROBE)


def test_set_in_precise_mode(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED, {f"{PGHOT}/mode": "precise\n"})
    assert answer(root, "set", "freq_threshold=7", capsys=capsys)[0] == OK
    code, _, said = answer(root, "set", "freq_threshold=8", capsys=capsys)
    assert code == USAGE
    assert "from 1 to 7" in said


def test_set_persists(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED)
    for setting in ("freq_threshold=1", "target_nid=0"):
        assert answer(root, "set", setting, "--persist", capsys=capsys)[0] == OK
    text = root.lines(persist.MODPROBE)
    assert text[-1] == "options pghot freq_threshold=1 target_nid=0"
    assert answer(root, "set", "policy=manual", "--persist", capsys=capsys)[0] == USAGE
    code, _, said = answer(trees.root(PLAIN), "set", "freq_threshold=1", capsys=capsys)
    assert code == FAILED
    assert "not loaded" in said


def everything(root: Root) -> dict[str, str]:
    """All files and links of a tree, with what is in them, and all folders."""
    return {
        str(path.relative_to(root.folder)): str(path.readlink())
        if path.is_symlink()
        else ("folder" if path.is_dir() else path.read_text())
        for path in root.folder.rglob("*")
    }


OWN = {
    persist.MODPROBE: "options pghot mode=precise\n",
    persist.TMPFILES: "# mine\n",
    persist.SYSCTL: "x = 1\n",
}


@pytest.mark.parametrize("before", [{}, {"etc/modprobe.d/x.conf": ""}, OWN])
def test_setup_and_undo(
    trees: Trees, before: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    root = trees.root(PLAIN, before)
    was = everything(root)
    words = ("slow_nodes=1", "--numa-balancing", "2")
    code, found, _ = answer(root, "setup", *words, capsys=capsys)
    assert code == OK
    assert found["now"][-1] == "sudo pghot load"
    assert (
        root.text(
            persist.SYSCTL,
        )
        == persist.HEAD + "kernel.numa_balancing = 2"
    )
    assert "demotion_enabled - - - - 1" in (root.text(persist.TMPFILES) or "")
    assert "slow_nodes=1" in root.lines(persist.MODPROBE)[-1]
    assert root.lines(persist.MODULES_LOAD)[-1] == "pghot"
    answer(root, "setup", "freq_threshold=1", "--no-demotion", capsys=capsys)
    assert "demotion_enabled - - - - 0" in (root.text(persist.TMPFILES) or "")
    assert "freq_threshold=1 " in root.lines(persist.MODPROBE)[-1]
    code, found, _ = answer(root, "setup", "--undo", capsys=capsys)
    assert code == OK
    assert found["undone"]
    # A folder of all programs' states stays only if it was there.
    assert {k: v for k, v in everything(root).items() if k not in ("var", "var/lib")} == was
    assert answer(root, "setup", "--undo", capsys=capsys)[1]["files"] == []


def test_setup_forgets_an_option(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(PLAIN)
    answer(root, "setup", "slow_nodes=1", capsys=capsys)
    answer(root, "setup", "slow_nodes=", capsys=capsys)
    assert not root.has(persist.MODPROBE)
    answer(root, "setup", "freq_threshold=", capsys=capsys)
    assert not root.has(persist.MODPROBE)


def test_setup_enables_the_unit(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(PLAIN, {persist.UNITS[2]: "[Unit]\n"})
    was = everything(root)
    answer(root, "setup", capsys=capsys)
    assert str(root.path(persist.WANTS).readlink()) == f"/{persist.UNITS[2]}"
    assert not root.has(persist.MODULES_LOAD)
    answer(root, "setup", "--undo", capsys=capsys)
    assert {k: v for k, v in everything(root).items() if k not in ("var", "var/lib")} == was


@pytest.mark.parametrize(
    "words",
    [("--undo", "mode=precise"), ("mode=fast",), ("nonsense=1",), ("slow_nodes",)],
)
def test_setup_refuses(
    trees: Trees, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    root = trees.root(PLAIN)
    was = everything(root)
    assert answer(root, "setup", *words, capsys=capsys)[0] == USAGE
    assert everything(root) == was


def test_broken_state_of_setup(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(PLAIN, {persist.STATE: "{"})
    code, _, said = answer(root, "setup", "--undo", capsys=capsys)
    assert code == FAILED
    assert persist.STATE in said


def test_load(
    trees: Trees, commands: list[Sequence[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    code, found, _ = answer(trees.root(LOADED), "load", capsys=capsys)
    assert (code, found["already"]) == (OK, True)
    code, _, said = answer(trees.root(LOADED), "load", "mode=precise", capsys=capsys)
    assert code == FAILED
    assert "loaded already" in said
    for wrong in ("freq_treshold=1", "mode=fast", "freq_threshold=9", "slow_nodes"):
        assert answer(trees.root(PLAIN), "load", wrong, capsys=capsys)[0] == USAGE
    assert commands == []
    # modprobe is content here, but nothing is loaded.
    code, _, said = answer(trees.root(PLAIN), "load", "mode=precise", capsys=capsys)
    assert code == FAILED
    assert commands == [("modprobe", "pghot", "mode=precise")]


def test_load_that_fails(
    trees: Trees, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = trees.root(PLAIN)

    def run(_words: Sequence[str]) -> str:
        said = "pghot: slow_nodes=7: must be a list"
        root.path("dev/kmsg").write_text(f"6,1,1,-;{said}\n")
        raise PghotError("modprobe: ERROR: could not insert 'pghot'")

    monkeypatch.setattr(command, "run", run)
    code, _, said = answer(root, "load", capsys=capsys)
    assert code == FAILED
    assert "could not insert" in said
    assert "the kernel's log says: pghot: slow_nodes=7: must be a list" in said
    assert "linux-headers-" in said


def test_unload(
    trees: Trees,
    commands: list[Sequence[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert answer(trees.root(PLAIN), "unload", capsys=capsys)[1] == {"was_loaded": False}
    assert answer(trees.root(LOADED), "unload", capsys=capsys)[1] == {"was_loaded": True}
    assert commands == [("rmmod", "pghot")]

    def run(_words: Sequence[str]) -> str:
        raise PghotError("rmmod: ERROR: Module pghot is in use")

    monkeypatch.setattr(command, "run", run)
    held = trees.root(LOADED, {"sys/module/pghot/holders/source/x": ""})
    code, _, said = answer(held, "unload", capsys=capsys)
    assert code == FAILED
    assert "module source: uses pghot's functions" in said


def test_programs_that_fail() -> None:
    with pytest.raises(PghotError, match="cannot run /no/such/program: No such file"):
        command.run(("/no/such/program",))
    with pytest.raises(PghotError, match="sh: wrong"):
        command.run(("sh", "-c", "echo wrong >&2; exit 1"))
    assert command.run(("echo", "right")) == "right\n"


PROCESS = {
    "proc/42/comm": "server\n",
    "proc/42/status": "Mems_allowed_list:\t0-1\n",
    "proc/42/statm": "100 100 0 0 0 0 0\n",
    "proc/42/smaps": (
        "10000000-10400000 rw-p 00000000 00:00 0\nVmFlags: rd wr\n"
        "20000000-20200000 rw-s 00000000 00:0f 12 /anon_hugepage\nVmFlags: rd wr ht\n"
        "30000000-30100000 rw-p 00000000 00:00 0 [heap]\nVmFlags: rd wr\n"
    ),
    "proc/42/numa_maps": (
        "10000000 bind:1 anon=1000 N1=1000 kernelpagesize_kB=4\n"
        "20000000 default huge N1=1 kernelpagesize_kB=2048\n"
        "30000000 default anon=30 N0=10 N1=20 kernelpagesize_kB=4\n"
    ),
}


def test_why(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED, PROCESS)
    code, found, _ = answer(root, "why", "42", "-s", "0", capsys=capsys)
    assert code == OK
    assert found["by_node"] == {"0": 40960, "1": 4096 * 1532}
    assert [m["reasons"] for m in found["processes"][0]["mappings"]] == [
        ["the memory policy bind:1 keeps it on node 1"],
        ["these are hugetlb pages, which pghot never moves"],
        [],
    ]
    assert found["conclusions"][0] == (
        "3.9 MiB of slow memory cannot be promoted: the memory policy bind:1 keeps it on node 1."
    )
    code, found, _ = answer(root, "why", "42:30000123", "-s", "0", capsys=capsys)
    assert [m["name"] for m in found["processes"][0]["mappings"]] == ["[heap]"]
    assert main(["--root", str(root.folder), "why", "42", "-s", "0"]) == OK
    assert "held: the memory policy" in capsys.readouterr().out


def test_why_of_a_cpuset(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED, PROCESS, {"proc/42/status": "Mems_allowed_list:\t1\n"})
    _, found, _ = answer(root, "why", "42:30000000", "-s", "0", capsys=capsys)
    assert found["processes"][0]["mappings"][0]["reasons"] == [
        "the process's cpuset has no fast node in cpuset.mems"
    ]


def test_why_of_a_group(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    folder = "sys/fs/cgroup/a.slice"
    files = {
        # Process 43 has ended.
        f"{folder}/cgroup.procs": "42\n43\n",
        f"{folder}/memory.numa_stat": "anon N0=4096 N1=8192\n",
        f"{folder}/memory.stat": "pgpromote_success 256\n",
    }
    root = trees.root(LOADED, PROCESS, files)
    code, found, _ = answer(root, "why", "/a.slice", "-s", "0", capsys=capsys)
    assert code == OK
    assert found["by_node"] == {"0": 4096, "1": 8192}
    assert [one["pid"] for one in found["processes"]] == [42]
    assert found["conclusions"][0] == "1.0 MiB were promoted for this group."


@pytest.mark.parametrize(
    ("subject", "code", "words"),
    [
        ("43", FAILED, "no process 43"),
        ("42:xyz", USAGE, "no hexadecimal address"),
        ("42:1", FAILED, "no memory at 0x1"),
        ("server", USAGE, "must be a process id"),
        ("/none", FAILED, "no control group"),
    ],
)
def test_why_refuses(
    trees: Trees, subject: str, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(trees.root(LOADED, PROCESS), "why", subject, "-s", "0", capsys=capsys)
    assert found[0] == code
    assert words in found[2]


def test_top(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    folder = "sys/fs/cgroup/a.slice"
    group = {
        f"{folder}/cgroup.procs": "42\n",
        f"{folder}/memory.numa_stat": "anon N0=4096 N1=8192\n",
        f"{folder}/memory.stat": "pgpromote_success 0\n",
    }
    before = top.sample(trees.root(LOADED, PROCESS, group))
    moved = {f"{folder}/memory.stat": "pgpromote_success 512\n"}
    node = {f"{PGHOT}/node1/promoted": "512\n", f"{PGHOT}/node0/received": "512\n"}
    place = {"proc/42/numa_maps": "10000000 default N0=512 N1=488 kernelpagesize_kB=4\n"}
    now = top.sample(trees.root(LOADED, PROCESS, group, moved, node, place))
    seconds = now.machine.time - before.machine.time
    found = top.make(before, now)
    assert found.nodes[1].promoted_from == round(512 * 4096 / seconds)
    assert found.nodes[0].promoted_to == found.nodes[1].promoted_from
    assert found.cgroups[0].promoted == found.nodes[1].promoted_from
    assert (found.processes[0].fast, found.processes[0].slow) == (512 * 4096, 488 * 4096)
    assert found.processes[0].slow_less > 0
    root = str(trees.root(LOADED, PROCESS, group).folder)
    assert main(["--root", root, "top", "-n", "2", "-s", "0"]) == OK
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert said.count("pghot top") == 2
    assert said.count("server") == 2


def test_metrics(trees: Trees, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED, tree.stats(promoted=3, windows_cpu_ns=1_500_000_000))
    assert main(["--root", str(root.folder), "metrics"]) == OK
    text = capsys.readouterr().out
    assert "pghot_loaded 1\n" in text
    assert "pghot_windows_cpu_seconds_total 1.5\n" in text
    assert 'pghot_source_on{source="windows"} 1\n' in text
    assert 'pghot_node_slow{node="1"} 1\n' in text
    file = tmp_path / "pghot.prom"
    assert main(["--root", str(root.folder), "metrics", "-o", str(file)]) == OK
    assert file.read_text() == text
    assert capsys.readouterr().out == ""
    assert main(["--root", str(trees.root(PLAIN).folder), "metrics"]) == OK
    assert "pghot_loaded 0\n" in capsys.readouterr().out
    code, _, said = answer(root, "metrics", "-o", "/no/such/folder/x", capsys=capsys)
    assert code == FAILED
    assert "/no/such/folder/x: No such file" in said


def events() -> list[Event]:
    def event(name: str, **fields: str) -> Event:
        return Event(1.0, name, 1, fields)

    return [
        event("pghot_record", pfn="0x40000"),
        event("pghot_record", pfn="0x40001"),
        event("pghot_record", pfn="0x40200"),
        event("pghot_refuse", pfn="0x1", reason="full"),
        event("pghot_promote", nr_pages="100"),
        event("pghot_demote", nr_pages="7"),
    ]


HEAD = recording.Head(
    format=1,
    version=VERSION,
    kernel="6.12",
    policy="auto",
    slow=[1],
    sizes={0: 1 << 30, 1: 1 << 30},
    ranges={0: [(0, 1 << 30)], 1: [(1 << 30, 2 << 30)]},
    process="server (process 42)",
    began=0.0,
)


def test_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = recording.gather(0.25, events(), {0: 1 << 20, 1: 1 << 29}, {0: 5, 1: 6})
    assert one.used == {512: 2, 513: 1}
    assert (one.promoted, one.demoted, one.refused) == (100, 7, {"full": 1})
    two = recording.gather(0.5, [], {0: 1 << 20, 1: 1 << 29}, {0: 5, 1: 6})
    file = tmp_path / "x.record"
    assert recording.write(file, HEAD, [one, two]) == 2
    assert recording.read(file) == (HEAD, [one, two])
    assert main(["report", str(file)]) == OK
    page = file.with_suffix(".html").read_text()
    assert "fast nodes had no room" in page
    assert "3 were recorded" in page
    assert page.count("<svg") == 4
    assert "http" not in page
    capsys.readouterr()


@pytest.mark.parametrize("content", [b"", b"text", b"\x1f\x8b"])
def test_report_of_nonsense(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.record"
    file.write_bytes(content)
    assert main(["report", str(file)]) == FAILED
    assert "x.record" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "none")]) == FAILED
    assert "No such file" in capsys.readouterr().err


def test_recording_that_was_cut(tmp_path: Path) -> None:
    file = tmp_path / "x.record"
    recording.write(file, HEAD, [recording.gather(n, events(), {}, {}) for n in range(1, 99)])
    file.write_bytes(file.read_bytes()[:-40])
    assert 0 < len(recording.read(file)[1]) < 99


def test_memory_ranges(trees: Trees) -> None:
    files = {"sys/devices/system/memory/block_size_bytes": "8000000\n"}
    files |= {f"sys/devices/system/node/node0/memory{n}/state": "" for n in (0, 1, 4)}
    assert read_ranges(trees.root(files)) == {0: [(0, 2 << 27), (4 << 27, 5 << 27)]}


def test_bundle(trees: Trees, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        **tree.log("pghot: seen by secret-host at 192.168.1.17 and 52:54:00:12:34:56"),
        "proc/cpuinfo": "vendor_id\t: GenuineIntel\nmodel name\t: X\nvendor_id\t: again\n",
    }
    root = trees.root(LOADED, files)
    output = tmp_path / "b.json"
    words = ("bundle", "-s", "0", "-y", "-o", str(output))
    assert answer(root, *words, capsys=capsys)[0] == OK
    text = output.read_text()
    for private in ("secret-host", "192.168", "52:54"):
        assert private not in text
    found = json.loads(text)
    assert found["machine"]["cpu"] == {"vendor_id": "GenuineIntel", "model name": "X"}
    assert [line.split(" ")[0] for line in found["untried_sources"]] == ["perf", "mprof", "chmu"]
    assert found["selftest"].startswith("not done")
    # It is not overwritten, and not written unseen.
    code, _, said = answer(root, *words, capsys=capsys)
    assert code == FAILED
    assert "File exists" in said
    code, _, said = answer(root, "bundle", "-s", "0", capsys=capsys)
    assert code == FAILED
    assert "--yes" in said


@pytest.mark.parametrize(
    ("state", "recorded", "said"),
    [
        ("off", 0, "was not tried; 0 accesses recorded"),
        ("on", 0, "is on and has recorded nothing; 0 accesses recorded"),
        ("on", 7, "worked; 7 accesses recorded"),
        ("off", 7, "has worked, and is off now; 7 accesses recorded"),
        ("off: no counter samples", 0, "did not start: no counter samples; 0 accesses recorded"),
    ],
)
def test_bundle_says_whether_a_source_works(
    trees: Trees, state: str, recorded: int, said: str
) -> None:
    sources = {f"{PGHOT}/sources": tree.SOURCES.replace("perf 32 off", f"perf 32 {state}")}
    machine = trees.machine(LOADED, sources, tree.stats(recorded_perf=recorded))
    assert bundle.untried(View(machine, machine))[0] == f"perf (AMD IBS, Intel PEBS): {said}"


def test_clean() -> None:
    text = "a host-1 host-12 1.2.3.4 0.2.0 6.12.117 550e8400-e29b-41d4-a716-446655440000"
    assert clean(text, ["host-1", ""]) == "a (removed) host-12 (removed) 0.2.0 6.12.117 (removed)"


@pytest.mark.parametrize(
    ("away", "back", "intact", "words"),
    [
        (10, 10, True, "Promotion works:"),
        (10, 1, True, "slowly"),
        (10, 0, True, "Nothing of the buffer"),
        (0, 0, True, "could not be moved"),
        (10, 10, False, "must not happen"),
    ],
)
def test_selftest_says(away: int, back: int, intact: bool, words: str) -> None:
    assert words in selftest.sentence(away, back, 10, intact)


def test_selftest_only_on_the_machine(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(trees.root(LOADED), "selftest", capsys=capsys)[0] == FAILED


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        (),
        ("status", "-s", "-1"),
        ("status", "-s", "x"),
        ("set",),
        ("measure", "--mib", "3"),
        ("measure", "--machine-file", "x.txt"),
        ("top", "-n", "0"),
        ("setup", "--numa-balancing", "9"),
        ("why",),
    ],
)
def test_wrong_arguments(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("name", VERBS)
def test_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*VERBS[name].words, "--help"])
    assert end.value.code == OK
    said = capsys.readouterr().out
    assert VERBS[name].about[0] in said
    for option in VERBS[name].options:
        assert option.flags[0] in said or option.metavar in said


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 << 40, "3.0 TiB"), (-2048, "-2.0 KiB")],
)
def test_size(amount: int, text: str) -> None:
    assert size(amount) == text


@pytest.mark.parametrize(("ns", "text"), [(0, "0 ns"), (2500, "2.5 us"), (3e9, "3.0 s")])
def test_duration(ns: float, text: str) -> None:
    assert duration(ns) == text


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(sys.stdout).table([("name", "size"), ("a", "1 B"), ("long", "20 B")])
    assert capsys.readouterr().out == "name  size\na      1 B\nlong  20 B\n"
