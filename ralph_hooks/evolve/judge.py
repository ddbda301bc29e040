"""The checks of one generation: the project's own through `judge`, each criterion's through the same runner."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from ralph_hooks.check.run import Plot, Watch, run_checks
from ralph_hooks.check.verdict import CANNOT_RUN, GREEN, NO_TESTS, PASSES, RED, TIMEOUT, CheckResult
from ralph_hooks.evolve.findings import Finding, error_class, steady
from ralph_hooks.evolve.prompt import trimmed
from ralph_hooks.evolve.qa import Outcome
from ralph_hooks.evolve.seed import Criterion
from ralph_hooks.plan.config import Check
from ralph_hooks.plan.locate import Project

TAIL_CHARS = 3000
OWN_VERDICTS = (TIMEOUT, NO_TESTS, CANNOT_RUN)


def project_outcomes(project: Project, packed: dict[str, str] | None, deadline: float) -> list[Outcome]:
    """The project's checks, under the plan that was fixed when the job began."""
    if packed is None:
        return []
    from ralph_hooks.check.lock import Busy
    from ralph_hooks.check.once import judge
    from ralph_hooks.plan.compiled import build

    plan = build(packed)
    if not plan.check:
        return []
    try:
        run = judge(project, plan, deadline=deadline)
    except Busy as busy:
        return [Outcome(name="checks", verdict=CANNOT_RUN, why=str(busy))]
    return [outcome_of(result) for result in run.checks]


def criteria_outcomes(criteria: Sequence[Criterion], root: str, run_id: str, options: dict[str, Any]) -> list[Outcome]:
    """Each criterion that has a check of its own. `options`: `parallel`, `deadline` (monotonic), `logs` (a folder)."""
    own = [criterion for criterion in criteria if criterion.checkable]
    commands = [criterion for criterion in own if criterion.verify_command is not None]
    plot = Plot(root, run_id, options["logs"], options["deadline"])
    plot.parallel = options["parallel"]
    seconds = max(1.0, options["deadline"] - time.monotonic())
    checks = [
        Check(name=one.id, run=one.verify_command or "", timeout_s=seconds, min_tests=0, format="auto")
        for one in commands
    ]
    results = {result.name: result for result in run_checks(checks, plot, Watch())} if checks else {}
    return [_criterion(one, results.get(one.id), root) for one in own]


def _criterion(criterion: Criterion, result: CheckResult | None, root: str) -> Outcome:
    missing = [path for path in criterion.expected_artifacts if not os.path.exists(os.path.join(root, path))]
    text = _tail(result) if result else ""
    verdict = result.verdict if result else GREEN
    why = result.why if result and verdict not in PASSES else ""
    findings = outcome_of(result).findings if result and verdict not in PASSES else ()
    if verdict in PASSES and missing:
        verdict, why = RED, f"missing: {', '.join(missing)}"
        findings = tuple(Finding(f"{criterion.id}: {path}", "missing") for path in missing)
    if verdict in PASSES and criterion.output_assertion and criterion.output_assertion not in text:
        verdict, why = RED, f"its output does not contain {criterion.output_assertion!r}"
    return Outcome(name=criterion.id, verdict=verdict, findings=findings, text=text, why=why, criterion=True)


def outcome_of(result: CheckResult) -> Outcome:
    """A check's result, as QA takes it."""
    evidence = result.evidence
    total = evidence.executed if evidence else None
    passed = None if total is None or evidence is None else total - evidence.failing
    findings: tuple[Finding, ...] = ()
    if result.verdict not in PASSES:
        if evidence and evidence.failures and result.verdict not in OWN_VERDICTS:
            findings = tuple(Finding(one.id, error_class(one.text, result.verdict)) for one in evidence.failures)
        else:
            findings = (Finding(result.name, result.verdict),)
    return Outcome(
        name=result.name,
        verdict=result.verdict,
        passed=passed,
        total=total,
        findings=findings,
        text=_tail(result) if findings else "",
        why=result.why,
    )


def _tail(result: CheckResult) -> str:
    from ralph_hooks.check.evidence import text

    return trimmed(text.clean(result.tail), TAIL_CHARS)


def evidence_text(outcomes: Sequence[Outcome]) -> str:
    """The trimmed output of what fails, for the next agent; the commands behind it are not shown."""
    parts = [f"[{outcome.name}]\n{outcome.text}" for outcome in outcomes if not outcome.ok and outcome.text]
    return trimmed("\n\n".join(parts))


__all__ = ["criteria_outcomes", "evidence_text", "outcome_of", "project_outcomes", "steady"]
