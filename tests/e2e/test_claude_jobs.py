"""E16 and F23 with the real Claude Code as the MCP client, and Claude Code as the agent of a job."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.scripted import MessagesServer, Step, call, say, shell
from ralph_hooks.scripted.request import Request
from ralph_hooks.scripted.script import Call
from ralph_hooks.scripted.surroundings import claude_env
from tests.support.clients import claude, program
from tests.support.jobs import SEED, JobProject, make_job_project
from tests.support.project import REPOSITORY

pytestmark = [pytest.mark.client, pytest.mark.slow]
SERVER = "mcp__ralph-hooks__"
REPORTER = """\
import json, os, pathlib, sys
sys.stdin.read()
path = pathlib.Path("n.txt")
path.write_text(str(int(path.read_text()) + 1))
report = {"state": "complete", "next_steps": [], "evidence": ["counted"], "blocker": None}
pathlib.Path(os.environ["RALPH_HOOKS_REPORT"]).write_text(json.dumps(report))
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[JobProject]:
    one = make_job_project(tmp_path / "p" / "project", 2)
    yield one
    one.stop()


def servers(project: JobProject) -> str:
    env = {"PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"], **project.env}
    entry = {"command": sys.executable, "args": ["-P", "-m", "ralph_hooks", "mcp"], "env": env}
    return json.dumps({"mcpServers": {"ralph-hooks": entry}})


def job_in(request: Request) -> str:
    found = re.search(r"job_[0-9a-f]{12}", " ".join(request.results))
    assert found, request.results
    return found[0]


def waiting(request: Request) -> Call:
    waiting.job = job_in(request)  # type: ignore[attr-defined]
    return call(f"{SERVER}ouroboros_job_wait", job_id=job_in(request), cursor=0, timeout_seconds=20)


def result_of(request: Request) -> Call:
    return call(f"{SERVER}ouroboros_job_result", job_id=job_in(request))


def test_claude_code_starts_a_job_and_follows_it(project: JobProject) -> None:
    seen: list[str] = []

    def until_the_end(request: Request) -> Any:
        seen.append(" ".join(request.results))
        news = json.loads(request.results[-1])
        if news["status"] == "completed" and news["events"] and news["events"][-1]["kind"] == "job_ended":
            return result_of(request)
        return call(f"{SERVER}ouroboros_job_wait", job_id=news["job_id"], cursor=news["cursor"], timeout_seconds=20)

    def last(request: Request) -> Any:
        seen.append(" ".join(request.results))
        if "qa passed" in seen[-1] and '"iterations"' in seen[-1]:
            return say("It is done.")
        return until_the_end(request)

    steps: list[Step] = [
        call(f"{SERVER}ouroboros_ralph", lineage_id="from-claude", seed_content=SEED, max_total_seconds=300),
        waiting,
        *[last] * 30,
    ]
    with MessagesServer(steps) as server:
        run = claude(project.project, "count", server, "--mcp-config", servers(project), timeout=120)
    assert run.code == 0, run.err
    assert run.result["result"] == "It is done."
    assert "qa passed" in seen[-1]
    (row,) = project.store.page(5)
    assert row.lineage_id == "from-claude"
    assert row.status == "completed"


def test_a_refusal_reaches_the_model_in_words(project: JobProject) -> None:
    steps: list[Step] = [call(f"{SERVER}ouroboros_ralph", lineage_id="x", max_generations=99), say("I see.")]
    with MessagesServer(steps) as server:
        run = claude(project.project, "go", server, "--mcp-config", servers(project), timeout=60)
    assert run.code == 0, run.err
    assert "`max_generations` is 99, but must be a whole number from 1 to 10" in run.shown[1]


def test_the_loop_is_a_tool_only_where_the_config_says_so(project: JobProject) -> None:
    config = (project.project.root / "ralph-hooks.toml").read_text()
    project.project.write("agent.py", REPORTER)
    steps: list[Step] = [call(f"{SERVER}ralph", objective="count to two", maxRounds=3), say("The loop is over.")]
    for tool, words in ((False, "No such tool available"), (True, "Ralph completed after 2 rounds.")):
        project.project.config(config + f"tool = {str(tool).lower()}\n").write("n.txt", "0").commit()
        with MessagesServer(list(steps)) as server:
            run = claude(project.project, "go", server, "--mcp-config", servers(project), timeout=90)
        assert run.code == 0, run.err
        assert words in run.shown[1]


def test_claude_code_is_the_agent_of_a_job(project: JobProject) -> None:
    config = (
        (project.project.root / "ralph-hooks.toml").read_text().replace("provider = 'command'", "provider = 'claude'")
    )
    config += "[evolve]\narguments = ['--dangerously-skip-permissions']\n"
    project.project.config(config).commit()
    count = shell("echo $(( $(cat n.txt) + 1 )) > n.txt")
    report = call("StructuredOutput", state="continue", next_steps=["go on"], evidence=[], blocker=None)
    with MessagesServer([count, report, say("."), count, report, say(".")]) as server:
        env = claude_env(server.url, os.environ["HOME"])
        project.env.update({**env, "PATH": f"{os.path.dirname(program('claude'))}:{os.environ['PATH']}"})
        job = project.start("claude", "--max-generations", "2")
        result = project.end(job, 120)
    assert [one["detail"] for one in result["iterations"]] == ["", ""]
    assert (result["status"], result["stop_reason"]) == ("completed", "qa passed")
    assert "count up" in server.turns[0].shown
