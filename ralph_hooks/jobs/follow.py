"""Look at jobs: state, events behind a cursor, results, pages of the list (E9)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.evolve.lineage import Event
from ralph_hooks.jobs.row import JobRow
from ralph_hooks.jobs.states import ENDED, INTERRUPTED, next_step, state
from ralph_hooks.jobs.store import Store

JOB_ID = re.compile(r"job_[0-9a-f]{12}")
STEP = 0.2
PAGE = 50
VIEWS = ("full", "summary", "compact")


def find(store: Store, job: str) -> JobRow:
    """The job's row. Raises `RalphError` for an unknown id."""
    if not JOB_ID.fullmatch(job):
        raise RalphError(
            f"`{job[:80]}` is not a job id: it is `job_` and 12 hex digits",
            hint="ralph-hooks job list",
            exit_code=EXIT_USAGE,
        )
    row = store.job(job)
    if row is None:
        raise RalphError(
            f"no job `{job}` in `{store.database.shown}`", hint="ralph-hooks job list", exit_code=EXIT_USAGE
        )
    return row


def status(store: Store, row: JobRow, view: str = "full") -> dict[str, Any]:
    """What is known about a job. `compact` is one line's worth, `summary` leaves out the iterations."""
    now = state(row)
    answer: dict[str, Any] = {"job_id": row.job_id, "lineage_id": row.lineage_id, "status": now}
    if view == "compact":
        return answer | ({"stop_reason": row.result["stop_reason"]} if row.result else {})
    lineage = store.state(row.lineage_id)
    job = lineage.jobs[row.job_id]
    cursor = max((event.seq for event in store.job_events(row.job_id)), default=0)
    answer |= {
        "cursor": cursor,
        "project_dir": row.project_dir,
        "created_at": row.created_at,
        "ended_at": row.ended_at,
        "running_generation": job.running["generation"] if job.running and now not in ENDED else None,
        "generations_finished": [one.generation for one in job.iterations if one.launched],
        "stop_reason": row.result["stop_reason"] if row.result else None,
        "owner": row.lease.words() if row.lease else None,
        "next_step": next_step(row),
    }
    if view == "full":
        answer["iterations"] = [one.to_json() for one in job.iterations]
    return answer


def wait(store: Store, job: str, cursor: int, timeout_seconds: float) -> tuple[JobRow, list[Event]]:
    """Events behind the cursor, as soon as there is one, or the job has ended or lost its worker; at most so long."""
    deadline = time.monotonic() + timeout_seconds
    while True:
        events = store.job_events(job, cursor)
        row = find(store, job)
        if events or state(row) in (*ENDED, INTERRUPTED) or time.monotonic() >= deadline:
            return row, events or store.job_events(job, cursor)
        time.sleep(min(STEP, max(0.0, deadline - time.monotonic())))


def watch(store: Store, job: str, cursor: int = 0) -> Iterator[Event | JobRow]:
    """Every event as it comes; at last the row of a job that has ended or lost its worker."""
    while True:
        row, events = wait(store, job, cursor, 3600.0)
        for event in events:
            cursor = event.seq
            yield event
        if not events and state(row) in (*ENDED, INTERRUPTED):
            yield row
            return


def result(row: JobRow) -> dict[str, Any]:
    """The result of an ended job. Raises `RalphError` for one that has none yet."""
    if row.result is None:
        raise RalphError(f"job `{row.job_id}` is {state(row)} and has no result yet", hint=next_step(row))
    return {**row.result, "job_status": state(row)}


def listing(store: Store, most: int = PAGE, before: int | None = None, *, live: bool = False) -> dict[str, Any]:
    """One page, newest first; `next` is what `--before` takes for the following page."""
    rows = store.page(most, before, live=live)
    return {
        "jobs": [
            {
                "number": row.number,
                "job_id": row.job_id,
                "lineage_id": row.lineage_id,
                "status": state(row),
                "stop_reason": row.result["stop_reason"] if row.result else None,
                "created_at": row.created_at,
                "ended_at": row.ended_at,
                "project_dir": row.project_dir,
            }
            for row in rows
        ],
        "next": rows[-1].number if len(rows) == most else None,
    }
