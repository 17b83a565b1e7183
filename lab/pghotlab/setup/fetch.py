# SPDX-License-Identifier: GPL-2.0
"""What the lab downloads into .cache: QEMU, the guest's kernel, headers and source, checkpatch.

Nothing here is installed on the host. Each download is made once; a stamp file
says what is there, `make distclean` starts over.
"""

import json
import lzma
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.setup import apt

QEMU_SUITE = "trixie"
QEMU_SERIES = "10.0"
QEMU_BINARY = "qemu-system-x86_64"
KERNEL_SERIES = "6.12"
# Suites to look in, and the kernel's meta packages' suffix, by host release.
HOST_SUITES = {
    "bookworm": ("bookworm", "bookworm-security"),
    "trixie": ("trixie", "trixie-security"),
}
KERNEL_META = {"bookworm": f"{KERNEL_SERIES}-amd64", "trixie": "amd64"}
CHECKPATCH_FILES = ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")


@dataclass(frozen=True)
class Kernel:
    """The guest's kernel: Debian package version, `uname -r`, and its compiler's package."""

    version: str
    release: str
    compiler: str

    arguments: ClassVar[tuple[str, ...]] = ()
    """What it needs on its command line."""

    @property
    def slowdown(self) -> int:
        """How much longer a guest may take than with the stock kernel."""
        return 1

    @property
    def vmlinuz(self) -> Path:
        """The kernel image."""
        return paths.KERNEL / "tree" / "boot" / f"vmlinuz-{self.release}"

    @property
    def headers(self) -> Path:
        """The tree that modules are built against."""
        return paths.KERNEL / "tree" / "usr" / "src" / f"linux-headers-{self.release}"

    def module(self, name: str) -> bytes:
        """One of its modules; name as in "fs/ext4/ext4"."""
        pattern = f"**/{self.release}/kernel/{name}.ko.xz"
        return lzma.decompress(next((paths.KERNEL / "tree").glob(pattern)).read_bytes())


def say(text: str) -> None:
    """A progress line."""
    print(f"setup: {text}", flush=True)


def qemu_command() -> list[str]:
    """The command that runs the private QEMU, through its own dynamic loader."""
    lib = paths.QEMU / "usr" / "lib" / "x86_64-linux-gnu"
    share = paths.QEMU / "usr" / "share"
    loader = next(paths.QEMU.glob("**/ld-linux-x86-64.so.2"), None)
    if loader is None:
        raise LabError(f"no QEMU in {paths.QEMU}: run `make setup`")
    command = [str(loader), "--library-path", str(lib), str(paths.QEMU / "usr/bin" / QEMU_BINARY)]
    for folder in (share / "qemu", share / "seabios", paths.QEMU / "usr/lib/ipxe/qemu"):
        command += ["-L", str(folder)]
    return command


def qemu_version() -> str:
    """The Debian package version of the private QEMU."""
    return (paths.QEMU / "stamp").read_text().strip()


def qemu_version_ok(package_version: str) -> bool:
    """Whether a Debian package version is of the QEMU series the lab is made for."""
    return re.match(rf"(\d+:)?{re.escape(QEMU_SERIES)}\.", package_version) is not None


def fetch_qemu() -> None:
    """Put QEMU and all its libraries into .cache/qemu."""
    stamp = paths.QEMU / "stamp"
    if stamp.exists():
        if qemu_version_ok(stamp.read_text()):
            return
        raise LabError(
            f"{paths.QEMU} holds QEMU {stamp.read_text().strip()}; the plugin needs "
            f"{QEMU_SERIES}: run `make distclean`"
        )
    codename = apt.host_codename()
    say(f"QEMU {QEMU_SERIES} from Debian {QEMU_SUITE}: package lists")
    mirrors = apt.host_mirrors(codename)
    root = apt.open_root(paths.CACHE / "apt" / "qemu", [(mirrors.main, QEMU_SUITE)])
    version = root.field("qemu-system-x86", "Version")
    if not qemu_version_ok(version):
        raise LabError(
            f"Debian {QEMU_SUITE} offers QEMU {version or '(none)'}; the plugin needs {QEMU_SERIES}"
        )
    say(f"QEMU {version}: download")
    debs = root.download_with_dependencies("qemu-system-x86")
    say(f"QEMU {version}: unpack {len(debs)} packages")
    shutil.rmtree(paths.QEMU, ignore_errors=True)
    apt.unpack(debs, paths.QEMU)
    said = subprocess.run(
        [*qemu_command(), "--version"], capture_output=True, text=True, check=False
    )
    if f"version {QEMU_SERIES}." not in said.stdout:
        raise LabError(f"the unpacked QEMU does not run: {said.stdout}{said.stderr}")
    root.remove()
    stamp.write_text(version + "\n")


