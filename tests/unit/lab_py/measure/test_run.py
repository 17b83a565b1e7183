# SPDX-License-Identifier: GPL-2.0
"""What a run tells its guest, and how it reads the guest's report."""

import os
import re
import shlex
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from handmade import result
from pghotlab.base import paths
from pghotlab.base.errors import RunError, UsageError
from pghotlab.base.units import MIB, format_size, parse_size
from pghotlab.cli import main
from pghotlab.guest import packages
from pghotlab.guest.report import parse_report
from pghotlab.guest.vm import Guest, StepsError
from pghotlab.hardware import qemu
from pghotlab.hardware.machine import Hmu, load_machine
from pghotlab.measure import run as run_module
from pghotlab.measure.policy import REFERENCE, USUAL, choose, load_policies, sources
from pghotlab.measure.results import IDENTITY, check_result, fingerprint
from pghotlab.measure.run import (
    BEGINNINGS,
    POLICY_CALLED,
    Run,
    counter_differences,
    execute,
    identity,
    parse_counters,
    parse_vmstat,
)
from pghotlab.measure.workload import Workload, load_defaults, make_workload, workload_names
from pghotlab.setup import fetch, kernels
from pghotlab.setup.fetch import Kernel
from pghotlab.tables.recipe import load_recipe

NVDIMM = paths.ROOT / "tests" / "vm" / "nvdimm.toml"


def test_report() -> None:
    report = parse_report(
        "noise\r\n@begin a\r\n1\r\n2\r\n@end a\r\n@begin a\n3\n@end a\n"
        "@begin b\n@end a\nx=7\n@end b\nsteps=3\nnot=a number\n@begin c\nhalf"
    )
    assert report.blocks == {"a": ["1\n2", "3"], "b": ["@end a\nx=7"]}
    assert report.text("a") == "3"
    assert report.statuses == {"steps": 3}
    assert report.unfinished == "c"


def test_counters() -> None:
    vmstat = parse_vmstat("pgpromote_success 5\nnr_free 7\n")
    assert vmstat == {"pgpromote_success": 5, "nr_free": 7}
    path = "/sys/kernel/mm/pghot/stats"
    pghot = parse_counters(f"{path}/promoted:12\n{path}/recorded:0\n")
    assert pghot == {"promoted": 12, "recorded": 0}
    assert parse_counters("") == {}
    assert counter_differences({"a": 1}, {"a": 3, "b": 2}) == {"a": 2, "b": 2}


def test_policies() -> None:
    policies = load_policies()
    assert list(policies)[: len(USUAL)] == list(USUAL)
    assert REFERENCE in policies
    assert policies["all-fast"].provision == "fast"
    assert policies["numab2"].setup_steps() == "set_value /proc/sys/kernel/numa_balancing 2\n"
    assert "demotion_enabled 1" in policies["numab2-demotion"].setup_steps()
    assert policies["damon"].setup_steps().splitlines()[-1].startswith("damon sample_us=5000 ")
    assert (
        "insmod /lib/pghot.ko enabled_sources=1 freq_threshold=1\n"
        in policies["pghot-default"].setup_steps()
    )
    # By itself: what is not set here is as the distribution has it.
    assert policies["pghot"].setup_steps() == (
        "set_value /sys/kernel/mm/numa/demotion_enabled 1\ninsmod /lib/pghot.ko\n"
    )
    with pytest.raises(UsageError, match="no policy 'numab9'; there are: all-fast"):
        choose(["numab9"], policies)


