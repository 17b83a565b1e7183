# SPDX-License-Identifier: GPL-2.0
"""JSON of dataclasses, and the JSON Schema (draft 2020-12) that this JSON follows.

Both come from the same dataclasses, so that they agree. Numbers may be added to an object in later
versions; what is there keeps its name, type and meaning.
"""

import json
import types
import typing
from dataclasses import asdict, fields, is_dataclass
from typing import Any

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SIMPLE = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}


def dump(value: Any) -> str:
    """One line of JSON."""
    return json.dumps(asdict(value), ensure_ascii=False)


def _of_type(kind: Any) -> dict[str, Any]:
    if kind in SIMPLE:
        return {"type": SIMPLE[kind]}
    if is_dataclass(kind):
        return of_class(typing.cast(type, kind))
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        return {"type": "array", "items": _of_type(arguments[0])}
    if origin is dict:
        # Keys of JSON are always texts, also those that are numbers here.
        return {"type": "object", "additionalProperties": _of_type(arguments[1])}
    if origin is types.UnionType:
        return {"anyOf": [_of_type(one) for one in arguments]}
    raise TypeError(f"no JSON for {kind}")


def of_class(kind: type) -> dict[str, Any]:
    """The schema of a dataclass."""
    hints = typing.get_type_hints(kind)
    names = [one.name for one in fields(kind)]
    about = (kind.__doc__ or "").strip()
    return {
        "type": "object",
        "description": " ".join(about.split()),
        "properties": {name: _of_type(hints[name]) for name in names},
        "required": names,
    }


def of_verbs(results: dict[str, type]) -> dict[str, Any]:
    """The schema of what all verbs print, as definitions by the name of the verb."""
    return {
        "$schema": DRAFT,
        "title": "What `pghot VERB --json` prints: one object in a line",
        "$defs": {verb: of_class(kind) for verb, kind in sorted(results.items())},
    }
