"""T1: what a person approved is what runs."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.gate import event, lines, stop
from tests.support.project import TestProject, make_project

CONFIG = "[[check]]\nname = 't'\nrun = 'test -e ok'\n"
OPEN = "[[check]]\nname = 't'\nrun = 'true'\n"


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "shop").config(CONFIG).commit()


def seal(project: TestProject) -> None:
    done = project.ralph("seal")
    assert done.code == 0, done


@pytest.mark.parametrize("text", [OPEN, "", "garbage = [", "[[check]]\nrun='true'\n[gate]\nwhen='changed'\n"])
def test_an_edited_config_does_not_change_what_runs(project: TestProject, text: str) -> None:
    seal(project)
    project.config(text)
    done = stop(project).blocks("The check's definition changed", "ralph-hooks seal")
    assert done.line["seal"] == "sealed" and done.line["changes"]


def test_red_under_a_changed_config_gets_the_small_budget(project: TestProject) -> None:
    seal(project)
    project.config(OPEN)
    for n in range(2):
        project.write("x", str(n))
        stop(project).blocks()
    project.write("x", "more")
    stop(project).lets_go("RELEASED_RED", "config_changed", says="handing back")


def test_green_under_a_changed_config_is_marked_and_not_remembered(project: TestProject) -> None:
    seal(project)
    project.config(OPEN).write("ok", "")
    for _ in range(2):
        done = stop(project).lets_go("ALLOW", "CONFIG_CHANGED", says="Only a person can accept that")
        assert done.line["seal"] == "sealed"


def test_a_persons_change_is_accepted_in_one_step(project: TestProject) -> None:
    seal(project)
    project.config(OPEN)
    stop(project).blocks()
    seal(project)
    assert stop(project).lets_go("ALLOW").line["changes"] == []


def test_a_comment_or_another_tools_table_is_no_change(tmp_path: Path) -> None:
    text = "[tool.ralph-hooks]\n[[tool.ralph-hooks.check]]\nname = 't'\nrun = 'true'\n"
    project = make_project(tmp_path / "py").write("pyproject.toml", text).commit()
    seal(project)
    project.write("pyproject.toml", "[tool.other]\nx = 1\n" + text + "# a word\n")
    assert stop(project).lets_go("ALLOW").line["changes"] == []


def test_without_a_seal_the_config_is_pinned_for_the_session(project: TestProject) -> None:
    assert stop(project).blocks().line["seal"] == "none"
    project.config(OPEN)
    assert stop(project).blocks("The check's definition changed").line["seal"] == "pinned"
    assert stop(project, session_id="another").lets_go("ALLOW").line["seal"] == "none"


def test_a_config_that_is_gone_is_no_way_out(project: TestProject) -> None:
    stop(project).blocks()
    (project.root / "ralph-hooks.toml").unlink()
    stop(project).blocks("is gone")
    project.config(CONFIG)
    seal(project)
    (project.root / "ralph-hooks.toml").unlink()
    stop(project, session_id="new").blocks("is gone")


def test_a_config_planted_nearer_is_no_root(project: TestProject, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = project.root / "packages/api"
    inner.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(inner))
    stop(project).blocks()
    (inner / "ralph-hooks.toml").write_text(OPEN)
    stop(project).blocks("attempt 2/20")
    seal(project)
    stop(project, session_id="new").blocks("attempt 1/20")


def test_git_init_in_a_subdirectory_is_no_way_out(project: TestProject, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = project.root / "packages/api"
    inner.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(inner))
    stop(project).blocks()
    make_project(inner)
    stop(project).blocks("attempt 2/20")


def test_the_script_that_a_check_names_is_part_of_the_seal(tmp_path: Path) -> None:
    project = make_project(tmp_path / "web").write("package.json", '{"name": "a", "scripts": {"test": "test -e ok"}}')
    project.config("[[check]]\nrun = ['npm', 'test']\nname = 't'\n").commit()
    seal(project)
    project.write("package.json", '{"name": "a", "scripts": {"test": "true"}, "dependencies": {}}')
    done = stop(project).lets_go("ALLOW", "CONFIG_CHANGED", says="scripts.test")
    assert done.line["seal"] == "sealed"
    project.write("package.json", '{"name": "b", "dependencies": {"x": "1"}, "scripts": {"test": "test -e ok"}}')
    assert stop(project).blocks().line["changes"] == []


def test_a_lost_seal_falls_back_to_the_sessions_pin(project: TestProject, own_home: Path) -> None:
    stop(project).blocks()
    shutil.rmtree(own_home / ".local/state/ralph-hooks/projects", ignore_errors=True)
    project.config(CONFIG + "# touched\n")
    assert stop(project).line["decision"] == "BLOCK"


@pytest.mark.parametrize("damage", ["", "{", '{"packed": 1}', "[]", "directory", "pipe"])
def test_a_seal_that_cannot_be_read_is_no_missing_one(project: TestProject, own_home: Path, damage: str) -> None:
    """Else a few bytes written over it would make the agent's own config the approved one."""
    seal(project)
    (path,) = (own_home / ".local/state/ralph-hooks/projects").glob("*/seal.json")
    path.unlink()
    if damage == "directory":
        path.mkdir()
    elif damage == "pipe":
        os.mkfifo(path)
    else:
        path.write_text(damage)
    stop(project).blocks(f"the seal `{path}` cannot be read")
    project.config(OPEN)
    done = stop(project, session_id="another").lets_go("ALLOW", "CONFIG_CHANGED", says="ralph-hooks seal")
    assert "cannot be read" in done.out
    assert "cannot be read" in project.ralph("status").out.replace("\n", " ")
    seal(project)
    assert stop(project, session_id="another").line["seal"] == "sealed"


