# SPDX-License-Identifier: GPL-2.0
"""The root of a plain Debian 13, made by mmdebstrap, and packages of the project installed there.

What apt and dpkg do is done in a chroot, where DKMS builds at the speed of the host. What only a
boot can show is done in a guest, see guest.py.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.setup import apt, fetch

SUITE = "trixie"
BACKPORTS = f"{SUITE}-backports"
# What a plain machine has: a kernel, systemd, and who logs in. What builds modules comes with it,
# as it does not depend on the project.
PLAIN = (
    *("linux-image-amd64", "systemd-sysv", "udev", "dbus", "kmod", "procps", "login", "passwd"),
    *("dkms", "linux-headers-amd64", "gcc", "make", "python3"),
)
# Nobody needs what is on the disk if the host loses power, nor descriptions of packages.
FASTER = ("--dpkgopt=force-unsafe-io", '--aptopt=Acquire::Languages "none"')
CACHE = paths.CACHE / "packages-test"
# What is mounted in a root is mounted for the process that works there, and for no other one. So
# nothing is mounted any more in a folder that is deleted later, whatever became of the process.
ALONE = ("unshare", "--mount")
# A command in a root, with what programs expect to be mounted.
INSIDE = (
    'mount -t proc proc "$1/proc" && mount -t sysfs sys "$1/sys" && '
    'mount --bind /dev "$1/dev" && exec chroot "$1" sh -c "$2"'
)
# What the guest boots from, of all modules that a Debian boots with: the others take a minute to
# pack, and as long to unpack in the guest.
BOOTS_FROM = ("virtio_pci", "virtio_blk", "ext4")
# A disk image: as large as the root, and this much more, MiB.
SPARE = 600
MIB = 1 << 20


def run(command: Sequence[str | Path], **more: str) -> str:
    """What a program prints; LabError with its last words if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8", **more},
    )
    if done.returncode:
        words = (done.stdout + done.stderr).strip().splitlines()[-15:]
        raise LabError(f"{command[0]}: status {done.returncode}:\n  " + "\n  ".join(words))
    return done.stdout


def mirror() -> str:
    """Where Debian's packages come from: the mirror that the host's apt is configured for."""
    return apt.host_mirrors(apt.host_codename()).main[0]


def base() -> Path:
    """The archive of a plain root, made once for each set of packages."""
    stamp = hashlib.sha256(" ".join((SUITE, *PLAIN)).encode()).hexdigest()[:12]
    archive = CACHE / f"{SUITE}-{stamp}.tar"
    if archive.exists():
        return archive
    CACHE.mkdir(parents=True, exist_ok=True)
    fetch.say(f"mmdebstrap: a plain Debian {SUITE}")
    half = archive.with_suffix(".half")
    # One that was interrupted has left it.
    shutil.rmtree(half, ignore_errors=True)
    include = f"--include={','.join(PLAIN)}"
    words = ("mmdebstrap", "--variant=minbase", "--mode=root", *FASTER, include)
    run((*ALONE, *words, SUITE, half, mirror()))
    # The name of the file tells mmdebstrap what to make; a folder without a known suffix.
    run(("tar", "-C", half, "-cf", archive.with_suffix(".new"), "."))
    shutil.rmtree(half)
    archive.with_suffix(".new").replace(archive)
    return archive


class Root:
    """A root in a folder. Every command goes to the transcript with what it printed."""

    def __init__(self, folder: Path, transcript: Path) -> None:
        self.folder = folder
        self._transcript = transcript
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        run(("tar", "-C", folder, "-xf", base()))
        # No services are to be started in a chroot.
        policy = folder / "usr" / "sbin" / "policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        self._write("etc/hostname", "debian\n")
        run(("chroot", folder, "passwd", "-d", "root"))
        shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
        shutil.copy("/etc/hosts", folder / "etc" / "hosts")
        # Apt takes from there only what is asked for by the suite's name.
        self._write("etc/apt/sources.list.d/backports.list", f"deb {mirror()} {BACKPORTS} main\n")
        self._write("etc/initramfs-tools/conf.d/guest", "MODULES=list\n")
        self._write("usr/share/initramfs-tools/modules.d/guest", "\n".join((*BOOTS_FROM, "")))
        self.sh("update-initramfs -u")

    def _write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def sh(self, command: str) -> str:
        """Run a command of the shell in the root; what it printed. LabError if it fails."""
        said = run(
            (*ALONE, "sh", "-c", INSIDE, "sh", self.folder, command),
            DEBIAN_FRONTEND="noninteractive",
        )
        with self._transcript.open("a") as file:
            file.write(f"# {command}\n{said}")
        return said

    def put(self, file: Path, name: str) -> None:
        """Copy a file of the host into the root."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)

    def everything(self) -> dict[str, str]:
        """All files and links outside of what every apt run changes, with what they are."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            name = str(path.relative_to(self.folder))
            if name.startswith(("proc/", "sys/", "dev/", "run/", "tmp/", "var/", "boot/")):
                continue
            if path.is_symlink():
                found[name] = f"-> {path.readlink()}"
            elif path.is_file():
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def vmlinuz(self, kernel: str) -> Path:
        """The image of a kernel. Debian has it beside its modules since 7.0."""
        boot = self.folder / "boot" / f"vmlinuz-{kernel}"
        return boot if boot.exists() else self._modules / kernel / "vmlinuz"

    @property
    def _modules(self) -> Path:
        return self.folder / "usr" / "lib" / "modules"

    def kernels(self) -> list[str]:
        """The kernels that are installed."""
        return sorted(p.name for p in self._modules.iterdir() if self.vmlinuz(p.name).exists())

    def image(self, file: Path) -> None:
        """A disk with all of it, of ext4."""
        used = int(run(("du", "-sm", self.folder)).split()[0])
        file.unlink(missing_ok=True)
        file.touch()
        os.truncate(file, (used * 5 // 4 + SPARE) * MIB)
        run(("mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", self.folder, file))
