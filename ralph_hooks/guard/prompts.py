"""UserPromptSubmit: a person speaks. Notes what the agent finds, hears the verbs that only a person can type (T11)."""

from __future__ import annotations

import os
import time

from ralph_hooks import fastjson, files
from ralph_hooks.clients.reply import Reply
from ralph_hooks.errors import RalphError
from ralph_hooks.gate import prompt, sessions, skip
from ralph_hooks.gate.event import Event
from ralph_hooks.gate.root import session_name
from ralph_hooks.guard import baseline, in_session
from ralph_hooks.guard.durations import seconds_of
from ralph_hooks.install.approve import approve
from ralph_hooks.ledger import ledger
from ralph_hooks.plan import seal
from ralph_hooks.plan.locate import Project

PREFIX = "/ralph-hooks:"
PEOPLE = ("", "user", "sdk")


def judge(event: Event, project: Project) -> Reply | None:
    """Carry out a typed verb (the prompt goes no further), else note the prompt and let it pass."""
    if str(event.data.get("source") or "") not in PEOPLE:
        return None
    text = str(event.data.get("prompt") or "").strip()
    if text.startswith(PREFIX):
        name, _, rest = text.removeprefix(PREFIX).partition(" ")
        if name in VERBS:
            return _verb(name, rest.strip(), event, project)
        if name in STARTERS:
            note(event, project)
            return _start(name, rest.strip(), event)
    note(event, project)
    return None


def note(event: Event, project: Project) -> None:
    """What the agent finds at this prompt: the settings, the plan, and where the plan asks for it the content."""
    session = session_name(event.session)
    baseline.note_settings(project, session)
    try:
        approved = seal.approved(project, session)
    except RalphError:
        return
    if approved.source == seal.NONE:
        seal.pin(project, session, approved.plan, None)
    prompt.note(project, approved.plan, event)
    if approved.plan.budget.renew == "prompt" and sessions.exists(event.session, ""):
        sessions.reset(event.session, "", project)


def _verb(name: str, rest: str, event: Event, project: Project) -> Reply:
    try:
        said = VERBS[name](rest, event, project)
    except (RalphError, OSError) as error:
        said = str(error)
    ledger.append(project, {"event": name, "client": "prompt", "session": event.session, "reason": said})
    return Reply(2, f"ralph-hooks: {said}\n", f"ralph-hooks: {said}\n")


def _start(name: str, rest: str, event: Event) -> Reply | None:
    """A loop's prompt goes on to the agent; one that cannot be read goes no further."""
    try:
        said = STARTERS[name](event.session, rest)
    except (RalphError, OSError) as error:
        return Reply(2, f"ralph-hooks: {error}\n", f"ralph-hooks: {error}\n")
    return Reply(0, fastjson.dumps({"systemMessage": f"ralph-hooks: {said}."}) + "\n")


def _pause(rest: str, event: Event, project: Project) -> str:
    words = rest.split()
    until = time.time() + seconds_of(words[0] if words else "1h")
    data = {"until": until, "reason": " ".join(words[1:]) or "typed at the prompt", "by": "prompt"}
    files.write_state(os.path.join(project.state, skip.PAUSE_FILE), fastjson.dumps(data).encode())
    return f"paused until {time.strftime('%H:%M', time.localtime(until))}; `/ralph-hooks:resume` ends it"


def _resume(rest: str, event: Event, project: Project) -> str:
    files.remove(os.path.join(project.state, skip.PAUSE_FILE))
    return "the gate is on"


def _seal(rest: str, event: Event, project: Project) -> str:
    approve(project, by="prompt")
    return f"sealed `{project.config_path}` as it is now"


def _reset(rest: str, event: Event, project: Project) -> str:
    sessions.reset(event.session, "", project)
    return "this session's budget is whole again"


def _goal(rest: str, event: Event, project: Project) -> str:
    return in_session.goal(event.session, rest)


def _cancel(rest: str, event: Event, project: Project) -> str:
    return in_session.cancel(event.session)


VERBS = {
    "pause": _pause, "resume": _resume, "seal": _seal, "budget-reset": _reset, "goal": _goal, "cancel": _cancel,
}  # fmt: skip
STARTERS = {"loop": in_session.start_loop}
