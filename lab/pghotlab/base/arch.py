# SPDX-License-Identifier: GPL-2.0
"""The architectures of guests: what Debian, QEMU and the guest's kernel call things there."""

from dataclasses import dataclass

from pghotlab.base.errors import UsageError
from pghotlab.base.units import GIB


@dataclass(frozen=True)
class Arch:
    """One architecture.

    name: Debian's.
    qemu: QEMU's program, in the first of the packages.
    packages: Debian packages with QEMU, and with the firmware that boots the kernel.
    board: QEMU's machine, with nodes and an HMAT.
    cpu: QEMU's model of its CPUs.
    firmware: what QEMU is told of it; nothing where QEMU has a default.
    clock: what QEMU is told of the guest's clock without the memory model; nothing where it is the
        host's.
    console: what the guest calls its first serial line.
    told: what its kernel is told besides.
    ram: where RAM begins, bytes.
    hole: whether a part of the addresses below 4 GiB is kept free for devices.
    slowdown: how much longer its guests may take.
    modelled: whether the plugin knows its instructions.
    saved: whether its guests can go on where one was saved (guest/template.py).
    triplet: GNU's name, which names of packages and programs of its compiler have in them.
    """

    name: str
    qemu: str
    packages: tuple[str, ...]
    board: str
    cpu: str
    firmware: tuple[str, ...]
    clock: tuple[str, ...]
    console: str
    told: tuple[str, ...]
    ram: int
    hole: bool
    slowdown: int
    modelled: bool
    saved: bool
    triplet: str


AMD64 = Arch(
    name="amd64",
    qemu="qemu-system-x86_64",
    packages=("qemu-system-x86",),
    board="q35,hmat=on",
    # Without these features the guest copies with plain loads and stores: QEMU runs `rep movs`
    # byte by byte, and each byte would be a memory callback.
    cpu="max,-monitor,-erms,-fsrm",
    firmware=(),
    clock=(),
    console="ttyS0",
    # tsc=reliable: with several packages the kernel would distrust TSCs by rule, not by test (QEMU
    # cannot promise invtsc); `calibrate` checks that the CPUs' clocks agree.
    # no_timer_check: without the memory model, a CPU that waits for the host would fail it.
    told=("tsc=reliable", "no_timer_check"),
    ram=0,
    hole=True,
    slowdown=1,
    modelled=True,
    saved=True,
    triplet="x86_64-linux-gnu",
)
ARM64 = Arch(
    name="arm64",
    qemu="qemu-system-aarch64",
    packages=("qemu-system-arm", "qemu-efi-aarch64"),
    board="virt,gic-version=3,hmat=on",
    # Pointers are signed by a cipher of QEMU's own, as the architecture allows: the standard one
    # takes most of the time of a guest.
    cpu="max,pauth-impdef=on",
    # ACPI, and with it the HMAT, is there only for a kernel that was booted by UEFI.
    firmware=("-bios", "QEMU_EFI.fd"),
    # An instruction takes 4 ns. By the host's clock, the timers of 8 CPUs leave little time for
    # programs if the host is busy with other things.
    clock=("-icount", "shift=2,sleep=off"),
    console="ttyAMA0",
    told=(),
    ram=GIB,
    hole=False,
    slowdown=3,
    modelled=False,
    # They would ask QEMU for their files in another way than by I/O ports.
    saved=False,
    triplet="aarch64-linux-gnu",
)
ARCHES = (AMD64, ARM64)


def of_release(release: str) -> Arch:
    """The architecture of a kernel, by what `uname -r` says. Debian's releases end in its name."""
    return next((arch for arch in ARCHES if release.endswith(f"-{arch.name}")), AMD64)


def check_arch_modelled(arch: Arch, kernel: str) -> None:
    """UsageError, which names the kernel, when the memory model does not know its architecture."""
    if not arch.modelled:
        raise UsageError(
            f"kernel {kernel}: the memory model does not know {arch.name}: such a kernel is for "
            "functional tests"
        )
