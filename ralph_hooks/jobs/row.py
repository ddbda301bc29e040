"""One job as a row: what the list shows, and what its state is made of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ralph_hooks.jobs.owner import Owner


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job with its lineage's lease. Times are seconds since the epoch; `lease` counts only while `live`."""

    job_id: str
    number: int
    lineage_id: str
    project_dir: str
    created_at: float
    cancel_requested: bool
    ended_at: float | None
    status: str | None
    result: dict[str, Any] | None
    lease: Owner | None
    heartbeat_age: float


def job_row(row: tuple[Any, ...]) -> JobRow:
    """From the columns that the store asks for, in their order."""
    number, job, lineage, project, created, cancel, ended, status, result, current, live, token, owner, age = row
    held = live and current == job and token is not None
    return JobRow(
        job_id=job,
        number=number,
        lineage_id=lineage,
        project_dir=project,
        created_at=created,
        cancel_requested=bool(cancel),
        ended_at=ended,
        status=status,
        result=json.loads(result) if result else None,
        lease=Owner.from_json(owner) if held else None,
        heartbeat_age=float(age),
    )
