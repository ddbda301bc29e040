"""The options of a call, made from the model: names, ranges and defaults are written once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from ralph_hooks import files
from ralph_hooks.cli import common
from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.evolve.call import Call
from ralph_hooks.evolve.refusal import must_be, parse_call

Function = Callable[..., Any]
SEED = "seed"
TOGGLES = ("execute", "parallel", "skip_qa")
NUMBERS = ("max_generations", "per_iteration_timeout_seconds", "max_total_seconds", "oscillation_window",
           "grade_regression_window")  # fmt: skip
JSON = ("checkpoint_commits", "checkpoint_attempted_ac_ids", "conductor_directive")


def call_options(function: Function) -> Function:
    """Add one option per field; what was given arrives in `given` as a dict without the fields left out."""
    for name in reversed(Call.model_fields):
        function = _option(name)(function)
    return click.option("--seed", SEED, metavar="FILE", help="Read `seed_content` from a file (`-` = stdin).")(function)


def _option(name: str) -> Callable[[Function], Function]:
    info = Call.model_fields[name]
    flag = f"--{name.replace('_', '-')}"
    default = info.get_default(call_default_factory=True)
    words = f"{info.description} "
    if name in TOGGLES:
        words += f"Default: {'yes' if default else 'no'}."
        return click.option(f"{flag}/--no-{flag[2:]}", name, default=None, help=words)
    words += (
        f"[{must_be(Call, name)}"
        + ("" if name == "lineage_id" or default in (None, []) else f"; default {default}")
        + "]"
    )
    return click.option(flag, name, metavar="JSON" if name in JSON else "VALUE", help=words)


def read_call(options: dict[str, Any]) -> Call:
    """The call that the options state. Raises `RalphError`; ranges and kinds are the model's business."""
    seed = options.pop(SEED, None)
    data = {
        name: _value(name, value) for name, value in options.items() if name in Call.model_fields and value is not None
    }
    if seed is not None:
        if "seed_content" in data:
            raise RalphError("`--seed` and `--seed-content` are the same field", exit_code=EXIT_USAGE)
        data["seed_content"] = _read(seed)
    return parse_call(data)


def _value(name: str, value: Any) -> Any:
    if name in NUMBERS:
        return _number(value)
    return json_or_text(value) if name in JSON else value


def json_or_text(value: str) -> Any:
    """The JSON value that a text holds; what is no JSON stays text, and the model refuses it by name."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _read(path: str) -> str:
    try:
        return (common.standard_input() if path == "-" else files.read_bytes(path)).decode("utf-8")
    except OSError as error:
        hint = "`ralph-hooks evolve --example > seed.yaml` writes a seed to start from"
        raise RalphError(f"the seed `{path}` cannot be read: {error.strerror}", hint, EXIT_USAGE) from None
    except UnicodeDecodeError as error:
        hint = "`iconv -t UTF-8` translates it"
        raise RalphError(f"the seed `{path}` is not UTF-8 at byte {error.start}", hint, EXIT_USAGE) from None
