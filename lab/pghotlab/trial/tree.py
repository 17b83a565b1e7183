# SPDX-License-Identifier: GPL-2.0
"""What a guest gets for a user's program: a tree that is the program's root there."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError, UsageError
from pghotlab.guest.initramfs import BUSYBOX
from pghotlab.guest.packages import GUEST_LIBRARIES, LOADER
from pghotlab.trial import debian
from pghotlab.trial.inside import find_program, inside, is_program, place
from pghotlab.trial.libraries import HOST_LOADER, is_elf, libraries

# Programs that are of no use without many files of their own, and Debian's packages of them.
INTERPRETERS = {
    "java": "default-jre-headless",
    "node": "nodejs",
    "perl": "perl",
    "php": "php-cli",
    "python": "python3",
    "python3": "python3",
    "ruby": "ruby",
}
# Folders of a root that the guest's kernel fills.
KERNEL_FOLDERS = (("/", "dev"), ("/", "proc"), ("/", "sys"))
# With which shell scripts say what part of them is to be measured.
MARK = "pghot-mark"
# Files without which some programs do not start.
ACCOUNTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/hosts": "127.0.0.1 localhost\n",
}


@dataclass(frozen=True)
class Program:
    """A user's program, and what it needs.

    command: its words, the first of them a program of the tree or of the host.
    files: files and folders of the host that it needs, which are at the same places in the guest.
    packages: Debian packages, rootfs: a root file system in a tar archive; only one of the two.
    folder: where it begins, a folder of the host's that there is in the guest, too.
    """

    command: tuple[str, ...]
    files: tuple[Path, ...] = ()
    packages: tuple[str, ...] = ()
    rootfs: Path | None = None
    folder: Path = Path("/")

    @property
    def name(self) -> str:
        """The name of the program alone."""
        return Path(self.command[0]).name


def _unpack(archive: Path, tree: Path) -> None:
    """A root file system. Device files are left out: the guest has its own."""
    if not archive.is_file():
        raise UsageError(f"--rootfs: {archive}: there is no such file")
    command = ["tar", "--extract", "--file", str(archive), "--directory", str(tree)]
    # Of the root alone: a program may have a folder dev of its own.
    left_out = ["--anchored", "--exclude=dev/*", "--exclude=./dev/*"]
    done = subprocess.run(
        [*command, "--no-same-owner", "--delay-directory-restore", *left_out],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise UsageError(f"--rootfs: {archive}: tar cannot unpack it: {done.stderr.strip()}")
    if (tree / "manifest.json").exists() and not (tree / "usr").exists():
        raise UsageError(
            f"--rootfs: {archive}: is an image in layers: take what `docker export` or "
            "`podman export` writes of a container"
        )


def _add_tools(tree: Path) -> None:
    """A shell and the usual small tools, where the tree has none of these names."""
    listed = subprocess.run([str(BUSYBOX), "--list"], capture_output=True, text=True, check=True)
    place(tree, "usr/bin/busybox", BUSYBOX)
    for name in listed.stdout.split():
        if find_in_path(tree, name) is None:
            (tree / "usr" / "bin" / name).symlink_to("busybox")


def find_in_path(tree: Path, name: str) -> Path | None:
    """Where the tree has a program or a link of this name."""
    for folder in ("usr/local/bin", "usr/sbin", "usr/bin"):
        path = tree / folder / name
        if path.exists() or path.is_symlink():
            return path
    return None


def _interpreter(program: Path, first: str) -> list[str]:
    """The programs that run a script, by its first line: one, and what `env` looks for."""
    words = first.removeprefix("#!").split()
    if not words:
        raise UsageError(f"{program}: its first line names no program after #!")
    if Path(words[0]).name == "env" and len(words) > 1:
        return [words[0], next(word for word in words[1:] if not word.startswith("-"))]
    return words[:1]


def _refuse_interpreter(name: str) -> None:
    """UsageError for a program of the host that cannot be taken along by itself."""
    if name in INTERPRETERS:
        raise UsageError(
            f"{name}: it needs many files of its own. Take it from Debian: "
            f"--package {INTERPRETERS[name]}"
        )


class _Planter:
    """Puts programs of the host into a tree."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self._tree = tree
        self._folder = folder

    def find(self, word: str) -> str:
        """The place of a program in the tree; it is taken along if only the host has it.

        UsageError if neither has it.
        """
        if "/" in word:
            place_there = os.path.normpath(self._folder / word)
            if is_program(inside(self._tree, place_there)):
                return place_there
            return self._take(Path(place_there), word)
        found = find_program(self._tree, word)
        if found:
            return found
        on_host = shutil.which(word)
        if on_host is None:
            raise UsageError(
                f"{word}: there is no such program, neither on this host nor in what is taken "
                "along. Give its path, or the Debian package that has it as --package"
            )
        _refuse_interpreter(word)
        return self._take(Path(on_host), word)

    def _take(self, program: Path, word: str) -> str:
        if not program.exists():
            raise UsageError(f"{word}: there is no such program")
        if not is_program(program):
            raise UsageError(f"{word}: is not a program that may be run: `chmod +x` lets it be one")
        with program.open("rb") as file:
            first = file.readline(256)
        if is_elf(first):
            self._take_libraries(program)
        elif first.startswith(b"#!"):
            for needed in _interpreter(program, first.decode(errors="replace")):
                if not is_program(inside(self._tree, needed)):
                    _refuse_interpreter(Path(needed).name)
                    self.find(needed)
        else:
            raise UsageError(f"{word}: is neither a program nor a script that begins with #!")
        place(self._tree, program, program)
        return str(program)

    def _take_libraries(self, program: Path) -> None:
        for name, library in libraries(program).items():
            at = LOADER if library == HOST_LOADER else f"{GUEST_LIBRARIES}/{name}"
            if not inside(self._tree, at).exists():
                place(self._tree, at, library)


