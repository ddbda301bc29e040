"""OpenAI's Responses API, as far as Codex asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ralph_hooks.scripted.request import MAIN, SIDE, SUBAGENT, Request, flat
from ralph_hooks.scripted.script import Answer, Block, Call, Error, Say
from ralph_hooks.scripted.server import ScriptedServer

KINDS = {401: "invalid_api_key", 429: "rate_limit_exceeded", 500: "server_error", 503: "server_is_overloaded"}
OWN = ("function_call", "custom_tool_call", "reasoning")
RESULTS = ("function_call_output", "custom_tool_call_output")


class ResponsesServer(ScriptedServer):
    """`base_url = server.url + "/v1"`, `wire_api = "responses"`."""

    unfinished = -1

    def read(self, request: Request) -> Request:
        headers, body = request.headers, request.body
        session, thread = headers.get("session-id", ""), headers.get("thread-id", "")
        agent = thread if thread != session else ""
        given = body.get("input")
        news = _news(given if isinstance(given, list) else [])
        return replace(
            request,
            role=(SUBAGENT if agent else MAIN) if request.path.endswith("/responses") and body.get("tools") else SIDE,
            session=session,
            agent=agent,
            shown=flat(news),
            results=tuple(flat(item) for item in news if item.get("type") in RESULTS),
            tools=tuple(tool.get("name", "") for tool in body.get("tools") or ()),
        )

    def side(self, request: Request) -> Mapping[str, Any] | Answer:
        if request.path.endswith("/responses"):
            return Say("ok")
        return {"data": [], "models": []} if "/models" in request.path else Error(404, f"no {request.path} here")

    def refusal(self, failed: Error) -> Mapping[str, Any]:
        kind = failed.kind or KINDS.get(failed.status, "invalid_request_error")
        message = failed.message or f"scripted {kind}"
        return {"error": {"type": kind, "code": kind, "message": message, **failed.detail}}

    def whole(self, blocks: Sequence[Block], request: Request, number: int) -> Mapping[str, Any]:
        output = [_item(block, request, f"{number}_{place}") for place, block in enumerate(blocks)]
        return {**self._response(number), "status": "completed", "output": output}

    def events(self, blocks: Sequence[Block], request: Request, number: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
        yield "response.created", {"response": {"id": f"resp_{number}"}}
        for place, block in enumerate(blocks):
            yield (
                "response.output_item.done",
                {"output_index": place, "item": _item(block, request, f"{number}_{place}")},
            )
        yield "response.completed", {"response": self._response(number)}

    def _response(self, number: int) -> dict[str, Any]:
        given, made = self.tokens
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        usage = {"input_tokens": given, "output_tokens": made, "total_tokens": given + made, **details}
        return {"id": f"resp_{number}", "object": "response", "usage": usage}


def _news(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The input after the model's own last item."""
    own = [place for place, item in enumerate(items) if item.get("type") in OWN or item.get("role") == "assistant"]
    return list(items[own[-1] + 1 if own else 0 :])


def _item(block: Block, request: Request, name: str) -> dict[str, Any]:
    if isinstance(block, Say):
        content = [{"type": "output_text", "text": block.text, "annotations": []}]
        return {"type": "message", "id": f"msg_{name}", "role": "assistant", "status": "completed", "content": content}
    tool, arguments = (block.tool, block.arguments) if block.tool else _exec(block, request)
    call = {"type": "function_call", "id": f"fc_{name}", "call_id": f"call_{name}", "name": tool}
    return {**call, "arguments": json.dumps(arguments)}


def _exec(block: Call, request: Request) -> tuple[str, Mapping[str, Any]]:
    """The unified exec tool, or the plain shell tool where the model family has that one."""
    command = block.arguments["command"]
    if "exec_command" in request.tools or "shell" not in request.tools:
        return "exec_command", {"cmd": command}
    return "shell", {"command": ["bash", "-lc", command]}
