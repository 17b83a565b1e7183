# SPDX-License-Identifier: GPL-2.0
"""`make test-secure-boot`: pghot on a Debian 13 in a guest whose firmware has Secure Boot on.

Does the steps of docs/admin-guide.md, which it reads there. Before them the kernel refuses the
module, after them it takes it. Then it refuses one without a signature. Each time `pghot load`
says why, and `pghot doctor` names the cause. What was typed and answered is in
build/secure-boot-test/transcript.txt.
"""

import json
import re
import sys

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.base.release import version
from tests.packages.firmware import Firmware
from tests.packages.guest import BOOT_SECONDS, Console, Guest, command_line
from tests.packages.root import Root
from tests.packages.steps import APT, Steps, built_for, debs

STEPS = Steps("secure-boot")
GUIDE = paths.ROOT / "docs" / "admin-guide.md"
REBOOT = "reboot"
KEY = "/var/lib/dkms/mok.pub"
# For one restart: who sits at the machine has to know it.
PASSWORD = "fresh-1234"
DOWN, ENTER = "\x1b[B", "\r"
# What shim's MokManager shows, and what is pressed then. It takes the first key within ten seconds.
# Its lists have their first line chosen: Continue boot, View key 0, No, Reboot.
ENROLMENT = (
    ("Press any key to perform MOK management", ENTER),
    ("Enroll MOK", DOWN + ENTER),
    ("View key 0", DOWN + ENTER),
    ("Enroll the key(s)?", DOWN + ENTER),
    ("Password", PASSWORD + ENTER),
    ("Reboot", ENTER),
)
# The module without its signature, where modprobe finds it in place of the signed one.
WITHOUT_SIGNATURE = (
    "(cd /lib/modules/$(uname -r)/updates/dkms && unxz pghot.ko.xz && strip -g pghot.ko) && depmod"
)


def guide_steps() -> list[str]:
    """The commands in the guide's chapter about Secure Boot, without sudo and comments."""
    chapter = GUIDE.read_text().partition("\n### Secure Boot\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^    (.+)$", chapter, re.MULTILINE)
    steps = [line.partition(" #")[0].strip().removeprefix("sudo ") for line in lines]
    if steps.count(REBOOT) != 1:
        raise LabError(f"{GUIDE}: the chapter Secure Boot has no steps with one {REBOOT}")
    return steps


def refused(guest: Guest, message: str, cause: str) -> None:
    """The kernel refuses the module and logs the message; the command names the cause."""
    guest.sh("pghot load 2>&1", status=2)
    STEPS.check(f"the kernel refuses it: {message}", message in guest.sh("dmesg"))
    found = json.loads(guest.sh("pghot doctor --json", status=2))
    names = [finding["name"] for finding in found["findings"]]
    STEPS.check(f"the doctor names the cause: {cause}", cause in names)


def step(guest: Guest, command: str) -> None:
    """A step of the guide in a guest."""
    if "--test-key" in command:
        # Its exit status is that of an error for a key that is known.
        said = guest.sh(f"{command} || true")
        STEPS.check("the key is enrolled", "is already enrolled" in said)
    else:
        answers = [("password", PASSWORD)] * 2 if "--import" in command else []
        guest.sh(command, answers=answers)


def enrol(machine: Console) -> None:
    """At the console, before the next kernel is booted: what the guide says of the reboot."""
    for question, keys in ENROLMENT:
        machine.wait_for(question, BOOT_SECONDS)
        machine.type(keys)


def main() -> None:
    """All steps; LabError says which went wrong."""
    steps = guide_steps()
    root = STEPS.plain_root()
    STEPS.say("apt install, DKMS builds and signs")
    root.sh(f"{APT} install {debs(root, version())}")
    # The guest has no network.
    for command in steps:
        if command.startswith("apt install"):
            root.sh(f"{APT} {command.removeprefix('apt ')}")
    root.sh("pghot setup")
    boots(root, [command for command in steps if not command.startswith("apt ")])


def boots(root: Root, steps: list[str]) -> None:
    """What a person does at the machine."""
    (kernel,) = root.kernels()
    STEPS.check("DKMS has built the module", built_for(root) == [kernel])
    disk = STEPS.out / "disk.img"
    root.image(disk)
    firmware = Firmware(STEPS.out / "firmware")
    initrd = root.folder / "boot" / f"initrd.img-{kernel}"
    firmware.install(root.vmlinuz(kernel), initrd, command_line())
    booted = firmware.arguments()
    folder = STEPS.out / "guest"
    place = steps.index(REBOOT)

    STEPS.say("boot without the key")
    with Guest("no-key", booted, disk, folder, STEPS.transcript) as guest:
        STEPS.check("Secure Boot is on", "SecureBoot enabled" in guest.sh("mokutil --sb-state"))
        guest.sh("systemctl is-system-running --wait >/dev/null; systemctl is-failed pghot")
        refused(guest, "Loading of module with unavailable key is rejected", "key-not-enrolled")
        for command in steps[:place]:
            step(guest, command)

    STEPS.say("enrol the key")
    with Console("enrolment", booted, disk, folder) as machine:
        enrol(machine)

    STEPS.say("boot with the key")
    with Guest("with-key", booted, disk, folder, STEPS.transcript) as guest:
        guest.sh("systemctl is-system-running --wait >/dev/null; systemctl is-active pghot")
        for command in steps[place + 1 :]:
            step(guest, command)
        found = json.loads(guest.sh("pghot selftest --json --mib 16 --seconds 120"))
        STEPS.check("the self-test's memory comes back", found["ok"])
        guest.sh("systemctl stop pghot")
        guest.sh(WITHOUT_SIGNATURE)
        refused(guest, "Loading of unsigned module is rejected", "not-signed")


if __name__ == "__main__":
    sys.exit(STEPS.end(main))
