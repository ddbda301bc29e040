"""Jobs whose worker is gone: found, taken over and queued again (E10, E11)."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from ralph_hooks.errors import RalphError
from ralph_hooks.jobs import slots
from ralph_hooks.jobs.owner import LEASE_SECONDS, machine
from ralph_hooks.jobs.row import JobRow
from ralph_hooks.jobs.slots import QUEUE, Slot
from ralph_hooks.jobs.states import INTERRUPTED, state
from ralph_hooks.jobs.store import Store
from ralph_hooks.jobs.takeover import take_over

MOST = 100


class Adopter:
    """Looks for jobs of the dead, again and again."""

    def __init__(self, store: Store, slot: Slot) -> None:
        self._store = store
        self._slot = slot
        self._bare: dict[str, float] = {}

    def look(self) -> list[str]:
        """Queue the jobs of the dead again; their ids. Trouble with the database waits for the next look."""
        from dbos import DBOS

        wanted: dict[str, Any] = {"status": "PENDING", "queue_name": QUEUE, "limit": MOST}
        try:
            found = DBOS.list_workflows(**wanted, load_input=False, load_output=False)
        except Exception:  # DBOS passes on whatever its driver raises
            return []
        pending = {one.workflow_id for one in found}
        self._bare = {job: since for job, since in self._bare.items() if job in pending}
        alive = {slots.executor(number) for number in slots.taken(self._store.database)} | {self._slot.executor}
        return [one.workflow_id for one in found if one.executor_id not in alive and self._take_over(one)]

    def _take_over(self, workflow: Any) -> bool:
        from dbos import DBOS

        try:
            row = self._store.job(workflow.workflow_id)
            if row is None or row.ended_at is not None or not self._dead(row, workflow.executor_id):
                return False
            return take_over(self._store, row, partial(DBOS.resume_workflow, row.job_id, queue_name=QUEUE))
        except RalphError:
            return False

    def _dead(self, row: JobRow, executor_id: str | None) -> bool:
        """Whether whoever took the job is gone.

        A worker of another machine takes the lease within moments; one that has none as long as a lease lasts died in
        between.
        """
        if state(row) == INTERRUPTED or _local(executor_id):
            return True
        if row.lease is not None:
            self._bare.pop(row.job_id, None)
            return False
        since = self._bare.setdefault(row.job_id, time.monotonic())
        if time.monotonic() - since < LEASE_SECONDS:
            return False
        del self._bare[row.job_id]
        return True


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
