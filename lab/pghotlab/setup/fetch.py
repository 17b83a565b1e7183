# SPDX-License-Identifier: GPL-2.0
"""What the lab downloads into .cache: QEMU, the guest's kernel, headers and source, and checkers.

Nothing here is installed on the host. Each download is made once; a stamp file
says what is there, `make distclean` starts over.
"""

import json
import lzma
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pghotlab.base import paths
from pghotlab.base.arch import AMD64, ARM64, Arch, of_release
from pghotlab.base.errors import LabError
from pghotlab.setup import apt, foreign, kernels
from pghotlab.setup.kernels import Series

QEMU_SUITE = "trixie"
QEMU_SERIES = "10.0"
# Folders of QEMU's packages with firmware of guests.
FIRMWARE = ("seabios", "qemu-efi-aarch64")
CHECKPATCH_FILES = ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")


@dataclass(frozen=True)
class Kernel:
    """The guest's kernel: Debian package version, `uname -r`, and its compiler's package."""

    version: str
    release: str
    compiler: str
    folder: Path
    """Where its packages are unpacked."""

    arguments: ClassVar[tuple[str, ...]] = ()
    """What it needs on its command line."""

    @property
    def slowdown(self) -> int:
        """How much longer a guest may take than with the stock kernel."""
        return self.arch.slowdown

    @property
    def arch(self) -> Arch:
        """The architecture that it is for."""
        return of_release(self.release)

    @property
    def busybox(self) -> Path:
        """The guest's shell and its commands."""
        if self.arch == AMD64:
            return Path("/bin/busybox")
        return next((self.folder / "tree").glob("**/bin/busybox"))

    @property
    def programs(self) -> Path:
        """The folder with the lab's own programs for the guest."""
        return paths.GUEST_BUILD if self.arch == AMD64 else paths.GUEST_BUILD_ARM64

    @property
    def vmlinuz(self) -> Path:
        """The kernel image."""
        boot = self.folder / "tree" / "boot" / f"vmlinuz-{self.release}"
        # Debian has it there since 7.0.
        modules = self.folder / "tree" / "usr" / "lib" / "modules" / self.release / "vmlinuz"
        return boot if boot.exists() else modules

    @property
    def headers(self) -> Path:
        """The tree that modules are built against."""
        return self.folder / "tree" / "usr" / "src" / f"linux-headers-{self.release}"

    def _module_file(self, name: str) -> Path | None:
        tree = self.folder / "tree"
        return next(tree.glob(f"**/{self.release}/kernel/**/{name}.ko*"), None)

    def has_module(self, name: str) -> bool:
        """Whether it has a module of this name, and not built in or not at all."""
        return self._module_file(name) is not None

    def module(self, name: str) -> bytes:
        """One of its modules, such as "ext4"."""
        file = self._module_file(name)
        if file is None:
            raise LabError(f"the kernel {self.release} has no module {name}")
        if file.suffix == ".zst":
            return subprocess.run(["zstd", "-dcq", file], capture_output=True, check=True).stdout
        return lzma.decompress(file.read_bytes())


def say(text: str) -> None:
    """A progress line."""
    print(f"setup: {text}", flush=True)


def _qemu_folder(arch: Arch) -> Path:
    """Where the QEMU for guests of an architecture is unpacked."""
    return paths.QEMU_ARM64 if arch == ARM64 else paths.QEMU


def qemu_command(arch: Arch = AMD64) -> list[str]:
    """The command that runs the private QEMU, through its own dynamic loader."""
    qemu = _qemu_folder(arch)
    lib = qemu / "usr" / "lib" / "x86_64-linux-gnu"
    share = qemu / "usr" / "share"
    loader = next(qemu.glob("**/ld-linux-x86-64.so.2"), None)
    if loader is None:
        raise LabError(f"no QEMU in {qemu}: run `make setup`")
    command = [str(loader), "--library-path", str(lib), str(qemu / "usr/bin" / arch.qemu)]
    for folder in (
        share / "qemu",
        *(share / name for name in FIRMWARE),
        qemu / "usr/lib/ipxe/qemu",
    ):
        command += ["-L", str(folder)]
    return command


