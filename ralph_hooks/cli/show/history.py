"""What the ledger says: the state of every session, the last run, whether somebody left red behind. Pure."""

from __future__ import annotations

import calendar
import time
from collections.abc import Iterable
from typing import Any

from ralph_hooks.check.verdict import PASSES
from ralph_hooks.gate.decision import BLOCK, RELEASED_RED, SKIP, UNVERIFIED

OPEN = (RELEASED_RED, UNVERIFIED)


class Session:
    """One session, or one subagent of it, as its ledger lines tell. `last` is its last line that decided something."""

    def __init__(self, session: str, agent: str) -> None:
        self.session = session
        self.agent = agent
        self.last: dict[str, Any] = {}
        self.open = ""

    @property
    def name(self) -> str:
        """The session's id, and the subagent's after a slash."""
        return f"{self.session}/{self.agent}" if self.agent else self.session


class History:
    """The ledger read once, from its oldest line to its newest."""

    def __init__(self, records: Iterable[dict[str, Any]] = ()) -> None:
        self.sessions: dict[tuple[str, str], Session] = {}
        self.last_run: dict[str, Any] | None = None
        for record in records:
            self.add(record)

    def add(self, record: dict[str, Any]) -> None:
        """Take in one more line."""
        decision = record.get("decision") or ""
        if checks_of(record):
            self.last_run = record
        if is_green(record):
            for known in self.sessions.values():
                known.open = ""
        if decision in (BLOCK, SKIP, "ALLOW", *OPEN):
            session = self._session(record)
            if decision != SKIP or not session.last:
                session.last = record
            if decision in (BLOCK, *OPEN):
                session.open = f"{decision}({record.get('reason', '')})" if decision in OPEN else ""

    def _session(self, record: dict[str, Any]) -> Session:
        key = (str(record.get("session") or ""), str(record.get("agent") or ""))
        # moved to the end: the sessions stand in the order of their last lines
        session = self.sessions.pop(key, None) or Session(*key)
        self.sessions[key] = session
        return session

    @property
    def left_open(self) -> list[Session]:
        """The sessions that were let go without a green suite, with none since."""
        return [session for session in self.sessions.values() if session.open]


def is_green(record: dict[str, Any]) -> bool:
    """Whether this line says that all approved checks were green: run now, or remembered."""
    if record.get("decision") in OPEN or record.get("only") or record.get("unsealed"):
        return False
    return record.get("verdict") in PASSES or record.get("reason") == "already green"


def checks_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The checks of a line's run; none for a line without one."""
    checks = record.get("checks")
    return [check for check in checks if isinstance(check, dict)] if isinstance(checks, list) else []


def duration(record: dict[str, Any]) -> float:
    """How long a run or a check took, in seconds; 0.0 when the line does not say."""
    value = record.get("duration_s")
    return float(value) if isinstance(value, (int, float)) and 0 <= value < 1e9 else 0.0


def epoch(record: dict[str, Any]) -> float:
    """When a line was written, as seconds since 1970; 0.0 when it does not say."""
    try:
        return float(calendar.timegm(time.strptime(str(record["at"])[:19], "%Y-%m-%dT%H:%M:%S")))
    except (KeyError, ValueError):
        return 0.0
