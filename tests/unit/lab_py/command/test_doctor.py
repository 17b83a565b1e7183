# SPDX-License-Identifier: GPL-2.0
"""Each cause that the doctor knows is found where it is, and nowhere else."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from command import tree
from command.tree import KERNEL, PGHOT, Trees
from pghot.cli import main
from pghot.decide.causes import CAUSES, diagnose
from pghot.decide.finding import BROKEN, WARNING, Finding
from pghot.decide.view import View
from pghot.read.machine import Machine, read_machine, with_bound

SECONDS = 4
LOADED = tree.loaded()
PLAIN = tree.plain()
REFUSED_BY_KEY = "Loading of module with unavailable key is rejected"
STRICT = {"sys/module/module/parameters/sig_enforce": "Y\n"}
UNSIGNED = {f"lib/modules/{KERNEL}/updates/dkms/pghot.ko": "ELF"}


@dataclass(frozen=True)
class Case:
    """What a machine has, and had some seconds before; the findings by name."""

    name: str
    now: Mapping[str, str]
    found: list[str]
    base: Mapping[str, str] = field(default_factory=lambda: LOADED)
    before: Mapping[str, str] = field(default_factory=dict)


def vmstat(**values: int) -> dict[str, str]:
    return {"proc/vmstat": tree.table(tree.VMSTAT | values)}


def node(nid: int, **values: str) -> dict[str, str]:
    return {f"sys/devices/system/node/node{nid}/{name}": text for name, text in values.items()}


def by_hand(*sources: str, **tunables: int) -> dict[str, str]:
    return {
        f"{PGHOT}/policy": "manual\n",
        **tree.sources(*sources),
        **{f"{PGHOT}/{name}": f"{value}\n" for name, value in tunables.items()},
    }


def memory(nid: int, total: int, free: int, mlocked: int = 0) -> dict[str, str]:
    lines = (("MemTotal", total), ("MemFree", free), ("Mlocked", mlocked))
    text = "".join(f"Node {nid} {name}: {value} kB\n" for name, value in lines)
    return node(nid, meminfo=text)


def measured(fast: int, slow: int) -> dict[str, str]:
    """What accesses take, by the module's own measurement, ns."""
    text = tree.STATE.replace("fast 90 ns, slow 260 ns", f"fast {fast} ns, slow {slow} ns")
    return {f"{PGHOT}/policy_state": text}


