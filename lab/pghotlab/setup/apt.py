# SPDX-License-Identifier: GPL-2.0
"""Debian packages of any suite, downloaded without touching the host's own apt state.

An AptRoot has its own lists, cache and (empty) package status, for one architecture.
Its sources are derived from the mirror that the host's apt is configured for; everything is
verified against the host's Debian archive keyring, or one that came in a package
that was.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base.arch import AMD64, Arch
from pghotlab.base.errors import LabError

KEYRINGS = [
    Path("/usr/share/keyrings") / f"debian-archive-keyring.{suffix}" for suffix in ("pgp", "gpg")
]
# A host may name its release by codename or by one of these.
SUITE_ALIASES = ("stable", "oldstable")
# The host's hooks must not run for a private root: some clean the host's cache.
HOOKS = (
    "APT::Update::Pre-Invoke",
    "APT::Update::Post-Invoke",
    "APT::Update::Post-Invoke-Success",
    "DPkg::Pre-Invoke",
    "DPkg::Post-Invoke",
    "DPkg::Pre-Install-Pkgs",
)


@dataclass(frozen=True)
class Source:
    """One suite of one mirror."""

    uri: str
    suite: str
    keyring: Path | None = None
    """Whose keys have to have signed it; Debian's if there is none."""


@dataclass(frozen=True)
class Mirrors:
    """The base URIs the host knows, best guess first."""

    main: tuple[str, ...]
    security: tuple[str, ...]
    ubuntu: tuple[str, ...]


def host_codename(os_release: Path = Path("/etc/os-release")) -> str:
    """The host's Debian release name; an error unless it is one the lab supports."""
    found = re.search(r"^VERSION_CODENAME=\"?(\w+)", os_release.read_text(), re.MULTILINE)
    codename = found.group(1) if found else "unknown"
    if codename not in ("bookworm", "trixie"):
        raise LabError(f"this host's release is {codename}; the lab needs Debian 12 or 13")
    return codename


def parse_mirrors(print_uris: str, codename: str) -> Mirrors:
    """Mirror bases out of `apt-get update --print-uris`, whatever format configured them.

    Repositories of others may use Debian's suite names: they stay in the list,
    and fall out later because Debian's keys have not signed them.
    """
    main: list[str] = []
    security: list[str] = []
    names = (codename, *SUITE_ALIASES)
    for uri, suite in re.findall(r"^'(.+)/dists/(.+)/InRelease'", print_uris, re.MULTILINE):
        if suite in names:
            main.append(uri)
        elif suite in [f"{name}-security" for name in names]:
            security.append(uri)
    # A mirror usually has the security archive next to the main one.
    security += [f"{uri.rpartition('/')[0]}/debian-security" for uri in main]
    # And many mirrors have Ubuntu's next to it.
    ubuntu = [f"{uri.rpartition('/')[0]}/ubuntu" for uri in main]
    return Mirrors(*(tuple(dict.fromkeys(uris)) for uris in (main, security, ubuntu)))


def host_mirrors(codename: str) -> Mirrors:
    """The Debian mirrors that this host's apt is configured for."""
    done = subprocess.run(
        ["apt-get", "update", "--print-uris"], capture_output=True, text=True, check=False
    )
    mirrors = parse_mirrors(done.stdout, codename)
    if not mirrors.main:
        raise LabError(
            f"no source for suite {codename} in this host's apt configuration "
            f"(/etc/apt/sources.list, /etc/apt/sources.list.d){done.stderr.strip()}"
        )
    return mirrors


