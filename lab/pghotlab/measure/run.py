# SPDX-License-Identifier: GPL-2.0
"""One measured run: a machine, a policy, a workload, a seed -> one result file."""

import hashlib
import json
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pghotlab.base import paths
from pghotlab.base.errors import RunError
from pghotlab.base.units import KIB
from pghotlab.guest import packages
from pghotlab.guest.console import CONSOLE, Progress
from pghotlab.guest.initramfs import guest_programs
from pghotlab.guest.report import Report
from pghotlab.guest.vm import Guest, StepsError, boot
from pghotlab.hardware import qemu
from pghotlab.hardware.machine import Hmu, Machine
from pghotlab.measure.policy import Policy
from pghotlab.measure.results import FORMAT, RunResult, check_result, write_result
from pghotlab.measure.workload import Workload
from pghotlab.setup import fetch
from pghotlab.setup.fetch import Kernel

# Guest seconds (idle, so free) for the boot's background work to end.
SETTLE_SECONDS = 3
# Says that the command `policy` was called.
POLICY_CALLED = "/tmp/.policy"
# How often a run is begun. Where policies move memory while a workload still puts it where its
# region is to begin with, the workload may not get there, and fails.
BEGINNINGS = 3
_WHEN = ("before", "after")


@dataclass(frozen=True)
class Run:
    """What to run.

    kernel, built_module: what is booted, and pghot.ko for it; those selected if they are None.
    """

    machine: Machine
    policy: Policy
    workload: Workload
    seed: int
    kernel: Kernel | None = None
    built_module: Path | None = None

    @property
    def name(self) -> str:
        """The result file's name without suffix."""
        return f"{self.policy.name}-{self.seed}"

    @property
    def module(self) -> Path | None:
        """The module that the guest is given; None if the policy does without."""
        if self.policy.pghot is None:
            return None
        return self.built_module or paths.MODULE

    @property
    def hmu(self) -> Hmu | None:
        """The guest's monitoring unit, if it is to have one."""
        return self.policy.hmu_of(self.machine.hmu)

    @property
    def archive(self) -> Path | None:
        """The archive with the workload's files or packages, if it needs any."""
        name = self.workload.packages
        return self.workload.files if name is None else packages.archive(name)

    @property
    def command(self) -> str:
        """The shell command that is the workload."""
        policy = self.policy
        return self.workload.command(self.machine, policy.provision, self.seed, policy.arguments)

    def steps(self) -> str:
        """The guest's shell steps."""
        same_start = self.workload.same_start
        counters = "{ grep -H . /sys/kernel/mm/pghot/stats/* || true; }"
        return "\n".join(
            [
                "phase set up",
                _late(self.policy) if same_start else self.policy.setup_steps(),
                "phase settle",
                f"sleep {SETTLE_SECONDS}",
                f"{counters} 2>/dev/null | report pghot_before",
                "report vmstat_before </proc/vmstat",
                # If loading is not modelled, the begin of the region arms.
                "true" if self.workload.loads_unmodelled else "mark arm",
                "phase workload",
                f"if {self.command} >/tmp/out; then status=0; else status=$?; fi",
                "phase collect",
                "report vmstat_after </proc/vmstat",
                f"{counters} 2>/dev/null | report pghot_after",
                "report workload </tmp/out",
                f"[ $status != 0 ] || [ -e {POLICY_CALLED} ]" if same_start else "true",
                'exit "$status"',
            ]
        )


def _late(policy: Policy) -> str:
    """Shell steps: neutral settings, and the command that puts the policy in force."""
    return "\n".join(
        [
            policy.neutral.setup_steps(),
            "cat >/bin/policy <<'END'",
            "#!/bin/sh",
            "set -e",
            "echo 'lab: phase policy' >/dev/kmsg",
            f"{policy.setup_steps()}: >{POLICY_CALLED}",
            "END",
            "chmod 755 /bin/policy",
        ]
    )


def parse_vmstat(text: str) -> dict[str, int]:
    """Counters of /proc/vmstat."""
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


def parse_counters(text: str) -> dict[str, int]:
    """Counters from `grep -H .` over files with one number each, by file name."""
    counters = {}
    for line in text.splitlines():
        path, _, value = line.partition(":")
        counters[path.rpartition("/")[2]] = int(value)
    return counters


