"""E11, E12: kill -9 of anything at any moment."""

from __future__ import annotations

import pytest

from tests.jobs.conftest import MakeJobs
from tests.support.jobs import kill

pytestmark = pytest.mark.slow


def test_a_worker_killed_in_generation_3_of_5_loses_nothing_and_repeats_nothing(jobs: MakeJobs) -> None:
    project = jobs(5, agent_seconds=2)
    job = project.start()
    project.until(lambda: project.rounds("begin") == 3)
    (worker,) = project.workers()
    kill(worker)
    project.until(lambda: not project.agents(), 5)
    assert project.state(job) == "interrupted"
    status = project.json("status", job)
    assert status["generations_finished"] == [1, 2]
    assert status["next_step"].endswith(f"`ralph-hooks job resume {job}`")

    assert project.job("resume", job).code == 0
    result = project.end(job)
    assert (result["status"], result["stop_reason"], result["job_status"]) == ("completed", "qa passed", "completed")
    assert [one["generation"] for one in result["iterations"]] == [1, 2, 3, 4, 5]
    finished = [number for kind, number in project.kinds(job) if kind == "generation_finished"]
    assert finished == [1, 2, 3, 4, 5]
    assert project.rounds("end") == 5
    assert project.rounds("begin") == 6
    assert ("generation_lost", 3) in project.kinds(job)
