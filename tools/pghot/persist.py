# SPDX-License-Identifier: GPL-2.0
"""Files of pghot's own that make settings last beyond a boot, and the way back.

What was in a file before is kept in /var/lib/pghot/setup.json, so that undoing leaves exactly that.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from pghot.errors import PghotError
from pghot.read.root import Root

STATE = "var/lib/pghot/setup.json"
# In the order of their names these come after files without "local", so that they win.
MODPROBE = "etc/modprobe.d/pghot.local.conf"
MODULES_LOAD = "etc/modules-load.d/pghot.local.conf"
SYSCTL = "etc/sysctl.d/60-pghot.local.conf"
TMPFILES = "etc/tmpfiles.d/pghot.local.conf"
# Where `make install` and the packages have the unit.
UNITS = tuple(
    f"{place}/systemd/system/pghot.service" for place in ("etc", "usr/local/lib", "usr/lib", "lib")
)
WANTS = "etc/systemd/system/multi-user.target.wants/pghot.service"
HEAD = "# Written by `pghot setup` or `pghot set --persist`; `pghot setup --undo` removes it.\n"


@dataclass(frozen=True)
class Change:
    """What becomes of a file. text: its content, None to remove it. link: for a symbolic link."""

    file: str
    text: str | None = None
    link: str | None = None


@dataclass
class State:
    """before: what each file held; None if it was not there. folders: those that were made."""

    before: dict[str, str | None]
    folders: list[str]


def _read_state(root: Root) -> State:
    text = root.text(STATE)
    if text is None:
        return State({}, [])
    try:
        known = json.loads(text)
        return State(known["before"], known["folders"])
    except (ValueError, KeyError, TypeError):
        raise PghotError(f"/{STATE}: is not what `pghot setup` has written") from None


def _write(path: Path, text: str) -> None:
    """All or nothing, however it ends."""
    half = path.with_name(f"{path.name}.new")
    with half.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def _make_folder(root: Root, folder: Path, state: State) -> None:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir()
        state.folders.append(str(one.relative_to(root.folder)))


def _save(root: Root, state: State) -> None:
    path = root.path(STATE)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, json.dumps({"before": state.before, "folders": state.folders}, indent=1) + "\n")


def apply(root: Root, changes: list[Change]) -> None:
    """Write files, after what they held was kept. PghotError says what is not permitted."""
    try:
        state = _read_state(root)
        for change in changes:
            path = root.path(change.file)
            there = path.is_symlink() or path.exists()
            if change.file not in state.before:
                content = f"-> {path.readlink()}" if path.is_symlink() else None
                if content is None and there:
                    content = path.read_text()
                state.before[change.file] = content
            _make_folder(root, path.parent, state)
            _save(root, state)
            if change.link is not None:
                path.unlink(missing_ok=True)
                path.symlink_to(change.link)
            elif change.text is None:
                path.unlink(missing_ok=True)
            else:
                _write(path, change.text)
    except OSError as error:
        raise PghotError(f"{error.filename}: {error.strerror}") from None


def undo(root: Root) -> list[str]:
    """Let all files be as before the first change; their names. PghotError if that fails."""
    state = _read_state(root)
    try:
        for name, content in state.before.items():
            path = root.path(name)
            path.unlink(missing_ok=True)
            if content is not None and content.startswith("-> "):
                path.symlink_to(content.removeprefix("-> "))
            elif content is not None:
                _write(path, content)
        for folder in reversed(state.folders):
            if not any(root.path(folder).iterdir()):
                root.path(folder).rmdir()
        root.path(STATE).unlink(missing_ok=True)
        if root.path(STATE).parent.is_dir() and not any(root.path(STATE).parent.iterdir()):
            root.path(STATE).parent.rmdir()
    except OSError as error:
        raise PghotError(f"{error.filename}: {error.strerror}") from None
    return [f"/{name}" for name in state.before]


def options(root: Root) -> dict[str, str]:
    """The module's options in the file that is pghot's own."""
    found: dict[str, str] = {}
    for line in root.lines(MODPROBE):
        words = line.split()
        if words[:2] == ["options", "pghot"]:
            found |= {name: value for name, _, value in (w.partition("=") for w in words[2:])}
    return found


def options_change(wanted: dict[str, str]) -> Change:
    """The file with these options; it goes if there are none. An empty value is none, either."""
    words = [f"{name}={value}" for name, value in sorted(wanted.items()) if value]
    return Change(MODPROBE, HEAD + f"options pghot {' '.join(words)}\n" if words else None)


def boot_change(root: Root) -> Change:
    """What loads pghot at boot: the unit if it is installed, as that fails where all see it."""
    for unit in UNITS:
        if root.has(unit):
            return Change(WANTS, link=f"/{unit}")
    return Change(MODULES_LOAD, HEAD + "pghot\n")
