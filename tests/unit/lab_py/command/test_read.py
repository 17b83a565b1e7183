# SPDX-License-Identifier: GPL-2.0
"""The command reads files as the kernel writes them, and those that are missing or strange."""

import lzma
from pathlib import Path

import pytest

from command import tree
from command.tree import PGHOT, Trees
from pghot.errors import PghotError
from pghot.read.cgroup import groups, parse_numa_stat, read_cgroup
from pghot.read.holders import read_holders
from pghot.read.installed import SIGNED, read_installed
from pghot.read.machine import lower_tiers
from pghot.read.module import parse_sources, parse_state, read_module
from pghot.read.process import Process, page_frames, parse_numa_maps, parse_smaps, read_process
from pghot.read.root import Root, format_list, parse_list
from pghot.read.settings import read_settings
from pghot.read.trace import parse_line
from pghot.version import VERSION

SMAPS = """\
7f0000000000-7f0000400000 rw-p 00000000 00:00 0
Rss:                4096 kB
VmFlags: rd wr mr mw me ac
7f0000400000-7f0000500000 r--p 00000000 fe:01 4711                       /usr/lib/lib with blank.so
VmFlags: rd mr mw me
7f0000600000-7f0000800000 rw-s 00000000 00:0f 12                         /anon_hugepage (deleted)
VmFlags: rd wr sh mr mw me ms ht
"""
NUMA_MAPS = """\
7f0000000000 prefer:1 anon=1024 dirty=1024 N0=24 N1=1000 kernelpagesize_kB=4
7f0000400000 default file=/usr/lib/lib\\040with\\040blank.so mapped=10 N0=10 kernelpagesize_kB=4
7f0000600000 default file=/anon_hugepage\\040(deleted) huge anon=1 N1=1 kernelpagesize_kB=2048
"""


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("", []), ("\n", []), ("0", [0]), ("0-2,5\n", [0, 1, 2, 5]), ("3,1", [3, 1])],
)
def test_list(text: str, numbers: list[int]) -> None:
    assert parse_list(text) == numbers


@pytest.mark.parametrize(
    ("numbers", "text"), [([], "none"), ([4], "4"), ([0, 1, 2, 5, 7, 8], "0-2,5,7-8")]
)
def test_format_list(numbers: list[int], text: str) -> None:
    assert format_list(numbers) == text


def test_loaded_machine(trees: Trees) -> None:
    machine = trees.machine(tree.loaded(), tree.stats(promoted=7))
    module = machine.module
    assert module
    assert (module.version, module.policy, module.slow_nodes) == (VERSION, "auto", [1])
    assert module.tunables == tree.TUNABLES
    assert module.stat("promoted") == 7
    assert module.stat("no_such_counter") == 0
    assert set(module.nodes) == {0, 1}
    assert [s.name for s in module.sources if s.on] == ["hwhints", "pagecache", "windows"]
    assert module.state
    assert module.state.kinds[0].verdict == "promote"
    assert (module.state.fast_ns, module.state.slow_ns, module.state.bar) == (90, 260, 1)
    assert [node.id for node in machine.slow] == [1]
    assert [node.id for node in machine.fast] == [0]
    assert machine.kernel.release == tree.KERNEL
    assert machine.kernel.demotion_enabled is True
    assert machine.settings.loaded_at_boot == "/etc/modules-load.d/pghot.conf"


def test_plain_machine(trees: Trees) -> None:
    machine = trees.machine(tree.plain())
    assert machine.module is None
    assert machine.installed == []
    assert [node.id for node in machine.slow] == [1]
    assert lower_tiers(machine.nodes) == {1}
    assert machine.nodes[0].distances == {0: 10, 1: 50}
    assert machine.nodes[1].total == 1 << 30


def test_empty_tree(tmp_path: Path) -> None:
    """Nothing that is missing stops it."""
    machine = Trees(tmp_path).machine({})
    assert machine.nodes == []
    assert machine.module is None
    assert machine.kernel.numa_balancing is None
    assert machine.kernel.pghot_log is None


def test_sources_with_a_reason() -> None:
    text = "hintfaults 1 off: kernel.ftrace_enabled is 0: really\nwindows 512 on\n"
    found = parse_sources(text)
    assert [(s.name, s.on, s.reason) for s in found] == [
        ("hintfaults", False, "kernel.ftrace_enabled is 0: really"),
        ("windows", True, ""),
    ]


