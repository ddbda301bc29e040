"""How a loop ends: status, stop reason, the one line that says it, the exit code (F10–F12, F17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ralph_hooks.gate.report import BLOCKED, COMPLETE, Report

BUDGET = "budget-limited"
FAILED = "failed"
CANCELLED = "cancelled"

EXIT_COMPLETE, EXIT_FAILED, EXIT_BLOCKED, EXIT_ROUNDS, EXIT_BOUND, EXIT_PROGRESS, EXIT_INFRASTRUCTURE = (
    0, 1, 3, 4, 5, 6, 7,
)  # fmt: skip
EXIT_INTERRUPT, EXIT_TERMINATED = 130, 143

WORKER_ONLY = "Completion and blockers are worker reports, not independent evaluation."
NO_HANDOFF = "No previous handoff was available."
TRUNCATED = "… [truncated]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """`line` says it in a sentence; `detail` may follow on lines of its own. `verified`: a check of ours decided."""

    status: str
    stop_reason: str
    line: str
    exit_code: int
    detail: str = ""
    verified: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a run comes to. Costs are dollars, `None` when nobody told; durations are seconds."""

    ending: Ending
    name: str
    rounds: int
    report: Report | None
    verdict: str
    seconds: float
    cost_usd: float | None
    tokens: int | None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "status": self.ending.status,
            "stop_reason": self.ending.stop_reason,
            "line": self.ending.line,
            "detail": self.ending.detail,
            "exit_code": self.ending.exit_code,
            "verified": self.ending.verified,
            "name": self.name,
            "rounds": self.rounds,
            "report": self.report.as_dict() if self.report else None,
            "verdict": self.verdict,
            "seconds": round(self.seconds, 3),
            "cost_usd": self.cost_usd,
            "tokens": self.tokens,
            "notes": list(self.notes),
        }


def counted(rounds: int) -> str:
    """`1 round`, `2 rounds`."""
    return "1 round" if rounds == 1 else f"{rounds} rounds"


def completed(rounds: int, *, verified: bool, changed: Sequence[str] = ()) -> Ending:
    """A worker reported complete, and either a check agreed or there was none to ask.

    A check that the rounds themselves redefined (`changed` says how) agrees, but verifies nothing.
    """
    detail = f"Not verified: {'; '.join(changed)}." if changed else WORKER_ONLY
    return Ending(
        status=COMPLETE,
        stop_reason="completed",
        line=f"Ralph completed after {counted(rounds)}.",
        exit_code=EXIT_COMPLETE,
        detail="" if verified and not changed else detail,
        verified=verified and not changed,
    )


def blocked(rounds: int, blocker: str, verdict: str) -> Ending:
    """A worker named a blocker; the verdict of the gate stands beside it and decides nothing."""
    beside = f"\nGate: {verdict}." if verdict else ""
    return Ending(
        status=BLOCKED,
        stop_reason="blocked",
        line=f"Ralph is blocked after {counted(rounds)}.",
        exit_code=EXIT_BLOCKED,
        detail=f"Blocker: {blocker}{beside}\n{WORKER_ONLY}",
    )


def round_limit(rounds: int, *, claimed: bool, decided: bool = True) -> Ending:
    """The last allowed round is over. `claimed`: its worker reported complete, and the gate did not agree."""
    what = "the worker reported complete, the gate is red." if claimed else "the worker reported work remaining."
    return Ending(
        status=BUDGET,
        stop_reason="claimed_red" if claimed else "round_limit",
        line=f"Ralph reached its {counted(rounds)} limit; {what}",
        exit_code=EXIT_ROUNDS,
        detail="" if decided else WORKER_ONLY,
    )


def bound(rounds: int, reason: str, what: str) -> Ending:
    """A bound of time, tokens or cost; `what` names it with its value and option."""
    line = f"Ralph reached its {what} after {counted(rounds)}."
    return Ending(status=BUDGET, stop_reason=reason, line=line, exit_code=EXIT_BOUND)


def going_nowhere(rounds: int, rule: str, what: str) -> Ending:
    """A progress rule stopped it; `what` says which."""
    line = f"Ralph stopped after {counted(rounds)}: {what}."
    return Ending(status=BUDGET, stop_reason=rule, line=line, exit_code=EXIT_PROGRESS)


def failed(failure: str, reason: str = "no_report", exit_code: int = EXIT_FAILED) -> Ending:
    """The workflow itself failed: no report, an infrastructure fault, a disk that is full."""
    return Ending(status=FAILED, stop_reason=reason, line=f"Ralph workflow failed: {failure}", exit_code=exit_code)


def infrastructure(failure: str, kind: str) -> Ending:
    """The agent could not work at all; no round was spent on it."""
    return failed(failure, kind, EXIT_INFRASTRUCTURE)


def child_failed(number: int, why: str, last: str) -> Ending:
    """The agent died before its report. `last` is the last good handoff as text, or ""."""
    line = f"Ralph round {number} child failed before producing a structured report. {why}".rstrip()
    detail = f"Last successful handoff:\n{last}" if last else NO_HANDOFF
    return Ending(status=FAILED, stop_reason="child_failed", line=line, exit_code=EXIT_FAILED, detail=detail)


def cancelled(exit_code: int = EXIT_INTERRUPT) -> Ending:
    """A person, a signal or the calling turn stopped it; the agent's tree is dead."""
    line = "Ralph workflow was cancelled"
    return Ending(status=CANCELLED, stop_reason="cancelled", line=line, exit_code=exit_code)


def cut(text: str, most: int) -> str:
    """At most `most` characters; what was cut is marked inside them (F12)."""
    return text if len(text) <= most else text[: most - len(TRUNCATED)] + TRUNCATED


def text_of(result: Result, report_json: str, most: int) -> str:
    """The closing result as text, at most `most` characters."""
    parts = [result.ending.line, result.ending.detail, *result.notes]
    if report_json and "Last successful handoff:" not in result.ending.detail:
        parts.append(f"Last report:\n{report_json}")
    return cut("\n".join(part for part in parts if part), most)
