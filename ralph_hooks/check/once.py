"""One run of all checks over one content of the tree: what the hook, `check`, the loop's driver and `verify` call.

digest -> remembered? -> the checkout's lock -> run -> digest again -> remember. What lies behind the question is in
`anew`, so that remembered green loads none of it.
"""

from __future__ import annotations

import time

from ralph_hooks.check import memory
from ralph_hooks.check.verdict import GREEN, CheckResult, Run
from ralph_hooks.check.watch import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.locate import Project


def judge(
    project: Project, plan: Plan, *, deadline: float | None = None, force: bool = False, watch: Watch | None = None
) -> Run:
    """Run the checks of `plan`, or take what is remembered for this very content.

    `deadline` is on the monotonic clock; `force` looks nothing up. Raises `Busy` when another run holds the checkout
    for too long, `Cancelled` when `watch.cancel` fires.
    """
    recall = memory.Recall(project, plan, force=force, deadline=deadline)
    if recall.whole:
        return _remembered_run(plan, recall)
    from ralph_hooks.check.anew import run_anew

    return run_anew(project, plan, recall, watch or Watch(), deadline=deadline, adopt=not force)


def _remembered_run(plan: Plan, recall: memory.Recall) -> Run:
    run = Run("", time.time())
    run.checks = [remembered(check.name) for check in plan.check]
    run.digest_before = run.digest_after = recall.digest
    run.receipt_digest = recall.receipt
    return run


def remembered(name: str) -> CheckResult:
    """The result of a check that was green on this content before."""
    return CheckResult(name, GREEN, "already green on this content", remembered=True)
