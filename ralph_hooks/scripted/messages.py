"""Anthropic's Messages API, as far as Claude Code asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ralph_hooks.scripted.request import MAIN, SIDE, SUBAGENT, Request, flat
from ralph_hooks.scripted.script import Answer, Block, Call, Error, Say
from ralph_hooks.scripted.server import ScriptedServer

KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
Event = tuple[str, Mapping[str, Any]]


class MessagesServer(ScriptedServer):
    """`ANTHROPIC_BASE_URL=server.url`, any `ANTHROPIC_API_KEY`."""

    unfinished = -3

    def read(self, request: Request) -> Request:
        headers, tools = request.headers, tuple(tool.get("name", "") for tool in request.body.get("tools") or ())
        agent = headers.get("x-claude-code-agent-id", "")
        asks = request.path.split("?")[0] == "/v1/messages" and tools
        news = _news(request.body.get("messages") or [])
        return replace(
            request,
            role=(SUBAGENT if agent else MAIN) if asks else SIDE,
            session=headers.get("x-claude-code-session-id", ""),
            agent=agent,
            shown=flat(news),
            results=tuple(_results(news)),
            tools=tools,
        )

    def side(self, request: Request) -> Mapping[str, Any] | Answer:
        path = request.path.split("?")[0]
        if path == "/v1/messages":
            return Say("ok")
        if path == "/v1/messages/count_tokens":
            return {"input_tokens": self.tokens[0]}
        if path == "/v1/models":
            return {"data": [], "has_more": False, "first_id": None, "last_id": None}
        return {} if path == "/" else Error(404, f"no {path} here")

    def refusal(self, failed: Error) -> Mapping[str, Any]:
        kind = failed.kind or KINDS.get(failed.status, "api_error")
        message = failed.message or f"scripted {kind}"
        return {"type": "error", "error": {"type": kind, "message": message, **failed.detail}}

    def whole(self, blocks: Sequence[Block], request: Request, number: int) -> Mapping[str, Any]:
        content = [_block(block, number, place) for place, block in enumerate(blocks)]
        return {**self._message(request, number), "content": content, "stop_reason": _stop_reason(blocks)}

    def events(self, blocks: Sequence[Block], request: Request, number: int) -> Iterator[Event]:
        yield "message_start", {"message": self._message(request, number)}
        for place, block in enumerate(blocks):
            yield from _block_events(_block(block, number, place), place)
        usage = {"output_tokens": self.tokens[1]}
        yield "message_delta", {"delta": {"stop_reason": _stop_reason(blocks), "stop_sequence": None}, "usage": usage}
        yield "message_stop", {}

    def _message(self, request: Request, number: int) -> dict[str, Any]:
        usage = {"input_tokens": self.tokens[0], "output_tokens": self.tokens[1]}
        named = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": request.body.get("model", "")}
        return {**named, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}


def _news(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages after the model's own last one."""
    own = [place for place, message in enumerate(messages) if message.get("role") == "assistant"]
    return list(messages[own[-1] + 1 if own else 0 :])


def _results(news: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for message in news:
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part.get("type") == "tool_result":
                yield flat(part)


def _block(block: Block, number: int, place: int) -> dict[str, Any]:
    if isinstance(block, Say):
        return {"type": "text", "text": block.text}
    name, arguments = (block.tool, dict(block.arguments)) if block.tool else _bash(block)
    return {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": arguments}


def _bash(block: Call) -> tuple[str, dict[str, Any]]:
    background = {"run_in_background": True} if block.arguments.get("background") else {}
    return "Bash", {"command": block.arguments["command"], "description": "scripted", **background}


def _block_events(block: dict[str, Any], place: int) -> Iterator[Event]:
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield "content_block_start", {"index": place, "content_block": empty}
    yield "content_block_delta", {"index": place, "delta": delta}
    yield "content_block_stop", {"index": place}


def _stop_reason(blocks: Sequence[Block]) -> str:
    return "tool_use" if any(isinstance(block, Call) for block in blocks) else "end_turn"
