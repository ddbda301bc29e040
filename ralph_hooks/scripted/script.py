"""What a scripted model answers: steps in order, then one closing step for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ralph_hooks.scripted.request import Request


@dataclass(frozen=True)
class Say:
    text: str


@dataclass(frozen=True)
class Call:
    """A tool call. An empty `tool` means "the client's own shell tool", with `arguments["command"]`."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Error:
    """An HTTP error. `detail` goes into the error object, `headers` into the response."""

    status: int
    message: str = ""
    kind: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Break:
    """Some text, then the connection is cut (or, with `silent`, stays open without another byte)."""

    text: str = ""
    silent: bool = False


Block: TypeAlias = Say | Call
Answer: TypeAlias = Block | Error | Break | Sequence[Block]
Step: TypeAlias = Answer | Callable[[Request], Answer]


def say(text: str) -> Say:
    """Text; on its own it ends the turn."""
    return Say(text)


def call(tool: str, **arguments: object) -> Call:
    """Call a tool by the client's name for it."""
    return Call(tool, arguments)


def shell(command: str, *, background: bool = False) -> Call:
    """Run a command with whatever shell tool the client offers."""
    return Call("", {"command": command, "background": background})


def error(
    status: int,
    message: str = "",
    *,
    kind: str = "",
    retry_after: float | None = None,
    headers: Mapping[str, str] | None = None,
    detail: Mapping[str, Any] | None = None,
) -> Error:
    """Refuse the request; `kind` defaults to what the vendor's API says for this status."""
    extra = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return Error(status, message, kind, {**extra, **(headers or {})}, detail or {})


def close(text: str = "") -> Break:
    """Cut the connection, after this text when there is one."""
    return Break(text)


def hang(text: str = "") -> Break:
    """Never answer (or never finish, after this text); the server's end lets go."""
    return Break(text, silent=True)


class Script:
    """Steps played in order; `then` answers whatever comes after the last one. Safe to share between threads."""

    def __init__(self, steps: Sequence[Step] = (), *, then: Step = Say("Done.")) -> None:
        self.steps = list(steps)
        self.then = then
        self.played = 0
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Answer:
        """The next answer. A callable step is shown the request; what it raises goes to the caller."""
        with self._lock:
            step = self.steps[self.played] if self.played < len(self.steps) else self.then
            self.played += 1
        return step(request) if callable(step) else step

    @property
    def left(self) -> int:
        """Steps that nobody has asked for yet."""
        return max(0, len(self.steps) - self.played)
