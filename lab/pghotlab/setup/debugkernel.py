# SPDX-License-Identifier: GPL-2.0
"""The kernel that checks itself: Debian's source of the same series, built with lab/debug.config.

It lives in .cache/debug, whose tree is also what modules are built against. It is
built when its configuration, its source or the compiler is another than last time.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.setup import fetch

TREE = paths.DEBUG / "linux"
LOG = paths.DEBUG / "build.log"
# What building a kernel needs on top of what building modules does.
PACKAGES = ("bc", "bison", "flex", "libelf-dev")
# Lines of make's output in the error when the build fails.
TAIL_LINES = 15


@dataclass(frozen=True)
class DebugKernel(fetch.Kernel):
    """The debug kernel, to be booted in place of the stock one."""

    arguments = (
        # Checks make time pass slowly: what the kernel waits for takes longer, too.
        "watchdog_thresh=60",
        "hung_task_timeout_secs=600",
        "rcupdate.rcu_cpu_stall_timeout=120",
        "workqueue.watchdog_thresh=120",
    )
    slowdown = 6

    @property
    def vmlinuz(self) -> Path:
        """The kernel image."""
        return TREE / "arch" / "x86" / "boot" / "bzImage"

    @property
    def headers(self) -> Path:
        """The tree that modules are built against."""
        return TREE

    def module(self, name: str) -> bytes:
        """One of its modules; name as in "fs/ext4/ext4"."""
        return (TREE / f"{name}.ko").read_bytes()


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


def _compiler() -> str:
    done = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True)
    return f"gcc {done.stdout.strip()}"


def _read(stamp: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(stamp.read_text()) if stamp.exists() else {}
    return found


def _make(*targets: str) -> None:
    with LOG.open("a") as log:
        done = subprocess.run(
            ["make", f"-j{os.cpu_count()}", f"KCONFIG_ALLCONFIG={paths.DEBUG_CONFIG}", *targets],
            cwd=TREE,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            check=False,
        )
    if done.returncode:
        tail = "\n  ".join(LOG.read_text(errors="replace").splitlines()[-TAIL_LINES:])
        raise LabError(f"building the debug kernel failed; the end of {LOG}:\n  {tail}")


def _fetch_source(stock: fetch.Kernel) -> str:
    """Unpack the source, unless it is there since the stock kernel was fetched; its version."""
    stamp = paths.DEBUG / "source.json"
    source = _read(stamp)
    if source.get("with") != stock.version:
        shutil.rmtree(paths.DEBUG, ignore_errors=True)
        source = {"with": stock.version, "version": fetch.fetch_source(TREE)}
        stamp.write_text(json.dumps(source) + "\n")
    return source["version"]


def _configure() -> None:
    _make("allnoconfig")
    wanted = options(paths.DEBUG_CONFIG.read_text())
    wrong = missed(wanted, options((TREE / ".config").read_text()))
    if wrong:
        raise LabError(
            f"{paths.DEBUG_CONFIG}: this kernel does not take all of it:\n  " + "\n  ".join(wrong)
        )


def build() -> DebugKernel:
    """Fetch, configure and build what is not there already."""
    stock = fetch.kernel()
    subprocess.run([str(paths.LAB / "setup.sh"), *PACKAGES], check=True)
    key = {
        "version": _fetch_source(stock),
        "compiler": _compiler(),
        "config": hashlib.sha256(paths.DEBUG_CONFIG.read_bytes()).hexdigest(),
    }
    stamp = paths.DEBUG / "stamp.json"
    if any(_read(stamp).get(name) != value for name, value in key.items()):
        stamp.unlink(missing_ok=True)
        LOG.unlink(missing_ok=True)
        _configure()
        fetch.say(f"debug kernel {key['version']}: build (10 minutes or more; {LOG})")
        _make("bzImage", "modules")
        release = (TREE / "include" / "config" / "kernel.release").read_text().strip()
        stamp.write_text(json.dumps({**key, "release": release}) + "\n")
    return kernel()


def kernel() -> DebugKernel:
    """The kernel that build() put in place."""
    found = _read(paths.DEBUG / "stamp.json")
    if not found:
        raise LabError(f"no debug kernel in {paths.DEBUG}: run `make debug-test`")
    return DebugKernel(
        version=found["version"], release=found["release"], compiler=found["compiler"]
    )
