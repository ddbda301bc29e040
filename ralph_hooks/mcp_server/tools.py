"""The tools: one row each, with the model that is its schema and the function that the CLI calls too."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ralph_hooks.evolve.call import Call
from ralph_hooks.evolve.refusal import parse_call, validate

WAIT_MOST = 3600.0
WAIT_STEP = 5.0

Answer = dict[str, Any]
Report = Callable[[float, str], None]


class Meanwhile:
    """What a running tool may ask and tell: whether its turn was stopped, and how far it is."""

    def __init__(self, report: Report) -> None:
        self.stopped = False
        self.report = report


class _Arguments(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


JobId = Annotated[str, Field(description="The id that ouroboros_ralph gave: `job_` and 12 hex digits.")]


class StatusArguments(_Arguments):
    """Arguments of `ouroboros_job_status`."""

    job_id: JobId
    view: Literal["full", "summary", "compact"] = Field(default="summary", description="How much of it to tell.")


class WaitArguments(_Arguments):
    """Arguments of `ouroboros_job_wait`."""

    job_id: JobId
    cursor: int = Field(default=0, ge=0, le=2**53 - 1, description="Only what came after this cursor.")
    timeout_seconds: float = Field(default=60, ge=0, le=WAIT_MOST, description="How long to wait for news.")


class JobArguments(_Arguments):
    """Arguments of the tools that take a job only."""

    job_id: JobId


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` takes the arguments as they came and gives JSON; it raises `RalphError`.

    `needs_session` is the refusal outside an initialised session, "" where that does not matter.
    """

    name: str
    title: str
    model: type[BaseModel]
    description: str
    run: Callable[[dict[str, Any], Meanwhile], Answer]
    read_only: bool = False
    needs_session: str = ""
    show: Callable[[Answer], str] = lambda answer: json.dumps(answer, ensure_ascii=False)
    bad: Callable[[Answer], bool] = lambda answer: False


def start(arguments: dict[str, Any], meanwhile: Meanwhile) -> Answer:
    """Queue a job."""
    from ralph_hooks.jobs.start import start as begin

    return begin(parse_call(arguments)).to_json()


def status(arguments: dict[str, Any], meanwhile: Meanwhile) -> Answer:
    """The state of a job."""
    from ralph_hooks.jobs import follow
    from ralph_hooks.jobs.opening import reading

    given = validate(StatusArguments, arguments)
    with reading() as store:
        return follow.status(store, follow.find(store, given.job_id), given.view)


def wait(arguments: dict[str, Any], meanwhile: Meanwhile) -> Answer:
    """News of a job, in short waits, so that a stopped turn is noticed and progress is told."""
    import time

    from ralph_hooks.jobs import follow
    from ralph_hooks.jobs.opening import reading
    from ralph_hooks.jobs.states import ENDED, INTERRUPTED, next_step, state

    given = validate(WaitArguments, arguments)
    deadline = time.monotonic() + given.timeout_seconds
    with reading() as store:
        follow.find(store, given.job_id)
        while True:
            left = max(0.0, deadline - time.monotonic())
            row, events = follow.wait(store, given.job_id, given.cursor, min(left, WAIT_STEP))
            now = state(row)
            if events or now in (*ENDED, INTERRUPTED) or left <= WAIT_STEP or meanwhile.stopped:
                break
            meanwhile.report(given.timeout_seconds - left, now)
    cursor = events[-1].seq if events else given.cursor
    answer: Answer = {"job_id": given.job_id, "status": now, "cursor": cursor, "next_step": next_step(row)}
    if not events:
        return answer | {"unchanged": True, "message": f"unchanged cursor={cursor}", "events": []}
    return answer | {"unchanged": False, "events": [event.to_json() for event in events]}


def result(arguments: dict[str, Any], meanwhile: Meanwhile) -> Answer:
    """The result of an ended job."""
    from ralph_hooks.jobs import follow
    from ralph_hooks.jobs.opening import reading

    given = validate(JobArguments, arguments)
    with reading() as store:
        return follow.result(follow.find(store, given.job_id))


def cancel(arguments: dict[str, Any], meanwhile: Meanwhile) -> Answer:
    """Ask a job to end."""
    from ralph_hooks.jobs import cancel as cancelling
    from ralph_hooks.jobs.opening import reading
    from ralph_hooks.jobs.states import next_step, state

    given = validate(JobArguments, arguments)
    with reading() as store:
        row = cancelling.cancel(store, given.job_id)
    return {"job_id": row.job_id, "status": state(row), "next_step": next_step(row)}


TOOLS = (
    Tool(
        "ouroboros_ralph",
        "Ralph in the background",
        Call,
        "Start generations of fresh agents in the background toward a seed, until the project's own checks pass, "
        "nothing moves any more, or a bound is reached. Returns a job id at once; follow it with ouroboros_job_wait. "
        "What the agents say about success does not count.",
        start,
    ),
    Tool("ouroboros_job_status", "Job status", StatusArguments, "The state of a background job.", status, True),
    Tool(
        "ouroboros_job_wait",
        "Wait for a job",
        WaitArguments,
        "Wait for news of a background job: returns the events behind `cursor` as soon as there are any, or "
        "`unchanged cursor=n` after `timeout_seconds`.",
        wait,
        True,
    ),
    Tool(
        "ouroboros_job_result",
        "Job result",
        JobArguments,
        "The result of an ended job; it never expires.",
        result,
        True,
    ),
    Tool(
        "ouroboros_cancel_job",
        "Cancel a job",
        JobArguments,
        "Ask a background job to end: its process tree is killed, its finished iterations are kept.",
        cancel,
    ),
)
