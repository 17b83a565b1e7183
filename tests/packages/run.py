# SPDX-License-Identifier: GPL-2.0
"""`make test-packages`: the packages on a Debian 13 that nothing of this project had touched.

Installs them, boots, changes to the kernel of Debian's backports by apt, boots again: pghot
promotes each time. Then an upgrade, the way back, and a purge, which leaves nothing behind. What
was typed and answered is in build/packages-test/transcript.txt.
"""

import base64
import gzip
import json
import subprocess
import sys

from pghotlab.base import paths
from pghotlab.base.release import version
from tests.packages.guest import Guest, direct
from tests.packages.root import BACKPORTS, Root
from tests.packages.steps import APT, Steps, built_for, debs

STEPS = Steps("packages")
# Screens and a page, for docs/screens.py.
SHOWN = STEPS.out / "shown"
# A version that comes after this tree's, for the upgrade.
NEXT = "99.0.0"
# What enables the unit.
WANTS = "etc/systemd/system/multi-user.target.wants/pghot.service"


def boot(root: Root, kernel: str, first: bool) -> None:
    """Boot a kernel: pghot is loaded by its unit, and promotes."""
    disk = STEPS.out / "disk.img"
    root.image(disk)
    STEPS.say(f"boot {kernel}")
    initrd = root.folder / "boot" / f"initrd.img-{kernel}"
    booted = direct(root.vmlinuz(kernel), initrd)
    folder = STEPS.out / "guest"
    with Guest(kernel, booted, disk, folder, STEPS.transcript) as guest:
        STEPS.check("this kernel runs", guest.sh("uname -r").strip() == kernel)
        guest.sh("systemctl is-system-running --wait >/dev/null; systemctl is-active pghot")
        guest.sh("pghot status")
        found = json.loads(guest.sh("pghot selftest --json --mib 16 --seconds 120"))
        STEPS.check("the self-test's memory comes back", found["ok"])
        # Without demotion or with a warning it still works: 2 is what must not be.
        state = json.loads(guest.sh("pghot doctor --json || true"))
        STEPS.check("the doctor finds nothing broken", state["state"] != "broken")
        if first:
            watching(guest)
            losing(guest)


def watching(guest: Guest) -> None:
    """What an operator sees while something happens: kept for the documentation's pictures."""
    again = "pghot selftest --mib 24 --seconds 60 >/dev/null"
    guest.sh(f"{{ (until [ -e /tmp/enough ]; do {again}; done) & }}")
    guest.sh("pghot record --seconds 15")
    (SHOWN / "top.txt").write_text(guest.sh("pghot top --count 1 --seconds 4"))
    (SHOWN / "status.txt").write_text(guest.sh("pghot status --seconds 4"))
    guest.sh("touch /tmp/enough; wait; pghot report")
    packed = guest.sh("gzip -9 <pghot.html | base64 -w 120")
    (SHOWN / "report.html").write_bytes(gzip.decompress(base64.b64decode(packed)))


def losing(guest: Guest) -> None:
    """A kernel without a module for it: where all see it, something has failed."""
    guest.sh("systemctl stop pghot")
    guest.sh("mv /lib/modules/$(uname -r)/updates/dkms/pghot.ko* /root/ && depmod")
    guest.sh("systemctl start pghot 2>/dev/null", status=1)
    guest.sh("systemctl is-failed pghot")
    failed = guest.sh("systemctl --failed --no-legend --plain")
    STEPS.check("a unit has failed visibly", "pghot.service" in failed)
    found = json.loads(guest.sh("pghot doctor --json", status=2))
    names = [finding["name"] for finding in found["findings"]]
    STEPS.check("the doctor names the cause", names == ["no-module"])


def leftovers(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Files that are there, gone or changed, of those that are pghot's business."""
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    folders = ("modprobe.d", "modules-load.d", "sysctl.d", "tmpfiles.d")
    settings = tuple(f"etc/{folder}/" for folder in folders)
    # The packages themselves are where this put them.
    mine = {name for name in changed if "pghot" in name and not name.startswith("root/")}
    return sorted(mine | {name for name in changed if name.startswith(settings)})


def main() -> None:
    """All steps; LabError says which went wrong."""
    root = STEPS.plain_root()
    SHOWN.mkdir(exist_ok=True)
    subprocess.run([paths.ROOT / "packaging" / "deb.sh", NEXT], check=True, capture_output=True)
    untouched = root.everything()

    STEPS.say("apt install, DKMS builds")
    root.sh(f"{APT} install {debs(root, version())}")
    (first,) = root.kernels()
    STEPS.check("DKMS has built the module", built_for(root) == [first])
    shown = root.sh(f"modinfo -k {first} -F version pghot; modinfo -k {first} -F author pghot")
    lines = shown.splitlines()
    STEPS.check("modinfo has version and author", len(lines) == 2 and lines[0] == version())
    STEPS.check("nothing loads it at boot yet", not (root.folder / WANTS).is_symlink())
    root.sh("pghot setup")
    boot(root, first, first=True)

    STEPS.say("another kernel by apt")
    root.sh(f"{APT} -t {BACKPORTS} install linux-image-amd64 linux-headers-amd64")
    (second,) = set(root.kernels()) - {first}
    STEPS.check("DKMS has built for it, too", built_for(root) == sorted((first, second)))
    boot(root, second, first=False)
    root.sh(f"{APT} purge 'linux-*-{second}'")
    STEPS.check("DKMS has taken it away with that kernel", built_for(root) == [first])

    STEPS.say("upgrade, and the way back")
    root.sh(f"{APT} install {debs(root, NEXT)}")
    # The command says the version of the tree that it was made from, which is the same.
    STEPS.check("the command is upgraded", NEXT in root.sh("dpkg-query -W pghot-tools"))
    STEPS.check("the module was built anew", NEXT in root.sh("dkms status pghot"))
    root.sh(f"{APT} --allow-downgrades install {debs(root, version())}")
    status = root.sh("dkms status pghot")
    STEPS.check("back again", version() in status and NEXT not in status)

    STEPS.say("purge")
    root.sh(f"{APT} purge pghot-dkms pghot-tools")
    left = leftovers(untouched, root.everything())
    STEPS.check(f"nothing is left behind: {left}", not left)
    state = sorted(str(p) for p in (root.folder / "var").rglob("*pghot*"))
    STEPS.check(f"no state either: {state}", not state)


if __name__ == "__main__":
    sys.exit(STEPS.end(main))