NUMAB = "proc/sys/kernel/numa_balancing"
DEMOTION = "sys/kernel/mm/numa/demotion_enabled"
HUGE = "sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages"
TIERS = "sys/devices/virtual/memory_tiering"
ONE_TIER = {
    f"{PGHOT}/slow_nodes": "\n",
    f"{TIERS}/memory_tier4/nodelist": "0-1\n",
    f"{TIERS}/memory_tier961/nodelist": "\n",
}
FAILED = {
    f"{PGHOT}/sources": tree.SOURCES.replace("mglru 16 off", "mglru 16 off: this kernel lacks it")
}
DIVERTED = tree.SOURCES.replace(
    "hintfaults 1 off", "hintfaults 1 off: should_numa_migrate_memory cannot be diverted (-16)"
)
NO_RECORDS = "pghot: no memory for the records of 32768 pages of node 1"
LOADED_ANEW = "pghot: promoting from node 1 to fast nodes (0)"
BOUND = {
    "proc/42/comm": "server\n",
    "proc/42/statm": "90000 90000 0 0 0 0 0\n",
    "proc/42/numa_maps": "1000 prefer:1 anon=90000 N1=90000 kernelpagesize_kB=4\n",
}
CASES = [
    Case("well", {}, []),
    Case("no module at all", {}, ["no-module"], PLAIN),
    Case("module of another kernel", tree.installed("6.1.0"), ["no-module"], PLAIN),
    Case("not loaded", tree.installed(), ["not-loaded"], PLAIN),
    Case(
        "unsigned",
        {**tree.installed(), **UNSIGNED, **STRICT},
        ["not-loaded", "not-signed"],
        PLAIN,
    ),
    Case(
        "lockdown",
        {
            **tree.installed(),
            **UNSIGNED,
            "sys/kernel/security/lockdown": "none [integrity] confidentiality\n",
        },
        ["not-loaded", "not-signed"],
        PLAIN,
    ),
    Case(
        "key not enrolled",
        {**tree.installed(), **STRICT, **tree.log(REFUSED_BY_KEY)},
        ["not-loaded", "key-not-enrolled"],
        PLAIN,
    ),
    Case("signed, and a strict kernel", {**tree.installed(), **STRICT}, ["not-loaded"], PLAIN),
    Case("blacklisted", {"etc/modprobe.d/no.conf": "blacklist pghot\n"}, ["blacklisted"]),
    Case("not at boot", {"etc/modules-load.d/pghot.conf": "#pghot\n"}, ["not-at-boot"]),
    Case("other version", {"sys/module/pghot/version": "0.0.1\n"}, ["other-version"]),
    Case("one tier", ONE_TIER, ["one-tier"]),
    Case("two sockets", {**ONE_TIER, **node(1, cpulist="8-15\n")}, ["one-tier"]),
    Case(
        "HBM",
        {
            **ONE_TIER,
            f"{TIERS}/memory_tier4/nodelist": "0\n",
            f"{TIERS}/memory_tier2/nodelist": "1\n",
        },
        ["one-tier"],
    ),
    Case("one node", {**ONE_TIER, **memory(1, 0, 0)}, ["one-node"]),
    Case("slow node with CPUs", {f"{PGHOT}/slow_nodes": "0\n"}, ["slow-node-has-cpus"]),
    Case(
        "firmware says that slow is faster",
        {
            **node(0, **{"access0/initiators/read_latency": "200\n"}),
            **node(1, **{"access0/initiators/read_latency": "90\n"}),
        },
        ["inverted-tiers"],
    ),
    Case(
        "slow node is nearer",
        {
            **node(0, distance="10 30 20\n"),
            **tree.node(2, "", "20 50 10", 1 << 20, 1 << 19),
            f"{PGHOT}/slow_nodes": "2\n",
        },
        ["inverted-tiers"],
    ),
    Case(
        "measured the other way round",
        measured(fast=900, slow=260),
        ["slow-is-faster"],
    ),
    Case("measured nearly alike, the difference is noise", measured(fast=140, slow=100), []),
    Case("measured in caches", measured(fast=30, slow=10), []),
    Case("not measured yet", measured(fast=90, slow=0), []),
    Case(
        "hint faults for a named node",
        {
            **by_hand("hintfaults"),
            NUMAB: "2\n",
            f"{TIERS}/memory_tier4/nodelist": "0-1\n",
            f"{TIERS}/memory_tier961/nodelist": "\n",
        },
        ["no-source-sees"],
    ),
    Case("no source", by_hand(), ["no-source"]),
    Case("a source failed", FAILED, ["source-failed-mglru"]),
    Case("tiering mode off", by_hand("hintfaults", "windows"), ["tiering-mode-off"]),
    Case("tiering mode later, which the module follows", {NUMAB: "2\n"}, []),
    Case(
        "kernel moves pages",
        {NUMAB: "1\n", **vmstat(numa_pages_migrated=500)},
        ["kernel-moves-pages"],
    ),
    Case(
        "pghot's own moves are no one else's",
        {NUMAB: "1\n", **vmstat(numa_pages_migrated=500), **tree.stats(promoted=500)},
        [],
    ),
    Case("demotion off", {DEMOTION: "false\n", **memory(0, 1 << 20, 1 << 10)}, ["demotion-off"]),
    Case("demotion off, and much is free", {DEMOTION: "false\n"}, []),
    Case(
        "walks off",
        {**by_hand("mglru"), "sys/kernel/mm/lru_gen/enabled": "0x0001\n"},
        ["mglru-walks-off"],
    ),
    Case("ftrace off", {"proc/sys/kernel/ftrace_enabled": "0\n"}, ["ftrace-off"]),
    Case(
        "live patch",
        {
            "sys/kernel/livepatch/fix/enabled": "1\n",
            f"{PGHOT}/sources": DIVERTED,
        },
        ["live-patch"],
    ),
    Case("diverted by another module", {f"{PGHOT}/sources": DIVERTED}, ["live-patch"]),
    Case(
        "diverted, because ftrace is off",
        {f"{PGHOT}/sources": DIVERTED, "proc/sys/kernel/ftrace_enabled": "0\n"},
        ["source-failed-hintfaults", "ftrace-off"],
    ),
    Case("DAMON", {"sys/kernel/mm/damon/admin/kdamonds/0/state": "on\n"}, ["damon"]),
    Case("another daemon", {"proc/7/comm": "memtierd\n"}, ["other-daemon"]),
    Case("several scanners", by_hand("windows", "accessed"), ["several-scanners"]),
    Case("bound", tree.stats(refused_policy=100), ["bound-memory"]),
    Case("bound by a policy", BOUND, ["bound-by-policy"]),
    Case("hugetlb", {HUGE: "100\n"}, ["hugetlb"]),
    Case("mlock", memory(0, 1 << 20, 1 << 19, 1 << 19), ["locked-memory"]),
    Case("pinned", tree.stats(refused_pinned=100), ["pinned-memory"]),
    Case("no records", tree.log(LOADED_ANEW, NO_RECORDS), ["records-missing"]),
    Case("no records, before it was loaded anew", tree.log(NO_RECORDS, LOADED_ANEW), []),
    Case(
        "large records",
        {f"{PGHOT}/record_bytes": f"{300 << 20}\n", f"{PGHOT}/mode": "precise\n"},
        ["records-large"],
    ),
    Case("swap", vmstat(pswpin=1000, pswpout=1000), ["swap-thrash"]),
    Case("swap out only", vmstat(pswpout=1000), []),
    Case("rate limit", tree.stats(refused_rate=1000), ["rate-limit"]),
    Case("ping-pong", tree.stats(promoted=1000, bounced=500), ["ping-pong"]),
    Case(
        "ping-pong with the kernel",
        {**vmstat(pgdemote_kswapd=10000), **tree.stats(promoted=10000)},
        ["ping-pong-kernel"],
    ),
    Case("a few bounces", tree.stats(promoted=10000, bounced=500), []),
    Case("CPU share", tree.stats(refused_share=1000), ["cpu-share"]),
    Case("cgroup limit", tree.stats(refused_cgroup=1000), ["cgroup-limit"]),
    Case("no room", tree.stats(refused_full=10, promoted=1), ["no-room"]),
    Case(
        "hint faults alone",
        {
            **by_hand("hintfaults", freq_threshold=2),
            NUMAB: "2\n",
            **tree.stats(recorded_hintfaults=1000, made_ready=10),
        },
        ["threshold-too-high"],
    ),
    Case(
        "misspelt option",
        {"etc/modprobe.d/pghot.conf": "options pghot freq_treshold=1\n"},
        ["option-ignored"],
    ),
    Case(
        "misspelt on the command line",
        {"proc/cmdline": "quiet pghot.slow_node=1\n"},
        ["option-ignored"],
    ),
    Case(
        "option without a value",
        {"etc/modprobe.d/pghot.conf": "options pghot freq_threshold\n"},
        ["option-ignored"],
    ),
    Case(
        "option that differs",
        {"etc/modprobe.d/pghot.conf": "options pghot freq_threshold=1 target_nid=0xff\n"},
        ["option-differs", "option-differs"],
    ),
    Case(
        "option at load only",
        {"etc/modprobe.d/pghot.conf": "options pghot mode=precise slow_nodes=0\n"},
        ["option-differs", "option-differs"],
    ),
    Case(
        "options in force",
        {
            "etc/modprobe.d/pghot.conf": "options pghot freq_threshold=0x2 slow_nodes=1,2\n",
            "proc/cmdline": "pghot.mode=default\n",
        },
        [],
    ),
    Case(
        "command line wins",
        {
            "etc/modprobe.d/pghot.conf": "options pghot freq_threshold=1\n",
            "proc/cmdline": "pghot.freq_threshold=2\n",
        },
        [],
    ),
    Case(
        "sysctl that differs",
        {"etc/sysctl.d/x.conf": "vm.pghot_freq_threshold=1\nvm.pghot_nothing=1\n"},
        ["sysctl-differs", "sysctl-ignored"],
    ),
]


