"""One Stop event, as a straight line.

    event -> round? -> project -> plan -> skip? -> run the checks (or remember) -> verdict -> charge -> ledger -> reply

Every step takes the stop and returns a decision, or `None` to go on. The order of `LINE` is the order of what happens.
"""

from __future__ import annotations

import os
import time

from ralph_hooks.check.verdict import CANNOT_RUN, PASSES, CheckResult, Run
from ralph_hooks.errors import RalphError
from ralph_hooks.gate import in_session, skip
from ralph_hooks.gate.decision import ALLOW, BLOCK, CANCELLED, RELEASED_RED, SKIP, UNVERIFIED, Decision
from ralph_hooks.gate.event import BadEventError, Event
from ralph_hooks.gate.root import project_of, session_name
from ralph_hooks.gate.twin import Twin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.check.run import Cancel
    from ralph_hooks.gate.round import Round
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.locate import Project
    from ralph_hooks.plan.seal import Approved

SPARE_SECONDS = 30.0
DEFAULT_WITHIN = 600.0


class Stop:
    """One stop on its way along the line. `within` is the client's own timeout for this hook, in seconds."""

    __slots__ = (
        "approved",
        "begin",
        "cancel",
        "client",
        "deadline",
        "event",
        "notes",
        "plan",
        "project",
        "round",
        "run",
        "twin",
    )

    def __init__(self, event: Event, client: str, within: float, cancel: Cancel) -> None:
        self.begin = time.monotonic()
        self.deadline = self.begin + max(within - SPARE_SECONDS, within / 2)
        self.event = event
        self.client = client
        self.cancel = cancel
        self.project: Project | None = None
        self.plan: Plan | None = None
        self.approved: Approved | None = None
        self.run: Run | None = None
        self.round: Round | None = None
        self.notes: list[str] = []
        self.twin: Twin | None = None


def in_round(stop: Stop) -> Decision | None:
    """Inside a loop's round the report decides first; `complete` goes on down the line."""
    if "RALPH_HOOKS_ROUND" not in os.environ:
        return None
    from ralph_hooks.gate import round as round_mode

    stop.round = round_mode.current(stop.event)
    if stop.round is None:
        return None
    stop.notes.append(round_mode.AGAIN)
    return meet_twin(stop) or round_mode.consider(stop.event, stop.round)


def find_project(stop: Stop) -> Decision | None:
    """Which project; none is none of our business."""
    try:
        stop.project = project_of(stop.event, stop.client)
    except BadEventError as error:
        return unverified("bad event", str(error))
    return None if stop.project else Decision(ALLOW, "no project", silent=True)


def know_session(stop: Stop) -> Decision | None:
    """A budget belongs to a session; without one nobody is blocked."""
    if not stop.event.session:
        return unverified(
            "no session id", "the event names no session, so no budget could be kept; nothing was checked"
        )
    return None


def meet_twin(stop: Stop) -> Decision | None:
    """The same event may arrive twice at once."""
    if stop.twin is not None:
        return None
    stop.twin = Twin(stop.event, stop.client)
    try:
        return stop.twin.meet(stop.deadline, stop.cancel)
    except TimeoutError:
        return unverified("busy", "another process is still judging this very stop")


def read_plan(stop: Stop) -> Decision | None:
    """What a person approved. A config that cannot be read is a check that cannot run."""
    from ralph_hooks.plan.compiled import with_check
    from ralph_hooks.plan.seal import approved

    assert stop.project is not None
    try:
        stop.approved = approved(stop.project, session_name(stop.event.session))
    except RalphError as error:
        stop.run = broken_config(error.message)
        return None
    stop.plan = stop.approved.plan
    if goal := in_session.read(stop.event.session, in_session.GOAL):
        stop.plan = with_check(stop.plan, goal)
    if not stop.plan.check:
        stop.run = broken_config(f"`{stop.project.config_path}` has no [[check]]")
    return None


def leave_subagents(stop: Stop) -> Decision | None:
    """A subagent's stop is judged only where the config says so."""
    if stop.event.name != "SubagentStop" or (stop.plan is not None and stop.plan.gate.subagents):
        return None
    return Decision(SKIP, "subagents are not gated")


def skip_rules(stop: Stop) -> Decision | None:
    """Paused, planning, waiting for background work …"""
    if stop.plan is None or stop.project is None:
        return None
    reason = skip.skip_reason(stop.event, stop.project, stop.plan)
    if not reason and stop.round is None:
        reason = skip.loop_running(stop.project)
    return Decision(SKIP, reason) if reason else None


