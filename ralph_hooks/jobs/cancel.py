"""End a job by request, and take up again what a dead worker left (E12)."""

from __future__ import annotations

from ralph_hooks.errors import RalphError
from ralph_hooks.evolve import lineage as kinds
from ralph_hooks.evolve.iteration import CANCELLED
from ralph_hooks.evolve.stop_rules import Ending
from ralph_hooks.jobs.bounds import sweep_run
from ralph_hooks.jobs.database import start_lock
from ralph_hooks.jobs.follow import find
from ralph_hooks.jobs.opening import client
from ralph_hooks.jobs.result import result_of
from ralph_hooks.jobs.row import JobRow
from ralph_hooks.jobs.slots import QUEUE
from ralph_hooks.jobs.states import ENDED, INTERRUPTED, state
from ralph_hooks.jobs.store import Store


def cancel(store: Store, job: str) -> JobRow:
    """Ask a running job to end; end a queued one, and one whose owner is dead, at once. The row afterwards."""
    row = find(store, job)
    if state(row) in ENDED:
        return row
    with store.begin() as connection:
        held = store.lock(connection, row.lineage_id)
        if held.live and held.job_id == job:
            store.request_cancel(connection, row.lineage_id, job)
    return bury_if_dead(store, find(store, job))


def bury_if_dead(store: Store, row: JobRow) -> JobRow:
    """A cancelled job that nobody works on ends here: swept, recorded, taken off the queue."""
    if not row.cancel_requested or row.ended_at is not None:
        return row
    if row.lease is not None and state(row) != INTERRUPTED:
        return row
    from ralph_hooks.jobs.owner import me

    with store.begin() as connection:
        token = store.take_lease(connection, store.lock(connection, row.lineage_id), me())
        if token is None:
            return row
        lineage = store.state(row.lineage_id, connection)
        job = lineage.jobs[row.job_id]
        if job.result is None:
            rows = []
            if job.running is not None:
                swept = sweep_run(job.running)
                body = {"generation": job.running["generation"], "run_id": job.running["run_id"], "swept": swept}
                rows = [(kinds.GENERATION_LOST, body), (kinds.KILLED, {**body, "reason": CANCELLED})]
            ending = Ending(CANCELLED, CANCELLED, "cancelled while nobody worked on it")
            result = result_of(row.job_id, row.lineage_id, job.iterations, ending, job.call)
            rows.append((kinds.JOB_ENDED, {"result": result}))
            store.end_job(connection, (row.lineage_id, row.job_id), rows, result, token)
    with client(store) as dbos:
        dbos.cancel_workflow(row.job_id)
    return find(store, row.job_id)


def resume(store: Store, job: str, *, run_worker: bool = True) -> JobRow:
    """Queue an interrupted job again and see to it that a worker runs. Raises `RalphError` when it is not to be had."""
    from ralph_hooks.jobs import worker
    from ralph_hooks.jobs.takeover import take_over

    row = bury_if_dead(store, find(store, job))
    now = state(row)
    if now in ENDED:
        raise RalphError(
            f"job `{job}` is {now}; a new job on its lineage goes on from there",
            hint=f"ralph-hooks job start --lineage-id {row.lineage_id}",
        )
    with start_lock(store.database):
        if now == INTERRUPTED:
            with client(store) as dbos:
                take_over(store, row, lambda: dbos.resume_workflow(job, queue_name=QUEUE))
        if run_worker:
            worker.ensure_worker(store.database)
    return find(store, job)
