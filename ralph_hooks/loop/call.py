"""One call of the loop, checked before any round starts (F1–F3): a refusal starts nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ralph_hooks.errors import EXIT_USAGE, RalphError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph_hooks.plan.config import Loop

MAX_SAFE_INTEGER = 2**53 - 1
DEFAULT_ROUNDS = 256
TOOL_FIELDS = ("objective", "maxRounds")
WITHOUT_OBJECTIVE = "say what is to be true in the end; `ralph-hooks init` lays out a PROMPT.md for `--file PROMPT.md`"
NO_AGENT = "Ralph tool requires a calling agent (exec.agent was undefined)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What ends a run early. Seconds, tokens and dollars; 0 = no bound. `tolerate` is a number of rounds in a row."""

    round_timeout: float = 3600.0
    idle_timeout: float = 900.0
    max_seconds: float = 0.0
    max_tokens: int = 0
    max_cost_usd: float = 0.0
    no_progress: int = 0
    oscillation: int = 0
    regression: int = 0
    tolerate: int = 0
    wait_for_limits: float = 0.0
    grace: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Everything a run is started with; it does not change while the run goes on.

    `root` is the directory that the rounds work in; `branch` is "" for the current one.
    """

    root: str
    objective: str
    max_rounds: int
    name: str
    provider: str
    bounds: Bounds = field(default_factory=Bounds)
    arguments: tuple[str, ...] = ()
    resume: bool = False
    verify: bool = True
    gate_inside: bool = True
    commit: bool = False
    branch: str = ""
    isolate: bool = False


class RefusedError(RalphError):
    """The call is refused; nothing was started."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, EXIT_USAGE)


def objective_of(value: object) -> str:
    """The objective, or a refusal (F1). Surrounding blank lines are not part of it, nor bytes that are no text."""
    if not isinstance(value, str) or not value.strip():
        raise RefusedError("Ralph objective must be a non-empty string", WITHOUT_OBJECTIVE)
    return value.strip().encode("utf-8", "replace").decode("utf-8")


def rounds_of(value: object, loop: Loop) -> int:
    """The most rounds of this run (F2). `None` takes the config's `max_rounds`, or 256, below the ceiling."""
    ceiling = loop.round_ceiling
    if value is None:
        return min(loop.max_rounds or DEFAULT_ROUNDS, ceiling)
    number = _whole(value)
    if number is None or not 1 <= number <= MAX_SAFE_INTEGER:
        raise RefusedError("Ralph maxRounds must be a positive safe integer", "a whole number, as in --max-rounds 8")
    if number > ceiling:
        raise RefusedError(
            f"Ralph maxRounds {number} exceeds the deployment ceiling {ceiling}",
            "a person may raise `round_ceiling` under [loop] in the config",
        )
    return number


def _whole(value: object) -> int | None:
    """The whole number that a flag's text or a JSON value is; `5.0` in JSON is the number 5."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 16:
        return int(value)
    return None


def tool_call(arguments: Mapping[str, Any]) -> tuple[object, object]:
    """Objective and rounds of an MCP call, fields checked by name only (F23). Raises `RefusedError`."""
    for key in arguments:
        if key not in TOOL_FIELDS:
            raise RefusedError(f"Ralph takes no field `{key[:40]}`; its fields are {', '.join(TOOL_FIELDS)}")
    return arguments.get("objective"), arguments.get("maxRounds")


def name_of(objective: str) -> str:
    """A directory name for an objective: the words of its first line with text in them."""
    line = next((line for line in objective.splitlines() if any(c.isalnum() for c in line)), "")
    words = "".join(c.lower() if c.isascii() and c.isalnum() else " " for c in line).split()
    name = ""
    for word in words:
        if name and len(name) + len(word) > 40:
            break
        name = f"{name}-{word}" if name else word[:40]
    return name or "loop"


def checked_name(name: str) -> str:
    """A name that a person gave, or a refusal: it becomes a directory below `.ralph/`."""
    good = name and len(name) <= 80 and all(c.isascii() and (c.isalnum() or c in "-_.") for c in name)
    if not good or name[0] in ".-":
        shown = "".join(c if c.isprintable() else "?" for c in name[:80])
        raise RefusedError(
            f"`{shown}` cannot name a loop", "use letters, digits, `-`, `_` and `.`, a letter or digit first"
        )
    return name
