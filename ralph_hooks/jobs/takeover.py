"""Take a job from an owner that is gone and queue it again; how long its last generation ran is kept (E2, E11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from ralph_hooks.evolve import lineage as kinds
from ralph_hooks.evolve.lineage import JobState
from ralph_hooks.jobs.owner import BEAT_SECONDS, me
from ralph_hooks.jobs.row import JobRow
from ralph_hooks.jobs.store import Store


def lost_seconds(store: Store, connection: sa.Connection, row: sa.Row[Any], job: JobState) -> float:
    """How long the running generation of a dead owner ran: to its last heartbeat, and one beat more.

    Time in which nothing ran is not in it. 0 when somebody has counted it before. `row` comes from `store.lock`.
    """
    if job.running is None or job.running.get("counted"):
        return 0.0
    age = store.heartbeat_age(connection, row)
    ran = float(row.heartbeat_at) - float(job.running["at"]) + min(age, BEAT_SECONDS)
    return round(max(0.0, ran), 3)


def take_over(store: Store, row: JobRow, queue: Callable[[], object]) -> bool:
    """Call `queue` under a lease that the dead owner cannot hold any more; whether we did.

    Only one of several adopters gets that lease. It is free again afterwards, for the worker that takes the job.
    """
    with store.begin() as connection:
        held = store.lock(connection, row.lineage_id)
        job = store.state(row.lineage_id, connection).jobs[row.job_id]
        events = []
        if job.running is not None:
            body = {"generation": job.running["generation"], "seconds": lost_seconds(store, connection, held, job)}
            events = [(kinds.WORKER_LOST, body)]
        token = store.take_lease(connection, held, me(), row.job_id, events)
    if token is None:
        return False
    queue()
    with store.begin() as connection:
        store.free_lease(connection, row.lineage_id, token)
    return True
