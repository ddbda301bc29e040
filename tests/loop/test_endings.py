"""Endings say themselves in the published words and leave with their own exit codes (F8, F10–F12, F17)."""

from __future__ import annotations

import pytest

from ralph_hooks.gate.report import Report
from ralph_hooks.loop import endings
from ralph_hooks.loop.endings import Ending, Result, cut, text_of

WORKER = "Completion and blockers are worker reports, not independent evaluation."


@pytest.mark.parametrize(
    ("ending", "status", "code", "text"),
    [
        (endings.completed(1, verified=True), "complete", 0, "Ralph completed after 1 round."),
        (endings.completed(2, verified=True), "complete", 0, "Ralph completed after 2 rounds."),
        (endings.completed(2, verified=False), "complete", 0, f"Ralph completed after 2 rounds.\n{WORKER}"),
        (endings.blocked(1, "no key", "RED"), "blocked", 3,
         f"Ralph is blocked after 1 round.\nBlocker: no key\nGate: RED.\n{WORKER}"),
        (endings.round_limit(3, claimed=False), "budget-limited", 4,
         "Ralph reached its 3 rounds limit; the worker reported work remaining."),
        (endings.round_limit(1, claimed=True), "budget-limited", 4,
         "Ralph reached its 1 round limit; the worker reported complete, the gate is red."),
        (endings.round_limit(1, claimed=False, decided=False), "budget-limited", 4,
         f"Ralph reached its 1 round limit; the worker reported work remaining.\n{WORKER}"),
        (endings.bound(2, "max_seconds", "total time of 60 s (--max-seconds)"), "budget-limited", 5,
         "Ralph reached its total time of 60 s (--max-seconds) after 2 rounds."),
        (endings.going_nowhere(4, "oscillation", "it turns"), "budget-limited", 6,
         "Ralph stopped after 4 rounds: it turns."),
        (endings.failed("no report"), "failed", 1, "Ralph workflow failed: no report"),
        (endings.infrastructure("not logged in", "auth_failure"), "failed", 7, "Ralph workflow failed: not logged in"),
        (endings.child_failed(3, "It was killed.", ""), "failed", 1,
         "Ralph round 3 child failed before producing a structured report. It was killed.\n"
         "No previous handoff was available."),
        (endings.child_failed(3, "", '{"state": "continue"}'), "failed", 1,
         "Ralph round 3 child failed before producing a structured report.\n"
         'Last successful handoff:\n{"state": "continue"}'),
        (endings.cancelled(), "cancelled", 130, "Ralph workflow was cancelled"),
        (endings.cancelled(143), "cancelled", 143, "Ralph workflow was cancelled"),
    ],
)  # fmt: skip
def test_endings(ending: Ending, status: str, code: int, text: str) -> None:
    assert (ending.status, ending.exit_code) == (status, code)
    assert "\n".join(part for part in (ending.line, ending.detail) if part) == text


def test_the_result_is_cut_inside_its_cap() -> None:
    result = Result(
        ending=endings.completed(1, verified=True), name="x", rounds=1, report=Report("complete", [], ["e"]),
        verdict="GREEN", seconds=1.0, cost_usd=None, tokens=None,
    )  # fmt: skip
    text = text_of(result, "r" * 20000, 16384)
    assert len(text) == 16384
    assert text.startswith("Ralph completed after 1 round.\nLast report:\nrrr")
    assert text.endswith("… [truncated]")


@pytest.mark.parametrize(("text", "most", "expected"), [("abc", 3, "abc"), ("x" * 20, 15, "xx… [truncated]")])
def test_cut(text: str, most: int, expected: str) -> None:
    assert cut(text, most) == expected
