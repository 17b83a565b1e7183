# SPDX-License-Identifier: GPL-2.0
"""Programs of Debian packages for the guest: an archive each, made when a run first needs it.

    archive("redis")    # .cache/packages/redis.cpio, to lay behind the guest's base archive

The guest has no loader's cache and no packages: just these files, and the shared libraries that
they name, all of the host's release.
"""

import fcntl
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.guest.initramfs import Cpio
from pghotlab.setup import apt, fetch

LOADER = "lib64/ld-linux-x86-64.so.2"
# Where the packages have libraries, and where the guest's programs look for them.
LIBRARY_FOLDERS = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")
GUEST_LIBRARIES = LIBRARY_FOLDERS[0]


def _sha256(folder: Path) -> dict[str, str]:
    """Of all files of a folder and of the folders in it, by their names there."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


@dataclass(frozen=True)
class PackageSet:
    """What an archive is made of.

    packages: with all that they depend on.
    keep: the files and folders of them that the guest gets, at the same places; an ELF file's
    libraries come along.
    steps: shell commands that make more such files first, where the packages are unpacked.
    sources: a folder of the project that they take files from, $SOURCES for them.
    """

    packages: tuple[str, ...]
    keep: tuple[str, ...]
    steps: tuple[str, ...] = ()
    sources: str | None = None

    def describe(self) -> dict[str, Any]:
        """All that an archive depends on, but the packages' versions."""
        sha256 = _sha256(paths.ROOT / self.sources) if self.sources else {}
        described: dict[str, Any] = json.loads(json.dumps({**asdict(self), "sha256": sha256}))
        return described


# Whatever Java the release has.
_JDK = "usr/lib/jvm/default-java/bin"


def _keep_of(folder: str, names: str) -> str:
    """The shell command that leaves nothing else in a folder than what a pattern says."""
    return f"cd {folder} && ls | grep -vxE '{names}' | xargs rm -rf"


PACKAGES = {
    # The runtime with no more than the base module, and the program.
    "java": PackageSet(
        packages=("default-jdk-headless", "numactl"),
        keep=("jre/bin/java", "jre/lib", "jre/conf", "jbb", "usr/bin/numactl"),
        steps=(
            f"{_JDK}/jlink --add-modules java.base --strip-debug --output jre",
            f'{_JDK}/javac -Xlint:all -Werror -d jbb "$SOURCES"/*.java',
        ),
        sources="lab/guest/java",
    ),
    # The server, and the load with its scripts; messages are looked up when it starts.
    "oltp": PackageSet(
        packages=("mariadb-server-core", "mariadb-client-core", "sysbench"),
        keep=(
            "usr/sbin/mariadbd",
            "usr/bin/mariadb",
            "usr/bin/sysbench",
            "usr/share/mysql/english/errmsg.sys",
            "usr/share/mysql/charsets/Index.xml",
            "usr/share/sysbench/oltp_common.lua",
            "usr/share/sysbench/oltp_read_write.lua",
        ),
    ),
    # The server and what its first start reads, of whatever version the release has, and the load.
    # Its compiler of expressions would bring a library of 100 MB along.
    "pgbench": PackageSet(
        packages=("postgresql",),
        keep=("usr/lib/postgresql", "usr/share/postgresql"),
        steps=(
            _keep_of("usr/lib/postgresql/*/bin", "initdb|pgbench|postgres|psql"),
            _keep_of("usr/lib/postgresql/*/lib", r"(plpgsql|dict_snowball)\.so"),
            _keep_of("usr/share/postgresql/*/extension", "plpgsql.*"),
        ),
    ),
    # The interpreter and its library, without what only developers use. It is compiled for a guest
    # whose files have no times, so that nothing is compiled there.
    "python": PackageSet(
        packages=("python3",),
        keep=("python/bin/python3", "python/lib"),
        steps=(
            "mkdir -p python/bin python/lib && mv usr/lib/python3.[0-9]* python/lib/",
            "cp -L usr/bin/python3 python/bin/",
            "cd python/lib/python3.* && rm -rf ensurepip idlelib lib2to3 pydoc_data test unittest "
            "turtledemo tkinter sqlite3 asyncio xml config-* && rm -f lib-dynload/_sqlite3* "
            "lib-dynload/_curses* lib-dynload/_ssl* lib-dynload/_codecs_* lib-dynload/_dbm*",
            "python/bin/python3 -m compileall -q --invalidation-mode unchecked-hash python/lib",
        ),
    ),
    "redis": PackageSet(packages=("redis-server",), keep=("usr/bin/redis-server",)),
}


def _loader(tree: Path) -> Path:
    for top in (tree, tree / "usr"):
        if (top / LOADER).exists():
            return top / LOADER
    raise LabError(f"{tree}: the packages have no {LOADER}")


