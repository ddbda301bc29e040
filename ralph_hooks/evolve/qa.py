"""QA of one generation: the project's checks and the criteria's own, never the agent's word (E3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ralph_hooks.check.verdict import CANNOT_RUN, NO_TESTS, PASSES, TIMEOUT
from ralph_hooks.evolve.findings import Finding

PASS = "pass"  # noqa: S105
FAIL = "fail"
SHOWN_IDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One check or one criterion. Counts are tests; `None` where nobody counted. `text` is trimmed output."""

    name: str
    verdict: str
    passed: int | None = None
    total: int | None = None
    findings: tuple[Finding, ...] = ()
    text: str = ""
    why: str = ""
    criterion: bool = False

    @property
    def ok(self) -> bool:
        """Whether it passed."""
        return self.verdict in PASSES


@dataclass(frozen=True, slots=True, kw_only=True)
class QA:
    """The answer that a generation gets."""

    passed: bool
    verdict: str
    score: float | None
    pass_threshold: float
    differences: list[str] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)


def assess(outcomes: Sequence[Outcome], threshold: float) -> QA:
    """Put the outcomes together. Nothing checked is never a pass."""
    score = _score(outcomes)
    verdict = PASS if outcomes and all(outcome.ok for outcome in outcomes) else FAIL
    differences = [_difference(outcome) for outcome in outcomes if not outcome.ok]
    if not outcomes:
        differences.append("nothing was checked")
    if verdict == PASS and score is not None and score < threshold:
        differences.append(f"score {score:.3f} is below the pass threshold {threshold:g}")
    numbers: dict[str, Any] = {"verdict": verdict, "score": score, "passed": verdict == PASS}
    return QA(
        passed=passes(numbers, threshold),
        verdict=verdict,
        score=score,
        pass_threshold=threshold,
        differences=differences,
        suggestions=[_suggestion(outcome) for outcome in outcomes if not outcome.ok],
    )


def passes(qa: Mapping[str, Any], threshold: float) -> bool:
    """A pass needs the verdict `pass` and no number or flag that contradicts it."""
    if qa.get("verdict") != PASS or qa.get("passed", True) is not True:
        return False
    score = qa.get("score")
    if score is None:
        return True
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return False
    return math.isfinite(score) and threshold <= score <= 1


def cannot_run(outcomes: Sequence[Outcome]) -> str:
    """Why the project's own checks could not run, or "". A criterion's program may not exist yet: that is a failure."""
    return "; ".join(
        f"{outcome.name}: {outcome.why or 'could not be run'}"
        for outcome in outcomes
        if outcome.verdict == CANNOT_RUN and not outcome.criterion
    )


def findings_of(outcomes: Sequence[Outcome]) -> list[Finding]:
    """Everything that fails; a check that names nothing counts under its own name and verdict."""
    found: list[Finding] = []
    for outcome in outcomes:
        if not outcome.ok:
            found.extend(outcome.findings or (Finding(outcome.name, outcome.verdict),))
    return found


def counted_tests(outcomes: Sequence[Outcome]) -> int | None:
    """How many tests the project's checks ran, or `None` when one did not count."""
    totals = [outcome.total for outcome in outcomes if not outcome.criterion]
    counted = [total for total in totals if total is not None]
    return sum(counted) if totals and len(counted) == len(totals) else None


def _score(outcomes: Sequence[Outcome]) -> float | None:
    passed = total = 0
    for outcome in outcomes:
        if outcome.criterion:
            passed, total = passed + outcome.ok, total + 1
        elif outcome.passed is not None and outcome.total is not None:
            passed, total = passed + outcome.passed, total + outcome.total
    return passed / total if total else None


def _difference(outcome: Outcome) -> str:
    if outcome.verdict == TIMEOUT:
        return f"{outcome.name}: did not finish in time{_why(outcome)}"
    if outcome.verdict == NO_TESTS:
        return f"{outcome.name}: ran no tests{_why(outcome)}"
    ids = [finding.id for finding in outcome.findings]
    more = f" (+{len(ids) - SHOWN_IDS} more)" if len(ids) > SHOWN_IDS else ""
    return f"{outcome.name}: fails" + (f": {', '.join(ids[:SHOWN_IDS])}{more}" if ids else _why(outcome))


def _why(outcome: Outcome) -> str:
    return f" ({outcome.why})" if outcome.why else ""


def _suggestion(outcome: Outcome) -> str:
    words = {
        TIMEOUT: "find out what hangs or waits for input, and fix that",
        NO_TESTS: "make sure that the command collects and runs at least one test",
    }
    if outcome.findings and outcome.verdict not in words:
        return f"{outcome.name}: fix `{outcome.findings[0].id}` first"
    return f"{outcome.name}: {words.get(outcome.verdict, 'make it pass')}"
