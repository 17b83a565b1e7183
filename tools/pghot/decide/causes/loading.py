# SPDX-License-Identifier: GPL-2.0
"""Causes that keep the module from being loaded."""

from collections.abc import Iterator

from pghot.decide.finding import BROKEN, WARNING, Finding
from pghot.decide.view import View
from pghot.version import VERSION

KEY_HELP = "https://wiki.debian.org/SecureBoot#DKMS_and_secure_boot"
# What the kernel's log says of a module that it does not take, and the key is missing for.
NO_KEY = "Loading of module with unavailable key is rejected"
UNSIGNED = ("Loading of unsigned module is rejected", "unsigned module loading is restricted")


def not_loaded(view: View) -> Iterator[Finding]:
    """There is a module for this kernel, and it is not loaded."""
    release = view.now.kernel.release
    if view.module or not any(one.kernel == release for one in view.now.installed):
        return
    log = [line for line in view.now.kernel.pghot_log or () if line.startswith("pghot: ")]
    said = f" The kernel log's last line about it is: {log[-1]!r}." if log else ""
    yield Finding(
        "not-loaded",
        BROKEN,
        f"The module is installed for this kernel, but not loaded.{said}",
        ["sudo pghot load", "sudo pghot setup    # and at each boot"],
    )


def no_module(view: View) -> Iterator[Finding]:
    """There is no module for the kernel that runs."""
    release = view.now.kernel.release
    if view.module or any(one.kernel == release for one in view.now.installed):
        return
    others = sorted({one.kernel for one in view.now.installed})
    built = f"It was built for {', '.join(others)}." if others else "It is installed for no kernel."
    yield Finding(
        "no-module",
        BROKEN,
        f"There is no pghot module for the kernel that runs, {release}. {built}",
        [
            f"sudo apt install linux-headers-{release}",
            f"sudo dkms autoinstall -k {release}    # what goes wrong is in "
            "/var/lib/dkms/pghot/*/build/make.log",
            "sudo pghot load",
        ],
    )


def not_signed(view: View) -> Iterator[Finding]:
    """The kernel takes only signed modules, and ours is not, or its key is unknown."""
    if view.module:
        return
    kernel = view.now.kernel
    ours = [one for one in view.now.installed if one.kernel == kernel.release]
    strict = kernel.signatures_enforced or kernel.lockdown != "none"
    log = " ".join(kernel.pghot_log or ())
    if NO_KEY in log and ours and ours[0].signed is not False:
        yield Finding(
            "key-not-enrolled",
            BROKEN,
            "The module is signed with a key that this machine's firmware does not know, "
            "so the kernel refuses it.",
            [
                "sudo mokutil --import /var/lib/dkms/mok.pub    # asks for a new password",
                "sudo reboot    # the firmware asks for this password: choose Enroll MOK",
                f"# more: {KEY_HELP}",
            ],
        )
    elif strict and ours and (ours[0].signed is False or any(text in log for text in UNSIGNED)):
        if kernel.secure_boot:
            why = "Secure Boot is on"
        elif kernel.lockdown != "none":
            why = f"lockdown is {kernel.lockdown}"
        else:
            why = "module.sig_enforce is on"
        yield Finding(
            "not-signed",
            BROKEN,
            f"The kernel takes only signed modules ({why}), and pghot's is not signed.",
            [
                "sudo dkms generate_mok && sudo mokutil --import /var/lib/dkms/mok.pub",
                "sudo apt install --reinstall pghot-dkms    # builds and signs the module",
                "sudo reboot    # the firmware asks for the password: choose Enroll MOK",
            ],
        )


def blacklisted(view: View) -> Iterator[Finding]:
    """A file of modprobe.d forbids it."""
    for file in view.now.settings.blacklisted:
        yield Finding(
            "blacklisted",
            WARNING,
            f"{file} has a line `blacklist pghot`: systemd does not load it at boot.",
            [f"sudo sed -i '/^blacklist pghot$/d' {file}"],
        )


def not_at_boot(view: View) -> Iterator[Finding]:
    """It is loaded now, and will not be after the next boot."""
    if view.module and not view.now.settings.loaded_at_boot:
        yield Finding(
            "not-at-boot",
            WARNING,
            "Nothing loads pghot at the next boot.",
            ["sudo pghot setup"],
        )


def other_version(view: View) -> Iterator[Finding]:
    """The module that is loaded is not the one that this command came with."""
    if view.module and view.module.version not in (VERSION, "unknown"):
        yield Finding(
            "other-version",
            WARNING,
            f"The module that is loaded is version {view.module.version}, and this command is "
            f"version {VERSION}.",
            ["sudo pghot unload && sudo pghot load"],
        )
