"""E16: the server over stdio, driven by the SDK's own client."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from ralph_hooks.evolve.call import Call
from tests.jobs.conftest import MakeJobs
from tests.support.jobs import SEED, JobProject
from tests.support.project import REPOSITORY

pytestmark = pytest.mark.slow
Talk = Callable[[Client], Awaitable[None]]


def converse(project: JobProject, talk: Talk, **env: str) -> None:
    """Start `ralph-hooks mcp` in the project and talk to it."""

    async def go() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-P", "-m", "ralph_hooks", "mcp"],
            cwd=project.project.root,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env | env,
        )
        async with Client(server) as client:
            await talk(client)

    anyio.run(go)


def test_the_tools_and_their_schemas(jobs: MakeJobs) -> None:
    async def talk(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == [
            "ouroboros_ralph",
            "ouroboros_job_status",
            "ouroboros_job_wait",
            "ouroboros_job_result",
            "ouroboros_cancel_job",
        ]
        schema = tools["ouroboros_ralph"].input_schema
        assert list(schema["properties"]) == list(Call.model_fields)
        assert schema["required"] == ["lineage_id"]
        assert (
            schema["properties"]["oscillation_window"] == Call.model_json_schema()["properties"]["oscillation_window"]
        )
        assert all(tool.description for tool in tools.values())

    converse(jobs(1), talk)


def test_a_job_from_start_to_result(jobs: MakeJobs) -> None:
    project = jobs(2, agent_seconds=0.5)
    told: list[Any] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async def talk(client: Client) -> None:
        begun = await client.call_tool("ouroboros_ralph", {"lineage_id": "m", "seed_content": SEED})
        assert not begun.is_error, begun.content
        job = begun.structured_content["job_id"]
        assert begun.structured_content["warnings"][0].startswith("WARNING: `max_total_seconds`")
        again = await client.call_tool("ouroboros_ralph", {"lineage_id": "m"})
        assert again.is_error
        assert job in again.structured_content["error"]
        cursor, seen, status = 0, [], "queued"
        while status not in ("completed", "failed"):
            news = await client.call_tool(
                "ouroboros_job_wait",
                {"job_id": job, "cursor": cursor, "timeout_seconds": 30},
                progress_callback=tell,
            )
            answer = news.structured_content
            cursor, status = answer["cursor"], answer["status"]
            seen += [event["kind"] for event in answer["events"]]
        last = await client.call_tool("ouroboros_job_wait", {"job_id": job, "cursor": cursor, "timeout_seconds": 0})
        seen += [event["kind"] for event in last.structured_content["events"]]
        assert seen[0] == "job_started"
        assert seen[-1] == "job_ended"
        for view in ("full", "summary", "compact"):
            shown = await client.call_tool("ouroboros_job_status", {"job_id": job, "view": view})
            assert shown.structured_content["status"] == "completed"
        result = await client.call_tool("ouroboros_job_result", {"job_id": job})
        assert result.structured_content["stop_reason"] == "qa passed"

    converse(project, talk)


def test_refusals_are_results_and_start_nothing(jobs: MakeJobs) -> None:
    project = jobs(1)

    async def talk(client: Client) -> None:
        blank = await client.call_tool("ouroboros_ralph", {"lineage_id": "  "})
        assert blank.is_error
        assert blank.meta is not None
        assert blank.meta["status"] == "input_required"
        assert blank.meta["missing"] == ["lineage_id"]
        assert blank.meta["next_step"]
        for arguments, words in (
            ({"lineage_id": "x", "execute": "false"}, "`execute` is 'false', but must be true or false"),
            (
                {"lineage_id": "x", "max_generations": 2.5},
                "`max_generations` is 2.5, but must be a whole number from 1 to 10",
            ),
            ({"lineage_id": "x", "oscillation_window": 1}, "a whole number from 2 to 10"),
            ({"lineage_id": "x", "zzz": 1}, "`zzz` is not a field"),
            ({"lineage_id": "x"}, "`seed_content` is needed for generation 1"),
            ({"lineage_id": "x", "seed_content": "goal: [a"}, "seed_content:1: not YAML"),
            ({"lineage_id": "x", "seed_content": SEED, "project_dir": "/nowhere"}, "`project_dir` is '/nowhere'"),
        ):
            answer = await client.call_tool("ouroboros_ralph", arguments)
            assert answer.is_error
            assert words in answer.structured_content["error"]
        for tool in ("ouroboros_job_status", "ouroboros_job_wait", "ouroboros_job_result", "ouroboros_cancel_job"):
            answer = await client.call_tool(tool, {"job_id": "job_0123456789ab"})
            assert answer.is_error
            assert answer.structured_content["error"].startswith("no job `job_0123456789ab` in `")
            answer = await client.call_tool(tool, {"job": "job_0123456789ab"})
            assert answer.is_error
            assert "`job` is not a field; did you mean `job_id`?" in answer.structured_content["error"]
        answer = await client.call_tool("nonsense", {})
        assert answer.is_error

    converse(project, talk)
    assert project.json("list")["jobs"] == []


def test_cancelling_a_job_and_stopping_a_wait(jobs: MakeJobs) -> None:
    project = jobs(2, agent_seconds=60)

    async def talk(client: Client) -> None:
        begun = await client.call_tool("ouroboros_ralph", {"lineage_id": "c", "seed_content": SEED})
        job = begun.structured_content["job_id"]
        with anyio.move_on_after(3):
            await client.call_tool("ouroboros_job_wait", {"job_id": job, "cursor": 2, "timeout_seconds": 600})
        with anyio.fail_after(30):
            answer = await client.call_tool("ouroboros_cancel_job", {"job_id": job})
        assert answer.structured_content["status"] in ("cancel_requested", "cancelled")

    converse(project, talk)
    (row,) = project.store.page(1)
    assert project.end(row.job_id)["status"] == "cancelled"
    assert not project.agents()
