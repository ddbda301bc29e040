"""What the hook does while the check runs: slow imports, and a look at what the checks are made of."""

from __future__ import annotations

from ralph_hooks.check.watch import Watch
from ralph_hooks.gate.root import session_name
from ralph_hooks.gate.stop import Stop, changes


class HookWatch(Watch):
    """The watch of one stop."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self.cancel = stop.cancel

    def meanwhile(self) -> None:
        compare_inputs(self._stop)
        self.may_remember = not changes(self._stop)

    def load(self) -> None:
        # behind it is the lock library, which takes as long to load as four interpreters to start
        import ralph_hooks.gate.sessions  # noqa: F401


def compare_inputs(stop: Stop) -> None:
    """What the checks are made of (scripts, targets, runner settings) against what was approved, or a first note."""
    from ralph_hooks.plan.inputs import differences, inputs_of
    from ralph_hooks.plan.seal import NONE, pin

    if stop.approved is None or stop.project is None or stop.plan is None:
        return
    now = {check.name: inputs_of(check, stop.project.root) for check in stop.plan.check}
    if stop.approved.source == NONE:
        pin(stop.project, session_name(stop.event.session), stop.plan, now)
    elif stop.approved.inputs is not None:
        stop.approved.changes += differences(stop.approved.inputs, now)
