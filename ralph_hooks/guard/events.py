"""The guard's hook events: what a changed setting, a prompt or an edit is answered with."""

from __future__ import annotations

from collections.abc import Callable

from ralph_hooks import fastjson
from ralph_hooks.clients.reply import Reply
from ralph_hooks.gate.event import BadEventError, Event
from ralph_hooks.gate.root import project_of
from ralph_hooks.guard import config_change, pre_tool, prompts
from ralph_hooks.ledger import ledger
from ralph_hooks.plan.locate import Project

Judge = Callable[[Event, Project], Reply | None]
JUDGES: dict[str, Judge] = {
    "ConfigChange": config_change.judge,
    "UserPromptSubmit": prompts.judge,
    "PreToolUse": pre_tool.judge,
}


def answer(event: Event, client: str) -> Reply:
    """The reply to an event that is no stop; events that nobody judges pass in silence."""
    judge = JUDGES.get(event.name)
    if judge is None:
        return Reply(0)
    try:
        project = project_of(event, client)
    except BadEventError:
        return Reply(0)  # the stop that follows says so
    reply = judge(event, project) if project is not None else None
    if reply is None:
        return Reply(0)
    line = {
        "event": event.name,
        "client": client,
        "session": event.session,
        "reason": (reply.err or reply.out).strip()[:2000],
    }
    ledger.append(project, line | {"decision": "DENY" if reply.code == 2 else "TOLD"})
    return reply


def tell(text: str) -> Reply:
    """A sentence for the person."""
    return Reply(0, fastjson.dumps({"systemMessage": text}) + "\n")
