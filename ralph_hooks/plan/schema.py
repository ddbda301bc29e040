"""The JSON schema of the config and its keys as rows, both made from the dataclasses."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from ralph_hooks.plan.config import Check, Config

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAMES = {"string": "a string", "boolean": "true or false", "integer": "a whole number", "number": "a number"}
PLURALS = {"string": "strings", "boolean": "booleans", "integer": "whole numbers", "number": "numbers"}
UNSET = object()


class Row(NamedTuple):
    """One key: `section` as in the TOML (`check` for `[[check]]`), `default` as a JSON value or `UNSET`."""

    section: str
    key: str
    default: object
    words: str
    meaning: str


@cache
def adapter() -> TypeAdapter[Config]:
    """What validates a config; made once, since it takes 40 ms."""
    return TypeAdapter(Config)


@cache
def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of `ralph-hooks.toml`, every default included."""
    made: dict[str, Any] = adapter().json_schema()
    for name, section in sections().items():
        properties = made["$defs"][section.__name__]["properties"]
        for key, default in defaults(section).items():
            if default is not UNSET:
                properties[key]["default"] = default
        for node in properties.values():
            node.pop("title", None)
        node = made["properties"][name]
        node.pop("title", None)
    made["properties"]["check"]["default"] = []
    return {
        "$schema": DIALECT,
        "title": "ralph-hooks.toml",
        "description": made.pop("description"),
        **{key: value for key, value in made.items() if key != "title"},
    }


def sections() -> dict[str, type[Any]]:
    """Name in the TOML and dataclass of every section."""
    made = Config()
    others = {field.name: type(getattr(made, field.name)) for field in dataclasses.fields(Config)}
    return others | {"check": Check}


def defaults(section: type[Any]) -> dict[str, object]:
    """Default of every key of a section; `UNSET` where the key is required."""
    found: dict[str, object] = {}
    for field in dataclasses.fields(section):
        if field.default_factory is not dataclasses.MISSING:
            found[field.name] = field.default_factory()
        else:
            found[field.name] = UNSET if field.default is dataclasses.MISSING else field.default
    return found


def rows() -> list[Row]:
    """Every key of every section, in the order of the dataclasses."""
    found = []
    for name, section in sections().items():
        for key, default in defaults(section).items():
            node = node_of((name, 0, key) if name == "check" else (name, key))
            found.append(Row(name, key, default, words(node), node.get("description", "")))
    return found


def node_of(key: tuple[str | int, ...]) -> dict[str, Any]:
    """The schema of one key, such as `("check", 0, "run", 1)`; empty when there is no such key."""
    node = schema()
    for part in key:
        node = _step(node, part)
    return _resolved(node)


def _step(node: dict[str, Any], part: str | int) -> dict[str, Any]:
    node = _resolved(node)
    for branch in node.get("anyOf", []):
        if inner := _step(branch, part):
            return inner
    found: Any = node.get("items") if isinstance(part, int) else node.get("properties", {}).get(part)
    if found is None and isinstance(node.get("additionalProperties"), dict):
        found = node["additionalProperties"]
    return found or {}


def _resolved(node: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return dict(schema()["$defs"][node["$ref"].rsplit("/", 1)[1]])
    return node


def words(node: dict[str, Any]) -> str:
    """What a value may be, as a person would say it."""
    node = _resolved(node)
    if "anyOf" in node:
        return " or ".join(words(branch) for branch in node["anyOf"])
    if "enum" in node:
        return "one of " + ", ".join(json.dumps(value) for value in node["enum"])
    kind = node.get("type", "")
    if kind == "array":
        plural = PLURALS.get(_resolved(node["items"]).get("type", ""), "tables")
        return f"a{' non-empty' if node.get('minItems') else ''} list of {plural}"
    if kind == "object":
        return "a table" + (" of strings" if node.get("additionalProperties") else "")
    if node.get("minLength"):
        return "a non-empty string"
    return NAMES.get(kind, "something else") + _bounds(node)


def _bounds(node: dict[str, Any]) -> str:
    low, above, high = (node.get(key) for key in ("minimum", "exclusiveMinimum", "maximum"))
    if low is not None:
        return f" from {low:.17g} to {high:.17g}" if high is not None else f", {low:.17g} or more"
    if above is not None:
        return f" above {above:.17g}" + (f", at most {high:.17g}" if high is not None else "")
    return ""