@pytest.mark.parametrize("text", ["", "small: x\n", tree.STATE.replace("bar: 1\n", "")])
def test_unknown_state(text: str) -> None:
    assert parse_state(text) is None


def test_state_that_is_not_of_this_form_is_no_error(trees: Trees) -> None:
    module = read_module(trees.root(tree.loaded(), {f"{PGHOT}/policy_state": "new: words\n"}))
    assert module
    assert module.state is None


def test_log_has_only_what_is_about_pghot(trees: Trees) -> None:
    lines = ("usb 1-1: new device", "pghot: promoting from node 1", "not about pghot: really")
    rejected = "Loading of unsigned module is rejected"
    machine = trees.machine(tree.plain(), tree.log(*lines, rejected))
    assert machine.kernel.pghot_log == ["pghot: promoting from node 1", rejected]


def test_installed_modules(tmp_path: Path) -> None:
    root = tree.make(tmp_path, tree.installed("6.1.0"))
    packed = tmp_path / "lib/modules/6.12.1/updates/dkms"
    packed.mkdir(parents=True)
    (packed / "pghot.ko.xz").write_bytes(lzma.compress(b"ELF"))
    other = tmp_path / "lib/modules/6.12.2/updates"
    other.mkdir(parents=True)
    (other / "pghot.ko.zst").write_bytes(SIGNED)
    found = {one.kernel: one.signed for one in read_installed(root)}
    assert found == {"6.1.0": True, "6.12.1": False, "6.12.2": None}


def test_settings(trees: Trees) -> None:
    settings = read_settings(
        trees.root(
            {
                "usr/lib/modprobe.d/pghot.conf": "options pghot hidden=1\n",
                "etc/modprobe.d/pghot.conf": "# options pghot no=1\noptions pghot a=1 \\\n b\n",
                "etc/modprobe.d/z.conf": "blacklist pghot\noptions other c=1\n",
                "etc/sysctl.d/a.conf": "kernel.numa_balancing = 2\n-vm/pghot_target_nid=0\nx=1\n",
            }
        )
    )
    assert [(s.name, s.value) for s in settings.options] == [("a", "1"), ("b", None)]
    assert [(s.name, s.value) for s in settings.sysctls] == [
        ("kernel.numa_balancing", "2"),
        ("vm.pghot_target_nid", "0"),
    ]
    assert settings.blacklisted == ["/etc/modprobe.d/z.conf"]
    assert settings.loaded_at_boot == ""


def test_unit_that_is_enabled(trees: Trees) -> None:
    root = trees.root({"etc/modules": "loop\n"})
    wants = root.path("etc/systemd/system/multi-user.target.wants")
    wants.mkdir(parents=True)
    (wants / "pghot.service").symlink_to("/usr/lib/systemd/system/pghot.service")
    expected = "/etc/systemd/system/multi-user.target.wants/pghot.service"
    assert read_settings(root).loaded_at_boot == expected


def test_damon_and_daemons(trees: Trees) -> None:
    machine = trees.machine(
        tree.loaded(),
        {
            "sys/kernel/mm/damon/admin/kdamonds/0/state": "on\n",
            "sys/kernel/mm/damon/admin/kdamonds/1/state": "off\n",
            "sys/module/damon_reclaim/parameters/enabled": "Y\n",
            "proc/17/comm": "memtierd\n",
            "proc/18/comm": "sh\n",
        },
    )
    assert machine.kernel.damon == ["/sys/kernel/mm/damon/admin/kdamonds/0", "damon_reclaim"]
    assert machine.kernel.daemons == ["memtierd"]


def process(trees: Trees) -> tuple[Root, Process]:
    root = trees.root(
        {
            "proc/42/comm": "server\n",
            "proc/42/smaps": SMAPS,
            "proc/42/numa_maps": NUMA_MAPS,
            "proc/42/status": "Name:\tserver\nMems_allowed_list:\t0-1\n",
        }
    )
    return root, read_process(root, 42)


def test_process(trees: Trees) -> None:
    _, found = process(trees)
    assert found.mems_allowed == [0, 1]
    first, library, huge = found.mappings
    assert (first.policy, first.pages, first.end - first.start) == (
        "prefer:1",
        {0: 24, 1: 1000},
        4 << 20,
    )
    assert library.name == "/usr/lib/lib with blank.so"
    assert "ht" in huge.flags
    assert huge.pages == {1: 512}


