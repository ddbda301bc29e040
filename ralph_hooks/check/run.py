"""Run the checks of a plan and say how each ended. No memory, no locks, no budget: those are around it."""

from __future__ import annotations

import os
import time

from ralph_hooks.check.environment import check_id, environment, working_directory
from ralph_hooks.check.verdict import PASSES, TIMEOUT, CheckResult
from ralph_hooks.check.watch import Cancel, Cancelled, Watch
from ralph_hooks.process import tree
from ralph_hooks.process.output import Output, pipe
from ralph_hooks.process.spawn import Child, CouldNotStart, spawn, wait_any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.reports import Reports
    from ralph_hooks.plan.config import Check

GRACE = 2.0
CANCEL_GRACE = 0.3


class Plot:
    """Where and how long the checks of one run may run. `deadline` is on the monotonic clock."""

    __slots__ = ("deadline", "fail_fast", "log_dir", "parallel", "root", "run_id")

    def __init__(self, root: str, run_id: str, log_dir: str, deadline: float | None = None) -> None:
        self.root = root
        self.run_id = run_id
        self.log_dir = log_dir
        self.deadline = deadline
        self.parallel = False
        self.fail_fast = False


class Running:
    """One check from its start to its result."""

    def __init__(self, check: Check, plot: Plot) -> None:
        self.check = check
        self._plot = plot
        self._begin = time.monotonic()
        own = self._begin + check.timeout_s
        self.deadline = own if plot.deadline is None else min(own, plot.deadline)
        self.reports = _reports(check.junit, plot.root) if check.junit else None
        self.child, self.output = self._spawn()

    def _spawn(self) -> tuple[Child | CouldNotStart, Output | None]:
        read, write = pipe()
        check, plot = self.check, self._plot
        child = spawn(
            command(check.run),
            cwd=working_directory(check, plot.root),
            env=environment(check, plot.root, plot.run_id),
            stdout=write,
            stderr=write,
        )
        os.close(write)
        if isinstance(child, CouldNotStart):
            os.close(read)
            return child, None
        return child, Output(read, os.path.join(plot.log_dir, f"{safe_name(check.name)}.log"))

    def over(self) -> bool:
        return isinstance(self.child, CouldNotStart) or self.child.poll() or time.monotonic() >= self.deadline

    def finish(self, *, alone: bool = True) -> CheckResult:
        """The result; a check that is still running now is over its time and is killed.

        `alone`: no other check is running, so that whatever the run left anywhere goes too.
        """
        from ralph_hooks.check.outcome import could_not_start, ended, timed_out

        child = self.child
        if isinstance(child, CouldNotStart) or self.output is None:
            assert isinstance(child, CouldNotStart)
            return self._complete(could_not_start(self.check, self._plot.root, child))
        if not child.poll():
            survivors = self._kill(child, alone=alone)
            self.output.settle()
            return self._complete(timed_out(self.check, self.output.tail(), self._limit(), survivors))
        self.output.settle()
        return self._complete(ended(self, child, self.output))

    def _kill(self, child: Child, *, alone: bool) -> list[str]:
        if alone:
            return tree.kill_tree(child, self._plot.run_id, GRACE)
        mark = check_id(self._plot.run_id, self.check.name)
        return tree.kill_tree(child, mark, GRACE, strays=False, variable=tree.CHECK_ID)

    def _limit(self) -> str:
        if self.deadline == self._begin + self.check.timeout_s:
            return f"timeout_s = {self.check.timeout_s:g}"
        return f"the {max(0.0, self.deadline - self._begin):.0f} s that the gate had left"

    def _complete(self, result: CheckResult) -> CheckResult:
        result.duration = time.monotonic() - self._begin
        if self.output is not None:
            self.output.finish()
            result.tail = self.output.tail()
            result.log = self.output.log or ""
            result.log_bytes = self.output.total
        return result

    def cancel(self) -> None:
        """End the tree now."""
        if isinstance(self.child, Child):
            tree.kill_tree(self.child, self._plot.run_id, CANCEL_GRACE)
        if self.output is not None:
            self.output.finish()


def _reports(pattern: str, root: str) -> Reports:
    from ralph_hooks.check.reports import Reports

    return Reports(pattern, root)


def command(run: list[str] | str) -> list[str]:
    """The argv of a check; a string goes to bash with pipefail, so that no pipe hides an exit code."""
    return ["bash", "-o", "pipefail", "-c", run] if isinstance(run, str) else list(run)


def safe_name(name: str) -> str:
    """A check's name as a file name."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:80].lstrip(".") or "check"


def run_checks(checks: list[Check], plot: Plot, watch: Watch) -> list[CheckResult]:
    """Run them in order, or all at once with `plot.parallel`. Raises `Cancelled` when `watch.cancel` says so."""
    waiting = list(checks)
    active: list[Running] = []
    results: dict[str, CheckResult] = {}
    met = False
    try:
        while waiting or active:
            while waiting and (plot.parallel or not active):
                _start_next(waiting, active, results, (plot, watch))
                if not met:
                    met = True
                    tree.adopt_orphans()
                    watch.meanwhile()
            _wait(active, watch)
            for running in [one for one in active if one.over()]:
                if running not in active:
                    continue  # left off, since another one failed in the same moment
                active.remove(running)
                results[running.check.name] = running.finish(alone=not active)
                watch.finished(results[running.check.name])
                if plot.fail_fast and results[running.check.name].verdict not in PASSES:
                    waiting.clear()
                    _leave_off(active)
    except BaseException:
        for running in active:
            running.cancel()
        raise
    return [results[check.name] for check in checks if check.name in results]


def _leave_off(active: list[Running]) -> None:
    """End the checks that run beside one that failed; they are not reported."""
    while active:
        active.pop().cancel()


def _start_next(
    waiting: list[Check], active: list[Running], results: dict[str, CheckResult], around: tuple[Plot, Watch]
) -> None:
    plot, watch = around
    check = waiting.pop(0)
    if plot.deadline is not None and time.monotonic() >= plot.deadline:
        why = "the gate's deadline came before this check could start"
        results[check.name] = CheckResult(check.name, TIMEOUT, why)
        return
    running = Running(check, plot)
    active.append(running)
    if running.output is not None:
        watch.started(check, running.output)


def _wait(active: list[Running], watch: Watch) -> None:
    children = [one.child for one in active if isinstance(one.child, Child)]
    if len(children) < len(active) or not active:
        return
    until = min(one.deadline for one in active)
    cancel = watch.cancel
    try:
        if cancel is not None:
            cancel.arm()
        while not any(one.over() for one in active):
            left = until - time.monotonic()
            wait_any(children, left if watch.tick_seconds is None else min(left, watch.tick_seconds))
            watch.tick()
    finally:
        if cancel is not None:
            cancel.disarm()


__all__ = ["Cancel", "Cancelled", "Plot", "Running", "Watch", "command", "run_checks", "safe_name"]
