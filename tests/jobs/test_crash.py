"""E11, E12: kill -9 of anything at any moment."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.jobs.states import ENDED
from tests.jobs.conftest import MakeJobs, on_both
from tests.support.jobs import JobProject, kill
from tests.support.project import REPOSITORY

pytestmark = pytest.mark.slow


@on_both
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


BLIND = """\
import sys
from ralph_hooks.jobs import supervise
from ralph_hooks.jobs.database import DatabaseTrouble, connect, locate
from ralph_hooks.jobs.engine import Engine
from ralph_hooks.jobs.store import Store

class Away(Store):
    def cancel_requested(self, job):
        if open(sys.argv[2]).read() != "0":
            raise DatabaseTrouble("the connection is gone")
        return super().cancel_requested(job)

supervise.BLIND_SECONDS = 2.0
database = locate()
engine = Engine(Away(database, connect(database)), supervise.Supervisor())
engine.run("count", sys.argv[1], True, engine.step)
"""


def test_a_worker_without_its_database_ends_the_agent_and_goes_on_when_it_is_back(jobs: MakeJobs) -> None:
    project = jobs(1, agent_seconds=60)
    job = project.start("count", "--no-worker")
    told = project.trace.parent / "seconds.txt"
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env
    with subprocess.Popen([sys.executable, "-c", BLIND, job, str(told)], cwd="/", env=env) as worker:
        project.until(lambda: project.processes("sleep", "300"))
        project.until(lambda: not project.agents(), 15)
        assert worker.poll() is None
        told.write_text("0")
        assert project.end(job)["stop_reason"] == "qa passed"
        assert worker.wait(30) == 0
    assert (project.rounds("end"), project.agents()) == (1, [])
    assert [kind for kind, _ in project.kinds(job)].count("generation_lost") == project.rounds("begin") - 1 >= 1


def test_a_worker_killed_again_and_again_meets_the_total(jobs: MakeJobs) -> None:
    project = jobs(1, agent_seconds=60)
    job = project.start("count", "--max-total-seconds", "12")
    deadline = time.monotonic() + 90
    while project.state(job) != "failed":
        assert time.monotonic() < deadline
        begun = project.rounds("begin")
        if project.job("resume", job).code == 0:
            until_or_over(project, job, begun)
        time.sleep(1)
        for pid in project.workers():
            kill(pid)
        project.until(lambda: project.state(job) in ("interrupted", "failed"))
    result = project.json("result", job)
    assert result["stop_reason"] in ("wall_clock_exhausted", "iteration_timeout")
    assert project.rounds("begin") >= 2
    assert not project.agents()


def until_or_over(project: JobProject, job: str, begun: int) -> None:
    project.until(lambda: project.rounds("begin") > begun or project.state(job) == "failed")


KILLS = int(os.environ.get("RALPH_HOOKS_KILLS", "0"))
TARGETS = ("worker", "generation", "agent", "client", "worker and generation", "all")


def aim(project: JobProject, target: str) -> list[int]:
    """Process ids of one kind of target."""
    generations = project.processes("ralph_hooks.evolve.child")
    return {
        "worker": project.workers(),
        "generation": generations,
        "agent": project.agents(),
        "client": project.processes("ralph_hooks", "job"),
        "worker and generation": [*project.workers(), *generations],
        "all": [*project.workers(), *generations, *project.processes("ralph_hooks", "job")],
    }[target]


def parent(pid: int) -> int:
    """The parent of a process, 0 when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


class Referee(threading.Thread):
    """Looks all the time whether two agents live at once."""

    def __init__(self, project: JobProject) -> None:
        super().__init__(daemon=True)
        self.project = project
        self.most = 0
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.03):
            found = self.project.processes("agent.py")
            # between fork and exec a child of the agent looks like the agent
            self.most = max(self.most, len([pid for pid in found if parent(pid) not in found]))