def test_no_process(trees: Trees) -> None:
    root, _ = process(trees)
    with pytest.raises(PghotError, match="no process 43"):
        read_process(root, 43)
    root.path("proc/42/smaps").unlink()
    with pytest.raises(PghotError, match="takes root"):
        read_process(root, 42)


def test_page_frames(trees: Trees) -> None:
    root, _ = process(trees)
    present = (1 << 63) | 0x1234
    entries = [0, present, (1 << 62) | 5, present + 1]
    content = b"".join(entry.to_bytes(8, "little") for entry in entries)
    root.path("proc/42/pagemap").write_bytes(content)
    assert list(page_frames(root, 42, 0, 4 * 4096)) == [(4096, 0x1234), (3 * 4096, 0x1235)]
    assert list(page_frames(root, 42, 2 * 4096, 3 * 4096)) == []
    with pytest.raises(PghotError, match="pagemap"):
        list(page_frames(root, 43, 0, 4096))


def test_strange_lines_of_maps() -> None:
    assert parse_numa_maps(["0000 default"]) == {0: ("default", {})}
    assert parse_smaps(["VmFlags: rd", "no header"]) == []


def test_cgroup(trees: Trees) -> None:
    folder = "sys/fs/cgroup/a.slice"
    root = trees.root(
        {
            f"{folder}/cgroup.procs": "1\n",
            f"{folder}/b/cgroup.procs": "2\n3\n",
            f"{folder}/memory.stat": "anon 1\npgpromote_success 5\npgdemote_kswapd 2\n",
            f"{folder}/memory.numa_stat": "anon N0=4096 N1=8192\nfile N0=1 N1=2\nshmem N0=9\n",
            f"{folder}/cpuset.mems.effective": "0-1\n",
            f"{PGHOT}/cgroups": "/other 1\n/a.slice 100\n",
        }
    )
    group = read_cgroup(root, "/a.slice")
    assert group.processes == [1, 2, 3]
    assert group.bytes == {0: 4097, 1: 8194}
    assert (group.promoted, group.demoted, group.limit) == (5, 2, 100)
    assert groups(root) == ["/a.slice"]
    with pytest.raises(PghotError, match="no control group /nobody"):
        read_cgroup(root, "/nobody")


def test_numa_stat_without_nodes() -> None:
    assert parse_numa_stat(["anon", ""]) == {}


@pytest.mark.parametrize(
    ("line", "name", "field"),
    [
        (
            "  kworker/u16:2-187   [003] .....   812.370125: pghot_promote: from=2 to=0 "
            "nr_pages=509 nr_asked=512",
            "pghot_promote",
            509,
        ),
        (
            " a name-with 9-x-12 [000] d..1. 1.5: pghot_promote: from=1 to=0 nr_pages=1 nr_asked=1",
            "pghot_promote",
            1,
        ),
    ],
)
def test_trace_line(line: str, name: str, field: int) -> None:
    event = parse_line(line)
    assert event
    assert (event.name, event.number("nr_pages")) == (name, field)


@pytest.mark.parametrize("line", ["", "# tracer: nop", "CPU:1 [LOST 5 EVENTS]"])
def test_no_trace_line(line: str) -> None:
    assert parse_line(line) is None


def test_holders(trees: Trees) -> None:
    root = trees.root(
        tree.loaded(),
        {
            "sys/module/pghot/holders/mysource/x": "",
            "proc/9/comm": "cat\n",
            "sys/kernel/tracing/events/pghot/pghot_promote/trigger": "# nothing\n",
            "sys/kernel/tracing/events/pghot/pghot_record/trigger": "hist:keys=pfn\n",
            "sys/kernel/tracing/instances/x/events/pghot/pghot_ready/enable": "1\n",
        },
    )
    files = root.path("proc/9/fd")
    files.mkdir()
    (files / "3").symlink_to("/sys/kernel/debug/pghot/vmstat")
    (files / "4").symlink_to("/dev/null")
    found = [(one.kind, one.name) for one in read_holders(root)]
    assert found == [
        ("module", "mysource"),
        ("process", "cat (process 9)"),
        ("tracing", "/sys/kernel/tracing/events/pghot/pghot_record/trigger"),
        ("tracing", "/sys/kernel/tracing/instances/x/events/pghot/pghot_ready/enable"),
    ]


def test_write_says_why_not(trees: Trees) -> None:
    root = trees.root({})
    with pytest.raises(PghotError, match="cannot write '1' to /sys/x: No such file"):
        root.write("sys/x", "1\n")
