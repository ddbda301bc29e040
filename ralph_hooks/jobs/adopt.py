"""Jobs whose worker is gone: found, taken over and queued again (E10, E11)."""

from __future__ import annotations

from functools import partial
from typing import Any

from ralph_hooks.errors import RalphError
from ralph_hooks.jobs import slots
from ralph_hooks.jobs.owner import machine
from ralph_hooks.jobs.slots import QUEUE, Slot
from ralph_hooks.jobs.states import INTERRUPTED, state
from ralph_hooks.jobs.store import Store
from ralph_hooks.jobs.takeover import take_over

MOST = 100


def look(store: Store, slot: Slot) -> list[str]:
    """Queue the jobs of the dead again; their ids. Trouble with the database waits for the next look."""
    from dbos import DBOS

    try:
        found = DBOS.list_workflows(status="PENDING", queue_name=QUEUE, limit=MOST, load_input=False, load_output=False)
    except Exception:  # DBOS passes on whatever its driver raises
        return []
    alive = {slots.executor(number) for number in slots.taken(store.database)} | {slot.executor}
    return [one.workflow_id for one in found if one.executor_id not in alive and _take_over(store, one)]


def _take_over(store: Store, workflow: Any) -> bool:
    """Under a lease that the dead owner cannot hold any more, so that only one of several adopters queues the job."""
    from dbos import DBOS

    try:
        row = store.job(workflow.workflow_id)
        if row is None or row.ended_at is not None:
            return False
        if state(row) != INTERRUPTED and not _local(workflow.executor_id):
            return False
        return take_over(store, row, partial(DBOS.resume_workflow, row.job_id, queue_name=QUEUE))
    except RalphError:
        return False


def _local(executor_id: str | None) -> bool:
    """An executor of this machine whose slot nobody holds is dead, even if it died before it took a lease."""
    return bool(executor_id) and str(executor_id).startswith(f"{machine()}-slot-")


def waiting(slot: Slot) -> bool:
    """Whether jobs are queued that this worker should stay for."""
    from dbos import DBOS

    queued = DBOS.list_workflows(status="ENQUEUED", queue_name=QUEUE, limit=1, load_input=False, load_output=False)
    mine = DBOS.list_workflows(
        status="PENDING", executor_id=slot.executor, limit=1, load_input=False, load_output=False
    )
    return bool(queued or mine)
