"""One fresh agent round, seen from a generation: a prompt in, how it ended out. What the agent said is not asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCall:
    """`deadline` is on the monotonic clock; `logs` is a folder for logs; `act` hears what the agent does."""

    prompt: str
    root: str
    run_id: str
    provider: str
    command: list[str]
    arguments: list[str]
    deadline: float
    logs: str
    act: Callable[[str], None] = lambda action: None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnd:
    """`died` = not a normal end (exit code, signal); `never_ran` = it could not start or never got to work."""

    died: bool = False
    never_ran: bool = False
    infrastructure: bool = False
    words: str = ""
    cost_usd: float | None = None


class RoundRunner(Protocol):
    """Runs one round to its end, its process tree gone afterwards."""

    def __call__(self, call: RoundCall) -> RoundEnd: ...
