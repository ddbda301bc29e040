"""E10, E11: two hosts on one database. A host is what its machine id says; here each worker has a state of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from ralph_hooks.jobs.owner import LEASE_SECONDS, Owner
from tests.jobs.conftest import MakeJobs
from tests.jobs.test_crash import Referee
from tests.support.jobs import JobProject, kill
from tests.support.project import REPOSITORY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.postgres,
    pytest.mark.timeout(300),
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
]


class Host:
    """A worker with its own state directory, and so its own machine id; it never leaves by itself."""

    def __init__(self, project: JobProject, place: Path) -> None:
        self.state = place
        own = {"PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": str(place)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ralph_hooks", "worker", "--idle", "0"], cwd="/", env=os.environ | project.env | own
        )

    def processes(self) -> list[int]:
        """Everything that runs on it."""
        mark = f"XDG_STATE_HOME={self.state}\0".encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                if mark in Path(f"/proc/{name}/environ").read_bytes() + b"\0":
                    found.append(int(name))
            except OSError:
                continue
        return found

    def die(self) -> None:
        """The power goes."""
        self.process.kill()
        for _ in range(3):  # what was between fork and exec a moment ago shows itself later
            for pid in self.processes():
                kill(pid)
        self.process.wait()

    @property
    def machine_id(self) -> str:
        return (self.state / "ralph-hooks" / "machine-id").read_text()


def owner(project: JobProject, job: str) -> str:
    """The host that began the last generation."""
    begun = [event.body for event in project.store.job_events(job) if event.kind == "generation_started"]
    return Owner.from_json(begun[-1]["owner"]).host if begun else ""


def test_a_living_host_keeps_its_job_and_a_dead_one_loses_it_to_another(jobs: MakeJobs, tmp_path: Path) -> None:
    project = jobs(2, agent_seconds=600)
    first = Host(project, tmp_path / "first")
    job = project.start("count", "--no-worker")
    project.until(lambda: project.processes("sleep", "300"))
    assert owner(project, job).endswith(first.machine_id)
    second = Host(project, tmp_path / "second")
    referee = Referee(project)
    referee.start()
    try:
        time.sleep(LEASE_SECONDS + 5)  # heartbeats alone keep the job where it is
        assert project.rounds("begin") == 1
        assert project.state(job) == "running"
        project.project.write("../seconds.txt", "0.2")
        first.die()
        assert project.state(job) == "running", "from afar a host counts as alive until its lease expires"
        project.until(lambda: project.state(job) == "interrupted" or project.rounds("begin") > 1, LEASE_SECONDS + 5)
        result = project.end(job, 60)
    finally:
        referee.over.set()
        first.die()
        second.die()
    assert result["stop_reason"] == "qa passed"
    assert owner(project, job).endswith(second.machine_id)
    assert [one["generation"] for one in result["iterations"]] == [1, 2]
    kinds = project.kinds(job)
    assert kinds.count(("worker_lost", 1)) == kinds.count(("generation_lost", 1)) == 1
    (lost,) = (event.body for event in project.store.job_events(job) if event.kind == "generation_lost")
    assert lost["swept"] == [], "nothing of another host can be ended from here"
    assert referee.most == 1
    assert project.rounds("begin") == 3


def test_a_job_of_a_dead_host_is_cancelled_from_another(jobs: MakeJobs, tmp_path: Path) -> None:
    project = jobs(2, agent_seconds=600)
    first = Host(project, tmp_path / "first")
    try:
        job = project.start("count", "--no-worker")
        project.until(lambda: project.processes("sleep", "300"))
    finally:
        first.die()
    assert project.json("cancel", job)["status"] == "cancel_requested"
    project.until(lambda: project.state(job) == "interrupted", LEASE_SECONDS + 5)
    assert project.json("cancel", job)["status"] == "cancelled"
    assert project.json("result", job)["stop_reason"] == "cancelled"


def test_a_host_that_died_before_it_took_the_lease_keeps_no_job(jobs: MakeJobs, tmp_path: Path) -> None:
    """The worker takes a job off the queue first, and the lineage's lease a moment later."""
    project = jobs(1)
    job = project.start("count", "--no-worker")
    with project.store.engine.begin() as connection:
        words = "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = 'elsewhere-slot-0'"
        assert connection.execute(sa.text(f"{words} WHERE workflow_uuid = :job"), {"job": job}).rowcount == 1
    second = Host(project, tmp_path / "second")
    try:
        time.sleep(LEASE_SECONDS / 2)
        assert project.rounds("begin") == 0
        assert project.end(job, LEASE_SECONDS + 10)["stop_reason"] == "qa passed"
    finally:
        second.die()
