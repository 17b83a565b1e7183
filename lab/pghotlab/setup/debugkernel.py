# SPDX-License-Identifier: GPL-2.0
"""Kernels that check themselves: Debian's source of a series in other configurations.

Each lives in .cache/NAME, whose tree is also what modules are built against. It is built
when its configuration, its source or the compiler is another than last time.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.setup import fetch, kernels
from pghotlab.setup.kernels import Series

# What building a kernel needs on top of what building modules does.
PACKAGES = ("bc", "bison", "flex", "libelf-dev")
# Lines of make's output in the error when the build fails.
TAIL_LINES = 15
# In a kernel's folder: all that is wanted of it.
CONFIG = "wanted.config"


@dataclass(frozen=True)
class Kind:
    """A kernel that checks itself, and what its checks make of time."""

    name: str
    """Of its folders in .cache and build, and for PGHOT_KERNEL."""
    series: Series
    configs: Sequence[str]
    """Files of lab/, each with what it adds to the one before it, or has otherwise."""
    test: str
    """The target of make that builds and uses it."""
    slowdown: int

    @property
    def folder(self) -> Path:
        """All that belongs to it."""
        return paths.CACHE / self.name

    @property
    def tree(self) -> Path:
        """Its source, in which it is built."""
        return self.folder / "linux"

    @property
    def log(self) -> Path:
        """What make says."""
        return self.folder / "build.log"

    def config(self) -> str:
        """What is wanted of it; of an option that is there twice the last counts."""
        return "".join((paths.LAB / name).read_text() for name in self.configs)


# What uses them, and how much longer a guest may take then.
TESTS = {"debug": ("debug-test", 6), "kcsan": ("race-test", 6)}


def _kinds() -> Iterator[Kind]:
    for series in kernels.load_kernels().values():
        if not series.debug:
            continue
        for kind, more in kernels.KINDS.items():
            test, slowdown = TESTS[kind]
            name = kind if series.default else f"{kind}-{series.name}"
            command = test if series.default else f"{test} KERNEL={series.name}"
            yield Kind(name, series, (*series.debug, *more), command, slowdown)


KINDS = {kind.name: kind for kind in _kinds()}


@dataclass(frozen=True)
class DebugKernel(fetch.Kernel):
    """A kernel that checks itself, to be booted in place of the stock one."""

    kind: Kind

    arguments = (
        # Checks make time pass slowly: what the kernel waits for takes longer, too.
        "watchdog_thresh=60",
        "hung_task_timeout_secs=600",
        "rcupdate.rcu_cpu_stall_timeout=120",
        "workqueue.watchdog_thresh=120",
        # While a CPU is identified its features are unknown for a moment. KASAN asks for one of
        # them, five levels of page tables, and reports an access of an interrupt meanwhile.
        "no5lvl",
    )

    @property
    def slowdown(self) -> int:
        """How much longer a guest may take than with the stock kernel."""
        return self.kind.slowdown

    @property
    def vmlinuz(self) -> Path:
        """The kernel image."""
        return self.kind.tree / "arch" / "x86" / "boot" / "bzImage"

    @property
    def headers(self) -> Path:
        """The tree that modules are built against."""
        return self.kind.tree

    def _module_file(self, name: str) -> Path | None:
        for line in (self.kind.tree / "modules.order").read_text().split():
            if Path(line).stem == name:
                return self.kind.tree / Path(line).with_suffix(".ko")
        return None

    def module(self, name: str) -> bytes:
        """One of its modules, such as "ext4"."""
        file = self._module_file(name)
        if file is None:
            raise LabError(f"the kernel {self.release} has no module {name}")
        return file.read_bytes()


def options(config: str) -> dict[str, str]:
    """The options of a configuration by name; those that are off are "n"."""
    found = dict(re.findall(r"^(CONFIG_\w+)=(.*)$", config, re.MULTILINE))
    for name in re.findall(r"^# (CONFIG_\w+) is not set$", config, re.MULTILINE):
        found[name] = "n"
    return found


def missed(wanted: Mapping[str, str], got: Mapping[str, str]) -> list[str]:
    """What differs from the options that were wanted; one that does not exist is "n"."""
    return [
        f"{name} is {got.get(name, 'n')}, not {value}"
        for name, value in wanted.items()
        if got.get(name, "n") != value
    ]


def install_packages() -> None:
    """Install what building a kernel needs, unless it is there."""
    subprocess.run([str(paths.LAB / "setup.sh"), *PACKAGES], check=True)


def compiler() -> str:
    """The compiler and its version."""
    done = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True)
    return f"gcc {done.stdout.strip()}"


def _read(stamp: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(stamp.read_text()) if stamp.exists() else {}
    return found


def make(kind: Kind, *targets: str) -> None:
    """Run make in a kernel's tree; LabError with the end of its log if it fails.

    targets: what to make, and settings such as W=1. The log of before is kept.
    """
    with kind.log.open("a") as log:
        done = subprocess.run(
            ["make", f"-j{os.cpu_count()}", f"KCONFIG_ALLCONFIG={kind.folder / CONFIG}", *targets],
            cwd=kind.tree,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            check=False,
        )
    if done.returncode:
        tail = "\n  ".join(kind.log.read_text(errors="replace").splitlines()[-TAIL_LINES:])
        raise LabError(f"building the {kind.name} kernel failed; the end of {kind.log}:\n  {tail}")


def _fetch_source(kind: Kind, stock: fetch.Kernel) -> str:
    """Unpack the source, unless it is there since the stock kernel was fetched; its version."""
    stamp = kind.folder / "source.json"
    source = _read(stamp)
    if source.get("with") != stock.version:
        shutil.rmtree(kind.folder, ignore_errors=True)
        version = fetch.fetch_source(kind.series, kind.tree)
        source = {"with": stock.version, "version": version}
        stamp.write_text(json.dumps(source) + "\n")
    return source["version"]


def configure(kind: Kind, config: str) -> None:
    """Configure a kernel; LabError if it does not take an option as it is wanted.

    config: what is wanted, as Kind.config() gives it.
    """
    (kind.folder / CONFIG).write_text(config)
    make(kind, "allnoconfig")
    wanted = options(config)
    wrong = missed(wanted, options((kind.tree / ".config").read_text()))
    if wrong:
        raise LabError(
            f"lab/{kind.configs[-1]}: this kernel does not take all of it:\n  " + "\n  ".join(wrong)
        )


def build(name: str) -> DebugKernel:
    """Fetch, configure and build what is not there already of a kernel of KINDS."""
    kind = KINDS[name]
    stock = fetch.kernel(kind.series)
    install_packages()
    config = kind.config()
    key = {
        "version": _fetch_source(kind, stock),
        "compiler": compiler(),
        "config": hashlib.sha256(config.encode()).hexdigest(),
    }
    stamp = kind.folder / "stamp.json"
    if any(_read(stamp).get(field) != value for field, value in key.items()):
        stamp.unlink(missing_ok=True)
        kind.log.unlink(missing_ok=True)
        configure(kind, config)
        fetch.say(f"{name} kernel {key['version']}: build (10 minutes or more; {kind.log})")
        make(kind, "bzImage", "modules")
        release = (kind.tree / "include" / "config" / "kernel.release").read_text().strip()
        stamp.write_text(json.dumps({**key, "release": release}) + "\n")
    return kernel(name)


def kernel(name: str) -> DebugKernel:
    """The kernel of KINDS that build() put in place."""
    kind = KINDS[name]
    found = _read(kind.folder / "stamp.json")
    if not found:
        raise LabError(f"no {name} kernel in {kind.folder}: run `make {kind.test}`")
    return DebugKernel(
        version=found["version"],
        release=found["release"],
        compiler=found["compiler"],
        folder=kind.folder,
        kind=kind,
    )
