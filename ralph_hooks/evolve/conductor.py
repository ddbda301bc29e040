"""A conductor's directive: text for one corrective generation, decided beforehand and kept (E14)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.evolve.call import Call, canonical

# A directive adds work. It may not name a bound or a switch, nor ask for less checking in words.
_FIELDS = {*Call.model_fields, "pass_threshold", "stop_on_cycle", "lineage_cap", "verify_command", "checks", "run"}
_LESS = (
    r"skip|disabl\w+|ignor\w+|delet\w+|remov\w+|weaken\w*|relax\w*|lower\w*|bypass\w*|comment\w* out|turn\w* off|xfail"
)
_CHECKS = r"tests?|checks?|qa|gates?|thresholds?|criteri(?:a|on)|hooks?|assertions?|verification"
_RELAXING = re.compile(
    rf"\b(?:{_LESS})\b[^.\n]{{0,60}}\b(?:{_CHECKS})\b|\b(?:{_CHECKS})\b[^.\n]{{0,30}}\b(?:{_LESS})\b", re.I
)


def digest(directive: dict[str, Any]) -> str:
    """Of the canonical JSON, so that equal directives have equal digests."""
    return hashlib.sha256(canonical(directive)).hexdigest()


def check_directive(directive: dict[str, Any]) -> None:
    """Raises `RalphError` when it would relax what judges the work."""
    for where, value in _walk(directive, "conductor_directive"):
        key = where.rpartition(".")[2]
        if key in _FIELDS:
            raise _relaxing(f"`{where}` names a bound or a check")
        if isinstance(value, str) and (found := _RELAXING.search(value)):
            raise _relaxing(f"`{where}` says {found[0]!r}")


def check_decision(call: Call, stored: dict[str, str] | None) -> None:
    """The directive is the decided one, about the same predecessor. Raises `RalphError`."""
    if call.conductor_directive is None:
        return
    check_directive(call.conductor_directive)
    id = call.conductor_decision_id
    if stored is None:
        raise RalphError(
            f"`conductor_decision_id` is `{id}`, but no such decision is stored",
            hint="ralph-hooks evolve decide --help",
            exit_code=EXIT_USAGE,
        )
    if stored["digest"] != digest(call.conductor_directive):
        raise RalphError(f"`conductor_directive` is not what decision `{id}` says", exit_code=EXIT_USAGE)
    if stored["predecessor"] != call.predecessor_execution_id:
        raise RalphError(
            f"`predecessor_execution_id` is `{call.predecessor_execution_id}`, but decision `{id}` is about "
            f"`{stored['predecessor']}`",
            exit_code=EXIT_USAGE,
        )


def _walk(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield f"{where}.{key}", part
            yield from _walk(part, f"{where}.{key}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield f"{where}[{number}]", part
            yield from _walk(part, f"{where}[{number}]")


def _relaxing(why: str) -> RalphError:
    return RalphError(
        f"a directive may only add work, not relax what judges it: {why}",
        hint="say what is to be done instead",
        exit_code=EXIT_USAGE,
    )
