"""The tool `ralph`: a loop in the foreground of the calling turn (F23). Off unless the config turns it on."""

from __future__ import annotations

import threading
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ralph_hooks.errors import RalphError
from ralph_hooks.mcp_server.tools import Answer, Meanwhile, Tool
from ralph_hooks.plan.locate import find_project

DESCRIPTION = (
    "Use the ralph tool ONLY when the direct human explicitly asks for a Ralph loop or fresh-agent iterative "
    "execution. It runs fresh agents, one after the other, toward one immutable objective, and holds this turn until "
    "they are done. It is not for ordinary long objectives (use a session goal, or ouroboros_ralph in the background) "
    "and not for bounded delegation (use plain subagents)."
)
CANCEL_STEP = 0.2


class RalphArguments(BaseModel):
    """What a model may say; values are judged by the loop, which words its own refusals."""

    model_config = ConfigDict(extra="forbid")

    objective: str = Field(description="The one objective of the whole run.", min_length=1)
    maxRounds: int | None = Field(default=None, description="The most rounds to run.", ge=1)  # noqa: N815


def ralph_tool(start: str) -> Tool | None:
    """The tool, when `[loop] tool = true` in the project of this directory."""
    from ralph_hooks.loop.ground import plan_at

    try:
        project = find_project(start)
        if project is None or not plan_at(project).loop.tool:
            return None
    except (OSError, RalphError):
        return None
    from ralph_hooks.loop.call import NO_AGENT

    return Tool(
        "ralph",
        "ralph",
        RalphArguments,
        DESCRIPTION,
        run,
        needs_session=NO_AGENT,
        show=lambda answer: str(answer["text"]),
        bad=lambda answer: answer["status"] in ("failed", "cancelled"),
    )


def run(arguments: dict[str, Any], meanwhile: Meanwhile) -> Answer:
    """One loop to its end. Progress says round and state only."""
    import os

    from ralph_hooks.evolve.setting import refuse_nested
    from ralph_hooks.loop.call import Call, name_of, objective_of, rounds_of, tool_call
    from ralph_hooks.loop.drive import run_loop
    from ralph_hooks.loop.endings import text_of
    from ralph_hooks.loop.ground import plan_at
    from ralph_hooks.loop.owning import Stopper
    from ralph_hooks.loop.prompt import report_text

    given, rounds = tool_call(arguments)
    objective = objective_of(given)
    refuse_nested()
    project = find_project(os.getcwd())
    assert project is not None
    loop = plan_at(project).loop
    call = Call(
        root=project.root,
        objective=objective,
        max_rounds=rounds_of(rounds, loop),
        name=name_of(objective),
        provider=loop.provider,
    )
    stopper = Stopper()
    over = threading.Event()
    threading.Thread(target=_pass_on, args=(meanwhile, stopper, over), daemon=True).start()
    try:
        result = run_loop(call, _Progress(meanwhile), stopper)
    finally:
        over.set()
    report = report_text(result.report) if result.report else ""
    text = text_of(result, report, loop.max_result_chars)
    return {**result.as_dict(), "text": text}


def _pass_on(meanwhile: Meanwhile, stopper: Any, over: threading.Event) -> None:
    """A stopped turn stops the loop at once."""
    while not over.wait(CANCEL_STEP):
        if meanwhile.stopped:
            stopper.request(now=True)


class _Progress:
    def __init__(self, meanwhile: Meanwhile) -> None:
        self._meanwhile = meanwhile

    def __call__(self, kind: str, /, **facts: Any) -> None:
        from ralph_hooks.loop import events

        number = facts.get("round")
        if kind in (events.ROUND, events.CHECKING, events.FINISHED) and isinstance(number, int):
            self._meanwhile.report(number, f"round {number}: {kind}")
