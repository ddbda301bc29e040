"""When a stop is not judged at all (G5). A rule returns its reason or ""; its place in `RULES` is its priority.

Background work (G4) is counted and so has a module and a step of its own, `background`.
"""

from __future__ import annotations

import os
import time

from ralph_hooks import fastjson, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.gate.event import Event
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.locate import Project

PAUSE_FILE = "pause.json"
LONGEST_PAUSE = 24 * 3600


def plan_mode(event: Event, project: Project, plan: Plan) -> str:
    """In plan mode the agent may not change anything, so there is nothing to check."""
    return "plan mode" if event.mode == "plan" else ""


def paused(event: Event, project: Project, plan: Plan) -> str:
    """A person said `ralph-hooks pause`."""
    pause = read_pause(project)
    return f"paused: {pause[1]}" if pause else ""


def read_pause(project: Project) -> tuple[float, str] | None:
    """Until when (epoch seconds) and why the gate is paused, or `None`. More than 24 hours ahead does not count."""
    text = files.read_bytes_or_none(os.path.join(project.state, PAUSE_FILE))
    if text is None:
        return None
    try:
        data = fastjson.loads(text.decode("utf-8", "replace"))
        until, reason = float(data["until"]), str(data.get("reason") or "no reason given")
    except (fastjson.JsonError, KeyError, TypeError, ValueError, OverflowError):
        return None
    return (until, reason) if 0 < until - time.time() <= LONGEST_PAUSE else None


def nested(event: Event, project: Project, plan: Plan) -> str:
    """A check of ours started an agent: its stops are inside the very run that would judge them."""
    run_id = os.environ.get("RALPH_HOOKS_RUN_ID", "")
    if not run_id:
        return ""
    from ralph_hooks.check import identity

    return "nested in a run of the checks" if identity.nested_in(run_id) else ""


def loop_running(project: Project) -> str:
    """A live loop driver owns this checkout, and its tree is half done until the round is over."""
    if not os.path.exists(os.path.join(project.checkout, "driver.json")):
        return ""
    from ralph_hooks.gate.owner import live_driver

    name = live_driver(project)
    return f"loop_running: {name}" if name else ""


RULES = (plan_mode, paused, nested)


def skip_reason(event: Event, project: Project, plan: Plan) -> str:
    """The first rule that applies, in words, or ""."""
    for rule in RULES:
        reason = rule(event, project, plan)
        if reason:
            return reason
    return ""
