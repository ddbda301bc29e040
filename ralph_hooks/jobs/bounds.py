"""What a job's call and record say about its next generation."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from ralph_hooks import paths
from ralph_hooks.check.lock import Busy, CheckoutLock
from ralph_hooks.evolve.lineage import JobState
from ralph_hooks.evolve.stop_rules import Limits
from ralph_hooks.jobs.owner import Owner
from ralph_hooks.loop.providers.base import RUN_MARK
from ralph_hooks.plan.locate import git_top
from ralph_hooks.process import tree


def limits_of(job: JobState) -> Limits:
    """The bounds that the job's call and settings give."""
    return Limits(
        max_generations=job.call["max_generations"],
        oscillation_window=job.call["oscillation_window"],
        grade_regression_window=job.call["grade_regression_window"],
        skip_qa=job.call["skip_qa"],
        stop_on_cycle=job.settings.get("stop_on_cycle", False),
    )


def remaining(job: JobState) -> float:
    """Seconds left of the job's total.

    A generation whose worker died counts for as long as it ran; time in which nothing ran (a queue) does not.
    """
    return float(job.call["max_total_seconds"]) - sum(one.duration for one in job.iterations) - job.lost_seconds


def attempted(job: JobState) -> list[str]:
    """Criteria that a checkpoint has taken before: by the call's word or by this job's own record."""
    found = list(job.call["checkpoint_attempted_ac_ids"])
    for record in job.call["checkpoint_commits"]:
        ids = record.get("ac_ids")
        found += [str(id) for id in ids] if isinstance(ids, list) else []
    found += [id for one in job.iterations for record in one.commits for id in record["ac_ids"]]
    return list(dict.fromkeys(found))


def sweep_run(running: dict[str, Any]) -> list[int]:
    """End what a dead owner's generation left running on this machine; the process ids.

    The generation's own process and its criteria's checks carry the run id, the agent's tree carries the loop's mark;
    the project's checks are ended by whoever next takes the checkout's lock, which is done here at once.
    """
    if not Owner.from_json(running["owner"]).here:
        return []
    run_id = running["run_id"]
    swept = [*tree.sweep(run_id), *tree.sweep(run_id, RUN_MARK)]
    with suppress(OSError, Busy), CheckoutLock(_checkout(running), run_id, time.monotonic()):
        pass
    return swept


def _checkout(running: dict[str, Any]) -> str:
    root = running.get("project_dir") or "/"
    return paths.checkout_dir(git_top(root) or root)