def qemu_version(arch: Arch = AMD64) -> str:
    """The Debian package version of the private QEMU."""
    return (_qemu_folder(arch) / "stamp").read_text().strip()


def qemu_version_ok(package_version: str) -> bool:
    """Whether a Debian package version is of the QEMU series the lab is made for."""
    return re.match(rf"(\d+:)?{re.escape(QEMU_SERIES)}\.", package_version) is not None


def fetch_qemu(arch: Arch = AMD64) -> None:
    """Put QEMU and all its libraries into .cache/qemu, or that for another architecture beside."""
    folder = _qemu_folder(arch)
    stamp = folder / "stamp"
    if stamp.exists():
        if qemu_version_ok(stamp.read_text()):
            return
        raise LabError(
            f"{folder} holds QEMU {stamp.read_text().strip()}; the plugin needs "
            f"{QEMU_SERIES}: run `make distclean`"
        )
    codename = apt.host_codename()
    say(f"QEMU {QEMU_SERIES} from Debian {QEMU_SUITE}: package lists")
    mirrors = apt.host_mirrors(codename)
    root = apt.open_root(paths.CACHE / "apt" / folder.name, [(mirrors.main, QEMU_SUITE)])
    version = root.field(arch.packages[0], "Version")
    if not qemu_version_ok(version):
        raise LabError(
            f"Debian {QEMU_SUITE} offers QEMU {version or '(none)'}; the plugin needs {QEMU_SERIES}"
        )
    say(f"QEMU {version}: download")
    for package in arch.packages:
        debs = root.download_with_dependencies(package)
    say(f"QEMU {version}: unpack {len(debs)} packages")
    shutil.rmtree(folder, ignore_errors=True)
    apt.unpack(debs, folder)
    said = subprocess.run(
        [*qemu_command(arch), "--version"], capture_output=True, text=True, check=False
    )
    if f"version {QEMU_SERIES}." not in said.stdout:
        raise LabError(f"the unpacked QEMU does not run: {said.stdout}{said.stderr}")
    root.remove()
    stamp.write_text(version + "\n")


def host_root(name: str, arch: Arch = AMD64) -> apt.AptRoot:
    """An apt of the host's release with its security updates, in .cache/apt/NAME."""
    codename = apt.host_codename()
    return _open_root(name, kernels.HOST_SUITES[codename], arch)


def _open_root(name: str, suites: Sequence[str], arch: Arch = AMD64) -> apt.AptRoot:
    mirrors = apt.host_mirrors(apt.host_codename())
    wanted = [
        (mirrors.security if suite.endswith("-security") else mirrors.main, suite)
        for suite in suites
    ]
    return apt.open_root(paths.CACHE / "apt" / name, wanted, arch=arch)


def ubuntu_keyring() -> Path:
    """Ubuntu's keys, as Debian has them in a package."""
    folder = paths.CACHE / "ubuntu-keyring"
    if not folder.exists():
        root = _open_root("keyring", (QEMU_SUITE,))
        apt.unpack(root.download(["ubuntu-keyring"], root.path / "debs"), folder)
        root.remove()
    return folder / "usr" / "share" / "keyrings" / "ubuntu-archive-keyring.gpg"


def _series_root(series: Series, name: str) -> apt.AptRoot:
    """An apt with all suites of a series, in .cache/apt/NAME."""
    if not series.suites:
        return host_root(name, series.arch)
    if series.archive == "debian":
        return _open_root(name, series.suites)
    mirrors = apt.host_mirrors(apt.host_codename())
    wanted = [(mirrors.ubuntu, suite) for suite in series.suites]
    return apt.open_root(paths.CACHE / "apt" / name, wanted, ubuntu_keyring())


def _is_foreign(series: Series) -> bool:
    """Whether its packages are of another release than the host's."""
    return bool(series.suites) and series.suites[0] != apt.host_codename()


