"""The result of a job: the loop's status and the job's, never expiring (E9, E12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.stop_rules import Ending
from ralph_hooks.jobs.states import advice


def result_of(
    job: str, lineage: str, iterations: Sequence[Iteration], ending: Ending, call: dict[str, Any]
) -> dict[str, Any]:
    """Everything a caller may want to know, as plain JSON values."""
    last = iterations[-1] if iterations else None
    commits = [*call.get("checkpoint_commits", []), *(one for it in iterations for one in it.commits)]
    attempted = list(call.get("checkpoint_attempted_ac_ids", []))
    attempted += [id for it in iterations for record in it.commits for id in record["ac_ids"]]
    return {
        "job_id": job,
        "lineage_id": lineage,
        "status": ending.status,
        "stop_reason": ending.stop_reason,
        "detail": ending.detail,
        "generation": last.generation if last else None,
        "generations_run": sum(one.launched for one in iterations),
        "action": last.action if last else None,
        "qa": last.to_json()["qa"] if last else None,
        "iterations": [one.to_json() for one in iterations],
        "checkpoint_commits": commits,
        "checkpoint_attempted_ac_ids": list(dict.fromkeys(attempted)),
        **advice(ending.status, ending.stop_reason, bool(last and last.infrastructure), job, lineage),
    }
