"""`uninstall --purge` takes what was kept about this project, and with the last project all of ours (I13)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ralph_hooks import paths
from tests.support.project import TestProject, make_project

CONFIG = "[[check]]\nname = 'suite'\nrun = ['test', '-e', 'green']\n[gate]\nwhen = 'always'\n"


@pytest.fixture
def projects(tmp_path: Path) -> tuple[TestProject, TestProject]:
    """Two gated projects, each with a blocked session, a session that only had a prompt, and one of Codex."""
    first, second = (_gated(tmp_path / name) for name in ("first", "second"))
    return first, second


def _gated(root: Path) -> TestProject:
    project = make_project(root).config(CONFIG).commit()
    assert project.ralph("install", "--no-prove", "--client", "all", "--yes").code == 0
    for client, name in (("claude", "Stop"), ("codex", "Stop"), ("claude", "UserPromptSubmit")):
        session = f"{root.name}-{client}-{name}"
        event = {"session_id": session, "cwd": str(root), "hook_event_name": name, "prompt": "/ralph-hooks:loop 'go'"}
        done = project.ralph("hook", client, stdin=json.dumps(event))
        assert done.code == (2 if name == "Stop" else 0), done
    return project


def kept() -> list[str]:
    """All files of ours, in both places."""
    return [
        os.path.join(directory, name)
        for base in (paths.state_dir(), paths.spare_state_dir())
        for directory, _, names in os.walk(base)
        for name in names
    ]


def test_one_of_two_leaves_the_other_alone(projects: tuple[TestProject, TestProject]) -> None:
    first, second = projects
    theirs = paths.identity(str(second.root))
    before = [path for path in kept() if theirs in path or "/second-" in path]
    shown = first.ralph("uninstall", "--purge", "--dry-run")
    assert "small files of its sessions and locks" in shown.out and any("/first-" in path for path in kept())
    done = first.ralph("uninstall", "--purge")
    assert done.code == 0, done.err
    after = kept()
    assert not [path for path in after if paths.identity(str(first.root)) in path or "/first-" in path]
    assert [path for path in after if theirs in path or "/second-" in path] == before
    assert second.ralph("budget").out.count("second-") == 2


def test_the_last_one_takes_everything(projects: tuple[TestProject, TestProject]) -> None:
    for project in projects:
        done = project.ralph("uninstall", "--purge", "--json")
        assert done.code == 0, done.err
    assert not os.path.exists(paths.state_dir()) and not os.path.exists(paths.spare_state_dir())
    assert paths.state_dir() in "".join(json.loads(done.out)["removed"])


def test_background_jobs_are_of_every_project_and_stay(projects: tuple[TestProject, TestProject]) -> None:
    jobs = Path(paths.state_dir(), "jobs")
    jobs.mkdir()
    (jobs / "jobs.sqlite").write_bytes(b"x")
    done = [project.ralph("uninstall", "--purge") for project in projects][-1]
    assert f"stays    {jobs}, the background jobs of every project" in done.out
    assert os.listdir(paths.state_dir()) == ["jobs"]


def test_state_in_the_spare_place_goes_too(tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop").config(CONFIG).commit()
    event = json.dumps({"session_id": "s", "cwd": str(project.root), "hook_event_name": "Stop"})
    blocked = Path(paths.state_dir())
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("a file where the directory should be")
    assert project.ralph("hook", "claude", stdin=event).code == 2
    assert os.listdir(paths.spare_state_dir())
    blocked.unlink()
    assert project.ralph("uninstall", "--purge").code == 0
    assert kept() == []
