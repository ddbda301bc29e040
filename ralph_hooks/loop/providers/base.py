"""What a provider of agents is: how it starts one fresh process, and what it makes of what that process says."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ralph_hooks.loop.infra import Fault

REPORT_FILE = "RALPH_HOOKS_REPORT"
ROUND_FILE = "RALPH_HOOKS_ROUND"
RUN_MARK = "RALPH_LOOP_RUN"
# Marks of a session, not credentials and not settings: with them a client takes itself for a part of another one.
SESSION_MARKS = (
    "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT", "CLAUDE_PID", ROUND_FILE, REPORT_FILE, "RALPH_HOOKS_RUN_ID",
)  # fmt: skip
ACTION_CHARS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a provider can do. `cost` and `tokens`: it tells them; `cost_limit`: it takes a limit for one process."""

    structured_output: bool = True
    fresh: bool = True
    cost: bool = False
    tokens: bool = False
    cost_limit: bool = False
    gate_inside: bool = False
    report_file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One fresh process to start. `scratch` is a directory of this attempt alone, outside the repository.

    `round_file` is the state of round mode for the hook, "" without a gate inside; `hook_seconds` is how long that
    hook may take; `cost_left` is in dollars, 0 = no limit; `command` is `[loop] command` of the config.
    """

    cwd: str
    prompt: str
    scratch: str
    most_chars: int
    arguments: tuple[str, ...] = ()
    round_file: str = ""
    hook_seconds: float = 660.0
    cost_left: float = 0.0
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A process as it is to be started; `env` is added to the outer environment without the marks of a session."""

    argv: list[str]
    stdin: bytes
    env: dict[str, str] = field(default_factory=dict)
    report_file: str = ""


@dataclass(slots=True)
class Heard:
    """What the agent has said so far.

    `final` is its final message once its turn has ended, else `None`; `failure` is what the client says went wrong;
    `over_cost`: the client stopped at the limit it was given; `tools` counts uses of tools, `denied` names the
    refused ones; `session` is the client's id for this session.
    """

    final: str | None = None
    failure: str = ""
    fault: Fault | None = None
    over_cost: bool = False
    cost_usd: float | None = None
    tokens: int | None = None
    tools: int = 0
    denied: list[str] = field(default_factory=list)
    events: int = 0
    session: str = ""
    action: str = ""


class Listener(Protocol):
    """Follows one process."""

    heard: Heard

    def hear(self, line: bytes) -> None:
        """One line of its standard output."""

    def look(self) -> None:
        """Called now and then, and once after the end: for what is not said on standard output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One row of the registry. `refused` maps arguments that a person may not pass through to the reason."""

    name: str
    capabilities: Capabilities
    refused: dict[str, str]
    launch: Callable[[Order], Launch]
    listen: Callable[[Launch], Listener]
    gate_off: Callable[[str, Sequence[str]], str] = lambda cwd, arguments: ""


def agent_environment(launch: Launch, run_id: str) -> dict[str, str]:
    """The child's environment: the person's own, without the marks of a session."""
    env = {name: value for name, value in os.environ.items() if name not in SESSION_MARKS}
    return {**env, RUN_MARK: run_id, **launch.env}


def action(text: str) -> str:
    """One line for the person who watches: printable, short."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * ACTION_CHARS]).split())
    return line if len(line) <= ACTION_CHARS else line[: ACTION_CHARS - 1] + "…"


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def number_of(value: Any) -> float:
    """A count or an amount that a client tells; anything else is 0."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 else 0
