"""Codex as the agent of a job: generations, a refused login, a worker that is killed, a job that is cancelled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ralph_hooks.scripted import ResponsesServer, Script, Step, error, say, shell
from ralph_hooks.scripted.surroundings import codex_env
from tests.support.clients import program
from tests.support.jobs import JobProject, kill, make_job_project

pytestmark = [pytest.mark.client, pytest.mark.slow]
ALLOW = ["--dangerously-bypass-approvals-and-sandbox"]
COUNT = "echo $(( $(cat n.txt) + 1 )) > n.txt"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[JobProject]:
    one = make_job_project(tmp_path / "p" / "project", 2)
    config = (one.project.root / "ralph-hooks.toml").read_text().replace("provider = 'command'", "provider = 'codex'")
    one.project.config(f"{config}[evolve]\narguments = {ALLOW}\n").commit()
    yield one
    one.stop()


def with_codex(project: JobProject, server: ResponsesServer) -> JobProject:
    own = codex_env(server.url, os.environ["HOME"], trusted=(str(project.project.root),))
    project.env.update({**own, "PATH": f"{os.path.dirname(program('codex'))}:{os.environ['PATH']}"})
    return project


def agents(project: JobProject) -> list[int]:
    return [*project.processes("codex", "exec"), *project.processes("sleep", "300")]


def test_codex_counts_to_two(project: JobProject) -> None:
    round_: list[Step] = [shell(COUNT), say("All is done and every check passes.")]
    with ResponsesServer(round_, round_) as server:
        job = with_codex(project, server).start("codex")
        result = project.end(job, 120)
    assert (result["status"], result["stop_reason"]) == ("completed", "qa passed")
    assert [(one["action"], one["detail"]) for one in result["iterations"]] == [("continue", "")] * 2
    assert "count up" in server.turns[0].shown
    assert "FAILED reached-1" in next(turn.shown for turn in server.turns if "# After generation 1" in turn.shown)


def test_codex_whose_login_is_refused_is_infrastructure(project: JobProject) -> None:
    with ResponsesServer(Script([], then=error(401))) as server:
        result = project.end(with_codex(project, server).start("codex"), 120)
    assert (result["stop_reason"], result["failure_reason_code"]) == ("step_error", "infrastructure")
    assert result["recovery_action"] == "wait"


def test_a_worker_killed_under_codex_leaves_no_second_agent(project: JobProject) -> None:
    slow: list[Step] = [shell("sleep 300"), say(".")]
    quick: list[Step] = [shell(COUNT), say(".")]
    with ResponsesServer(slow, quick, quick) as server:
        job = with_codex(project, server).start("codex")
        project.until(lambda: project.processes("sleep", "300"), 60)
        (worker,) = project.workers()
        kill(worker)
        project.until(lambda: not agents(project), 10)
        assert project.state(job) == "interrupted"
        assert project.job("resume", job).code == 0
        result = project.end(job, 120)
    assert result["stop_reason"] == "qa passed"
    assert [one["generation"] for one in result["iterations"]] == [1, 2]


def test_a_cancelled_job_ends_codex_and_what_it_started(project: JobProject) -> None:
    with ResponsesServer([shell("sleep 300"), say(".")]) as server:
        job = with_codex(project, server).start("codex")
        project.until(lambda: project.processes("sleep", "300"), 60)
        assert project.job("cancel", job).code == 0
        assert project.end(job, 30)["job_status"] == "cancelled"
        assert not agents(project)