def _fetch_tools(series: Series, compiler: str) -> Path:
    """Put the compiler of another release into .cache/tools, with all that it needs."""
    tools = paths.TOOLS / f"{series.suites[0]}-{compiler}"
    stamp = tools / "stamp"
    if stamp.exists():
        return tools
    say(f"{compiler} of {series.suites[0]}: download")
    root = _series_root(series, f"tools-{series.name}")
    # Debian's headers have modules described for BTF, by the tool of the package.
    for package in (compiler, *(("pahole",) if series.archive == "debian" else ())):
        debs = root.download_with_dependencies(package)
    say(f"{compiler} of {series.suites[0]}: unpack {len(debs)} packages")
    shutil.rmtree(tools, ignore_errors=True)
    apt.unpack(debs, tools)
    foreign.adopt(tools, tools)
    root.remove()
    stamp.write_text(compiler + "\n")
    return tools


def relocate_headers(headers: Path) -> None:
    """Let an unpacked header tree find its common part: one absolute path becomes relative.

    Newer packages also say where their own part is: that is where make is then.
    """
    makefile = headers / "Makefile"
    text = re.sub(
        r"^KBUILD_OUTPUT=/usr/src/\S+$",
        "KBUILD_OUTPUT=$(realpath .)",
        makefile.read_text(),
        flags=re.MULTILINE,
    )
    text, count = re.subn(r"^include /usr/src/", "include ../", text, flags=re.MULTILINE)
    if count != 1:
        raise LabError(f"{makefile}: expected one include of /usr/src, found {count}")
    makefile.write_text(text)


def use_tools(headers: Path, tools: Path, compiler: str) -> None:
    """Have modules for a header tree be built with the tools of another release."""
    makefile = headers / "Makefile"
    to_tools = os.path.relpath(tools / "usr" / "bin", headers)
    # The first of these files is this one; parts of the build run elsewhere.
    here = "$(dir $(realpath $(firstword $(MAKEFILE_LIST))))"
    makefile.write_text(
        f"export PATH := {here}{to_tools}:$(PATH)\n"
        f"override CC := x86_64-linux-gnu-{compiler}\n"
        f"{makefile.read_text()}"
    )


def compiler_of(config: str) -> str:
    """The package of the compiler that a kernel was built with, by its configuration."""
    found = re.search(r"^CONFIG_GCC_VERSION=(\d+)\d{4}$", config, re.MULTILINE)
    if not found:
        raise LabError("this kernel was not built by gcc, says its configuration")
    return f"gcc-{found[1]}"


def _packages(root: apt.AptRoot, series: Series) -> tuple[str, list[str]]:
    """The package with the newest headers of a series, and all packages of that kernel."""
    headers = root.newest(f"linux-headers-{series.number}.", series.is_headers)
    if not headers:
        suites = ", ".join(series.suites or kernels.HOST_SUITES[apt.host_codename()])
        raise LabError(f"no package of {suites} has headers of a kernel {series.name}")
    release = headers.removeprefix("linux-headers-")
    image = f"linux-image-{release}"
    # The programs that build modules run on the host: fetch_kernel() gets them by themselves.
    wanted = "headers|kbuild" if series.arch == AMD64 else "headers"
    common = [
        name for name in root.depends(headers) if re.match(rf"linux-(\S+-)?({wanted})-", name)
    ]
    parts = [
        name
        for name in root.depends(image)
        if re.match(rf"linux-(binary|modules)-{re.escape(release)}$", name)
    ]
    shell = [] if series.arch == AMD64 else ["busybox-static"]
    return headers, [image, *parts, headers, *common, *shell]


def _download_kbuild(depends: Sequence[str], into: Path) -> list[Path]:
    """Of what headers depend on, add the programs that build modules, as the host runs them.

    Returns all packages that are there then.
    """
    root = host_root("kbuild")
    (package,) = (name for name in depends if name.startswith("linux-kbuild-"))
    debs = root.download([package], into)
    root.remove()
    return debs


