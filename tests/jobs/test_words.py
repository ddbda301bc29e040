"""What the job verbs print for people: what failed by its name, times as times, hints that help."""

from __future__ import annotations

import re

import pytest

from tests.jobs.conftest import MakeJobs
from tests.support.jobs import kill

pytestmark = pytest.mark.slow


def test_what_failed_is_in_the_events(jobs: MakeJobs) -> None:
    project = jobs(3)
    job = project.start("count", "--max-generations", "1")
    project.end(job)
    (finished,) = [line for line in project.job("events", job).out.splitlines() if "generation_finished" in line]
    assert re.search(r"1 failing, [0-9.]+ s: .*count", finished), finished


def test_an_agent_that_died_is_said_with_how(jobs: MakeJobs) -> None:
    project = jobs(3)
    script = project.project.root.parent / "dies.sh"
    script.write_text("#!/bin/sh\nexit 137\n")
    script.chmod(0o755)
    config = project.project.root / "ralph-hooks.toml"
    config.write_text(re.sub(r"command = .*", f"command = [{str(script)!r}]", config.read_text()))
    job = project.start("count")
    project.end(job)
    out = project.job("events", job).out
    assert out.count("the agent ended with exit code 137") == 2, out


def test_times_are_for_people_and_numbers_for_programs(jobs: MakeJobs) -> None:
    project = jobs(1)
    job = project.start()
    project.end(job)
    rows = dict(line.split(None, 1) for line in project.job("status", job).out.splitlines())
    assert re.fullmatch(r"(\d{4}-\d\d-\d\d )?\d\d:\d\d(:\d\d)?", rows["created_at"]), rows
    assert isinstance(project.json("status", job)["created_at"], float)


def test_an_interrupted_job_has_no_result_and_the_hint_gets_one(jobs: MakeJobs) -> None:
    project = jobs(1, agent_seconds=2)
    job = project.start()
    project.until(lambda: project.rounds("begin") == 1)
    (worker,) = project.workers()
    kill(worker)
    project.until(lambda: project.state(job) == "interrupted")
    done = project.job("result", job)
    assert (done.code, done.err.splitlines()[0]) == (4, f"error: job `{job}` is interrupted and has no result yet")
    assert done.err.splitlines()[1].endswith(f"is gone: `ralph-hooks job resume {job}`")
    assert project.job("resume", job).code == 0
    assert project.end(job)["status"] == "completed"


def test_what_could_not_be_reached_is_not_always_the_agent(jobs: MakeJobs) -> None:
    project = jobs(1)
    gone = str(project.project.root.parent / "gone.git")
    job = project.start("count", "--git-remote", gone, "--git-ref", "main")
    result = project.end(job)
    assert (result["failure_reason_code"], result["recovery_action"]) == ("infrastructure", "wait")
    assert gone in result["detail"] and "agent" not in result["next_step"]
    assert f"`ralph-hooks job events {job}`" in result["next_step"]
