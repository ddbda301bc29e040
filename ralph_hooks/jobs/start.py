"""Start a job: everything is validated, then one transaction claims the lineage and queues the work (E1, E7, E9)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from ralph_hooks.errors import RalphError
from ralph_hooks.evolve import lineage as kinds
from ralph_hooks.evolve.call import Call, as_json
from ralph_hooks.evolve.conductor import check_decision
from ralph_hooks.evolve.lineage import LineageState, check_continuable, check_rewind
from ralph_hooks.evolve.setting import Setting, settle
from ralph_hooks.jobs import decisions, worker
from ralph_hooks.jobs.database import migrate, start_lock
from ralph_hooks.jobs.opening import client, opened
from ralph_hooks.jobs.slots import QUEUE, VERSION, WORKFLOW
from ralph_hooks.jobs.store import Store


class AlreadyRunning(RalphError):
    """The lineage has a live job; `job_id` names it."""

    def __init__(self, lineage: str, job: str) -> None:
        super().__init__(
            f"lineage `{lineage}` already has a live job: {job}",
            hint=f"`ralph-hooks job wait {job}`, or `ralph-hooks job cancel {job}`",
        )
        self.job_id = job


@dataclass(frozen=True, slots=True)
class Started:
    """A queued job, or a call that was handed to the client's own plugin (`envelope`, no job)."""

    job_id: str | None
    lineage_id: str
    warnings: list[str] = field(default_factory=list)
    envelope: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """What every surface answers."""
        if self.envelope is not None:
            return {**self.envelope, "warnings": self.warnings}
        return {
            "job_id": self.job_id,
            "lineage_id": self.lineage_id,
            "status": "queued",
            "warnings": self.warnings,
            "next_step": f"`ralph-hooks job wait {self.job_id}`",
        }


def start(call: Call, *, rewind: int | None = None, run_worker: bool = True) -> Started:
    """Validate, queue, and see to it that a worker runs. Returns at once; raises `RalphError` and starts nothing."""
    setting = settle(call)
    if setting.envelope is not None:
        return Started(None, call.lineage_id, call.warnings, setting.envelope)
    with opened() as (database, store), start_lock(database):
        migrate(database, store.engine)
        with client(store) as dbos:
            job = queue((store, dbos), call, setting, rewind)
        if run_worker:
            worker.ensure_worker(database)
    return Started(job, call.lineage_id, call.warnings)


def queue(place: tuple[Store, Any], call: Call, setting: Setting, rewind: int | None) -> str:
    """Claim the lineage and queue the job, in one transaction. `place` is the store and a DBOS client on its engine."""
    store, dbos = place
    job = f"job_{secrets.token_hex(6)}"
    with store.begin() as connection:
        row = store.lock(connection, call.lineage_id)
        if row.live:
            raise AlreadyRunning(call.lineage_id, row.job_id)
        if call.conductor_decision_id:
            check_decision(call, decisions.find(connection, call.conductor_decision_id))
        state = store.state(call.lineage_id, connection)
        rows = [*_rewound(state, rewind), _job_started(state, call, setting, rewind)]
        store.append(connection, call.lineage_id, job, rows)
        store.add_job(connection, job, call.lineage_id, setting.root)
        options = {
            "workflow_name": WORKFLOW,
            "queue_name": QUEUE,
            "workflow_id": job,
            "app_version": VERSION,
        }
        dbos.enqueue_in_transaction(connection, options, call.lineage_id, job, call.execute)
    return job


def _rewound(state: LineageState, rewind: int | None) -> list[tuple[str, dict[str, Any]]]:
    if rewind is None:
        return []
    check_rewind(state, rewind)
    return [(kinds.REWOUND, {"to": rewind})]


def _job_started(state: LineageState, call: Call, setting: Setting, rewind: int | None) -> tuple[str, dict[str, Any]]:
    if rewind is not None:
        state.converged, state.next_generation = False, rewind + 1
    check_continuable(state, call.seed_content)
    setting.check_work(call.seed_content or state.seed or "")
    setting.check_clean(call, state.last.digest if state.last else "")
    body = {
        "call": {
            **as_json(call),
            "seed_content": None,
            "project_dir": setting.root,
            "max_total_seconds": call.total_seconds,
        },
        "settings": setting.to_json(),
        "seed": call.seed_content,
        "first_generation": state.next_generation,
    }
    return kinds.JOB_STARTED, body
