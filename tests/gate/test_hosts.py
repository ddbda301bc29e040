"""Hosts that read Claude Code's settings file too are answered in their own dialect (G17)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph_hooks.clients.hosts import host_of
from tests.support.gate import lines, stop
from tests.support.project import Done, TestProject, make_project


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "shop").config("[[check]]\nname = 't'\nrun = 'test -e ok'\n").commit()


COPILOT = {"sessionId": "s", "cwd": "{root}", "stopReason": "end_turn", "timestamp": 1}
CURSOR = {"conversation_id": "c", "hook_event_name": "stop", "loop_count": 0, "cwd": "{root}", "status": "completed"}
VSCODE = {"sessionId": "s", "hookEventName": "Stop", "cwd": "{root}", "stop_hook_active": False}


def send(project: TestProject, payload: dict[str, object], env: dict[str, str] | None = None) -> Done:
    project.env = env or {}
    text = json.dumps(payload).replace("{root}", str(project.root))
    return project.ralph("hook", "claude", stdin=text)


@pytest.mark.parametrize(
    ("host", "payload", "env", "code"),
    [
        ("copilot", COPILOT, {"COPILOT_CLI": "1"}, 2),
        ("cursor", CURSOR, {}, 0),
        ("vscode", VSCODE, {}, 0),
    ],
)
def test_a_block_in_the_hosts_own_words(
    project: TestProject, host: str, payload: dict[str, object], env: dict[str, str], code: int
) -> None:
    done = send(project, payload, env)
    assert done.code == code
    reply = json.loads(done.out)
    told = {"copilot": "reason", "cursor": "followup_message", "vscode": "hookSpecificOutput"}[host]
    text = reply[told] if host != "vscode" else reply[told]["reason"]
    assert host != "copilot" or reply["decision"] == "block"
    assert "still failing (attempt 1/20)" in text
    assert (lines(project)[-1]["decision"], lines(project)[-1]["client"]) == ("BLOCK", host)
    project.write("ok", "")
    assert send(project, payload, env) == Done(0, "", "")


def test_the_project_directory_variable_tells_nothing(project: TestProject) -> None:
    project.env = {"CLAUDE_PROJECT_DIR": str(project.root)}
    stop(project).blocks("attempt 1/20")


@pytest.mark.parametrize(
    ("data", "client", "env", "host"),
    [
        ({"prompt_id": "p"}, "claude", {}, "claude"),
        ({"sessionId": "s", "hookEventName": "Stop"}, "claude", {"CLAUDECODE": "1"}, "claude"),
        ({"turn_id": "t"}, "codex", {"COPILOT_CLI": "1"}, "codex"),
        ({"session_id": "s", "hook_event_name": "Stop"}, "claude", {}, "claude"),
    ],
)
def test_who_sent_it(data: dict[str, object], client: str, env: dict[str, str], host: str) -> None:
    assert host_of(data, client, env) == host
