"""What is wrong with a config, in words: place, key, value, what is expected, and what was probably meant."""

from __future__ import annotations

import difflib
import json
from typing import Any, NamedTuple

from pydantic_core import ErrorDetails

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.plan import schema
from ralph_hooks.plan.positions import Key

VALUE_CHARS = 60


class Problem(NamedTuple):
    """One thing wrong at one key; `text` reads on from `path:line: `."""

    key: Key
    text: str


class ConfigError(RalphError):
    """A config that cannot be used. `problems` holds a sentence with its place for each thing wrong."""

    def __init__(self, problems: list[str], hint: str = "") -> None:
        super().__init__("\n       ".join(problems), hint=hint, exit_code=EXIT_USAGE)
        self.problems = problems


def problems_of(errors: list[ErrorDetails], data: dict[str, Any]) -> list[Problem]:
    """One problem for each key with an error; of the branches of a union only the one that came furthest."""
    found: dict[Key, Problem] = {}
    for error in errors:
        key = _key(error, data)
        found.setdefault(key, Problem(key, _sentence(error["type"], key, data)))
    return [problem for key, problem in found.items() if not any(_inside(other, key) for other in found)]


def _inside(other: Key, key: Key) -> bool:
    return len(other) > len(key) and other[: len(key)] == key


def _key(error: ErrorDetails, data: Any) -> Key:
    """The error's place without the names that pydantic gives to the branches of a union."""
    key: Key = ()
    location = error["loc"]
    for position, part in enumerate(location):
        here = value_at(data, key)
        known = (isinstance(here, dict) and part in here) or (isinstance(here, list) and isinstance(part, int))
        if known or (position == len(location) - 1 and error["type"] == "missing"):
            key += (part,)
    return key


def value_at(data: Any, key: Key) -> Any:
    """The value at a key; `None` when there is nothing."""
    for part in key:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def dotted(key: Key) -> str:
    """A key as TOML would write it, with positions in brackets: `check[0].timeout_s`."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".") or "the file"


def shown(value: object) -> str:
    """A value as TOML would write it, cut."""
    plain = value is None or isinstance(value, (str, bool, int, float, list, dict))
    text = json.dumps(value, ensure_ascii=False, default=str) if plain else str(value)
    return text if len(text) <= VALUE_CHARS else text[: VALUE_CHARS - 1] + "…"


def _sentence(kind: str, key: Key, data: dict[str, Any]) -> str:
    value = value_at(data, key)
    if kind == "unexpected_keyword_argument":
        return f"`{dotted(key)}` is not a known key{_meant_key(key)}"
    if kind == "missing":
        return f"`{dotted(key)}` is missing; expected {schema.words(schema.node_of(key))}"
    if key == ("check",) and isinstance(value, dict):
        return "`check` is one table; write `[[check]]`, since there may be several"
    expected = schema.words(schema.node_of(key))
    return f"`{dotted(key)}` is {shown(value)}; expected {expected}{_meant_value(key, value)}"


def _meant_key(key: Key) -> str:
    name = str(key[-1])
    around = schema.node_of(key[:-1]).get("properties", {})
    if close := difflib.get_close_matches(name, around, n=1):
        return f"; did you mean `{close[0]}`?"
    homes = [row.section for row in schema.rows() if row.key == name]
    if homes:
        return f" here; it belongs to {_header(homes[0])}"
    return f"; known here: {', '.join(around)}" if around else ""


def _header(section: str) -> str:
    return "`[[check]]`" if section == "check" else f"`[{section}]`"


def _meant_value(key: Key, value: object) -> str:
    options = schema.node_of(key).get("enum", [])
    close = difflib.get_close_matches(value.lower(), options, n=1) if isinstance(value, str) else []
    return f"; did you mean {json.dumps(close[0])}?" if close else ""
