"""The MCP server on the official SDK: lists the tools, runs them in threads, tells progress, obeys cancellation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from ralph_hooks import __version__
from ralph_hooks.errors import RalphError
from ralph_hooks.evolve.refusal import CallError, InputRequiredError
from ralph_hooks.mcp_server import ending
from ralph_hooks.mcp_server.ralph import ralph_tool
from ralph_hooks.mcp_server.tools import TOOLS, Meanwhile, Tool

Context = ServerRequestContext[Any, Any]
INSTRUCTIONS = "Background generations of fresh agents, judged by the project's own checks. Start with ouroboros_ralph."


def offered() -> dict[str, Tool]:
    """The tools of this moment: `ralph` is there only where the project's config says so."""
    extra = ralph_tool(os.getcwd())
    return {tool.name: tool for tool in (*TOOLS, *([extra] if extra else []))}


async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """All tools with their schemas, from the models."""
    return types.ListToolsResult(tools=[described(tool) for tool in offered().values()])


def described(tool: Tool) -> types.Tool:
    """One tool as the client sees it."""
    schema = tool.model.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema,
        annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=tool.read_only, destructive_hint=not tool.read_only, open_world_hint=False
        ),
    )


async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """One call; what a person can fix comes back as a result with `is_error`."""
    tool = offered().get(params.name)
    if tool is None:
        return failed(RalphError(f"there is no tool `{params.name}`", hint=f"tools: {', '.join(offered())}"))
    try:
        if tool.needs_session and context.session.client_params is None:
            raise RalphError(tool.needs_session)
        answer = await run(tool, params.arguments or {}, context)
    except RalphError as error:
        return failed(error)
    return types.CallToolResult(content=[text(tool.show(answer))], structured_content=answer, is_error=tool.bad(answer))


async def run(tool: Tool, arguments: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """The tool in a thread of its own. When the turn is stopped the tool is told, and waited for."""
    meanwhile = Meanwhile(
        lambda amount, words: anyio.from_thread.run(context.session.report_progress, amount, None, words)
    )
    answer: dict[str, Any] = {}
    caught: list[RalphError] = []

    def work() -> None:
        ending.active.add(meanwhile)
        try:
            answer.update(tool.run(dict(arguments), meanwhile))
        except RalphError as error:
            caught.append(error)
        finally:
            ending.active.discard(meanwhile)

    done = anyio.Event()

    async def in_thread() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(work)
        done.set()

    async with anyio.create_task_group() as group:
        group.start_soon(in_thread)
        try:
            await done.wait()
        except anyio.get_cancelled_exc_class():
            meanwhile.stopped = True
            raise
    if caught:
        raise caught[0]
    return answer


def failed(error: RalphError) -> types.CallToolResult:
    """An expected error as a tool result."""
    facts: dict[str, Any] = {"error": error.message, "hint": error.hint}
    if isinstance(error, CallError) and error.field:
        facts["field"] = error.field
    meta = error.meta if isinstance(error, InputRequiredError) else {}
    return types.CallToolResult(
        content=[text(error.render())], structured_content=facts | meta, is_error=True, _meta=meta or None
    )


def text(words: str) -> types.TextContent:
    """A text block."""
    return types.TextContent(type="text", text=words)


def build() -> Server[Any]:
    """The server; it keeps no state of its own."""
    return Server(
        "ralph-hooks",
        version=__version__,
        title="ralph-hooks",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve() -> None:
    """Serve one client on stdin and stdout until it goes."""
    server = build()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def main() -> int:
    """Run until the client closes its end, or is gone."""
    ending.prepare()
    anyio.run(serve)
    return 0
