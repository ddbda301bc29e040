"""A run that is not remembered: under the checkout's lock, with the content's digest before and after."""

from __future__ import annotations

import os
import time

from ralph_hooks.check import memory
from ralph_hooks.check.identity import new_run_id
from ralph_hooks.check.lock import CheckoutLock, share
from ralph_hooks.check.once import remembered
from ralph_hooks.check.run import Plot, run_checks
from ralph_hooks.check.verdict import GREEN, CheckResult, Run
from ralph_hooks.check.watch import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.config import Check
    from ralph_hooks.plan.locate import Project

LOGS_KEPT = 50


def run_anew(
    project: Project, plan: Plan, recall: memory.Recall, watch: Watch, *, deadline: float | None, adopt: bool
) -> Run:
    """Run what is not remembered; `adopt` takes the result of a run that was waited for, if it judged the same."""
    run = Run(new_run_id(), time.time())
    begin = time.monotonic()
    with CheckoutLock(project.checkout, run.id, deadline, watch.cancel) as lock:
        if lock.waited and adopt and (shared := lock.shared(plan.digest, recall.refresh())):
            return shared
        run.digest_before = recall.digest
        _run(project, plan, run, (recall, watch, deadline))
        run.duration = time.monotonic() - begin
        share(project.checkout, plan.digest, run)
    return run


def _run(project: Project, plan: Plan, run: Run, around: tuple[memory.Recall, Watch, float | None]) -> None:
    recall, watch, deadline = around
    plot = Plot(project.root, run.id, os.path.join(project.state, "logs", run.id), deadline)
    plot.parallel, plot.fail_fast = plan.gate.parallel, plan.gate.fail_fast
    due = [check for check in plan.check if check.name not in recall.names]
    results = {result.name: result for result in run_checks(due, plot, Meanwhile(recall, watch, due, project.root))}
    if any(check.flaky_retry for check in due):
        _try_again(due, results, plot, (recall, watch))
    run.notes = _ratchet(project, plan, list(results.values()), learn=watch.may_remember)
    results.update({name: remembered(name) for name in recall.names})
    run.checks = [results[check.name] for check in plan.check if check.name in results]
    run.digest_after = recall.after()  # waits for a first digest that is made meanwhile
    run.digest_before = recall.digest
    run.receipt_digest, run.tracked_digest = recall.receipt, recall.tracked
    run.tools = recall.tools
    if watch.may_remember:
        recall.remember([check for check in due if check.name in results and results[check.name].verdict == GREEN], run)
    prune_logs(os.path.join(project.state, "logs"))


def _ratchet(project: Project, plan: Plan, results: list[CheckResult], *, learn: bool) -> list[str]:
    from ralph_hooks.check import ratchet

    return ratchet.hold(project, results, plan.guard, learn=learn)


def _try_again(
    due: list[Check], results: dict[str, CheckResult], plot: Plot, around: tuple[memory.Recall, Watch]
) -> None:
    from ralph_hooks.check import flaky

    recall, watch = around
    flaky.arbitrate(
        due,
        results,
        lambda: bool(recall.digest) and recall.after() == recall.digest,
        lambda check: next(iter(run_checks([check], plot, watch)), None),
    )


class Meanwhile(Watch):
    """The caller's watch, with our own slow work first while the check runs."""

    def __init__(self, recall: memory.Recall, watch: Watch, due: list[Check], root: str) -> None:
        self._recall = recall
        self._watch = watch
        self._due = due
        self._root = root
        self.cancel = watch.cancel
        self.tick_seconds = watch.tick_seconds
        self.started = watch.started  # type: ignore[method-assign]
        self.finished = watch.finished  # type: ignore[method-assign]
        self.tick = watch.tick  # type: ignore[method-assign]

    def meanwhile(self) -> None:
        self._recall.meanwhile(self._watch.load)
        self._watch.meanwhile()
        from ralph_hooks.check.outcome import prepare

        prepare(self._due, self._root)


def prune_logs(directory: str, keep: int = LOGS_KEPT) -> None:
    """Keep the newest runs' logs."""
    try:
        names = os.listdir(directory)
        if len(names) <= keep + 10:
            return
        old = sorted(names, key=lambda name: os.stat(os.path.join(directory, name)).st_mtime)[:-keep]
        for name in old:
            for log in os.listdir(os.path.join(directory, name)):
                os.unlink(os.path.join(directory, name, log))
            os.rmdir(os.path.join(directory, name))
    except OSError:
        pass  # another process prunes too