def test_sources() -> None:
    assert sources(None) is None
    assert sources({}) == "auto"
    assert sources({"enabled_sources": "0x1e"}) == "hwhints+accessed+pagecache+mglru"
    used = {sources(policy.pghot) for policy in load_policies().values()}
    assert {"accessed+pagecache", "hintfaults+pagecache", "mglru", None} <= used


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[p]\ntitle = 'x'\n", "p.provision: missing"),
        ("[p]\ntitle = 'x'\nprovision = 'middle'\n", "must be one of fast, slow"),
        ("[p]\ntitle = 'x'\nprovision = 'slow'\nkernel = 1\n", "p.kernel: unknown key"),
        ("[p]\ntitle = 'x'\nprovision = 'slow'\nsysctl = {a = true}\n", r"p\.sysctl\.a"),
        ("[p]\ntitle = 'x'\nprovision = 'slow'\npghot = 1\n", r"p\.pghot: must be a table"),
        ("[p]\ntitle = 'x'\nprovision = 'slow'\nsince = 'now'\n", r"p\.since: must be a series"),
    ],
)
def test_wrong_policy_file(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "policies.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=reason):
        load_policies(path)


def test_policies_of_newer_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    goals = load_policies()["damon-goals"]
    for series, damon, offered in (
        ("6.12", True, False),
        ("6.17", False, False),
        ("7.2", True, True),
        ("7.3", True, True),
    ):
        monkeypatch.setattr(kernels, "selected", lambda name=series: kernels.load_kernels()[name])
        assert goals.offered is offered
        assert load_policies()["damon"].offered is damon
        (case,) = (case for case in load_recipe("micro").cases if case.name == "4k")
        assert ("damon-goals" in {policy.name for policy in case.policies}) is offered


@pytest.mark.parametrize(
    ("series", "policy", "reason"),
    [
        ("6.12", "damon-goals", "damon-goals needs a kernel of 7.2 or newer: choose KERNEL="),
        ("7.0", "damon", "damon needs DAMON, which the kernel 7.0 does not have: choose KERNEL="),
    ],
)
def test_what_a_kernel_lacks_is_named(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    series: str,
    policy: str,
    reason: str,
) -> None:
    monkeypatch.setattr(kernels, "selected", lambda: kernels.load_kernels()[series])
    assert main(["demo", "--policies", "numab0", policy]) == 2
    assert reason in capsys.readouterr().err


def test_every_table_with_damon_has_it_with_goals() -> None:
    for path in (*paths.TABLES.glob("*.toml"), paths.LEAGUE):
        for names in re.findall(r"^policies = (\[.*?\])", path.read_text(), re.S | re.M):
            assert ('"damon"' in names) == ('"damon-goals"' in names), path


def test_steps() -> None:
    machine = load_machine("two-node")
    policies = load_policies()
    workload = make_workload("micro", {"bytes": "128M", "hot-bytes": "64K"}, machine)
    steps = Run(machine, policies["pghot-default"], workload, 7).steps()
    assert steps.index("insmod") < steps.index("vmstat_before") < steps.index("mark arm")
    assert "--bytes 134217728" in steps
    assert "--hot-bytes 65536" in steps
    assert "--seed 7 --provision 1 --cpus-node 0" in steps
    fast = Run(machine, policies["all-fast"], workload, 7).steps()
    assert "--provision 0" in fast
    assert "insmod" not in fast


def begun(policy: str) -> tuple[str, str]:
    """A server's steps before it starts, but the command that they make; and that command."""
    machine = load_machine("dram-pmem")
    chosen = replace(load_policies()[policy], files={"/sys/pages": "never"})
    steps = Run(machine, chosen, make_workload("redis-skewed", {}, machine), 1).steps()
    before, _, rest = steps.partition("cat >/bin/policy <<'END'\n")
    command, _, rest = rest.partition("\nEND\n")
    assert rest.index("chmod 755 /bin/policy") < rest.index("redis --keys")
    return before, command


@pytest.mark.parametrize("policy", ["numab2", "numab2-demotion", "pghot-default", "damon-cold"])
def test_policies_begin_alike(policy: str) -> None:
    before, command = begun(policy)
    assert before == begun("all-fast")[0]
    assert "set_value /proc/sys/kernel/numa_balancing 0\n" in before
    assert "set_value /sys/kernel/mm/numa/demotion_enabled 0\n" in before
    # What a table sets for all of them may say which pages there are.
    assert "set_value /sys/pages never\n" in before
    chosen = replace(load_policies()[policy], files={"/sys/pages": "never"})
    assert chosen.setup_steps() in command
    assert command.splitlines()[0] == "#!/bin/sh"


def test_the_command_is_whole() -> None:
    """It is a script that a shell reads, and says at its end that it was called."""
    _, command = begun("damon")
    subprocess.run(["sh", "-n"], input=command, text=True, check=True)
    assert command.splitlines()[-1] == f": >{POLICY_CALLED}"


def test_a_policy_that_never_began(tmp_path: Path) -> None:
    """The steps fail, though the workload did not."""
    machine = load_machine("dram-pmem")
    run = Run(machine, load_policies()["numab2"], make_workload("oltp", {}, machine), 1)
    called = tmp_path / "called"
    steps = "\n".join(run.steps().splitlines()[-2:]).replace(POLICY_CALLED, str(called))

    def ends(status: int) -> int:
        command = ["sh", "-ec", f"status={status}\n{steps}"]
        return subprocess.run(command, check=False).returncode

    assert (ends(0), ends(3)) == (1, 3)
    called.touch()
    assert (ends(0), ends(3)) == (0, 3)


def test_who_begins_alike() -> None:
    """All whose set-up is not modelled, where memory is slow: jbb's machine has none of it."""
    machine = load_machine("two-node")
    made = [make_workload(name, {}, machine) for name in workload_names()]
    alike = {workload.name for workload in made if workload.same_start}
    assert alike == {workload.name for workload in made if workload.packages} - {"jbb"}
    for workload in made:
        if workload.same_start:
            (script,) = (paths.ROOT / "lab/guest/workloads").rglob(f"{workload.program}.sh")
            assert re.search(r"^(policy|redisload .*)", script.read_text(), re.MULTILINE)


def test_when_a_policy_begins(tmp_path: Path) -> None:
    path = tmp_path / "workloads.toml"
    path.write_text('[w]\nprogram = "w"\npolicy-begins = "late"\n')
    with pytest.raises(UsageError, match=r"w\.policy-begins: must be one of before, placed"):
        load_defaults("w", path)


def test_who_loads_unmodelled(tmp_path: Path) -> None:
    """A server does, for which it takes long. The region arms then, and not the steps."""
    machine = load_machine("two-node")
    made = {name: make_workload(name, {}, machine) for name in workload_names()}
    assert {name for name, one in made.items() if one.loads_unmodelled} == {
        name for name, one in made.items() if one.packages
    }
    policy = load_policies()["numab2"]
    assert "mark arm" in Run(machine, policy, made["micro"], 1).steps()
    assert "mark arm" not in Run(machine, policy, made["redis"], 1).steps()
    path = tmp_path / "workloads.toml"
    path.write_text('[w]\nprogram = "w"\nloading = "quick"\n')
    with pytest.raises(UsageError, match=r"w\.loading: must be one of modelled, unmodelled"):
        load_defaults("w", path)


def test_free_text_reaches_the_program() -> None:
    """Behind a policy's own options come the words, each of them whole."""
    machine = load_machine("two-node")
    workload = Workload("w", "run", {"start": "it's ready"}, words=("/bin/echo", "a b", "$x"))
    policy = replace(load_policies()["numab0"], arguments="--more 1")
    command = Run(machine, policy, workload, 3).command
    assert shlex.split(command) == [
        *("run", "--start", "it's ready", "--seed", "3", "--provision", "1", "--cpus-node", "0"),
        *("--more", "1", "--", "/bin/echo", "a b", "$x"),
    ]


def test_who_gets_a_monitoring_unit() -> None:
    policies = load_policies()
    users = [p.name for p in policies.values() if p.uses_hmu]
    assert users[0] == "pghot-vhmu"
    assert [name for name in users if not name.startswith("pghot-vhmu")] == []
    assert not replace(policies["pghot-vhmu"], pghot={}).uses_hmu
    assert replace(policies["pghot-vhmu"], pghot={"enabled_sources": "0x103"}).uses_hmu


def test_a_policy_may_have_another_monitoring_unit() -> None:
    policies = load_policies()
    usual = Hmu(loss=7)
    assert policies["numab2"].hmu_of(usual) is None
    assert policies["pghot-vhmu"].hmu_of(usual) == usual
    assert policies["pghot-vhmu-1in16"].hmu_of(usual) == Hmu(sampling=16, threshold=1, loss=7)


@pytest.mark.parametrize(
    ("source", "hmu", "message"),
    [
        ("256", "sampling = 3", "hmu.sampling: must be a power of two"),
        ("256", "samplings = 4", "hmu.samplings: unknown key"),
        ("3", "sampling = 4", "x.hmu: is for policies with the source vhmu"),
    ],
)
def test_a_bad_monitoring_unit_of_a_policy(
    tmp_path: Path, source: str, hmu: str, message: str
) -> None:
    file = tmp_path / "policies.toml"
    file.write_text(
        f'[x]\ntitle = "x"\nprovision = "slow"\npghot = {{ enabled_sources = {source} }}\n'
        f"hmu = {{ {hmu} }}\n"
    )
    with pytest.raises(UsageError, match=re.escape(message)):
        load_policies(file)


def test_monitoring_unit_of_qemu(tmp_path: Path) -> None:
    two, three = load_machine("two-node"), load_machine("three-node")
    assert qemu.hmu_bytes(two, Hmu(entries=2)) == MIB
    # One slow node each; as many entries as a page and the registers leave room for.
    fits = (MIB - 4096 - 16 - 256) // 8
    assert qemu.hmu_bytes(three, Hmu(entries=fits // 2)) == MIB
    with_two = load_machine(paths.ROOT / "tests" / "vm" / "two-slow.toml")
    assert qemu.hmu_bytes(with_two, Hmu(entries=65535)) == 2 * MIB
    config = qemu.hmu_config(Hmu(8192, 100, 2, 4, 5, 6), Path("/x y"), 7)
    assert config == "hmu_file /x y\nhmu 8192 100 2 4 5 6 7\n"
    arguments = qemu.hmu_arguments(Path("/x"), MIB)
    assert f"memory-backend-file,id=hmu,mem-path=/x,size={MIB},share=on" in arguments


def test_threads_of_two_sockets_are_not_bound() -> None:
    machine = load_machine("three-node")
    command = make_workload("micro", {"pages": "file"}, machine).command(machine, "slow", 1)
    assert "--provision 2" in command
    assert "--cpus-node" not in command
    assert "--pages file --file /tmp/workload" in command


def test_where_no_memory_is_slow_all_is_fast() -> None:
    machine = load_machine("eight-node")
    policies = load_policies()
    workload = make_workload("jbb", {"heap-bytes": "64M"}, machine)
    for name in ("numab1", "pinned"):
        command = Run(machine, policies[name], workload, 1).command
        assert "--heap-bytes 67108864" in command
        assert "--provision 0" in command
        assert command.endswith(" --pinned") == (name == "pinned")


def test_paced() -> None:
    machine = load_machine("two-node")
    given = {"rate": "0", "bytes": "64M", "pattern": "even"}
    workload = make_workload("paced", given, machine)
    assert (workload.name, workload.program) == ("paced", "micro")
    command = workload.command(machine, "slow", 1)
    assert command.startswith("micro --pattern even --rate 0 ")
    assert "hot-bytes" not in command
    with pytest.raises(UsageError, match=r"^--pattern: 'odd' is not one of even, normal, linear"):
        make_workload("paced", {"pattern": "odd"}, machine)
    with pytest.raises(UsageError, match=r"^--rate: '-1' is too small"):
        make_workload("paced", {"rate": "-1"}, machine)


def test_memory_beyond_one_node() -> None:
    machine = load_machine("two-node")
    everything = {"bytes": "2G"}
    command = make_workload("overcommit", everything, machine).command(machine, "slow", 1)
    assert "--bytes 2147483648 --hot-bytes 201326592" in command
    assert "--bind hot" in command
    assert "--provision 1" in command
    assert make_workload("pmbench", everything, machine).options["bind"] == "none"
    for given, reason in (
        ({"bytes": "3G"}, r"--bytes: 3G does not fit the nodes of 3G of machine two-node"),
        ({"bytes": "1G", "bind": "all"}, r"--bytes: 1G does not fit a node of 1G"),
        ({"bind": "some"}, r"--bind: 'some' is not one of all, hot, none"),
    ):
        with pytest.raises(UsageError, match=reason):
            make_workload("overcommit", given, machine)


def test_moving() -> None:
    machine = load_machine("two-node")
    command = make_workload("moving", {"moves": "7"}, machine).command(machine, "slow", 1)
    assert "--hot-bytes 67108864" in command
    assert "--moves 7" in command
    for given, reason in (
        ({"moves": "8"}, "8 need 9 times --hot-bytes in --bytes"),
        ({"moves": "64", "hot-bytes": "4K"}, "64 is more than 63"),
        ({"moves": "-1"}, "'-1' is too small"),
        ({"pages": "read", "write-share": "0"}, "must be 0 with --pages read"),
    ):
        with pytest.raises(UsageError, match=f"^--moves: {reason}"):
            make_workload("moving", given, machine)


def test_wrong_workload(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no workload 'none'; there are: micro, moving, paced"):
        load_defaults("none")
    path = tmp_path / "workloads.toml"
    path.write_text("[w]\nbytes = 1\n")
    with pytest.raises(UsageError, match=r"w\.program: missing"):
        load_defaults("w", path)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("colour", "1", "has no such option"),
        ("threads", "0", "too small"),
        ("threads", "4K", "not a whole number"),
        ("bytes", "4GB", "not a size"),
        ("bytes", "1G", "does not fit a node of 1G"),
        ("bytes", "4097", "not a multiple of the page size"),
        ("hot-bytes", "8G", "more than --bytes"),
        ("pages", "1g", "not one of 4k, thp, file, read"),
        ("write-share", "-1", "too small"),
        ("write-share", "101", "more than 100"),
    ],
)
def test_wrong_workload_option(name: str, value: str, reason: str) -> None:
    with pytest.raises(UsageError, match=f"^--{name}: .*{reason}"):
        make_workload("micro", {name: value}, load_machine("two-node"))


def test_huge_pages_need_whole_ones() -> None:
    with pytest.raises(UsageError, match="not a multiple of the page size"):
        make_workload("micro", {"pages": "thp", "bytes": "65M"}, load_machine("two-node"))


def test_files_are_only_read() -> None:
    machine = load_machine("two-node")
    with pytest.raises(UsageError, match=r"^--write-share: must be 0 with --pages read"):
        make_workload("micro", {"pages": "read"}, machine)
    given = {"pages": "read", "write-share": "0"}
    command = make_workload("micro", given, machine).command(machine, "slow", 1)
    assert "--pages read --file /tmp/workload" in command


def test_shipped_defaults_fit_every_machine() -> None:
    with_pages = [name for name in workload_names() if "pages" in load_defaults(name)]
    assert "micro" in with_pages
    for workload in with_pages:
        assert load_defaults(workload)["pages"] == "4k"
        for name in ("two-node", "three-node"):
            for pages in ("4k", "thp", "file"):
                make_workload(workload, {"pages": pages}, load_machine(name))


SOURCE = "kernel/main.c"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that a run is made of."""
    folder = tmp_path / "built"
    folder.mkdir()
    for name in ("micro", "tiermem.so", SOURCE, "pghot.ko"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    monkeypatch.setattr(paths, "GUEST_BUILD", folder)
    monkeypatch.setattr(paths, "PLUGIN", folder / "tiermem.so")
    monkeypatch.setattr(paths, "MODULE", folder / "pghot.ko")
    monkeypatch.setattr(paths, "MODULE_SOURCES", folder / "kernel")
    monkeypatch.setattr(fetch, "kernel", lambda: Kernel("6.12.1-1", "6.12.1", "gcc-12", folder))
    monkeypatch.setattr(fetch, "qemu_version", lambda: "10")
    return folder


def a_run(policy: str = "pghot-default", *, options: dict[str, str] | None = None) -> Run:
    machine = load_machine("two-node")
    return Run(machine, load_policies()[policy], make_workload("micro", options or {}, machine), 1)


def print_of(policy: str = "pghot-default", **options: str) -> str:
    return fingerprint(identity(a_run(policy, options=options)))


def test_identity_is_a_part_of_the_result(built: Path) -> None:
    run = a_run()
    assert set(identity(run)) == set(IDENTITY)
    made = check_result(result() | identity(run))
    assert fingerprint(vars(made)) == print_of()
    assert len({print_of(), print_of("numab2"), print_of(threads="3")}) == 3


def test_arguments_of_a_policy(built: Path) -> None:
    run = a_run()
    with_more = replace(run, policy=replace(run.policy, arguments="--pinned"))
    assert with_more.command == f"{run.command} --pinned"
    assert f"if {run.command} --pinned >" in with_more.steps()
    assert identity(with_more)["workload_command"] == with_more.command


def test_servers_load_their_data_before_the_model() -> None:
    run = a_run()
    assert "\nmark arm\n" in run.steps()
    served = replace(run, workload=replace(run.workload, loads_unmodelled=True))
    assert "mark arm" not in served.steps()


def test_the_monitoring_unit_is_part_of_a_result(built: Path) -> None:
    run = a_run("pghot-vhmu")
    other = replace(run, machine=replace(run.machine, hmu=Hmu(loss=50)))
    assert identity(run) != identity(other)
    without = a_run()
    assert identity(without) == identity(replace(without, machine=other.machine))


@pytest.mark.parametrize("name", ["micro", "tiermem.so", SOURCE])
def test_a_result_of_another_build_is_another(built: Path, name: str) -> None:
    own, stock = print_of("pghot-default"), print_of("numab2")
    (built / name).write_text("built anew")
    (built / "pghot.ko").touch()
    assert print_of("pghot-default") != own
    # What does not load the module does not depend on it.
    assert (print_of("numab2") != stock) == (name != SOURCE)


def test_the_module_is_its_sources(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = print_of("pghot-default")
    # Its type information has no order: no two builds are the same.
    (built / "pghot.ko").write_text("built anew")
    moved = (built / "kernel").rename(built / "moved")
    monkeypatch.setattr(paths, "MODULE_SOURCES", moved)
    assert print_of("pghot-default") == own
    (moved / "main.c").rename(moved / "other.c")
    assert print_of("pghot-default") != own


def test_the_module_is_built_of_its_sources(built: Path) -> None:
    module, source = built / "pghot.ko", built / SOURCE
    os.utime(module, ns=(0, source.stat().st_mtime_ns - 1_000_000))
    with pytest.raises(RunError, match=r"pghot\.ko is older than .*main\.c: make lab"):
        print_of("pghot-default")
    assert print_of("numab2")
    module.unlink()
    with pytest.raises(RunError, match=r"pghot\.ko: No such file"):
        print_of("pghot-default")


def test_identity_of_a_script_with_packages(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "redis.cpio"
    monkeypatch.setattr(packages, "archive", {"redis": archive}.__getitem__)
    run = a_run()
    run = replace(run, workload=replace(run.workload, program="script", packages="redis"))
    script, helper = built / "script", built / "helper"
    script.write_text("#!/bin/sh\n/bin/helper --now\n")
    for file in (archive, helper):
        file.write_text("1")
    seen = [identity(run)["binaries"]]
    # What the script does not name is not part of it.
    for file in (built / "micro", archive, helper, script):
        file.write_text(file.read_text() + "2")
        seen.append(identity(run)["binaries"])
    assert seen[0] == seen[1]
    changed = [[key for key in a if a[key] != b[key]] for a, b in pairwise(seen[1:])]
    assert changed == [["packages"], ["workload"], ["workload"]]
    assert run.archive == archive
    assert a_run().archive is None


@pytest.mark.parametrize(
    ("failures", "regions", "boots"), [(0, 0, 1), (2, 0, 3), (BEGINNINGS, 0, BEGINNINGS), (1, 1, 1)]
)
def test_a_run_that_measured_nothing_is_begun_again(
    built: Path, monkeypatch: pytest.MonkeyPatch, failures: int, regions: int, boots: int
) -> None:
    report = parse_report("steps=1\n")
    left = Guest(built, [], "", "", report, ["busy"], [{}] * regions, [], 1.0)
    booted: list[Path] = []

    def fake_boot(*_: Any, folder: Path, **__: Any) -> Guest:
        booted.append(folder)
        if len(booted) <= failures:
            raise StepsError(left)
        return left

    monkeypatch.setattr(run_module, "boot", fake_boot)
    fails = failures == BEGINNINGS or regions
    # Of a guest that ran, this one has no results.
    reason = "steps ended with status 1" if fails else "0 measured regions, expected one"
    with pytest.raises(RunError, match=reason):
        execute(a_run(), built)
    assert booted == [built / a_run().name] * boots


def test_what_is_not_built_has_no_identity(built: Path) -> None:
    (built / "micro").unlink()
    with pytest.raises(RunError, match="micro: No such file"):
        identity(a_run())


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["demo", "--machine", "none"], "none.toml: No such file"),
        (["demo", "--policies", "none"], "no policy 'none'"),
        (["demo", "--policies", "numab2", "numab2"], "given twice"),
        (["demo", "--seeds", "0"], "--seeds: '0' is not a number from 1"),
        (["demo", "--seeds", "1 x"], "--seeds: 'x' is not"),
        (["demo", "--seeds", "1 1"], "given twice"),
        (["demo", "--set", "/sys/kernel/x"], "'/sys/kernel/x' is not FILE=VALUE"),
        (["demo", "--set", "/tmp/x=1"], "'/tmp/x=1' is not FILE=VALUE"),
        (["demo", "--set", "/sys/x=1;reboot"], "is not FILE=VALUE"),
        (["demo", "--threads", "many"], "--threads: 'many'"),
        (["demo", "--workload", "none"], "no workload 'none'"),
        (["demo", "--rate", "1"], "--rate: micro has no such option"),
        (["demo", "--name", "../x"], "--name"),
        (["calibrate", "--machine", "none"], "none.toml: No such file"),
        (["demo", "--machine", str(NVDIMM)], "node[1].hotplug: the memory model"),
        (["calibrate", "--machine", str(NVDIMM)], "node[1].hotplug: the memory model"),
    ],
)
def test_wrong_arguments_end_with_2(
    argv: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("argv", [[], ["none"], ["demo", "--none"], ["demo", "rest"]])
def test_unknown_arguments_end_with_2(argv: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(argv)
    assert error.value.code == 2


def test_sizes() -> None:
    for text, size in (("4096", 4096), ("32K", 32 << 10), ("512M", 512 << 20), ("2G", 2 << 30)):
        assert parse_size(text) == size
        assert parse_size(format_size(size)) == size
    assert format_size(4097) == "4097"
    assert format_size(0) == "0"
    for wrong in ("", "K", "1T", "1.5G", "-1", "1 G", "0x10"):
        with pytest.raises(ValueError, match="is not a size"):
            parse_size(wrong)