def campaign(project: JobProject, kills: int, seed: int) -> None:
    """Kill something at a random instant, pick up the pieces, again and again."""
    config = (project.project.root / "ralph-hooks.toml").read_text()
    project.project.config(config + "[evolve]\nlineage_cap = 10000\n").commit()
    dice = random.Random(seed)
    referee = Referee(project)
    referee.start()
    jobs = [project.start()]
    hits = dict.fromkeys(TARGETS, 0)
    while sum(hits.values()) < kills:
        client = subprocess.Popen(
            [sys.executable, "-m", "ralph_hooks", "job", "wait", jobs[-1], "--timeout", "30"],
            cwd=project.project.root,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env,
            stdout=subprocess.DEVNULL,
        )
        time.sleep(dice.uniform(0, 1.2))
        target = dice.choice(TARGETS)
        victims = aim(project, target)
        for pid in victims:
            kill(pid)
        hits[target] += bool(victims)
        client.kill()
        client.wait()
        pick_up(project, jobs)
    referee.over.set()
    while (result := brought_to_its_end(project, jobs))["status"] != "completed":
        assert result["stop_reason"] != "exhausted", result
        jobs.append(project.start())
    assert referee.most <= 1, "two agents lived at once"
    assert not project.agents(), "an agent outlived its job"
    settled(project, jobs, result)


def brought_to_its_end(project: JobProject, jobs: list[str]) -> dict[str, Any]:
    """A worker that was just killed looks alive until it is reaped: whoever waits sees that later, and resumes."""

    def over() -> bool:
        alone = not project.workers()
        if project.state(jobs[-1]) == "interrupted" or (alone and project.state(jobs[-1]) == "queued"):
            pick_up(project, jobs)
        return project.state(jobs[-1]) in ENDED

    project.until(over, 120, lambda: project.told(jobs[-1]))
    return project.end(jobs[-1])


def pick_up(project: JobProject, jobs: list[str]) -> None:
    """What a person would do next."""
    state = project.state(jobs[-1])
    if state in ("interrupted", "queued"):
        done = project.job("resume", jobs[-1])
        # a worker that lives may have adopted and finished it meanwhile
        assert done.code == 0 or project.state(jobs[-1]) in ENDED, done.err
    elif state == "failed":
        jobs.append(project.start())
    else:
        assert state in ("running", "completed"), state
        if state == "completed":
            project.project.write("n.txt", "0")
            jobs.append(project.start())


def settled(project: JobProject, jobs: list[str], result: dict[str, Any]) -> None:
    """Every event is there, every finished generation is there once, and the numbers have no gaps."""
    seqs, complete = [], []
    for job in jobs:
        assert project.state(job) in ("completed", "failed")
        for line in project.job("events", job, "--json").out.splitlines():
            event = json.loads(line)
            seqs.append(event["cursor"])
            one = event.get("iteration")
            if one and one["launched"] and not one["trouble"] and one["action"] not in ("failed", "interrupted"):
                complete.append(one["generation"])
    assert seqs == list(range(1, len(seqs) + 1))
    assert complete == list(range(1, len(complete) + 1))
    assert result["stop_reason"] == "qa passed"


@pytest.mark.timeout(600)
def test_twenty_kills_at_random_instants(jobs: MakeJobs) -> None:
    campaign(jobs(9, agent_seconds=0.4), kills=20, seed=1)


@pytest.mark.timeout(600)
@pytest.mark.postgres
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_kills_at_random_instants_on_postgresql(jobs: MakeJobs) -> None:
    campaign(jobs(9, agent_seconds=0.4), kills=8, seed=2)


@pytest.mark.skipif(not KILLS, reason="a long campaign: RALPH_HOOKS_KILLS=200 runs it")
@pytest.mark.timeout(0)
@on_both
def test_a_long_campaign_of_kills(jobs: MakeJobs) -> None:
    campaign(jobs(9, agent_seconds=0.4), kills=KILLS, seed=int(time.time()))
