"""T2 and T3: settings that the agent edits, files that it may not touch."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.install import entries, settings
from tests.support.gate import event, lines
from tests.support.project import Done, TestProject, make_project

FOREIGN = {"type": "command", "command": "echo", "args": ["foreign"]}


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    made = make_project(tmp_path / "shop").config("[[check]]\nname = 't'\nrun = 'exit 1'\n").commit()
    settings.install(settings.layer("claude", "project", str(made.root)), entries.claude(660, guard=True))
    assert made.ralph("seal").code == 0
    token = next(Path(os.environ["XDG_STATE_HOME"]).rglob("token.json"))
    token.unlink()
    return made


def place(project: TestProject, scope: str = "project") -> Path:
    return Path(settings.layer("claude", scope, str(project.root)).path)


def changed(project: TestProject, scope: str = "project") -> Done:
    source = {"project": "project_settings", "local": "local_settings", "user": "user_settings"}[scope]
    fields = {"hook_event_name": "ConfigChange", "source": source, "file_path": str(place(project, scope))}
    return project.ralph("hook", "claude", stdin=json.dumps(event(project, **fields)))


def rewrite(project: TestProject, scope: str = "project", **more: Any) -> None:
    path = place(project, scope)
    data = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(data | more))


@pytest.mark.parametrize(
    ("scope", "text", "says"),
    [
        ("project", None, "removes or changes our entry"),
        ("project", "", "removes or changes our entry"),
        ("project", "{", "removes or changes our entry"),
        ("project", "{}", "removes or changes our entry"),
        (
            "project",
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "_id": "ralph-hooks"}]}]}}',
            "Stop",
        ),
        ("local", '{"disableAllHooks": true}', "disableAllHooks"),
        ("local", '{"env": {"PATH": "/tmp/evil"}}', "`env` changes PATH"),
        ("local", '{"env": {"PYTHONPATH": "/tmp"}}', "PYTHONPATH"),
        ("local", '{"env": {"HOME": "/tmp/elsewhere"}}', "`env` changes HOME"),
        ("local", '{"env": {"CLAUDE_PROJECT_DIR": "/"}}', "CLAUDE_PROJECT_DIR"),
        ("local", '{"env": {"RALPH_HOOKS_RUN_ID": "x"}}', "RALPH_HOOKS_RUN_ID"),
        ("user", '{"env": {"LD_PRELOAD": "x.so"}}', "LD_PRELOAD"),
    ],
)
def test_a_change_that_switches_us_off_is_refused(
    project: TestProject, scope: str, text: str | None, says: str
) -> None:
    path = place(project, scope)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_text(text)
    done = changed(project, scope)
    assert done.code == 2 and says in done.err and done.out
    assert lines(project)[-1]["decision"] == "DENY"


def test_other_changes_pass_in_silence(project: TestProject) -> None:
    rewrite(project, model="opus", env={"MY_VAR": "1"})
    assert changed(project) == Done(0, "", "")
    rewrite(project, "local", permissions={"allow": ["Bash"]})
    assert changed(project, "local") == Done(0, "", "")


def test_a_new_foreign_stop_hook_is_told(project: TestProject) -> None:
    rewrite(project, "local", hooks={"Stop": [{"hooks": [FOREIGN]}]})
    done = changed(project, "local")
    assert done.code == 0 and "a new Stop hook" in json.loads(done.out)["systemMessage"]


def test_a_persons_seal_lets_the_change_through(project: TestProject) -> None:
    place(project).write_text("{}")
    assert changed(project).code == 2
    assert project.ralph("seal").code == 0
    assert changed(project) == Done(0, "", "")


def test_without_a_seal_the_settings_are_noted_at_the_first_prompt(project: TestProject) -> None:
    next(Path(os.environ["XDG_STATE_HOME"]).rglob("seal.json")).unlink()
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "hi"}
    assert project.ralph("hook", "claude", stdin=json.dumps(event(project, **prompt))).code == 0
    place(project).write_text("{}")
    assert changed(project).code == 2


@pytest.mark.parametrize(
    ("tool", "given", "denied"),
    [
        ("Edit", {"file_path": "ralph-hooks.toml"}, True),
        ("Write", {"file_path": "{root}/.claude/settings.json"}, True),
        ("Write", {"file_path": "{root}/src/../ralph-hooks.toml"}, True),
        ("Edit", {"file_path": "src/app.py"}, False),
        ("Read", {"file_path": "ralph-hooks.toml"}, False),
        ("Bash", {"command": "echo x > ralph-hooks.toml"}, True),
        ("Bash", {"command": "rm .claude/settings.json"}, True),
        ("Bash", {"command": "cat ralph-hooks.toml"}, False),
        ("Bash", {"command": "rm settings.json"}, False),
    ],
)
def test_edits_of_sealed_files_are_denied_where_the_config_says_so(
    project: TestProject, tool: str, given: dict[str, str], denied: bool
) -> None:
    given = {key: value.format(root=project.root) if "{root}" in value else value for key, value in given.items()}
    fields = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
    assert project.ralph("hook", "claude", stdin=json.dumps(event(project, **fields))).code == 0
    project.config("[[check]]\nname = 't'\nrun = 'exit 1'\n[guard]\npre_tool_use = true\n")
    assert project.ralph("seal").code == 0
    done = project.ralph("hook", "claude", stdin=json.dumps(event(project, **fields)))
    assert (done.code == 2) is denied
    assert ("is sealed" in done.err) is denied


def test_a_matcher_that_matches_nothing_switches_an_entry_off(project: TestProject) -> None:
    path = place(project)
    settings.install(
        settings.layer("claude", "project", str(project.root)), entries.claude(660, guard=True, edits=True)
    )
    assert project.ralph("seal").code == 0
    next(Path(os.environ["XDG_STATE_HOME"]).rglob("token.json")).unlink()
    path.write_text(path.read_text().replace("Edit|MultiEdit", "Nothing|MultiEdit"))
    done = changed(project)
    assert done.code == 2 and "our entry for PreToolUse (Edit|" in done.err
