"""The state of a job, from its row alone (E9)."""

from __future__ import annotations

from typing import Any

from ralph_hooks.jobs.row import JobRow

QUEUED = "queued"
RUNNING = "running"
CANCEL_REQUESTED = "cancel_requested"
COMPLETED = "completed"
FAILED = "failed"
CANCELLED = "cancelled"
INTERRUPTED = "interrupted"
STATES = (QUEUED, RUNNING, CANCEL_REQUESTED, COMPLETED, FAILED, CANCELLED, INTERRUPTED)
ENDED = (COMPLETED, FAILED, CANCELLED)

# What a caller does next, by the kind of failure.
RECOVERY = {
    "timeout": "retry",
    "validation": "inspect_logs",
    "cancelled": "retry",
    "infrastructure": "wait",
    "unknown": "inspect_logs",
}
CODES = {
    "iteration_timeout": "timeout",
    "wall_clock_exhausted": "timeout",
    "cancelled": "cancelled",
    "interrupted": "cancelled",
    "qa_failed": "validation",
    "stagnated": "validation",
    "ontology_stable": "validation",
    "oscillation_detected": "validation",
    "grade_regressing": "validation",
    "max_generations reached": "validation",
    "gate_error": "validation",
    "exhausted": "validation",
}


def state(row: JobRow) -> str:
    """One of `STATES`."""
    if row.ended_at is not None:
        return row.status or FAILED
    if row.lease is None:
        return CANCEL_REQUESTED if row.cancel_requested else QUEUED
    if not row.lease.alive(row.heartbeat_age):
        return INTERRUPTED
    return CANCEL_REQUESTED if row.cancel_requested else RUNNING


def advice(status: str, stop_reason: str, infrastructure: bool, job: str, lineage: str) -> dict[str, Any]:
    """`failure_reason_code`, `recovery_action` and `next_step` of a result."""
    if status == COMPLETED:
        return {"failure_reason_code": None, "recovery_action": None, "next_step": "review the changes"}
    code = "infrastructure" if infrastructure else CODES.get(stop_reason, "unknown")
    action = RECOVERY[code]
    steps = {
        "retry": f"start another job on lineage `{lineage}`; it goes on where this one stopped",
        "inspect_logs": f"`ralph-hooks job events {job}` shows what failed; start another job on lineage `{lineage}` "
        "when it is understood",
        "wait": f"wait until what `ralph-hooks job events {job}` names can be reached, then start another job "
        f"on lineage `{lineage}`",
    }
    return {"failure_reason_code": code, "recovery_action": action, "next_step": steps[action]}


def next_step(row: JobRow) -> str:
    """What to do about a job in its present state."""
    now = state(row)
    if row.result:
        return str(row.result.get("next_step", ""))
    if now == INTERRUPTED:
        who = row.lease.words() if row.lease else "its worker"
        return f"{who} is gone: `ralph-hooks job resume {row.job_id}`"
    if now == CANCEL_REQUESTED:
        return f"`ralph-hooks job wait {row.job_id}` until its process tree is gone"
    return f"`ralph-hooks job wait {row.job_id}`"
