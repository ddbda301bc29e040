"""The gate inside real Claude Code: where the agent stands, what the machine looks like."""

from __future__ import annotations

import os
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.scripted import MessagesServer, Step, say, shell
from tests.support.clients import ClientRun, claude
from tests.support.gated import FIX, decisions, gated, runs, scripted, stops
from tests.support.project import TestProject, git, make_project

pytestmark = [pytest.mark.client, pytest.mark.usefixtures("installed")]


def turn(project: TestProject, *steps: Step, **options: Any) -> ClientRun:
    with MessagesServer(steps) as server:
        return claude(project, "go", server, **options)


def exits(run: ClientRun) -> list[int]:
    return [hook["exit_code"] for hook in run.hooks()]


def test_the_agents_cd_does_not_move_the_gate(tmp_path: Path) -> None:
    project = gated(tmp_path / "p").write("deep/down/a", "").commit()
    run = turn(project, shell("cd deep/down"), say("a"), shell(f"cd ../..; {FIX}; cd deep"), say("b"))
    assert (exits(run), decisions(project)) == ([2, 0], ["BLOCK(red)", "ALLOW"])


def test_a_nested_repository_does_not_take_the_gate_over(tmp_path: Path) -> None:
    project = gated(tmp_path / "p")
    make_project(project.root / "vendor" / "lib").check("true").commit()
    run = turn(project, shell("cd vendor/lib"), say("a"), shell(f"cd ../..; {FIX}; cd vendor/lib"), say("b"))
    assert exits(run) == [2, 0]
    assert {stop["root"] for stop in stops(project)} == {str(project.root)}


@pytest.mark.parametrize(("main", "linked", "expected"), [(0, 1, "BLOCK(red)"), (1, 0, "ALLOW")])
def test_a_linked_worktree_is_judged_by_its_own_content(tmp_path: Path, main: int, linked: int, expected: str) -> None:
    project = gated(tmp_path / "p", failing=main)
    tree = project.root / ".worktrees" / "w"
    git(project.root, "worktree", "add", "-q", str(tree))
    (tree / "failing").write_text(f"{linked}\n")
    turn(project, shell("cd .worktrees/w"), say("a"), shell("pwd; " + FIX), say("b"))
    first = stops(tree)[0]
    assert (first["root"], decisions(tree)[0]) == (str(tree), expected)


def test_a_session_started_in_a_linked_worktree(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", failing=0)
    tree = tmp_path / "w"
    git(project.root, "worktree", "add", "-q", str(tree))
    (tree / "failing").write_text("1\n")
    run = turn(project, say("a"), shell(FIX), say("b"), cwd=tree)
    assert exits(run) == [2, 0]
    assert {stop["root"] for stop in stops(tree)} == {str(tree)}


@pytest.mark.parametrize("name", ["with two  spaces", "ünï 'quoted' $HOME"])
def test_any_path(tmp_path: Path, name: str) -> None:
    """Case 25."""
    project = gated(tmp_path / name)
    run = turn(project, say("a"), shell(FIX), say("b"))
    assert (exits(run), decisions(project)) == ([2, 0], ["BLOCK(red)", "ALLOW"])


def test_a_suite_that_must_not_see_the_agent(tmp_path: Path) -> None:
    """Case 10."""
    project = scripted(tmp_path / "p", 'env | grep -E "^(CLAUDE|CODEX|ANTHROPIC|AI_AGENT)" && exit 1; exit 0\n')
    run = turn(project, say("a"))
    assert (exits(run), decisions(project)) == ([0], ["ALLOW"])


@pytest.mark.parametrize("name", [".bashrc", ".bash_profile", ".profile", ".zshrc"])
def test_a_talkative_profile_changes_nothing(tmp_path: Path, own_home: Path, name: str) -> None:
    """Case 18."""
    (own_home / name).write_text('echo \'{"decision": "approve"} welcome\'\necho no such file >&2\n')
    project = gated(tmp_path / "p")
    run = turn(project, say("a"), shell(FIX), say("b"), env={"SHELL": "/bin/bash", "BASH_ENV": str(own_home / name)})
    assert (exits(run), decisions(project)) == ([2, 0], ["BLOCK(red)", "ALLOW"])


def test_a_virtual_environment_that_nobody_activated(tmp_path: Path) -> None:
    """Case 9."""
    project = gated(tmp_path / "p", failing=0).config('[[check]]\nrun = ["pytest", "-q", "suite.py"]\n')
    project.write(".gitignore", ".venv\nruns\n__pycache__/\n").commit()
    venv.create(project.root / ".venv", symlinks=True)
    script = project.root / ".venv" / "bin" / "pytest"
    script.write_text(f"#!{project.root}/.venv/bin/python\nfrom pytest import main\nraise SystemExit(main())\n")
    script.chmod(0o755)
    (site,) = (project.root / ".venv" / "lib").glob("python*/site-packages")
    (site / "all.pth").write_text(sysconfig.get_path("purelib") + "\n")
    run = turn(project, say("a"))
    assert (exits(run), decisions(project), runs(project)) == ([0], ["ALLOW"], 1)
    assert stops(project)[0]["checks"][0]["passed"] == 5


def test_no_runner_anywhere_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 9, the other half: `python -m` of a module that this interpreter does not have."""
    project = gated(tmp_path / "p").config('[[check]]\nrun = ["python3", "-m", "no_such_runner"]\n').commit()
    run = turn(project, say("a"), say("b"), say("c"))
    assert exits(run) == [2, 2, 0]
    assert decisions(project)[0] == "BLOCK(cannot_run)"
    assert "no_such_runner" in run.shown[1]
    assert "python" in run.shown[1]
    assert os.path.basename(sys.executable).startswith("python")