def test_red_as_found_is_said_and_not_blocked(project: TestProject) -> None:
    project.config(CONFIG + "[gate]\nwhen = 'changed'\n")
    said = {"hook_event_name": "UserPromptSubmit", "prompt": "hello"}
    assert project.ralph("hook", "claude", stdin=json.dumps(event(project, **said))).code == 0
    stop(project).lets_go("RELEASED_RED", "as_found", says="was red before this prompt")
    project.write("x", "changed")
    stop(project).blocks()


def test_the_budget_may_be_renewed_by_a_prompt(project: TestProject) -> None:
    project.config(CONFIG + "[budget]\nrenew = 'prompt'\n")
    stop(project).blocks("attempt 1/20")
    woken = {"hook_event_name": "UserPromptSubmit", "prompt": "tick", "source": "loop_wakeup"}
    project.ralph("hook", "claude", stdin=json.dumps(event(project, **woken)))
    stop(project).blocks("attempt 2/20")
    project.ralph("hook", "claude", stdin=json.dumps(event(project, **woken | {"source": "user"})))
    stop(project).blocks("attempt 1/20")


def test_a_declaration_counts_once_and_only_after_two_blocks_on_this_content(project: TestProject) -> None:
    project.config(CONFIG + "[guard]\ndeclare_blocked = true\n")
    words = "I tried.\nRALPH-BLOCKED: the database is down"
    for _ in range(2):
        stop(project, last_assistant_message=words).blocks()
    done = stop(project, last_assistant_message=words).lets_go("RELEASED_RED", "declared", says="the database is down")
    assert done.line["verdict"] == "RED"
    stop(project, last_assistant_message=words).blocks()


def test_a_declaration_is_only_words_by_default(project: TestProject) -> None:
    for _ in range(4):
        stop(project, last_assistant_message="RALPH-BLOCKED: no").blocks()


def test_verbs_typed_at_the_prompt(project: TestProject) -> None:
    def type_in(text: str) -> int:
        said = {"hook_event_name": "UserPromptSubmit", "prompt": text}
        return project.ralph("hook", "claude", stdin=json.dumps(event(project, **said))).code

    assert type_in("/ralph-hooks:pause 30m lunch") == 2
    stop(project).lets_go("SKIP", "paused: lunch")
    assert type_in("/ralph-hooks:resume") == 2
    stop(project).blocks()
    assert type_in("please /ralph-hooks:pause 30m") == 0
    assert type_in("/ralph-hooks:pause 99h") == 2
    stop(project).blocks()
    assert [line["event"] for line in lines(project) if line.get("client") == "prompt"] == ["pause", "resume", "pause"]


@pytest.mark.parametrize("verb", [("pause",), ("seal",), ("budget", "reset", "--all")])
def test_a_persons_verb_is_refused_inside_an_agent(project: TestProject, verb: tuple[str, ...]) -> None:
    project.env = {"CLAUDECODE": "1"}
    done = project.ralph(*verb)
    assert done.code == 2 and "is a person's verb" in done.err and "another terminal" in done.err


def test_an_agent_without_its_environment_is_known_by_its_name(project: TestProject) -> None:
    agent = project.root.parent / "bin" / "claude"
    agent.parent.mkdir()
    agent.write_text(f'#!/bin/sh\nenv -u CLAUDECODE {shutil.which("sh")} -c "$@"; exit $?\n')
    agent.chmod(0o755)
    import subprocess
    import sys

    from tests.support.project import REPOSITORY

    command = f"cd {project.root}; PYTHONPATH={REPOSITORY} {sys.executable} -m ralph_hooks pause; exit $?"
    done = subprocess.run([str(agent), command], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "is `claude`" in done.stderr
