"""Jobs run in processes of their own; none may outlive its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.jobs import JobProject, make_job_project

MakeJobs = Callable[..., JobProject]


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[MakeJobs]:
    """Makes job projects; afterwards nothing of them is left running."""
    made: list[JobProject] = []

    def make(goal: int, **keys: float) -> JobProject:
        one = make_job_project(tmp_path / f"p{len(made)}" / "project", goal, **keys)  # type: ignore[arg-type]
        made.append(one)
        return one

    yield make
    for one in made:
        one.stop()
