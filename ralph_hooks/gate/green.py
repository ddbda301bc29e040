"""What is green: the budget starts anew, the turn may end (G14, G19). Light: remembered green comes here too."""

from __future__ import annotations

import os

from ralph_hooks import fastjson, files, paths
from ralph_hooks.check.verdict import FLAKY, Run
from ralph_hooks.gate import budget
from ralph_hooks.gate.decision import ALLOW, SKIP, Decision
from ralph_hooks.gate.root import session_name
from ralph_hooks.gate.stop import Stop, budget_agent, changes, unverified

ACCEPT = "Only a person can accept that: `ralph-hooks seal`."


def green(stop: Stop) -> Decision:
    """Let the turn end and start the budget anew."""
    run = stop.run
    assert run is not None
    if (fault := start_anew(stop)) is not None:
        return fault
    if changed := changes(stop):
        return Decision(ALLOW, "CONFIG_CHANGED", message=f"ralph-hooks: green, but {'; '.join(changed)}. {ACCEPT}")
    if all(check.remembered for check in run.checks):
        return Decision(SKIP, "already green")
    if run.verdict == FLAKY and (told := _flakes(stop)):
        return Decision(ALLOW, "flaky", message=f"ralph-hooks: green at the second try; {'; '.join(told)}.")
    if run.notes and news(stop):
        return Decision(ALLOW, "fewer tests", message=f"ralph-hooks: green, but {'; '.join(run.notes)}. {ACCEPT}")
    words = "green, after a flaky first try" if run.verdict == FLAKY else "green"
    announce = stop.plan is not None and stop.plan.gate.announce
    return Decision(ALLOW, message=f"ralph-hooks: {words} ({_passed(run)})." if announce else "")


def news(stop: Stop) -> bool:
    """Whether these notes were not told before: the same losses are told once."""
    assert stop.project is not None and stop.run is not None
    path = os.path.join(stop.project.state, "told.json")
    data = fastjson.dumps(stop.run.notes).encode()
    if files.read_bytes_or_none(path) == data:
        return False
    try:
        files.write_state(path, data)
    except OSError:
        pass  # told again, then
    return True


def _flakes(stop: Stop) -> list[str]:
    """For the person alone: an agent that hears of flakes blames them."""
    from ralph_hooks.check import flaky

    assert stop.project is not None and stop.run is not None
    return flaky.count(stop.project, [test for check in stop.run.checks for test in flaky.flaked_ids(check)])


def _passed(run: Run) -> str:
    counts = [check.evidence.passed for check in run.checks if check.evidence and check.evidence.passed is not None]
    return f"{sum(counts)} passed" if counts else ", ".join(check.name for check in run.checks)


def start_anew(stop: Stop) -> Decision | None:
    """Reset the budget where there is something to reset; only then the lock, and the library behind it, is needed."""
    agent = budget_agent(stop)
    if not spent(stop.event.session, agent):
        return None
    from ralph_hooks.gate import sessions

    try:
        sessions.reset(stop.event.session, agent, stop.project, stop.cancel)
    except sessions.Unwritable as error:
        return unverified("state", f"the suite is green, but {error}")
    return None


def spent(session: str, agent: str) -> bool:
    """Whether any copy of the session's state says, or may say, that blocks were charged."""
    name = session_name(session, agent) + ".json"
    for directory in (paths.state_dir(), paths.spare_state_dir()):
        text = files.read_bytes_or_none(os.path.join(directory, "sessions", name))
        if text is not None and not _untouched(text):
            return True
    return False


def _untouched(text: bytes) -> bool:
    try:
        data = fastjson.loads(text.decode("utf-8", "replace"))
    except fastjson.JsonError:
        return False
    return budget.valid(data) and budget.is_fresh({key: data[key] for key in budget.fresh()})
