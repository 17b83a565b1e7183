# SPDX-License-Identifier: GPL-2.0
"""Strict reading of TOML: each key is known, there and of its type, or an error names it."""

import tomllib
from pathlib import Path
from typing import Any

from pghotlab.base.errors import UsageError
from pghotlab.base.units import parse_size


class Table:
    """A TOML table being read: each key must be taken once, and none may be left over."""

    def __init__(
        self, path: Path, where: str, data: dict[str, Any], error: type[UsageError]
    ) -> None:
        self._error = error
        self._path = path
        self._where = where
        self._data = dict(data)

    def fail(self, key: str, reason: str) -> UsageError:
        """The error to raise about a key."""
        name = f"{self._where}.{key}" if self._where else key
        return self._error(f"{self._path}: {name}: {reason}")

    def take(self, key: str, kind: type, what: str) -> Any:
        """The value of a key, of one type."""
        if key not in self._data:
            raise self.fail(key, "missing")
        value = self._data.pop(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.fail(key, f"must be {what}, not {value!r}")
        return value

    def text(self, key: str) -> str:
        """A text that is not empty."""
        value: str = self.take(key, str, "a text")
        if not value.strip():
            raise self.fail(key, "is empty")
        return value

    def number(self, key: str, least: int = 1) -> int:
        """A whole number."""
        value: int = self.take(key, int, "a whole number")
        if value < least:
            raise self.fail(key, f"must be at least {least}, not {value}")
        return value

    def size(self, key: str) -> int:
        """A size in bytes, written like "512M"."""
        value: str = self.take(key, str, 'a size like "512M"')
        try:
            return parse_size(value)
        except ValueError as error:
            raise self.fail(key, str(error)) from None

    def numbers(self, key: str, least: int, length: int | None = None) -> tuple[int, ...]:
        """A list of whole numbers."""
        values: list[Any] = self.take(key, list, "a list of whole numbers")
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool):
                raise self.fail(key, f"must hold whole numbers, not {value!r}")
            if value < least:
                raise self.fail(key, f"must hold numbers of at least {least}, not {value}")
        if length is not None and len(values) != length:
            raise self.fail(key, f"needs {length} numbers, one per node, has {len(values)}")
        return tuple(values)

    def texts(self, key: str) -> list[str]:
        """A list of one or more texts, none of them twice."""
        values: list[Any] = self.take(key, list, "a list of texts")
        if not values or not all(isinstance(value, str) for value in values):
            raise self.fail(key, "must be one or more texts")
        if len(set(values)) != len(values):
            raise self.fail(key, "has a text twice")
        return values

    def table(self, key: str) -> "Table":
        """A table in this one."""
        value = self.take(key, dict, "a table")
        where = f"{self._where}.{key}" if self._where else key
        return Table(self._path, where, value, self._error)

    def tables(self, key: str) -> list["Table"]:
        """A list of one or more tables."""
        values = self.take(key, list, "a list of tables")
        if not values or not all(isinstance(value, dict) for value in values):
            raise self.fail(key, "must be one or more tables")
        return [
            Table(self._path, f"{key}[{i}]", value, self._error) for i, value in enumerate(values)
        ]

    def end(self) -> None:
        """All keys are read: an error if one is left over."""
        for key in self._data:
            raise self.fail(key, "unknown key")

    def remaining(self) -> list[str]:
        """Keys that are not read yet, in the file's order."""
        return list(self._data)

    def has(self, key: str) -> bool:
        """Whether a key is there and not read yet."""
        return key in self._data

    def scalars(self, key: str) -> dict[str, str]:
        """A table of texts and whole numbers, as texts; empty when it is not there."""
        if key not in self._data:
            return {}
        table = self.table(key)
        values = {}
        for name, value in table._data.items():
            if isinstance(value, bool) or not isinstance(value, (str, int)):
                raise table.fail(name, f"must be a text or a whole number, not {value!r}")
            values[name] = str(value)
        return values

    def floats(self, key: str) -> dict[str, float]:
        """A table of numbers above 0; empty when it is not there."""
        if key not in self._data:
            return {}
        table = self.table(key)
        values = {}
        for name, value in table._data.items():
            if isinstance(value, bool) or not isinstance(value, (float, int)) or value <= 0:
                raise table.fail(name, f"must be a number above 0, not {value!r}")
            values[name] = float(value)
        return values


def parse_toml(path: Path, content: bytes, error: type[UsageError]) -> Table:
    """The root table of a file's content."""
    try:
        return Table(path, "", tomllib.loads(content.decode()), error)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise error(f"{path}: not TOML: {problem}") from None