class AptRoot:
    """A private apt with its own sources; reads only proxy and login settings of the host."""

    def __init__(self, path: Path, sources: Sequence[Source], arch: Arch = AMD64) -> None:
        self.path = path
        self.archives = path / "cache" / "archives"
        self._conf = path / "apt.conf"
        shutil.rmtree(path, ignore_errors=True)
        for directory in (
            self.archives / "partial",
            path / "state" / "lists" / "partial",
            path / "sources.d",
            path / "preferences.d",
        ):
            directory.mkdir(parents=True)
        (path / "status").touch()
        keyring = next((ring for ring in KEYRINGS if ring.exists()), None)
        if keyring is None:
            raise LabError("no Debian archive keyring: install debian-archive-keyring")
        (path / "sources.d" / "lab.sources").write_text(
            "\n".join(
                f"Types: deb\nURIs: {source.uri}\nSuites: {source.suite}\nComponents: main\n"
                f"Architectures: {arch.name}\nTargets: Packages\n"
                f"Signed-By: {source.keyring or keyring}\n"
                for source in sources
            )
        )
        settings = {
            "Dir::State": path / "state",
            "Dir::State::status": path / "status",
            "Dir::Cache": path / "cache",
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": path / "sources.d",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": path / "preferences.d",
            "Dir::Log": path / "log",
            "APT::Architecture": arch.name,
            "APT::Default-Release": "",
            "APT::Install-Recommends": "false",
            "APT::Keep-Downloaded-Packages": "true",
            "APT::Sandbox::User": "root",
            "APT::Update::Error-Mode": "any",
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
            "Debug::NoLocking": "true",
        }
        lines = [f"#clear {hook};" for hook in HOOKS]
        lines += ["#clear APT::Architectures;", f'APT::Architectures {{ "{arch.name}"; }};']
        lines += [f'{key} "{value}";' for key, value in settings.items()]
        self._conf.write_text("\n".join(lines) + "\n")

    def _run(self, tool: str, *args: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            [tool, "-c", str(self._conf), "-q", *args],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            env={**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"},
        )
        if done.returncode != 0:
            problems = [line for line in done.stderr.splitlines() if line[:2] in ("E:", "W:")]
            raise LabError(f"{tool} {args[0]}: " + ("\n  ".join(problems) or done.stderr.strip()))
        return done.stdout

    def update(self) -> None:
        """Fetch the lists; an error when a source is unreachable or not signed."""
        self._run("apt-get", "update")

    def field(self, package: str, name: str) -> str:
        """One field of a package's newest version; empty when the package lacks the field."""
        text = self._run("apt-cache", "show", "--no-all-versions", package)
        found = re.search(rf"^{name}: (.*)$", text, re.MULTILINE)
        return found.group(1) if found else ""

    def newest(self, prefix: str, fits: Callable[[str], bool]) -> str:
        """Of the packages whose names begin so and fit, the newest; empty if there is none."""
        names = self._run("apt-cache", "pkgnames", prefix).split()
        newest = ""
        for name in filter(fits, names):
            if not newest or _is_newer(self.field(name, "Version"), self.field(newest, "Version")):
                newest = name
        return newest

    def depends(self, package: str) -> list[str]:
        """Names in a package's Depends field, alternatives included, versions dropped."""
        return [
            alternative.split()[0].partition(":")[0]
            for group in self.field(package, "Depends").split(",")
            for alternative in group.split("|")
            if alternative.strip()
        ]

    def download(self, packages: Iterable[str], into: Path) -> list[Path]:
        """Download just these packages."""
        into.mkdir(parents=True, exist_ok=True)
        self._run("apt-get", "download", *packages, cwd=into)
        return sorted(into.glob("*.deb"))

    def download_with_dependencies(self, package: str) -> list[Path]:
        """Download a package with all that it depends on, down to the C library."""
        self._run("apt-get", "-y", "--download-only", "install", package)
        return sorted(self.archives.glob("*.deb"))

    def remove(self) -> None:
        """Delete the root with its lists and downloads."""
        shutil.rmtree(self.path)


def _is_newer(one: str, other: str) -> bool:
    """Whether one package version is newer than another."""
    command = ["dpkg", "--compare-versions", one, "gt", other]
    return subprocess.run(command, check=False).returncode == 0


def open_root(
    path: Path,
    wanted: Sequence[tuple[tuple[str, ...], str]],
    keyring: Path | None = None,
    arch: Arch = AMD64,
) -> AptRoot:
    """An updated root with each wanted suite from the first of its mirrors that works.

    wanted: (candidate mirror bases, suite) pairs. keyring: whose keys have to have signed them,
    Debian's if there is none. arch: of the packages.
    """
    sources: list[Source] = []
    for bases, suite in wanted:
        errors = []
        for base in bases:
            try:
                AptRoot(path, [Source(base, suite, keyring)], arch).update()
            except LabError as error:
                errors.append(str(error))
                continue
            sources.append(Source(base, suite, keyring))
            break
        else:
            raise LabError(
                f"cannot get a signed list of the suite {suite} from the mirrors that "
                "this host's apt is configured for:\n  " + "\n  ".join(errors)
            )
    root = AptRoot(path, sources, arch)
    root.update()
    return root


def unpack(debs: Iterable[Path], into: Path) -> None:
    """Unpack packages into a folder without installing them."""
    into.mkdir(parents=True, exist_ok=True)
    for deb in debs:
        subprocess.run(["dpkg-deb", "-x", str(deb), str(into)], check=True)