def run_checks(stop: Stop) -> Decision | None:
    """The real command, now."""
    from ralph_hooks.check import once
    from ralph_hooks.check.lock import Busy

    if stop.run is not None or stop.plan is None or stop.project is None:
        return None
    try:
        stop.run = once.judge(stop.project, stop.plan, deadline=stop.deadline, watch=HookWatch(stop))
    except Busy as busy:
        return unverified("busy", f"{busy}; there was too little time left to wait for it")
    return None


def rule(stop: Stop) -> Decision | None:
    """Green resets the budget, red is charged to it."""
    from ralph_hooks.gate import ruling

    assert stop.run is not None
    if stop.run.verdict in PASSES:
        return ruling.green(stop)
    return ruling.red(stop)


LINE = (in_round, find_project, know_session, meet_twin, read_plan, leave_subagents, skip_rules, run_checks, rule)


def decide(stop: Stop) -> Decision:
    """Walk the line; the first decision ends it, and so does a signal."""
    from ralph_hooks.check.run import Cancelled

    try:
        return _walk(stop)
    except Cancelled:
        return unverified(CANCELLED, "the hook was told to end before the checks were done")


def _walk(stop: Stop) -> Decision:
    for step in LINE:
        decision = step(stop)
        if decision is not None:
            return decision if "twin" in decision.record else in_session.next_round(stop.event, decision)
    raise AssertionError("the line has no end")


def unverified(reason: str, sentence: str) -> Decision:
    """Our own fault, or one of the surroundings: never a pass, never silent, never a block."""
    return Decision(UNVERIFIED, reason, message=f"ralph-hooks: NOT VERIFIED ({reason}): {sentence}.")


def broken_config(sentence: str) -> Run:
    """A run that found only that the plan cannot be used."""
    run = Run("", time.time())
    run.checks = [CheckResult("config", CANNOT_RUN, sentence)]
    return run


def HookWatch(stop: Stop) -> Any:  # noqa: N802 - reads as the class that it returns
    """While the check runs: import what is needed only afterwards."""
    from ralph_hooks.check.run import Watch

    class Loading(Watch):
        cancel = stop.cancel

        def meanwhile(self) -> None:
            import ralph_hooks.gate.sessions  # noqa: F401

            compare_inputs(stop)
            self.may_remember = not changes(stop)

    return Loading()


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


def changes(stop: Stop) -> list[str]:
    """How the checks differ from what a person approved, in sentences."""
    return stop.approved.changes if stop.approved is not None else []


def record(stop: Stop, decision: Decision) -> bool:
    """The ledger line of this stop; whether it could be written."""
    from ralph_hooks.ledger import ledger

    line: dict[str, Any] = {
        "event": stop.event.name or "Stop",
        "client": stop.event.host or stop.client,
        "session": stop.event.session,
        "agent": stop.event.agent,
        "decision": decision.kind,
        "reason": decision.reason,
        "root": stop.project.root if stop.project else "",
        "plan": stop.plan.digest if stop.plan else "",
        "took_s": round(time.monotonic() - stop.begin, 3),
        "seal": stop.approved.source if stop.approved else "",
        "changes": changes(stop),
        **decision.record,
    }
    if decision.message:
        line["message"] = decision.message[:2000]
    if stop.run is not None:
        from ralph_hooks.check.record import summary

        line.update(summary(stop.run))
    return ledger.append(stop.project, line)


def finish(stop: Stop, decision: Decision) -> Decision:
    """Write the ledger line; a block that cannot be written down is not given."""
    if decision.silent and decision.kind == ALLOW:
        return decision
    if not record(stop, decision) and decision.kind == BLOCK:
        decision = unverified("ledger", "the ledger cannot be written, so the block was not given; the suite is red")
    leave_receipt(stop)
    if stop.twin is not None:
        stop.twin.leave(decision)
    return decision


def leave_receipt(stop: Stop) -> None:
    """Proof for `ralph-hooks verify`; under a changed config there is none, and nothing new is proven from memory."""
    run = stop.run
    if run is None or stop.plan is None or stop.project is None or changes(stop) or not run.receipt_digest:
        return
    if all(check.remembered for check in run.checks):
        return
    from ralph_hooks.ledger import receipts

    receipts.add(stop.project, stop.plan.digest, run, session=stop.event.session, by="hook")


__all__ = ["ALLOW", "BLOCK", "RELEASED_RED", "SKIP", "Stop", "decide", "finish"]
