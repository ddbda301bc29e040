"""Codex CLI: `codex exec --json`, the prompt on standard input, the report's shape by `--output-schema`."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tomllib
from collections.abc import Sequence
from typing import Any

from ralph_hooks import files, paths
from ralph_hooks.loop import infra
from ralph_hooks.loop.prompt import SCHEMA
from ralph_hooks.loop.providers.base import (
    ROUND_FILE,
    Capabilities,
    Heard,
    Launch,
    Order,
    Provider,
    action,
    number_of,
    text_of,
)  # fmt: skip

FRESH = "a round must be fresh"
HOOKS = "it switches the hooks off"
OURS = "the driver sets it"
REFUSED = {
    "resume": FRESH, "fork": FRESH, "--last": FRESH, "--output-schema": OURS, "-o": OURS, "--output-last-message": OURS,
    "-C": OURS, "--cd": OURS, "--worktree": "the round must work in this checkout",
    "--disable hooks": HOOKS, "--disable codex_hooks": HOOKS, "-c features.hooks=false": HOOKS,
    "-c features.codex_hooks=false": HOOKS, "--config features.hooks=false": HOOKS,
    "--config features.codex_hooks=false": HOOKS, "-c features={hooks=false}": HOOKS,
    "--config features={hooks=false}": HOOKS,
}  # fmt: skip


def launch(order: Order) -> Launch:
    """Our hook is named on the command line; whether Codex runs it is a matter of trust that a person decides."""
    schema = os.path.join(order.scratch, "report.schema.json")
    files.write_atomic(schema, json.dumps(SCHEMA).encode())
    argv = ["codex", "exec", "--json", "--output-schema", schema]
    if order.round_file:
        argv += ["-c", f"hooks.Stop=[{{hooks=[{hook_toml(order.hook_seconds)}]}}]"]
    argv += [*order.arguments, "-"]
    env = {ROUND_FILE: order.round_file} if order.round_file else {}
    return Launch(argv=argv, stdin=order.prompt.encode("utf-8", "replace"), env=env)


def hook_toml(seconds: float) -> str:
    """Our hook as an inline table; Codex takes one shell line and silently drops an `args` list."""
    line = shlex.join([sys.executable, "-P", "-m", "ralph_hooks", "hook", "codex", "--within", f"{seconds:g}"])
    return f'{{type="command",command={json.dumps(line)},timeout={int(seconds)}}}'


def gate_off(cwd: str, arguments: Sequence[str]) -> str:
    """The user's config file, when a person has switched hooks off in it, else ""."""
    path = os.path.join(os.environ.get("CODEX_HOME") or os.path.join(paths.home(), ".codex"), "config.toml")
    try:
        features = tomllib.loads(files.read_bytes(path).decode()).get("features")
    except (OSError, ValueError):
        return ""
    switches = [features.get("hooks"), features.get("codex_hooks")] if isinstance(features, dict) else []
    return path if False in switches else ""


class CodexListener:
    """Reads the events of `codex exec --json`. Tokens are told at the end of the turn, cost never."""

    def __init__(self, launch: Launch) -> None:
        self.heard = Heard()
        self._last_message: str | None = None

    def look(self) -> None:
        pass

    def hear(self, line: bytes) -> None:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(event, dict):
            return
        self.heard.events += 1
        kind, item = event.get("type"), event.get("item")
        if kind == "turn.completed":
            self._completed(event.get("usage"))
        elif kind == "turn.failed":
            error = event.get("error")
            self._failed(text_of(error.get("message")) if isinstance(error, dict) else "")
        elif kind == "thread.started":
            self.heard.session = text_of(event.get("thread_id"))
        elif kind == "error":
            self.heard.action = action(text_of(event.get("message")))
        elif kind in ("item.started", "item.completed") and isinstance(item, dict):
            self._item(item, done=kind == "item.completed")

    def _item(self, item: dict[str, Any], *, done: bool) -> None:
        kind = item.get("type")
        if kind == "agent_message" and done:
            self._last_message = text_of(item.get("text"))
            self.heard.action = action(self._last_message)
        elif kind in ("command_execution", "file_change", "mcp_tool_call"):
            name = text_of(item.get("command")) or text_of(item.get("tool")) or kind
            if done:
                self.heard.tools += 1
                if item.get("status") == "declined":
                    self.heard.denied.append(action(name))
            self.heard.action = action(name)

    def _completed(self, usage: object) -> None:
        if isinstance(usage, dict):
            self.heard.tokens = int(number_of(usage.get("input_tokens")) + number_of(usage.get("output_tokens")))
        self.heard.final = self._last_message or ""

    def _failed(self, message: str) -> None:
        self.heard.final = None
        self.heard.failure = message or "the turn failed"
        self.heard.fault = infra.from_text(message)


PROVIDER = Provider(
    name="codex",
    capabilities=Capabilities(tokens=True, gate_inside=True),
    refused=REFUSED,
    launch=launch,
    listen=CodexListener,
    gate_off=gate_off,
)
