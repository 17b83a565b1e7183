# SPDX-License-Identifier: GPL-2.0
"""What the administrator's files say of pghot: modprobe's options, sysctls, and loading at boot."""

import re
from dataclasses import dataclass

from pghot.read.root import Root

# From the strongest to the weakest: a file hides those of the same name in later folders.
PLACES = ("etc", "run", "usr/local/lib", "usr/lib")
UNIT = "pghot.service"


@dataclass(frozen=True)
class Setting:
    """A value that a file gives. value: None where an option has no "="."""

    file: str
    name: str
    value: str | None


@dataclass(frozen=True)
class Settings:
    """options: of modprobe. sysctls: vm.pghot_* and kernel.numa_balancing, the last one wins.

    blacklisted: the files that keep pghot from being loaded by its alias.
    loaded_at_boot: what loads pghot at boot, or empty.
    """

    options: list[Setting]
    sysctls: list[Setting]
    blacklisted: list[str]
    loaded_at_boot: str


def config_files(root: Root, kind: str) -> list[str]:
    """The files *.conf of a kind (modprobe.d), in the order in which they are read."""
    found: dict[str, str] = {}
    for place in PLACES:
        for name in root.names(f"{place}/{kind}/*.conf"):
            found.setdefault(name.rpartition("/")[2], name)
    return [found[name] for name in sorted(found)]


def _words(root: Root, file: str) -> list[list[str]]:
    text = re.sub(r"\\\n", " ", root.text(file) or "")
    return [line.split() for line in text.splitlines() if not line.lstrip().startswith(("#", ";"))]


def _options(root: Root) -> list[Setting]:
    found = []
    for file in config_files(root, "modprobe.d"):
        for words in _words(root, file):
            if words[:2] == ["options", "pghot"]:
                for word in words[2:]:
                    name, equals, value = word.partition("=")
                    found.append(Setting(f"/{file}", name, value if equals else None))
    return found


def _sysctls(root: Root) -> list[Setting]:
    files = config_files(root, "sysctl.d")
    if root.has("etc/sysctl.conf") and "etc/sysctl.d/99-sysctl.conf" not in files:
        files.append("etc/sysctl.conf")
    found = []
    for file in files:
        for line in root.lines(file):
            name, equals, value = line.lstrip("- ").partition("=")
            key = name.strip().replace("/", ".")
            if equals and (key == "kernel.numa_balancing" or key.startswith("vm.pghot_")):
                found.append(Setting(f"/{file}", key, value.strip()))
    return found


def _loaded_at_boot(root: Root) -> str:
    for place in ("etc/systemd/system", "usr/lib/systemd/system"):
        for wants in root.names(f"{place}/*.wants/{UNIT}"):
            return f"/{wants}"
    # A link of systemd leads to where the unit is on the machine, which a made-up tree has not.
    for folder in root.names("etc/systemd/system/*.wants"):
        if (root.path(folder) / UNIT).is_symlink():
            return f"/{folder}/{UNIT}"
    for file in config_files(root, "modules-load.d"):
        if "pghot" in root.lines(file):
            return f"/{file}"
    return "/etc/modules" if "pghot" in root.lines("etc/modules") else ""


def read_settings(root: Root) -> Settings:
    """All of them."""
    return Settings(
        options=_options(root),
        sysctls=_sysctls(root),
        blacklisted=[
            f"/{file}"
            for file in config_files(root, "modprobe.d")
            if ["blacklist", "pghot"] in _words(root, file)
        ],
        loaded_at_boot=_loaded_at_boot(root),
    )
