"""One Stop event, as a straight line.

    event -> round? -> project -> plan -> skip? -> run the checks (or remember) -> verdict -> charge -> ledger -> reply

Every step takes the stop and returns a decision, or `None` to go on. The order of `LINE` is the order of what happens.
"""

from __future__ import annotations

import os
import time

from ralph_hooks.check.verdict import CANNOT_RUN, PASSES, CheckResult, Run
from ralph_hooks.check.watch import Cancelled
from ralph_hooks.errors import RalphError
from ralph_hooks.gate import in_session, skip
from ralph_hooks.gate.decision import ALLOW, CANCELLED, SKIP, UNVERIFIED, Decision
from ralph_hooks.gate.event import BadEventError, Event
from ralph_hooks.gate.root import project_of, session_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.watch import Cancel
    from ralph_hooks.gate.round import Round
    from ralph_hooks.gate.twin import Twin
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
    find_project(stop)  # a round needs none, but its line belongs into the project's ledger
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
    from ralph_hooks.gate.twin import Twin

    if stop.twin is not None:
        return None
    stop.twin = Twin(stop.event, stop.client)
    try:
        return stop.twin.meet(stop.deadline, stop.cancel)
    except TimeoutError:
        return unverified("busy", "another process is still judging this very stop")


def read_plan(stop: Stop) -> Decision | None:
    """What a person approved. A config that cannot be read is a check that cannot run."""
    from ralph_hooks.plan.seal import approved

    assert stop.project is not None
    try:
        stop.approved = approved(stop.project, session_name(stop.event.session))
    except RalphError as error:
        stop.run = broken_config(error.message)
        return None
    stop.plan = stop.approved.plan
    if not stop.plan.check:
        stop.run = broken_config(f"`{stop.project.config_path}` has no [[check]]")
    if os.path.lexists(goal := in_session.path_of(stop.event.session, in_session.GOAL)):
        add_goal(stop, goal)
    return None


def add_goal(stop: Stop, path: str) -> None:
    """One more check, that a person gave this session."""
    from ralph_hooks.gate.goal import values_of
    from ralph_hooks.plan.compiled import with_check

    assert stop.plan is not None
    goal = in_session.read(stop.event.session, in_session.GOAL)
    if goal is None:
        stop.run = broken_config(f"this session's goal `{path}` cannot be read; `/ralph-hooks:goal clear` ends it")
    else:
        stop.plan = with_check(stop.plan, values_of(goal["run"]))


def leave_subagents(stop: Stop) -> Decision | None:
    """A subagent's stop is judged only where the config says so."""
    if stop.event.name != "SubagentStop" or (stop.plan is not None and stop.plan.gate.subagents):
        return None
    return Decision(SKIP, "subagents are not gated")


def skip_rules(stop: Stop) -> Decision | None:
    """Planning, paused, nested, a loop at work here."""
    if stop.plan is None or stop.project is None:
        return None
    reason = skip.skip_reason(stop.event, stop.project, stop.plan)
    if not reason and stop.round is None:
        reason = skip.loop_running(stop.project)
    return Decision(SKIP, reason) if reason else None


def skip_for_background(stop: Stop) -> Decision | None:
    """Waiting for background work; after the twin, since every such skip is counted."""
    if stop.plan is None or not stop.event.background:
        return None
    from ralph_hooks.gate import background

    reason = background.pending(stop.event, stop.plan.background, stop.cancel)
    return Decision(SKIP, reason) if reason else None


def run_checks(stop: Stop) -> Decision | None:
    """The real command, now."""
    from ralph_hooks.check import once
    from ralph_hooks.check.watch import Busy
    from ralph_hooks.gate.watching import HookWatch

    if stop.run is not None or stop.plan is None or stop.project is None:
        return None
    try:
        stop.run = once.judge(stop.project, stop.plan, deadline=stop.deadline, watch=HookWatch(stop))
    except Busy as busy:
        return unverified("busy", f"{busy}; there was too little time left to wait for it")
    return None


def rule(stop: Stop) -> Decision | None:
    """Green resets the budget, red is charged to it."""
    assert stop.run is not None
    if stop.run.verdict in PASSES:
        from ralph_hooks.gate.green import green

        return green(stop)
    from ralph_hooks.gate.ruling import red

    return red(stop)


def budget_agent(stop: Stop) -> str:
    """A subagent has a budget of its own."""
    return stop.event.agent if stop.event.name == "SubagentStop" else ""


LINE = (
    in_round, find_project, know_session, read_plan, leave_subagents, skip_rules, meet_twin, skip_for_background,
    run_checks, rule,
)  # fmt: skip


def decide(stop: Stop) -> Decision:
    """Walk the line; the first decision ends it, and so does a signal."""
    try:
        return _walk(stop)
    except Cancelled:
        from ralph_hooks.process import tree

        tree.kill_children()  # gits that nobody waits for any more
        return cancelled()


def _walk(stop: Stop) -> Decision:
    for step in LINE:
        decision = step(stop)
        if decision is not None:
            return decision if "twin" in decision.record else in_session.next_round(stop.event, decision)
    raise AssertionError("the line has no end")


def unverified(reason: str, sentence: str) -> Decision:
    """Our own fault, or one of the surroundings: never a pass, never silent, never a block."""
    return Decision(UNVERIFIED, reason, message=f"ralph-hooks: NOT VERIFIED ({reason}): {sentence}.")


def cancelled() -> Decision:
    """A signal came."""
    return unverified(CANCELLED, "the hook was told to end before it was done")


def broken_config(sentence: str) -> Run:
    """A run that found only that the plan cannot be used."""
    run = Run("", time.time())
    run.checks = [CheckResult("config", CANNOT_RUN, sentence)]
    return run


def changes(stop: Stop) -> list[str]:
    """How the checks differ from what a person approved, in sentences."""
    return stop.approved.changes if stop.approved is not None else []
