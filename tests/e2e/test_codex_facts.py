"""What Codex does with hooks, where our design leans on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.scripted import ResponsesServer, Step, say, shell
from tests.support.clients import ClientRun, Json, codex, stop_hook, with_hooks
from tests.support.project import TestProject, make_project

pytestmark = pytest.mark.client

FILE = ".codex/hooks.json"
ONCE = "test -e .once && exit 0; touch .once; "
RAN = "echo ran >> .ran; "


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "p").write(".gitignore", ".ran\n.once\n")


def turn(project: TestProject, *steps: Step, **options: Any) -> ClientRun:
    """One prompt, answered by these steps (default: it says that it is done)."""
    with ResponsesServer(steps or [say("first")]) as server:
        return codex(project, "go", server, **options)


def runs(project: TestProject) -> int:
    """How often a hook that starts with RAN ran."""
    return (project.root / ".ran").read_text().count("ran") if (project.root / ".ran").exists() else 0


@pytest.mark.parametrize(
    ("script", "blocked"),
    [
        ("echo red >&2; exit 2", True),
        ("echo blocked; echo red >&2; exit 2", True),
        ("echo blocked; echo 'No such file or directory: data.csv' >&2; exit 2", True),
        ("echo blocked; exit 2", False),
        ("echo blocked; printf '  \\n\\n' >&2; exit 2", False),
        ("echo red >&2; exit 1", False),
        ("echo red >&2; kill -9 $$", False),
        ("""echo '{"decision": "block", "reason": "red"}'""", True),
        ("""echo '{"decision": "block", "reason": " "}'""", False),
        ("""echo '{"decision": "block", "reason": "red", "hookSpecificOutput": {}}'""", False),
        ("""echo '{"decision": "block", "reason": "red"}'; exit 1""", False),
        ("""echo '{"continue": false, "decision": "block", "reason": "red"}'""", False),
        ("""echo blocked; echo '{"decision": "block", "reason": "red"}'""", False),
    ],
)
def test_what_blocks(project: TestProject, script: str, blocked: bool) -> None:
    with_hooks(project, stop_hook(ONCE + script), file=FILE)
    run = turn(project, say("first"), say("second"))
    assert (run.code, len(run.shown)) == (0, 2 if blocked else 1)


def test_a_hook_that_times_out_lets_the_turn_end(project: TestProject) -> None:
    with_hooks(project, stop_hook(RAN + "sleep 30", timeout=1), file=FILE)
    run = turn(project)
    assert (run.code, len(run.shown), runs(project)) == (0, 1, 1)


def test_there_is_no_cap_of_its_own(project: TestProject) -> None:
    with_hooks(
        project, stop_hook(RAN + "test $(wc -l < .ran) -gt 12 && exit 0; echo b; echo red >&2; exit 2"), file=FILE
    )
    assert (turn(project).code, runs(project)) == (0, 13)


def test_args_are_dropped(project: TestProject) -> None:
    with_hooks(project, stop_hook("sh", "-c", "touch .args"), file=FILE)
    turn(project)
    assert not (project.root / ".args").exists()


@pytest.mark.parametrize("switch", ["trusted", "vetted"])
def test_hooks_that_nobody_trusted_are_skipped_silently(project: TestProject, switch: str) -> None:
    with_hooks(project, stop_hook(RAN + "echo red >&2; exit 2"), file=FILE)
    run = turn(project, trusted=switch != "trusted", vetted=switch != "vetted")
    assert (run.code, run.said(), runs(project)) == (0, ["first"], 0)


def test_long_feedback_is_cut_in_the_middle(project: TestProject) -> None:
    project.write("long.txt", "HEAD\n" + "x" * 60_000 + "\nTAIL\n")
    with_hooks(project, stop_hook(ONCE + "cat long.txt >&2; exit 2"), file=FILE)
    shown = turn(project, say("first"), say("second")).shown[1]
    assert ("HEAD" in shown, "TAIL" in shown, "Full hook output saved to" in shown) == (True, True, True)
    assert len(shown) < 20_000


def test_the_event_on_standard_input(project: TestProject) -> None:
    with_hooks(project, stop_hook("cat > .event"), file=FILE)
    run = turn(project, shell("cd / && true"), say("first"))
    event: Json = json.loads((project.root / ".event").read_text())
    assert (event["session_id"], event["hook_event_name"], event["cwd"]) == (run.session, "Stop", str(project.root))
    assert (event["stop_hook_active"], event["last_assistant_message"]) == (False, "first")
    assert event["turn_id"]
    assert "background_tasks" not in event


def test_a_resumed_thread_keeps_its_id(project: TestProject) -> None:
    with_hooks(project, stop_hook("cat >> .events; echo >> .events"), file=FILE)
    first = turn(project)
    with ResponsesServer([say("later")]) as server:
        second = codex(project, "more", server, "resume", first.session)
    ids = [json.loads(line)["session_id"] for line in (project.root / ".events").read_text().splitlines() if line]
    assert (second.said(), ids) == (["later"], [first.session] * 2)
