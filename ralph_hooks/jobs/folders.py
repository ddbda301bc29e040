"""What jobs leave in the state directory beside the database."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ralph_hooks import paths
from ralph_hooks.loop import pruning
from ralph_hooks.loop.pruning import Keep, entries

if TYPE_CHECKING:
    from ralph_hooks.jobs.store import Store

JOBS = Keep(folders=100, days=30, size=1 << 30)
LOG_BYTES = 1 << 20


def runs_folder() -> str:
    """Where the folders of all jobs' generations are."""
    return os.path.join(paths.state_dir(), "jobs", "runs")


def run_folder(job: str, generation: int, run_id: str) -> str:
    """Where a generation's order, answer and log lie; a new folder for every try."""
    return os.path.join(runs_folder(), job, f"{generation}-{run_id}")


def prune(store: Store, keep: Keep = JOBS) -> list[str]:
    """Remove folders of ended jobs that are over a bound; their results stay in the database.

    A job that may still be resumed keeps its folder, and so does one that this database does not know.
    """
    place = runs_folder()
    ended = store.ended(entries(place))
    return pruning.prune([os.path.join(place, job) for job in ended], keep)


def rotate(log: str) -> None:
    """Begin a new file when this one is long; one earlier file stays. Whoever writes to it still goes on in that."""
    with suppress(OSError):
        if os.stat(log).st_size > LOG_BYTES:
            os.replace(log, log + ".1")
