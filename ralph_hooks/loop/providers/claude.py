"""Claude Code: `claude -p` with the prompt on standard input, its stream of JSON events parsed as it comes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from ralph_hooks import files, paths
from ralph_hooks.errors import RalphError
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
    "--continue": FRESH, "-c": FRESH, "--resume": FRESH, "-r": FRESH, "--fork-session": FRESH, "--session-id": FRESH,
    "--from-pr": FRESH, "--bare": HOOKS, "--safe-mode": HOOKS, "--json-schema": "it throws a block of the hook away",
    "--output-format": OURS, "--input-format": OURS, "--worktree": "the round must work in this checkout",
    "-w": "the round must work in this checkout",
}  # fmt: skip
STREAM = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
MODEL_USAGE = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")


def launch(order: Order) -> Launch:
    """Our hook and the person's own `--settings` go together in one file; without a gate inside there is a schema."""
    own, arguments = take_settings(order.arguments)
    argv = ["claude", "-p", *STREAM, *arguments]
    if order.cost_left:
        argv += ["--max-budget-usd", f"{order.cost_left:.6f}"]
    if order.round_file:
        path = os.path.join(order.scratch, "settings.json")
        settings = with_hook(settings_value(own, order.cwd), order.hook_seconds)
        files.write_atomic(path, json.dumps(settings, indent=2).encode())
        argv += ["--settings", path]
    else:
        argv += [*(["--settings", own] if own else []), "--json-schema", json.dumps(SCHEMA)]
    env = {ROUND_FILE: order.round_file} if order.round_file else {}
    return Launch(argv=argv, stdin=order.prompt.encode("utf-8", "replace"), env=env)


def hook_argv(seconds: float) -> list[str]:
    """Our hook, run by this very installation; `-P` keeps the project's own files off its import path."""
    return [sys.executable, "-P", "-m", "ralph_hooks", "hook", "claude", "--within", f"{seconds:g}"]


def with_hook(settings: dict[str, Any], seconds: float) -> dict[str, Any]:
    """These settings with our Stop hook beside whatever hooks they have."""
    program, *arguments = hook_argv(seconds)
    entry = {"type": "command", "command": program, "args": arguments, "timeout": seconds}
    hooks = settings.get("hooks")
    hooks = dict(hooks) if isinstance(hooks, dict) else {}
    stops = hooks.get("Stop")
    hooks["Stop"] = [*(stops if isinstance(stops, list) else []), {"hooks": [entry]}]
    # said outright, so that a round cannot switch the hooks off in a settings file of the project
    return {**settings, "disableAllHooks": False, "hooks": hooks}


