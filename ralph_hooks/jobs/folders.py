"""What jobs leave in the state directory beside the database."""

from __future__ import annotations

import os

from ralph_hooks import paths


def runs_folder() -> str:
    """Where the folders of all jobs' generations are."""
    return os.path.join(paths.state_dir(), "jobs", "runs")


def run_folder(job: str, generation: int, run_id: str) -> str:
    """Where a generation's order, answer and log lie; a new folder for every try."""
    return os.path.join(runs_folder(), job, f"{generation}-{run_id}")