def counter_differences(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """How much each counter grew."""
    return {name: value - before.get(name, 0) for name, value in after.items()}


def _block(report: Report, name: str, console: Path) -> str:
    try:
        return report.text(name)
    except KeyError:
        raise RunError(f"{console}: the guest reported no {name}") from None


def _workload_output(report: Report, console: Path) -> dict[str, Any]:
    text = _block(report, "workload", console)
    try:
        output = json.loads(text)
    except json.JSONDecodeError as error:
        raise RunError(f"{console}: the workload printed no JSON: {error}: {text!r}") from None
    if not isinstance(output, dict):
        raise RunError(f"{console}: the workload printed no JSON object: {text!r}")
    if output.get("verified") is not True:
        raise RunError(f"{console}: the workload did not verify its memory's content")
    return output


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from None


def _program_sha256(program: str) -> str:
    """Of a program; of a script, with the lab's own programs that it names."""
    path = paths.GUEST_BUILD / program
    sha256 = _sha256(path)
    content = path.read_bytes()
    if not content.startswith(b"#!"):
        return sha256
    words = set(re.findall(r"\w+", content.decode())) - {program}
    used = [sha256, *(_sha256(file) for name, file in guest_programs().items() if name in words)]
    return hashlib.sha256("".join(used).encode()).hexdigest()


def _module_sha256(module: Path) -> str:
    """Of the module's sources, their names and contents, which it must be built from.

    Two builds of the same sources differ, as the order of their type information is chance.
    """
    sources = [file for file in paths.MODULE_SOURCES.rglob("*") if file.is_file()]
    newest = max(sources, key=lambda file: file.stat().st_mtime)
    try:
        built = module.stat().st_mtime
    except OSError as error:
        raise RunError(f"{module}: {error.strerror}") from None
    if newest.stat().st_mtime > built:
        raise RunError(f"{module} is older than {newest}: make lab")
    lines = [f"{_sha256(file)} {file.relative_to(paths.MODULE_SOURCES)}" for file in sources]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def _policy_binary(policy: Policy) -> dict[str, str]:
    """The program that the policy runs, if any."""
    if not policy.run:
        return {}
    return {"policy": _program_sha256(policy.run.split()[0])}


def identity(run: Run) -> dict[str, Any]:
    """The values of results.IDENTITY that the run's result will have."""
    machine = run.machine
    return {
        "format": FORMAT,
        "policy": run.policy.name,
        "provision": run.policy.provision,
        "settings": {
            "sysctl": run.policy.sysctl,
            "files": run.policy.files,
            "pghot": run.policy.pghot,
            **({"run": run.policy.run} if run.policy.run else {}),
        },
        "machine": {
            "name": machine.name,
            "file": _relative(machine.path),
            "sha256": machine.sha256,
            "fast_nodes": list(machine.fast_nodes),
            "slow_nodes": list(machine.slow_nodes),
            **({"hmu": asdict(run.hmu)} if run.hmu else {}),
        },
        "workload": run.workload.name,
        "workload_options": run.workload.options,
        "workload_command": run.command,
        "seed": run.seed,
        "kernel": (run.kernel or fetch.kernel()).release,
        "qemu": fetch.qemu_version(),
        "binaries": {
            "plugin": _sha256(qemu.plugin_of(machine)),
            "workload": _program_sha256(run.workload.program),
            "module": _module_sha256(run.module) if run.module else None,
            **({"packages": _sha256(archive)} if (archive := run.archive) else {}),
            **_policy_binary(run.policy),
        },
    }


def _check_counted(run: Run, guest: Guest, console: Path) -> None:
    if len(guest.regions) != 1:
        raise RunError(f"{console}: {len(guest.regions)} measured regions, expected one")
    memory = run.workload.memory
    expected = 0 if memory is None else 1
    if len(guest.censuses) != expected:
        raise RunError(f"{console}: {len(guest.censuses)} censuses, expected {expected}")
    if memory is None:
        return
    met = sum(node["frames"] for node in guest.censuses[0])
    pages = memory // (4 * KIB)
    if met != pages:
        raise RunError(f"{console}: the census met {met} pages, expected {pages}")


def make_result(run: Run, known: dict[str, Any], guest: Guest) -> RunResult:
    """The result of a run's guest; RunError when something of it is missing.

    known: the run's identity when the guest began.
    """
    console = guest.folder / CONSOLE
    _check_counted(run, guest, console)
    report = guest.report
    vmstat = [parse_vmstat(_block(report, f"vmstat_{when}", console)) for when in _WHEN]
    pghot = [parse_counters(_block(report, f"pghot_{when}", console)) for when in _WHEN]
    data = {
        **known,
        "command": [word.replace(f"{paths.ROOT}/", "") for word in guest.command],
        "console": _relative(console),
        "host_seconds": round(guest.seconds, 1),
        "guest": _workload_output(report, console),
        "region": guest.regions[0],
        "census": guest.censuses[0] if guest.censuses else [],
        "vmstat": {n: d for n, d in counter_differences(*vmstat).items() if d},
        "pghot": counter_differences(*pghot),
    }
    try:
        return check_result(data)
    except ValueError as error:
        raise RunError(f"{console}: the run's result: {error}") from None


def _relative(path: Path) -> str:
    path = path.resolve()
    return str(path.relative_to(paths.ROOT) if path.is_relative_to(paths.ROOT) else path)


def _boot(run: Run, logs: Path, progress: Progress | None) -> Guest:
    return boot(
        run.machine,
        run.steps(),
        timeout=run.workload.timeout,
        kernel=run.kernel,
        modules={"lib/pghot.ko": run.module} if run.module else None,
        packages=run.archive,
        plugin=qemu.plugin_of(run.machine),
        seed=run.seed,
        hmu=run.hmu,
        folder=logs,
        progress=progress,
    )


def execute(run: Run, folder: Path, progress: Progress | None = None) -> RunResult:
    """Boot, run, and write folder/NAME.json; the guest's logs go to folder/NAME/.

    A guest whose steps fail before a region was measured is booted again, BEGINNINGS times in all:
    there is no figure yet that a choice between them could favour.
    """
    path = folder / f"{run.name}.json"
    path.unlink(missing_ok=True)
    logs = folder / run.name
    known = identity(run)
    for left in reversed(range(BEGINNINGS)):
        shutil.rmtree(logs, ignore_errors=True)
        try:
            guest = _boot(run, logs, progress)
            break
        except StepsError as error:
            if error.guest.regions or not left:
                # Without the guest: a job that runs beside others tells of its errors by text.
                raise RunError(str(error)) from None
    result = make_result(run, known, guest)
    write_result(path, result)
    return result