def parse_libraries(listed: str, complaint: str = "no package has") -> dict[str, Path]:
    """Libraries by name, but the loader, out of what the loader lists for a program.

    complaint: what to say of those that it has not found, before their names, in a LabError.
    """
    missing = re.findall(r"^\s*(\S+) => not found", listed, re.MULTILINE)
    if missing:
        raise LabError(f"{complaint} {', '.join(missing)}")
    found = re.findall(r"^\s*([^\s/]+) => (/.*) \(0x[0-9a-f]+\)$", listed, re.MULTILINE)
    return {name: Path(path) for name, path in found}


def _libraries(tree: Path, folders: Iterable[Path], program: Path) -> dict[str, Path]:
    places = ":".join(map(str, folders))
    done = subprocess.run(
        [str(_loader(tree)), "--inhibit-cache", "--library-path", places, "--list", str(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    if "statically linked" in done.stdout + done.stderr:
        return {}
    try:
        libraries = parse_libraries(done.stdout)
        if done.returncode:
            raise LabError(done.stderr.strip())
        for path in libraries.values():
            if not path.is_relative_to(tree):
                raise LabError(f"no package has {path.name}: it is the host's {path}")
    except LabError as error:
        raise LabError(f"{program}: {error}") from None
    return libraries


def _kept_files(tree: Path, keep: Iterable[str]) -> Iterator[Path]:
    for name in keep:
        path = tree / name
        if not path.exists():
            raise LabError(f"no package of {tree.name} has /{name}")
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in files if not file.is_dir())


def collect(tree: Path, keep: Iterable[str]) -> dict[str, Path]:
    """The files of an archive, by their place in the guest; tree: the unpacked packages."""
    files = {str(file.relative_to(tree)): file for file in _kept_files(tree, keep)}
    kept = set(files.values())
    folders = [tree / folder for folder in LIBRARY_FOLDERS]
    # A program may load its own libraries from elsewhere.
    folders += sorted({file.parent for file in kept if file.suffix == ".so"})
    for file in kept:
        with file.open("rb") as content:
            if content.read(4) != b"\x7fELF":
                continue
        for name, path in _libraries(tree, folders, file).items():
            if path not in kept:
                files[f"{GUEST_LIBRARIES}/{name}"] = path
        files[LOADER] = _loader(tree)
    return files


def build_archive(files: dict[str, Path]) -> bytes:
    """The archive with these files and the folders they are in. Links are followed."""
    cpio = Cpio()
    cpio.folders_of(files)
    for name, path in sorted(files.items()):
        executable = path.stat().st_mode & 0o111 != 0
        cpio.file(name, path.read_bytes(), executable=executable)
    return cpio.finish()


def relink(tree: Path) -> None:
    """Let links with an absolute path be links within the tree, where that has what they name."""
    for link in sorted(filter(Path.is_symlink, tree.rglob("*"))):
        target = link.readlink()
        inside = tree / target.relative_to("/") if target.is_absolute() else None
        if inside is not None and inside.exists():
            link.unlink()
            link.symlink_to(os.path.relpath(inside, link.parent))


def run_steps(name: str, wanted: PackageSet, tree: Path) -> None:
    """Make what a set wants made in the tree of its packages; LabError says what failed."""
    sources = paths.ROOT / wanted.sources if wanted.sources else tree
    for step in wanted.steps:
        done = subprocess.run(
            ["sh", "-c", step],
            cwd=tree,
            env={**os.environ, "SOURCES": str(sources)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise LabError(f"{name}: {step}:\n{done.stdout}{done.stderr}")


def _make(name: str, wanted: PackageSet) -> tuple[bytes, list[str]]:
    """The archive's content, and the packages it is from, each as NAME_VERSION_ARCHITECTURE."""
    fetch.say(f"{name}: package lists")
    root = fetch.host_root(f"packages-{name}")
    debs: list[Path] = []
    for package in wanted.packages:
        fetch.say(f"{package} {root.field(package, 'Version')}: download")
        debs = root.download_with_dependencies(package)
    fetch.say(f"{name}: unpack {len(debs)} packages")
    tree = root.path / name
    apt.unpack(debs, tree)
    relink(tree)
    run_steps(name, wanted, tree)
    content = build_archive(collect(tree, wanted.keep))
    root.remove()
    return content, [deb.stem for deb in debs]


def archive(name: str) -> Path:
    """The archive of a set of PACKAGES; made if it is not there, or was made of another set."""
    wanted = PACKAGES[name]
    folder = paths.CACHE / "packages"
    folder.mkdir(parents=True, exist_ok=True)
    path, stamp = (folder / f"{name}.{suffix}" for suffix in ("cpio", "json"))
    # Two runs may want it at once.
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        described = wanted.describe()
        if stamp.exists() and json.loads(stamp.read_text())["set"] == described:
            return path
        stamp.unlink(missing_ok=True)
        content, versions = _make(name, wanted)
        path.write_bytes(content)
        stamp.write_text(json.dumps({"set": described, "versions": versions}, indent=1) + "\n")
    return path