def take_settings(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The value of the person's own `--settings`, and the other arguments."""
    rest: list[str] = []
    own = ""
    words = iter(arguments)
    for word in words:
        if word == "--settings":
            own = next(words, "")
        elif word.startswith("--settings="):
            own = word.partition("=")[2]
        else:
            rest.append(word)
    return own, rest


def settings_value(own: str, cwd: str) -> dict[str, Any]:
    """The settings that `--settings` names: a JSON object or a file. Raises `RalphError`."""
    if not own:
        return {}
    try:
        text = own if own.lstrip().startswith("{") else files.read_bytes(os.path.join(cwd, own)).decode()
        value = json.loads(text)
    except (OSError, ValueError) as error:
        raise RalphError(f"`--settings {own[:80]}` cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise RalphError(f"`--settings {own[:80]}` is not a JSON object")
    return value


def gate_off(cwd: str, arguments: Sequence[str]) -> str:
    """Where a person has switched all hooks off, "" when nobody has: the highest source that says so wins."""
    own = settings_value(take_settings(arguments)[0], cwd)
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(paths.home(), ".claude")
    layers = (
        os.path.join(cwd, ".claude", "settings.local.json"),
        os.path.join(cwd, ".claude", "settings.json"),
        os.path.join(home, "settings.json"),
    )
    for place, value in (("--settings", own), *((path, _lenient(path)) for path in layers)):
        if isinstance(value.get("disableAllHooks"), bool):
            return place if value["disableAllHooks"] else ""
    return ""


def _lenient(path: str) -> dict[str, Any]:
    try:
        value = json.loads(files.read_bytes(path))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


class ClaudeListener:
    """Reads `stream-json`. Everything is taken leniently: clients add fields and event types all the time."""

    def __init__(self, launch: Launch) -> None:
        self.heard = Heard()
        self._usage: dict[str, float] = {}
        self._error: object = None
        self._resets_at = 0.0

    def look(self) -> None:
        pass

    def hear(self, line: bytes) -> None:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(event, dict) and isinstance(event.get("type"), str):
            self.heard.events += 1
            handler = getattr(self, f"_on_{event['type']}", None)
            if handler:
                handler(event)

    def _on_system(self, event: dict[str, Any]) -> None:
        self.heard.session = self.heard.session or text_of(event.get("session_id"))
        if event.get("subtype") == "permission_denied":
            self.heard.denied.append(text_of(event.get("tool_name")))
        elif event.get("subtype") == "api_retry":
            self.heard.action = action(
                f"retry {event.get('attempt')}: {event.get('error') or event.get('error_status')}"
            )

    def _on_assistant(self, event: dict[str, Any]) -> None:
        self._error = event.get("error") or self._error
        message = event.get("message")
        if not isinstance(message, dict):
            return
        if isinstance(message.get("usage"), dict):
            total = sum(number_of(message["usage"].get(key)) for key in USAGE)
            name = text_of(message.get("id"))
            self._usage[name] = max(total, self._usage.get(name, 0))
            self.heard.tokens = int(sum(self._usage.values()))
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict):
                self._block(block)

    def _block(self, block: dict[str, Any]) -> None:
        if block.get("type") == "tool_use":
            self.heard.tools += 1
            given = block.get("input")
            first = (
                next((text for text in given.values() if isinstance(text, str)), "") if isinstance(given, dict) else ""
            )
            self.heard.action = action(f"{text_of(block.get('name'))}: {first}")
        elif block.get("type") == "text" and text_of(block.get("text")).strip():
            self.heard.action = action(block["text"])

    def _on_rate_limit_event(self, event: dict[str, Any]) -> None:
        told = event.get("rate_limit_info")
        if isinstance(told, dict) and told.get("status") == "rejected":
            self._error = "rate_limit"
            self._resets_at = number_of(told.get("resetsAt"))

    def _on_result(self, event: dict[str, Any]) -> None:
        heard = self.heard
        if "total_cost_usd" in event:
            heard.cost_usd = number_of(event["total_cost_usd"])
        models = event.get("modelUsage")
        told = sum(number_of(one.get(key)) for one in _dicts(models) for key in MODEL_USAGE)
        heard.tokens = max(int(told), heard.tokens or 0)
        heard.denied = [text_of(one.get("tool_name")) for one in _dicts(event.get("permission_denials"))]
        if not event.get("is_error") and event.get("subtype") == "success":
            self._succeeded(event)
        else:
            self._failed(event)

    def _succeeded(self, event: dict[str, Any]) -> None:
        structured = event.get("structured_output")
        self.heard.final = text_of(event.get("result")) if structured is None else json.dumps(structured)
        self.heard.failure = ""
        self.heard.fault = None

    def _failed(self, event: dict[str, Any]) -> None:
        heard = self.heard
        errors = event.get("errors")
        heard.final = None
        heard.failure = text_of(event.get("result")) or " ".join(map(str, errors if isinstance(errors, list) else []))
        heard.failure = heard.failure or f"the client ended with {event.get('subtype')}"
        heard.over_cost = event.get("subtype") == "error_max_budget_usd"
        if event.get("terminal_reason") in ("api_error", "blocking_limit", None):
            fault = infra.from_status(event.get("api_error_status"), self._error, heard.failure)
            fault = fault or infra.from_text(heard.failure)
            heard.fault = fault and infra.with_reset(_at(fault, self._resets_at), heard.failure)


def _at(fault: infra.Fault, resets_at: float) -> infra.Fault:
    limited = fault.kind == infra.RATE_LIMIT and resets_at
    return infra.Fault(fault.kind, fault.words, resets_at) if limited else fault


def _dicts(value: object) -> list[dict[str, Any]]:
    """The objects in a list, or among the values of an object."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [one for one in values if isinstance(one, dict)]


PROVIDER = Provider(
    name="claude",
    capabilities=Capabilities(cost=True, tokens=True, cost_limit=True, gate_inside=True),
    refused=REFUSED,
    launch=launch,
    listen=ClaudeListener,
    gate_off=gate_off,
)
