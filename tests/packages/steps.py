# SPDX-License-Identifier: GPL-2.0
"""What the runs with packages have in common: how they say and check what they do."""

import os
import sys
import time
from collections.abc import Callable

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from tests.packages.root import Root

DEBS = paths.BUILD / "deb"
APT = "apt-get -q -y -o Dpkg::Use-Pty=0"


class Steps:
    """One run. What was typed and answered is in its folder's transcript.txt."""

    def __init__(self, name: str) -> None:
        """name: what it tries. The target of make is test-NAME, and the folder build/NAME-test."""
        self._name = f"test-{name}"
        self._started = time.monotonic()
        self.out = paths.BUILD / f"{name}-test"
        self.transcript = self.out / "transcript.txt"

    def say(self, text: str) -> None:
        """Progress, with the time since the beginning."""
        print(f"{self._name}: {time.monotonic() - self._started:4.0f} s: {text}", flush=True)

    def check(self, what: str, right: bool) -> None:
        """A check that ends the run if it fails."""
        if not right:
            raise LabError(f"{what}: not so; see {self.transcript}")
        self.say(f"ok: {what}")

    def plain_root(self) -> Root:
        """A plain Debian 13, with what DKMS needs and the newest lists of packages."""
        if os.geteuid():
            raise LabError("this needs root, because it makes a root file system and works in it")
        self.out.mkdir(parents=True, exist_ok=True)
        self.transcript.write_text("")
        root = Root(self.out / "root", self.transcript)
        self.say("plain Debian 13")
        root.sh(f"{APT} update")
        return root

    def end(self, run: Callable[[], None]) -> int:
        """Run all of it: the exit status."""
        try:
            run()
        except LabError as error:
            print(f"{self._name}: FAILED: {error}", file=sys.stderr)
            return 1
        times = os.times()
        taken = sum((times.user, times.system, times.children_user, times.children_system))
        self.say(f"all is well, in {taken:.0f} s of CPU time; {self.transcript}")
        return 0


def debs(root: Root, wanted: str) -> str:
    """The packages of a version, copied into the root: their names for apt."""
    names = []
    for package in ("pghot-dkms", "pghot-tools"):
        file = next(DEBS.glob(f"{package}_{wanted}_*.deb"))
        root.put(file, f"root/{file.name}")
        names.append(f"/root/{file.name}")
    return " ".join(names)


def built_for(root: Root) -> list[str]:
    """The kernels that DKMS has built pghot for."""
    found = root.folder.glob("lib/modules/*/updates/dkms/pghot.ko*")
    return sorted(path.relative_to(root.folder).parts[2] for path in found)
