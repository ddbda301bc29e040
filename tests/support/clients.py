"""Run the real Claude Code and Codex, from npm, against a scripted model on loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.scripted import MessagesServer, ResponsesServer
from ralph_hooks.scripted.server import ScriptedServer
from ralph_hooks.scripted.surroundings import claude_env, codex_env
from tests.support import runners
from tests.support.project import TestProject

BYPASS = "--dangerously-skip-permissions"
STREAM = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
Json = dict[str, Any]


@dataclass
class ClientRun:
    """How a client ended: exit code, its JSON lines, and the server with all that the model was asked."""

    code: int
    out: str
    err: str
    server: ScriptedServer
    seconds: float
    events: list[Json] = field(default_factory=list)

    @property
    def shown(self) -> list[str]:
        """What was new to the main agent's model, request by request."""
        return [turn.shown for turn in self.server.turns]

    @property
    def result(self) -> Json:
        """Claude Code's last result line."""
        return self.of_type("result")[-1]

    @property
    def session(self) -> str:
        """The session id (Claude Code) or thread id (Codex)."""
        first = next(event for event in self.events if "session_id" in event or "thread_id" in event)
        return str(first.get("session_id") or first.get("thread_id"))

    def of_type(self, kind: str) -> list[Json]:
        return [event for event in self.events if event.get("type") == kind]

    def hooks(self, name: str = "Stop") -> list[Json]:
        """Claude Code's reports of how hooks of this event ended, in order."""
        ended = [event for event in self.of_type("system") if event.get("subtype") == "hook_response"]
        return [event for event in ended if event.get("hook_event") == name]

    def messages(self) -> list[str]:
        """What Claude Code shows to the person, such as a hook's `systemMessage`."""
        return [str(event.get("content")) for event in self.of_type("system") if event.get("content")]

    def said(self) -> list[str]:
        """The texts of Codex's agent messages."""
        items = [event["item"] for event in self.of_type("item.completed")]
        return [item["text"] for item in items if item["type"] == "agent_message"]


def program(name: str) -> str:
    """The pinned client. Without it the test is skipped with the reason, and under CI it fails."""
    found = runners.modules() / ".bin" / name
    if found.exists():
        return str(found)
    reason = f"{name} is not installed: run `npm ci` in tests/clients"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def claude(
    project: TestProject,
    prompt: str,
    server: MessagesServer,
    *args: str,
    settings: Json | None = None,
    env: Mapping[str, str] | None = None,
    mode: str = "bypassPermissions",
    cwd: Path | None = None,
    timeout: float = 60,
) -> ClientRun:
    """One headless run of Claude Code to its end; `settings` goes to `--settings`, `mode` to `--permission-mode`."""
    process = start_claude(project, prompt, server, *args, settings=settings, env=env, mode=mode, cwd=cwd)
    return finish(process, server, timeout)


def start_claude(
    project: TestProject,
    prompt: str,
    server: MessagesServer,
    *args: str,
    settings: Json | None = None,
    env: Mapping[str, str] | None = None,
    mode: str = "bypassPermissions",
    cwd: Path | None = None,
) -> subprocess.Popen[str]:
    """The same, without waiting for it."""
    allow = [BYPASS] if mode == "bypassPermissions" else ["--permission-mode", mode]
    given = ["--settings", json.dumps(settings)] if settings else []
    argv = [program("claude"), "-p", prompt, *STREAM, *allow, *given, *args]
    own = claude_env(server.url, os.environ["HOME"])
    return _start(argv, cwd or project.root, {**own, **project.env, **(env or {})})


def codex(
    project: TestProject,
    prompt: str,
    server: ResponsesServer,
    *args: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    trusted: bool = True,
    vetted: bool = True,
    human: bool = False,
    timeout: float = 60,
) -> ClientRun:
    """One `codex exec` to its end; `args` go before the prompt, so `"resume", ID` works.

    `trusted` is the project's trust, `vetted` skips the per-hook review, `human` asks for the words that a person sees
    (on `err`, with how each hook ended) instead of JSON lines.
    """
    own = codex_env(server.url, os.environ["HOME"], trusted=(str(project.root),) if trusted else ())
    review = ["--dangerously-bypass-hook-trust"] if vetted else []
    first = [
        "exec",
        *([] if human else ["--json"]),
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        *review,
    ]
    everything = {**own, **project.env, **(env or {})}
    process = _start([program("codex"), *first, *args, prompt], cwd or project.root, everything)
    return finish(process, server, timeout)


def finish(process: subprocess.Popen[str], server: ScriptedServer, timeout: float = 60) -> ClientRun:
    """Wait for a client; one that does not end in time fails the test, with what it said so far."""
    began = time.monotonic()
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"the client did not end within {timeout} s\n{out[-3000:]}\n{err[-2000:]}")
    events = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return ClientRun(process.returncode, out, err, server, time.monotonic() - began, events)


def stop_hook(command: str, *args: str, event: str = "Stop", **keys: object) -> Json:
    """Settings with one hook: exec form when there are `args`, else a shell command. `timeout` is 630 s."""
    entry = {"type": "command", "command": command, "timeout": 630, **({"args": list(args)} if args else {}), **keys}
    return {"hooks": {event: [{"hooks": [entry]}]}}


def with_hooks(project: TestProject, *hooks: Json, file: str = ".claude/settings.json") -> TestProject:
    """Register hooks in the project's settings; several for one event stay separate groups."""
    merged: dict[str, list[Json]] = {}
    for each in hooks:
        for event, groups in each["hooks"].items():
            merged.setdefault(event, []).extend(groups)
    return project.write(file, json.dumps({"hooks": merged}, indent=2) + "\n")


def _start(argv: list[str], cwd: Path, own: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        argv,
        cwd=cwd,
        env={**os.environ, **own},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
