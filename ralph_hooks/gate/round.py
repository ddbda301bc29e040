"""Round mode (F6): what the Stop hook does inside a round that a loop's driver started.

Only two things are blocked: a final message that is not the report (at most twice a round), and `complete` on a red
tree, which the rest of the line judges. `continue` and `blocked` end the round whatever the tree: the next failure
meets a fresh context.
"""

from __future__ import annotations

import os

from ralph_hooks import fastjson, files
from ralph_hooks.gate.decision import ALLOW, BLOCK, SKIP, Decision
from ralph_hooks.gate.owner import Driver, from_dict
from ralph_hooks.gate.report import COMPLETE, MOST_CHARS, ReportError, parse
from ralph_hooks.process import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.gate.event import Event

VARIABLE = "RALPH_HOOKS_ROUND"
FORMAT_REFUSALS = 2
WAITS = 3
DEFAULTS: dict[str, Any] = {"round": 0, "most_chars": MOST_CHARS, "verify": True, "session": ""}
AGAIN = "Then end with the report again: your final message, whole, must be the report as JSON."
SHAPE = (
    '{"state": "continue" | "complete" | "blocked", "next_steps": [text], "evidence": [text], "blocker": text or null}'
)


class Round:
    """One round: which loop and which number, how long its report may be, and whether `complete` is verified."""

    __slots__ = ("driver", "most_chars", "number", "path", "session", "verify")

    def __init__(self, path: str, data: dict[str, Any], driver: Driver) -> None:
        self.path = path
        self.driver = driver
        known = {**DEFAULTS, **data}
        self.number: int = known["round"]
        self.most_chars: int = known["most_chars"]
        self.verify: bool = known["verify"]
        self.session: str = known["session"]


def current(event: Event) -> Round | None:
    """The round this stop belongs to: named by the environment, its driver alive and an ancestor of this process."""
    path = os.environ.get(VARIABLE, "")
    text = files.read_bytes_or_none(path) if path else None
    if text is None or event.name == "SubagentStop":
        return None
    try:
        data = fastjson.loads(text.decode("utf-8", "replace"))
    except fastjson.JsonError:
        return None
    driver = from_dict(data.get("driver")) if isinstance(data, dict) else None
    if driver is None or not _whole(data) or not driver.alive() or not table.is_ancestor(driver.pid):
        return None
    found = Round(path, data, driver)
    # an agent that the round's agent started is not the round
    return None if found.session and event.session and found.session != event.session else found


def _whole(data: dict[str, Any]) -> bool:
    return all(type(data.get(key, default)) is type(default) for key, default in DEFAULTS.items())


def consider(event: Event, found: Round) -> Decision | None:
    """The decision on a stop inside a round; `None` lets the checks decide, for `complete`."""
    try:
        report = parse(event.message, found.most_chars)
    except ReportError as error:
        return _no_report(event, found, str(error))
    if report.state == COMPLETE and found.verify:
        return None
    decision = Decision(ALLOW, f"round reported {report.state}")
    decision.record = _facts(found)
    return decision


def _no_report(event: Event, found: Round, why: str) -> Decision:
    waiting = bool(event.background)
    kind = _charge(found, waiting)
    decision = Decision(kind, "no report" if kind != SKIP else "background work in a round")
    decision.record = _facts(found)
    if kind == BLOCK:
        decision.feedback = (
            f"ralph-hooks: this round has not reported yet: {why}.\n"
            f"Your final message, whole, must be this JSON object and nothing else:\n{SHAPE}"
        )
    return decision


def _facts(found: Round) -> dict[str, object]:
    return {"loop": found.driver.name, "round": found.number}


def _charge(found: Round, waiting: bool) -> str:
    """Count this refusal before it is given; what cannot be counted is not refused."""
    from ralph_hooks.gate import short_lock

    path = f"{found.path}.refusals"
    try:
        fd = files.open_state(path, os.O_RDWR)
    except OSError:
        return ALLOW
    try:
        return _charged(fd, waiting) if short_lock.take(fd) else ALLOW
    except OSError:
        return ALLOW
    finally:
        os.close(fd)


def _charged(fd: int, waiting: bool) -> str:
    state = _state(os.pread(fd, 4096, 0))
    if waiting and state["waits"] < WAITS:
        state["waits"] += 1
        kind = SKIP
    elif state["refusals"] < FORMAT_REFUSALS:
        state["refusals"] += 1
        kind = BLOCK
    else:
        return ALLOW
    os.ftruncate(fd, 0)
    os.pwrite(fd, fastjson.dumps(state).encode(), 0)
    os.fsync(fd)
    return kind


def _state(text: bytes) -> dict[str, int]:
    try:
        data = fastjson.loads(text.decode("utf-8", "replace"))
    except fastjson.JsonError:
        data = None
    counts = data if isinstance(data, dict) else {}
    return {key: counts[key] if type(counts.get(key)) is int else 0 for key in ("refusals", "waits")}
