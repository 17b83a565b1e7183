# SPDX-License-Identifier: GPL-2.0
"""The part of a machine with Secure Boot that comes before its kernel.

Firmware checks shim with Microsoft's keys. shim checks the boot loader GRUB and the kernel with
Debian's key, and passes the kernel the keys that the machine's owner has enrolled. All of them are
packages of Debian.
"""

import shutil
from pathlib import Path

from pghotlab.setup import apt, fetch
from tests.packages.root import CACHE, SUITE, mirror

PACKAGES = ("ovmf", "shim-signed", "shim-helpers-amd64-signed", "grub-efi-amd64-signed")
# Files of these packages, by what they are called on the partition that firmware boots from.
PROGRAMS = {
    "EFI/BOOT/BOOTX64.EFI": "shim/shimx64.efi.signed",
    "EFI/BOOT/mmx64.efi": "shim/mmx64.efi.signed",
    "EFI/BOOT/grubx64.efi": "grub/x86_64-efi-signed/grubx64.efi.signed",
}
# Where Debian's GRUB looks for what it is to do.
GRUB = "EFI/debian/grub.cfg"


def unpacked() -> Path:
    """The folder with these packages, fetched once."""
    folder = CACHE / "firmware"
    if not folder.exists():
        fetch.say(f"{' '.join(PACKAGES)} from Debian {SUITE}")
        root = apt.open_root(CACHE / "apt", [((mirror(),), SUITE)])
        half = folder.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        apt.unpack(root.download(PACKAGES, root.archives), half)
        root.remove()
        half.rename(folder)
    return folder


class Firmware:
    """A machine's firmware with Secure Boot switched on, and the partition that it boots from."""

    def __init__(self, folder: Path) -> None:
        """folder: for its settings, among them the enrolled keys, and for the partition."""
        self._code = unpacked() / "usr" / "share" / "OVMF" / "OVMF_CODE_4M.ms.fd"
        self._settings = folder / "settings.fd"
        self._partition = folder / "partition"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self._code.with_name("OVMF_VARS_4M.ms.fd"), self._settings)
        shutil.rmtree(self._partition, ignore_errors=True)

    def install(self, vmlinuz: Path, initrd: Path, command_line: str) -> None:
        """Put a kernel there, and what boots it."""
        for name, source in PROGRAMS.items():
            file = self._partition / name
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(unpacked() / "usr" / "lib" / source, file)
        shutil.copy(vmlinuz, self._partition / "vmlinuz")
        shutil.copy(initrd, self._partition / "initrd")
        (self._partition / GRUB).parent.mkdir()
        (self._partition / GRUB).write_text(
            f"linux /vmlinuz {command_line}\ninitrd /initrd\nboot\n"
        )

    def arguments(self) -> list[str]:
        """QEMU's arguments for it. Only code of the firmware may write its settings."""
        return [
            *("-machine", "smm=on"),
            *("-global", "driver=cfi.pflash01,property=secure,value=on"),
            *("-global", "ICH9-LPC.disable_s3=1"),
            *("-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={self._code}"),
            *("-drive", f"if=pflash,unit=1,format=raw,file={self._settings}"),
            *("-drive", f"if=virtio,format=raw,readonly=on,file=fat:{self._partition}"),
        ]
