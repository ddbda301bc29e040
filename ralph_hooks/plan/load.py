"""Reading a config: TOML text in, a valid `Config` out, or an error that names line, key and value."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from typing import Any

from pydantic import ValidationError

from ralph_hooks import files
from ralph_hooks.plan import rules, schema
from ralph_hooks.plan.config import Config
from ralph_hooks.plan.diagnose import ConfigError, Problem, problems_of
from ralph_hooks.plan.locate import PYPROJECT
from ralph_hooks.plan.positions import Key, line_of, lines_of

__all__ = ["ConfigError", "load", "parse", "read_text"]

MAX_BYTES = 1 << 20


def load(path: str) -> Config:
    """The config in a file. Raises `ConfigError`."""
    return parse(read_text(path), path)


def read_text(path: str) -> str:
    """The text of a config file. Raises `ConfigError` when there is none to be had."""
    name = _short(path)
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise ConfigError([f"{name}: is a directory; expected a TOML file"])
        if not stat.S_ISREG(found.st_mode):
            raise ConfigError([f"{name}: is not a regular file; expected a TOML file"])
        if found.st_size > MAX_BYTES:
            raise ConfigError([f"{name}: has {found.st_size} bytes; a config has at most {MAX_BYTES}"])
        data = files.read_bytes(path)
    except OSError as error:
        raise ConfigError([f"{name}: cannot be read: {error.strerror or error}"]) from None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{name}:{line}: byte 0x{data[error.start]:02x} is not UTF-8, which TOML must be"]) from None


def parse(text: str, path: str) -> Config:
    """The config in a text. `path` is for messages, and its name tells whether a `[tool.ralph-hooks]` is meant.

    Raises `ConfigError` with every problem, in the order of their lines.
    """
    text = text.removeprefix("\ufeff")
    name = _short(path)
    prefix: Key = ("tool", "ralph-hooks") if os.path.basename(path) == PYPROJECT else ()
    data = _section(_toml(text, name), prefix, name)
    try:
        config = rules.named(schema.adapter().validate_json(json.dumps(data, default=_foreign)))
    except RecursionError:
        raise ConfigError([f"{name}: is nested too deeply"]) from None
    except ValidationError as error:
        raise _error(problems_of(error.errors(include_url=False), data), (text, name, prefix)) from None
    if found := rules.problems(config):
        raise _error(found, (text, name, prefix))
    return config


def _toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError([f"{name}: is nested too deeply"]) from None
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).removesuffix(")").rpartition(" (at ")
        line, _, column = place.removeprefix("line ").partition(", column ")
        where = f"{line}:{column}" if line.isdigit() else str(text.rstrip().count("\n") + 1)
        text = f"{name}:{where}: not TOML: {message[:1].lower()}{message[1:]}"
        raise ConfigError([text], hint="see https://toml.io") from None
    except ValueError:  # more digits than Python reads
        raise ConfigError([f"{name}: holds a number of thousands of digits"]) from None


def _section(data: dict[str, Any], prefix: Key, name: str) -> dict[str, Any]:
    here: Any = data
    for part in prefix:
        here = here.get(part) if isinstance(here, dict) else None
    if not isinstance(here, dict):
        raise ConfigError([f"{name}: has no table `[tool.ralph-hooks]`"])
    return here


def _foreign(value: object) -> object:
    """A date or time fits nowhere in a config: as a table it is refused wherever it stands."""
    return {str(value): None}


def _error(problems: list[Problem], source: tuple[str, str, Key]) -> ConfigError:
    text, name, prefix = source
    lines = lines_of(text)
    placed = sorted((line_of(lines, prefix + problem.key), problem.text) for problem in problems)
    return ConfigError([f"{name}:{line}: {words}" if line else f"{name}: {words}" for line, words in placed])


def _short(path: str) -> str:
    """A path below the working directory, as a person there would write it."""
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:
        return path
    return path.removeprefix(here)
