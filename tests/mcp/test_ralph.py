"""F23: the loop as a tool, driven by the SDK's own client."""

from __future__ import annotations

import json

import anyio
import pytest
from mcp import Client

from tests.jobs.conftest import MakeJobs
from tests.mcp.test_server import converse
from tests.support.jobs import JobProject

pytestmark = pytest.mark.slow
REPORTER = """\
import json, os, pathlib, sys
sys.stdin.read()
path = pathlib.Path("n.txt")
path.write_text(str(int(path.read_text()) + 1))
report = {"state": "complete", "next_steps": [], "evidence": ["counted"], "blocker": None}
pathlib.Path(os.environ["RALPH_HOOKS_REPORT"]).write_text(json.dumps(report))
"""


def with_tool(project: JobProject, agent: str | None = REPORTER) -> JobProject:
    config = (project.project.root / "ralph-hooks.toml").read_text()
    project.project.config(config + "tool = true\n")
    if agent:
        project.project.write("agent.py", agent)
    project.project.commit()
    return project


def test_a_loop_holds_the_turn_and_gives_one_closing_result(jobs: MakeJobs) -> None:
    project = with_tool(jobs(2))
    told: list[str | None] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async def talk(client: Client) -> None:
        tool = next(tool for tool in (await client.list_tools()).tools if tool.name == "ralph")
        assert tool.title == "ralph"
        assert (
            "Use the ralph tool ONLY when the direct human explicitly asks for a Ralph loop or fresh-agent iterative "
            "execution."
        ) in (tool.description or "")
        assert list(tool.input_schema["properties"]) == ["objective", "maxRounds"]
        assert tool.input_schema["additionalProperties"] is False
        done = await client.call_tool("ralph", {"objective": "count", "maxRounds": 4}, progress_callback=tell)
        assert not done.is_error, done.content
        (block,) = done.content
        assert block.type == "text"
        assert block.text.startswith("Ralph completed after 2 rounds.")
        assert done.structured_content["verified"] is True
        assert told
        assert all(message and message.startswith("round ") for message in told)
        assert "counted" not in json.dumps(told)

    converse(project, talk)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"objective": " "}, "Ralph objective must be a non-empty string"),
        ({}, "Ralph objective must be a non-empty string"),
        ({"objective": "x", "maxRounds": 0}, "Ralph maxRounds must be a positive safe integer"),
        ({"objective": "x", "maxRounds": 257}, "Ralph maxRounds 257 exceeds the deployment ceiling 256"),
        ({"objective": "x", "provider": "claude"}, "Ralph takes no field `provider`"),
    ],
)
def test_a_refusal_starts_nothing(jobs: MakeJobs, arguments: dict[str, object], words: str) -> None:
    project = with_tool(jobs(1))

    async def talk(client: Client) -> None:
        answer = await client.call_tool("ralph", arguments)
        assert answer.is_error
        assert words in answer.structured_content["error"]

    converse(project, talk)
    assert (project.project.root / "n.txt").read_text() == "0"


def test_stopping_the_turn_ends_the_loop_and_its_agent(jobs: MakeJobs) -> None:
    project = with_tool(jobs(2, agent_seconds=120), agent=None)

    async def talk(client: Client) -> None:
        with anyio.move_on_after(60) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "ralph", {"objective": "count"})
                while project.rounds("begin") == 0:
                    await anyio.sleep(0.1)
                group.cancel_scope.cancel()
        assert not scope.cancelled_caught
        with anyio.fail_after(15):
            while project.agents():
                await anyio.sleep(0.1)
        assert len((await client.list_tools()).tools) == 6  # the server goes on

    converse(project, talk)


def test_a_client_that_dies_takes_the_loop_with_it(jobs: MakeJobs) -> None:
    project = with_tool(jobs(2, agent_seconds=120), agent=None)

    async def talk(client: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "ralph", {"objective": "count"})
            while project.rounds("begin") == 0:
                await anyio.sleep(0.1)
            raise KeyboardInterrupt

    with pytest.raises(BaseException):  # noqa: B017 - however the SDK wraps it
        converse(project, talk)
    project.until(lambda: not project.agents(), 20)
