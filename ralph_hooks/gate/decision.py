"""What a stop is answered with."""

from __future__ import annotations

ALLOW = "ALLOW"
BLOCK = "BLOCK"
SKIP = "SKIP"
RELEASED_RED = "RELEASED_RED"
UNVERIFIED = "UNVERIFIED"
CANCELLED = "cancelled"  # the reason of a stop that was told to end


class Decision:
    """A decision with its reason.

    `message` is for the person (shown by the client), `feedback` is for the agent (only with BLOCK),
    `record` are further fields of the ledger line. `silent` decisions leave no ledger line.
    """

    __slots__ = ("feedback", "kind", "message", "reason", "record", "silent")

    def __init__(
        self, kind: str, reason: str = "", *, message: str = "", feedback: str = "", silent: bool = False
    ) -> None:
        self.kind = kind
        self.reason = reason
        self.message = message
        self.feedback = feedback
        self.record: dict[str, object] = {}
        self.silent = silent

    def __str__(self) -> str:
        return f"{self.kind}({self.reason})" if self.reason else self.kind
