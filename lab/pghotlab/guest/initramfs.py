# SPDX-License-Identifier: GPL-2.0
"""The guest's root: newc cpio archives, written here so that no root or device file is needed.

The kernel unpacks several archives laid end to end: a base that all runs share
and a small one with the run's own steps.
"""

import stat
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError

BUSYBOX = Path("/bin/busybox")
DIRECTORIES = ("bin", "dev", "lab", "lib", "proc", "sys", "tmp")
STEPS = "lab/steps.sh"


class Cpio:
    """A cpio archive in the newc format."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._inode = 0

    def _add(
        self,
        name: str,
        mode: int,
        content: bytes,
        device: tuple[int, int] = (0, 0),
        mtime: int = 0,
    ) -> None:
        self._inode += 1
        path = name.encode() + b"\0"
        fields = (
            self._inode,
            mode,
            0,  # uid
            0,  # gid
            1,  # links
            mtime,  # 0 where it does not matter: the same input gives the same archive
            len(content),
            0,  # device the file is on
            0,
            *device,
            len(path),
            0,  # checksum, unused in this format
        )
        self._data += b"070701" + b"".join(b"%08X" % field for field in fields) + path
        self._pad()
        self._data += content
        self._pad()

    def _pad(self) -> None:
        self._data += b"\0" * (-len(self._data) % 4)

    def directory(self, name: str) -> None:
        """Add a folder."""
        self._add(name, stat.S_IFDIR | 0o755, b"")

    def folders_of(self, names: Iterable[str]) -> None:
        """Add all folders that files with these names are in."""
        folders = {str(folder) for name in names for folder in Path(name).parents}
        for folder in sorted(folders - {"."}):
            self.directory(folder)

    def file(self, name: str, content: bytes, executable: bool = False, mtime: int = 0) -> None:
        """Add a file; mtime: when it was changed, in seconds."""
        mode = stat.S_IFREG | (0o755 if executable else 0o644)
        self._add(name, mode, content, mtime=mtime)

    def symlink(self, name: str, target: str) -> None:
        """Add a symbolic link."""
        self._add(name, stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, name: str, major: int, minor: int) -> None:
        """Add a character device."""
        self._add(name, stat.S_IFCHR | 0o600, b"", (major, minor))

    def finish(self) -> bytes:
        """Close the archive and give its bytes."""
        self._add("TRAILER!!!", 0, b"")
        return bytes(self._data)


def guest_programs(folder: Path | None = None) -> dict[str, Path]:
    """The lab's own programs for the guest, by name; folder: where they are, if elsewhere."""
    folder = folder or paths.GUEST_BUILD
    return {path.name: path for path in sorted(folder.rglob("*")) if path.is_file()}


def build_base(busybox: Path = BUSYBOX, programs: Path | None = None) -> bytes:
    """The archive that all runs share: busybox, init and the guest programs.

    busybox: the guest's. The host's own names its commands: both are of the same release.
    programs: the folder with the guest programs, if it is not the usual one.
    """
    cpio = Cpio()
    for directory in DIRECTORIES:
        cpio.directory(directory)
    # Without it the kernel cannot give init its standard files.
    cpio.character_device("dev/console", 5, 1)
    try:
        content = busybox.read_bytes()
        applets = subprocess.run(
            [str(BUSYBOX), "--list"], capture_output=True, text=True, check=True
        ).stdout.split()
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError(f"cannot use {busybox} (package busybox-static): {error}") from None
    cpio.file("bin/busybox", content, executable=True)
    for applet in applets:
        if applet != "busybox":
            cpio.symlink(f"bin/{applet}", "busybox")
    cpio.file("init", paths.GUEST_INIT.read_bytes(), executable=True)
    for name, path in guest_programs(programs).items():
        cpio.file(f"bin/{name}", path.read_bytes(), executable=True)
    return cpio.finish()


def build_tree(tree: Path, place: str) -> bytes:
    """The archive of a folder with all that is in it, for a place in the guest. Links stay links.

    Owners and most permissions are lost: root owns everything. Files that are neither a file, a
    folder nor a link are left out.
    """
    cpio = Cpio()
    cpio.folders_of([f"{place}/x"])
    for path in sorted(tree.rglob("*")):
        name = f"{place}/{path.relative_to(tree)}"
        if path.is_symlink():
            cpio.symlink(name, str(path.readlink()))
        elif path.is_dir():
            cpio.directory(name)
        elif path.is_file():
            known = path.stat()
            executable = known.st_mode & 0o111 != 0
            cpio.file(name, path.read_bytes(), executable, int(known.st_mtime))
    return cpio.finish()


def _add_files(cpio: Cpio, files: Mapping[str, Path]) -> None:
    cpio.folders_of(name.lstrip("/") for name in files)
    for name, path in files.items():
        try:
            content = path.read_bytes()
        except OSError as error:
            raise LabError(f"{path}: {error.strerror}; needed in the guest as /{name}") from None
        cpio.file(name.lstrip("/"), content, executable=True)


def build_files(files: Mapping[str, Path]) -> bytes:
    """The archive of files by guest path (lib/x.ko)."""
    cpio = Cpio()
    _add_files(cpio, files)
    return cpio.finish()


def build_run(steps: str, files: Mapping[str, Path]) -> bytes:
    """The archive of one run: its steps, and extra files by guest path."""
    cpio = Cpio()
    cpio.file(STEPS, steps.encode())
    _add_files(cpio, files)
    return cpio.finish()