def host_root(name: str) -> apt.AptRoot:
    """An apt of the host's release with its security updates, in .cache/apt/NAME."""
    codename = apt.host_codename()
    mirrors = apt.host_mirrors(codename)
    wanted = [
        (mirrors.security if suite.endswith("-security") else mirrors.main, suite)
        for suite in HOST_SUITES[codename]
    ]
    return apt.open_root(paths.CACHE / "apt" / name, wanted)


def relocate_headers(headers: Path) -> None:
    """Let an unpacked header tree find its common part: one absolute path becomes relative."""
    makefile = headers / "Makefile"
    text, count = re.subn(
        r"^include /usr/src/", "include ../", makefile.read_text(), flags=re.MULTILINE
    )
    if count != 1:
        raise LabError(f"{makefile}: expected one include of /usr/src, found {count}")
    makefile.write_text(text)


def fetch_kernel() -> Kernel:
    """Put the stock kernel's image and headers into .cache/kernel."""
    stamp = paths.KERNEL / "stamp.json"
    if stamp.exists():
        return Kernel(**json.loads(stamp.read_text()))
    meta = KERNEL_META[apt.host_codename()]
    say(f"kernel {KERNEL_SERIES}: package lists")
    root = host_root("kernel")
    headers = next(
        (name for name in root.depends(f"linux-headers-{meta}") if name.endswith("-amd64")), ""
    )
    release = headers.removeprefix("linux-headers-")
    if not release.startswith(f"{KERNEL_SERIES}."):
        raise LabError(f"linux-headers-{meta} leads to {headers or 'nothing'}, not {KERNEL_SERIES}")
    version = root.field(headers, "Version")
    needs = root.depends(headers)
    common = [name for name in needs if re.match(r"linux-(headers-.*-common|kbuild-)", name)]
    compiler = next((name for name in needs if re.match(r"gcc-\d+", name)), "")
    if len(common) != 2 or not compiler:
        raise LabError(f"{headers} {version} has dependencies the lab does not know: {needs}")
    subprocess.run([str(paths.LAB / "setup.sh"), compiler], check=True)

    image = f"linux-image-{release}"
    say(f"kernel {version}: download")
    debs = root.download([image, headers, *common], root.path / "debs")
    say(f"kernel {version}: unpack")
    shutil.rmtree(paths.KERNEL, ignore_errors=True)
    tree = paths.KERNEL / "tree"
    apt.unpack(debs, tree)
    kernel = Kernel(version=version, release=release, compiler=compiler)
    relocate_headers(kernel.headers)
    (paths.KERNEL / "headers").symlink_to(kernel.headers.relative_to(paths.KERNEL))
    root.remove()
    stamp.write_text(json.dumps(asdict(kernel)) + "\n")
    return kernel


def kernel() -> Kernel:
    """The kernel that fetch_kernel() put in place."""
    stamp = paths.KERNEL / "stamp.json"
    if not stamp.exists():
        raise LabError(f"no kernel in {paths.KERNEL}: run `make setup`")
    return Kernel(**json.loads(stamp.read_text()))


def fetch_source(into: Path, *files: str, strip: int = 1) -> str:
    """Unpack the kernel's source, as Debian has it, into a folder; its version.

    files: only these of it. strip: how many folders to take off the files' names.
    """
    package = f"linux-source-{KERNEL_SERIES}"
    root = host_root("source")
    version = root.field(package, "Version")
    say(f"{package} {version}: download")
    (deb,) = root.download([package], root.path / "debs")
    say(f"{package} {version}: unpack {' '.join(files)}")
    apt.unpack([deb], root.path)
    into.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["tar", "-x", "-f", str(root.path / "usr" / "src" / f"{package}.tar.xz")]
        + ["-C", str(into), f"--strip-components={strip}"]
        + (["--occurrence=1"] if files else [])
        + [f"{package}/{name}" for name in files],
        check=True,
    )
    root.remove()
    return version


def fetch_checkpatch() -> Path:
    """The kernel's own style checker, out of Debian's kernel source package."""
    script = paths.CHECKPATCH / CHECKPATCH_FILES[0]
    if not all((paths.CHECKPATCH / name).exists() for name in CHECKPATCH_FILES):
        fetch_source(paths.CHECKPATCH, *(f"scripts/{name}" for name in CHECKPATCH_FILES), strip=2)
    return script


def fetch_all() -> None:
    """Everything that running guests needs."""
    fetch_qemu()
    fetch_kernel()