def plant(program: Program, tree: Path) -> tuple[str, ...]:
    """Fill the tree, which must not be there yet; the command as the guest is to run it.

    UsageError says what is missing or wrong, and what to do.
    """
    if program.packages and program.rootfs:
        raise UsageError("--package and --rootfs: give only one of them")
    tree.mkdir(parents=True)
    if program.rootfs:
        _unpack(program.rootfs, tree)
    else:
        if program.packages:
            shutil.copytree(
                debian.unpacked(program.packages), tree, symlinks=True, dirs_exist_ok=True
            )
            debian.link_libraries(tree)
        debian.merge(tree)
    place(tree, f"usr/local/bin/{MARK}", paths.MARKS / MARK)
    for name, text in ACCOUNTS.items():
        path = inside(tree, name)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            # The same program gives the same archive, whenever it is tried.
            os.utime(path, (0, 0))
    for file in program.files:
        at = Path(os.path.normpath(program.folder / file))
        if not at.exists():
            raise UsageError(f"--file: {file}: there is no such file")
        try:
            place(tree, at, at)
        except (OSError, shutil.Error) as error:
            raise LabError(f"--file: {file}: cannot be copied: {error}") from None
    first = _Planter(tree, program.folder).find(program.command[0])
    if not program.rootfs:
        _add_tools(tree)
    inside(tree, program.folder).mkdir(parents=True, exist_ok=True)
    return (first, *program.command[1:])


def _on_host(path: Path) -> bool:
    """Whether there is such a file; of a text that is no name, such as a long one, there is not."""
    try:
        return path.exists()
    except OSError:
        return False


def forgotten(program: Program, tree: Path) -> list[str]:
    """Words of the command that name files of the host which are not in the tree."""
    found = []
    for word in program.command[1:]:
        path = Path(os.path.normpath(program.folder / word))
        own = path.parts[:2] in KERNEL_FOLDERS
        if _on_host(path) and not own and not inside(tree, path).exists():
            found.append(word)
    return found