def fetch_kernel(series: Series) -> Kernel:
    """Put the image and the headers of a series' newest kernel into .cache."""
    stamp = series.folder / "stamp.json"
    if stamp.exists():
        return kernel(series)
    say(f"kernel {series.name}: package lists")
    root = _series_root(series, "kernel" if series.default else f"kernel-{series.name}")
    headers, packages = _packages(root, series)
    release = headers.removeprefix("linux-headers-")
    version = root.field(headers, "Version")
    say(f"kernel {version}: download")
    debs = root.download(packages, root.path / "debs")
    if series.arch != AMD64:
        debs = _download_kbuild(root.depends(headers), root.path / "debs")
    say(f"kernel {version}: unpack")
    shutil.rmtree(series.folder, ignore_errors=True)
    tree = series.folder / "tree"
    apt.unpack(debs, tree)
    folder = tree / "usr" / "src" / headers
    compiler = compiler_of((folder / ".config").read_text())
    found = Kernel(version=version, release=release, compiler=compiler, folder=series.folder)
    if series.archive == "debian":
        relocate_headers(folder)
    _make_usable(series, found)
    (series.folder / "headers").symlink_to(folder.relative_to(series.folder))
    root.remove()
    known = {"version": version, "release": release, "compiler": compiler}
    stamp.write_text(json.dumps(known) + "\n")
    return found


def _compilers(arch: Arch, compiler: str) -> list[str]:
    """The host's packages that compile modules and guests' programs for an architecture."""
    if arch == AMD64:
        return [compiler]
    return [
        f"{compiler}-{arch.triplet}",
        f"gcc-{arch.triplet}",
        f"libc6-dev-{arch.name}-cross",
    ]


def _make_usable(series: Series, found: Kernel) -> None:
    """Have the kernel's compiler and its packages' programs run on this host."""
    if not _is_foreign(series):
        packages = _compilers(series.arch, found.compiler)
        subprocess.run([str(paths.LAB / "setup.sh"), *packages], check=True)
        return
    tools = _fetch_tools(series, found.compiler)
    foreign.adopt(series.folder / "tree" / "usr", tools)
    use_tools(found.headers, tools, found.compiler)


def kernel(series: Series | None = None) -> Kernel:
    """The kernel that fetch_kernel() put in place; of the selected series if none is given."""
    series = series or kernels.selected()
    stamp = series.folder / "stamp.json"
    if not stamp.exists():
        raise LabError(f"no kernel in {series.folder}: run `make setup{_argument(series)}`")
    return Kernel(**json.loads(stamp.read_text()), folder=series.folder)


def _argument(series: Series) -> str:
    """What make is told to select a series."""
    return "" if series.default else f" KERNEL={series.name}"


def fetch_source(series: Series, into: Path, *files: str, strip: int = 1) -> str:
    """Unpack a kernel's source, as Debian has it, into a folder; its version.

    files: only these of it. strip: how many folders to take off the files' names.
    """
    package = f"linux-source-{series.number}"
    root = _series_root(series, f"source-{series.name}")
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
        files = (f"scripts/{name}" for name in CHECKPATCH_FILES)
        fetch_source(kernels.default_series(), paths.CHECKPATCH, *files, strip=2)
    return script


def fetch_promtool() -> Path:
    """Prometheus' own checker of metrics. Its package starts a daemon where it is installed."""
    if not paths.PROMTOOL.exists():
        root = host_root("promtool")
        say(f"promtool {root.field('prometheus', 'Version')}: download")
        apt.unpack(root.download(["prometheus"], root.path / "debs"), root.path / "tree")
        paths.PROMTOOL.parent.mkdir(parents=True, exist_ok=True)
        (root.path / "tree" / "usr" / "bin" / "promtool").replace(paths.PROMTOOL)
        root.remove()
    return paths.PROMTOOL


def fetch_all() -> None:
    """Everything that running guests needs."""
    series = kernels.selected()
    fetch_qemu(series.arch)
    fetch_kernel(series)
