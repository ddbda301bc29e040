"""What a running loop tells: events for the live view, the plain lines, `--json`, and whoever embeds it."""

from __future__ import annotations

from typing import Any, Protocol

STARTED = "started"
NOTE = "note"
ROUND = "round"
ACTION = "action"
CHECKING = "checking"
WAITING = "waiting"
FINISHED = "finished"
ENDED = "ended"


class Events(Protocol):
    """Called with the kind of event and its facts, plain JSON values. It must not raise and should not take long."""

    def __call__(self, kind: str, /, **facts: Any) -> None: ...


def silent(kind: str, /, **facts: Any) -> None:
    """Tell nobody."""
