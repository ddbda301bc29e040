"""What is not green: charged to the session's budget under its lock, or handed back to a person (G14, G15)."""

from __future__ import annotations

from ralph_hooks.check.verdict import RED
from ralph_hooks.gate import budget, prompt, release, sessions
from ralph_hooks.gate.decision import ALLOW, BLOCK, RELEASED_RED, Decision
from ralph_hooks.gate.feedback import Attempt, feedback
from ralph_hooks.gate.green import ACCEPT
from ralph_hooks.gate.stop import Stop, budget_agent, changes, unverified

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.plan.config import Budget, Config

DECLARATION = "RALPH-BLOCKED:"


def red(stop: Stop) -> Decision:
    """Charge, make it durable, then block; or hand back to a person."""
    run = stop.run
    assert run is not None
    if as_found(stop):
        return _released(stop, budget.Ruling(RELEASED_RED, "as_found", first=True), budget.fresh())
    if decision := excused(stop):
        return decision
    limits, event = _config(stop).budget, stop.event
    held = sessions.Session(event.session, budget_agent(stop), stop.project, active=event.active, cancel=stop.cancel)
    try:
        with held as session:
            before = session.state
            after, ruling = budget.rule_red(before, run, limits, small=bool(changes(stop)))
            if reason := declared(stop, before):
                after, ruling = {**before, "released": "declared"}, budget.Ruling(RELEASED_RED, "declared", first=True)
                stop.notes.append(f"The agent's words: {reason}")
            session.save(after)
            stop.notes += session.notes
    except sessions.Unwritable as error:
        return unverified("state", f"the suite is {run.verdict}, but {error}")
    if ruling.kind == RELEASED_RED:
        return _released(stop, ruling, after)
    return _blocked(stop, (before, after), ruling, limits)


def _config(stop: Stop) -> Config:
    if stop.plan is not None:
        return stop.plan
    from ralph_hooks.plan.config import Config  # only beside a config that could not be read

    return Config()


def excused(stop: Stop) -> Decision | None:
    """Let go what the merge-base fails already, where the config says `baseline = "new-only"` (T5); else a note."""
    run, plan, project = stop.run, stop.plan, stop.project
    if plan is None or run is None or project is None or plan.guard.baseline != "new-only" or run.verdict != RED:
        return None
    named = [failure.id for check in run.checks if check.evidence for failure in check.evidence.failures]
    silent = [check.name for check in run.checks if check.verdict == RED and not check.failing_known]
    if silent:
        stop.notes.append(f"baseline: unknown, the check `{silent[0]}` names no failing test")
        return None
    from ralph_hooks.check import base
    from ralph_hooks.check.run import Watch

    watch = Watch()
    watch.cancel = stop.cancel
    found = base.baseline_of(project, plan, watch, stop.deadline)
    there = set(found.ids)
    new = [test for test in named if test not in there]
    if found.unknown or new:
        words = f"unknown, {found.unknown}" if found.unknown else f"{len(named) - len(new)} of these fail there too"
        stop.notes.append(f"baseline: {words}")
        return None
    text = f"ralph-hooks: red, but only with what fails at the merge-base {found.commit[:12]} too: {', '.join(named)}"
    decision = Decision(ALLOW, "baseline", message=text)
    decision.record = {"excused": named[:200]}
    return decision


def as_found(stop: Stop) -> bool:
    """Whether the content is what the person's last prompt found, and the config says that this is not blocked."""
    run, plan = stop.run, stop.plan
    if plan is None or run is None or plan.gate.when != "changed" or not run.digest_after:
        return False
    return prompt.read(stop.event.session).get("digest") == run.digest_after


def declared(stop: Stop, state: dict[str, Any]) -> str:
    """The reason in the agent's last line, where it may declare itself blocked (T7), else "".

    At most once per prompt of a person, and only after at least two blocks on this very content.
    """
    plan, run = stop.plan, stop.run
    last = stop.event.message.rstrip().rsplit("\n", 1)[-1].strip()
    if plan is None or run is None or not plan.guard.declare_blocked or not last.startswith(DECLARATION):
        return ""
    reason = last.removeprefix(DECLARATION).strip()
    here = run.digest_after != "" and run.digest_after == state["content"] and state["same"] >= 1
    note = prompt.read(stop.event.session)
    if not reason or not here or note.get("declared"):
        return ""
    prompt.write(stop.event.session, {**note, "declared": True})
    return reason[:500]


def _blocked(
    stop: Stop, states: tuple[dict[str, Any], dict[str, Any]], ruling: budget.Ruling, limits: Budget
) -> Decision:
    before, after = states
    assert stop.run is not None
    attempt = Attempt(after["charged"], limits.max_blocks, before["ids"], free=not ruling.charged)
    notes = [
        *stop.notes,
        *stop.run.notes,
        *(f"The check's definition changed: {change}. {ACCEPT}" for change in changes(stop)),
    ]
    decision = Decision(BLOCK, ruling.reason, feedback=feedback(stop.run, attempt, _config(stop).feedback, notes))
    decision.record = {"charged": ruling.charged, "attempt": after["charged"], "max_blocks": limits.max_blocks}
    return decision


def _released(stop: Stop, ruling: budget.Ruling, state: dict[str, Any]) -> Decision:
    assert stop.run is not None
    text = "\n".join([release.message(ruling, stop.run, state), *stop.notes])
    decision = Decision(RELEASED_RED, ruling.reason, message=text)
    decision.record = {"attempt": state["charged"]}
    if (
        ruling.first
        and stop.round is None
        and stop.plan is not None
        and stop.project is not None
        and stop.plan.gate.on_release
    ):
        release.tell(stop.plan.gate.on_release, facts(stop, decision), stop.project.root, stop.project.state)
    return decision


def facts(stop: Stop, decision: Decision) -> dict[str, Any]:
    """What `on_release` reads: who, where, why, and what fails."""
    assert stop.run is not None and stop.project is not None
    return {
        "session": stop.event.session,
        "client": stop.client,
        "project": stop.project.root,
        "decision": decision.kind,
        "reason": decision.reason,
        "verdict": stop.run.verdict,
        "failing": stop.run.failing_count,
        "failing_ids": stop.run.failing_ids[:200],
        "logs": [check.log for check in stop.run.checks if check.log],
        "message": decision.message,
    }
