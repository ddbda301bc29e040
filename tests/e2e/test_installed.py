"""What `ralph-hooks install` writes, in the real clients; and its reports against what they did."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ralph_hooks.scripted import MessagesServer, ResponsesServer, Step, say, shell
from tests.support.clients import ClientRun, claude, codex
from tests.support.gated import FIX, SUITE, decisions, gated, runs, stops
from tests.support.person import by_a_person
from tests.support.project import Done, TestProject, make_project

pytestmark = [pytest.mark.client, pytest.mark.usefixtures("installed")]

STEPS: list[Step] = [say("a"), shell(FIX), say("b")]


def by_hand(project: TestProject, *words: str) -> Done:
    """The installed program, typed by a person in the project."""
    done = subprocess.run(
        [*by_a_person(), "ralph-hooks", *words], cwd=project.root, capture_output=True, text=True, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


def play(client: str, project: TestProject, steps: list[Step]) -> ClientRun:
    if client == "claude":
        with MessagesServer(steps) as messages:
            return claude(project, "go", messages)
    with ResponsesServer(steps) as responses:
        return codex(project, "go", responses)


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_install_gates_and_uninstall_lets_go(tmp_path: Path, client: str) -> None:
    project = make_project(tmp_path / "p").write("test_suite.py", SUITE).write("failing", "1\n")
    project.write(".gitignore", "runs*\n__pycache__/\n").commit()
    done = by_hand(project, "install", "--yes", "--client", client, "--command", "python3 -m unittest test_suite")
    assert done.code == 0, done
    run = play(client, project, STEPS)
    assert len(run.shown) == 3
    assert "bug 0 is still there" in run.shown[1]
    assert decisions(project)[-2:] == ["BLOCK(red)", "ALLOW"]
    before = runs(project)
    assert by_hand(project, "uninstall").code == 0
    (project.root / "failing").write_text("1\n")
    assert len(play(client, project, STEPS).shown) == 1
    assert runs(project) == before


def test_the_log_and_the_status_tell_what_happened(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", more="[budget]\nmax_blocks = 1\n")
    with MessagesServer([say("a"), shell("echo > note"), say("b")]) as server:
        run = claude(project, "go", server)
    log = by_hand(project, "log", "--json")
    told = [json.loads(line) for line in log.out.splitlines()]
    assert [each for each in told if "decision" in each] == stops(project)
    assert [(each["decision"], each["session"]) for each in told if "decision" in each] == [
        ("BLOCK", run.session),
        ("RELEASED_RED", run.session),
    ]
    assert by_hand(project, "status").code != 0
    (project.root / "failing").write_text("0\n")
    with MessagesServer([say("c")]) as server:
        claude(project, "go", server)
    assert by_hand(project, "status").code == 0


def test_a_pause_lets_go_and_a_resume_gates_again(tmp_path: Path) -> None:
    project = gated(tmp_path / "p")
    assert by_hand(project, "pause", "5m").code == 0
    assert len(play("claude", project, STEPS).shown) == 1
    assert by_hand(project, "resume").code == 0
    assert len(play("claude", project, STEPS).shown) == 3
    assert [each.split("(")[0] for each in decisions(project)] == ["SKIP", "BLOCK", "ALLOW"]


def test_the_agent_cannot_pause_the_gate(tmp_path: Path) -> None:
    project = gated(tmp_path / "p")
    with MessagesServer([shell("ralph-hooks pause 5m; echo code $?"), say("a"), shell(FIX), say("b")]) as server:
        run = claude(project, "go", server)
    assert "code 0" not in server.turns[1].shown
    assert [hook["exit_code"] for hook in run.hooks()] == [2, 0]