def now(trees: Trees, case: Case) -> Machine:
    root = trees.root(case.base, case.now)
    return replace(with_bound(read_machine(root), root), time=SECONDS)


def findings(trees: Trees, case: Case) -> list[Finding]:
    before = trees.machine(case.base, case.before)
    return diagnose(View(before, now(trees, case)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cause(trees: Trees, case: Case) -> None:
    found = findings(trees, case)
    assert [one.name for one in found] == case.found
    for one in found:
        assert one.severity in (BROKEN, WARNING)
        assert one.what.endswith(".")


def test_every_cause_has_a_case(trees: Trees) -> None:
    """Each of the functions finds something in some case."""
    silent = set(CAUSES)
    for case in CASES:
        before = trees.machine(case.base, case.before)
        view = View(before, now(trees, case))
        silent -= {cause for cause in silent if list(cause(view))}
    assert not silent


def test_remedies_name_what_was_found(trees: Trees) -> None:
    cases = {case.name: case for case in CASES}
    one = findings(trees, cases["no module at all"])[0]
    assert f"linux-headers-{KERNEL}" in one.remedy[0]
    assert "It was built for 6.1.0." in findings(trees, cases["module of another kernel"])[0].what
    assert "did you mean freq_threshold?" in findings(trees, cases["misspelt option"])[0].what
    differs = findings(trees, cases["option that differs"])
    assert differs[0].remedy == ["sudo pghot set freq_threshold=1"]
    at_load = findings(trees, cases["option at load only"])
    assert at_load[0].remedy == ["sudo pghot unload && sudo pghot load"]
    assert "slow_nodes=1" in findings(trees, cases["one tier"])[0].remedy[0]
    assert findings(trees, cases["two sockets"])[0].remedy == []
    # Nobody is to have memory that is faster than DRAM taken for slow.
    assert findings(trees, cases["HBM"])[0].remedy == []
    assert "Node 1 has no CPUs, but" in findings(trees, cases["HBM"])[0].what
    patched = findings(trees, cases["live patch"])[0]
    assert "the live patch fix." in patched.what
    assert patched.remedy[0] == "echo 0 | sudo tee /sys/kernel/livepatch/fix/enabled"
    assert "(module.sig_enforce is on)" in findings(trees, cases["unsigned"])[1].what
    assert "(lockdown is integrity)" in findings(trees, cases["lockdown"])[1].what


@pytest.mark.parametrize(
    ("files", "status", "state"),
    [(LOADED, 0, "well"), ({**LOADED, **FAILED}, 1, "warning"), (PLAIN, 2, "broken")],
)
def test_exit_status(
    trees: Trees,
    files: Mapping[str, str],
    status: int,
    state: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = str(trees.root(files).folder)
    assert main(["--root", root, "doctor", "--seconds", "0", "--json"]) == status
    assert json.loads(capsys.readouterr().out)["state"] == state
    assert main(["--root", root, "doctor", "--seconds", "0"]) == status
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert said.splitlines()[-1] in (
        "Nothing is wrong.",
        "pghot works, and could work better.",
        "pghot does not work.",
    )


def test_log_that_cannot_be_read_is_told(trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    root = trees.root(LOADED)
    root.path("dev/kmsg").unlink()
    main(["--root", str(root.folder), "doctor", "-s", "0", "-j"])
    assert json.loads(capsys.readouterr().out)["unknown"] == [
        "the kernel's log: only root may read it"
    ]
