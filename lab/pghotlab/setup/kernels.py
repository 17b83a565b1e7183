# SPDX-License-Identifier: GPL-2.0
"""The kernels that the module supports: lab/kernels.toml, and which of them is selected."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.arch import AMD64, ARCHES, Arch
from pghotlab.base.errors import UsageError
from pghotlab.base.strict import Table, parse_toml

# Suites of each release of the host that the lab knows.
HOST_SUITES = {
    "bookworm": ("bookworm", "bookworm-security"),
    "trixie": ("trixie", "trixie-security"),
}
# Names of packages with headers, by archive; a series is put in.
_HEADERS: dict[str, Callable[[str, Arch], str]] = {
    "debian": lambda series, arch: rf"linux-headers-{re.escape(series)}\.\d[\w.+~]*-{arch.name}",
    "ubuntu": lambda series, arch: rf"linux-headers-{re.escape(series)}\.0-\d+-generic",
}
# Names of series: that of amd64 has no architecture in it.
_NAME = re.compile(rf"(\d+\.\d+)(?:-({'|'.join(a.name for a in ARCHES if a != AMD64)}))?")

# Kernels that check themselves, by what they check: how the configuration of a series goes on.
KINDS: dict[str, tuple[str, ...]] = {"debug": (), "kcsan": ("kcsan.config",)}


@dataclass(frozen=True)
class Series:
    """A kernel series of an architecture.

    number: of the series, such as 6.12. name: the same for amd64, else such as 6.12-arm64.
    suites: where its packages are, of the host's own release if there are none.
    debug: files of lab/ with the configuration of its kernels that check themselves, if it has
        such; each with what it adds to the one before it, or has otherwise.
    lacks: parts of the kernel that its builds are without, of those that policies need.
    default: whether it is what is booted when nobody names a series.
    """

    number: str
    arch: Arch
    archive: str
    suites: tuple[str, ...]
    debug: tuple[str, ...]
    lacks: tuple[str, ...]
    default: bool

    @property
    def name(self) -> str:
        """What selects it."""
        return self.number if self.arch == AMD64 else f"{self.number}-{self.arch.name}"

    @property
    def folder(self) -> Path:
        """Where its packages are unpacked."""
        return paths.KERNEL if self.default else paths.CACHE / "kernels" / self.name

    def is_headers(self, package: str) -> bool:
        """Whether a package has headers of a kernel of this series, as users run it."""
        return re.fullmatch(_HEADERS[self.archive](self.number, self.arch), package) is not None


def _read_series(table: Table, name: str, default: str) -> Series:
    number, _, arch = name.partition("-")
    archive = table.text("archive")
    if archive not in _HEADERS:
        raise table.fail("archive", f"must be one of {', '.join(_HEADERS)}, not {archive!r}")
    # The host has the programs that build modules for its own release.
    if number == default:
        if table.text("suites") != "host":
            raise table.fail("suites", 'must be "host" for the default')
        suites: tuple[str, ...] = ()
    elif arch:
        raise table.fail("suites", f"of {arch} there is only the default, {default}")
    else:
        suites = tuple(table.texts("suites"))
    debug, lacks = (tuple(table.texts(k)) if table.has(k) else () for k in ("debug", "lacks"))
    table.end()
    of = next((one for one in ARCHES if one.name == arch), AMD64)
    return Series(number, of, archive, suites, debug, lacks, name == default)


def load_kernels(path: Path = paths.KERNELS) -> dict[str, Series]:
    """All series by name, in the file's order, the oldest first."""
    root = parse_toml(path, path.read_bytes(), UsageError)
    default = root.text("default")
    names = root.remaining()
    if default not in names:
        raise root.fail("default", f"there is no series {default}")
    for name in names:
        if not _NAME.fullmatch(name):
            raise root.fail(name, "is not the name of a series, such as 6.12 or 6.12-arm64")
    if names != sorted(names, key=lambda name: version(name.partition("-")[0])):
        raise root.fail(names[0], "the oldest series comes first")
    return {name: _read_series(root.table(name), name, default) for name in names}


def version(series: str) -> tuple[int, ...]:
    """The numbers of a series such as 6.12, which are in order as the series are."""
    return tuple(map(int, series.split(".")))


def default_series() -> Series:
    """The series that is booted when nobody names one."""
    return next(series for series in load_kernels().values() if series.default)


def selected(name: str = paths.KERNEL_NAME) -> Series:
    """The series that PGHOT_KERNEL selects; UsageError if there is none of that name.

    It is a series, or a kernel that checks itself, such as debug or debug-7.3: its series then.
    """
    known = load_kernels()
    kind, _, series = name.rpartition("-")
    if name in known:
        return known[name]
    if kind in KINDS and series in known and known[series].debug:
        return known[series]
    if name in ("", *KINDS):
        return default_series()
    raise UsageError(f"KERNEL: no kernel {name!r}; there are: {', '.join(known)}")
