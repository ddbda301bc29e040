"""What Claude Code does with hooks, where our design leans on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.scripted import MessagesServer, Step, call, say, shell
from tests.support.clients import ClientRun, claude, stop_hook, with_hooks
from tests.support.project import TestProject, make_project

pytestmark = pytest.mark.client

ONCE = 'test -e "$CLAUDE_PROJECT_DIR/.once" && exit 0; touch "$CLAUDE_PROJECT_DIR/.once"; '
RAN = 'echo ran >> "$CLAUDE_PROJECT_DIR/.ran"; '


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "p").write(".gitignore", ".ran\n.once\n")


def turn(project: TestProject, *steps: Step, **options: Any) -> ClientRun:
    """One prompt, answered by these steps (default: it says that it is done)."""
    with MessagesServer(steps or [say("first")]) as server:
        return claude(project, "go", server, **options)


def runs(project: TestProject) -> int:
    """How often a hook that starts with RAN ran."""
    return (project.root / ".ran").read_text().count("ran") if (project.root / ".ran").exists() else 0


@pytest.mark.parametrize(
    ("script", "blocked"),
    [
        ("echo red >&2; exit 2", True),
        ("echo 'No such file or directory: data.csv' >&2; exit 2", False),
        ('echo "can\'t open it" >&2; exit 2', False),
        ("echo blocked; echo 'No such file or directory: data.csv' >&2; exit 2", True),
        ("""echo '{"decision": "block", "reason": "red"}'""", True),
        ("""echo '{"decision": "block", "reason": "red"}'; exit 1""", True),
        ("""echo 'words'; echo '{"decision": "block", "reason": "red"}'""", False),
        ("echo red >&2; exit 1", False),
        ("echo red >&2; exit 127", False),
        ("echo red >&2; kill -9 $$", False),
        ("echo blocked; echo red >&2; sleep 5 & exit 2", True),
        ("""sleep 5 & echo '{"decision": "block", "reason": "red"}'""", False),
        ("""echo '{"continue": false, "decision": "block", "reason": "red"}'""", False),
    ],
)
def test_what_blocks(project: TestProject, script: str, blocked: bool) -> None:
    with_hooks(project, stop_hook(ONCE + script))
    run = turn(project, say("first"), say("second"))
    assert (run.code, len(run.shown)) == (0, 2 if blocked else 1)


@pytest.mark.parametrize(
    ("script", "times"),
    [("cat json", 2), ("echo blocked; cat text >&2; exit 2", 1)],
)
def test_how_often_the_reason_is_told(project: TestProject, script: str, times: int) -> None:
    project.write("json", json.dumps({"decision": "block", "reason": "the-reason"})).write("text", "the-reason")
    with_hooks(project, stop_hook(ONCE + script))
    assert turn(project, say("first"), say("second")).shown[1].count("the-reason") == times


def test_a_hook_that_times_out_lets_the_turn_end(project: TestProject) -> None:
    script = "trap 'echo blocked; echo red >&2; exit 2' TERM; " + RAN + "sleep 30 & wait"
    with_hooks(project, stop_hook(script, timeout=1))
    run = turn(project)
    assert (run.code, len(run.shown), run.hooks()[0]["outcome"], runs(project)) == (0, 1, "cancelled", 1)


@pytest.mark.parametrize(("cap", "hooks"), [(None, 9), ("2", 3), ("12", 13)])
def test_the_clients_own_cap_ends_the_turn_as_success(project: TestProject, cap: str | None, hooks: int) -> None:
    with_hooks(project, stop_hook(RAN + "echo blocked; echo red >&2; exit 2"))
    env = {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": cap} if cap else {}
    run = turn(project, env=env)
    assert (runs(project), run.code, run.result["subtype"], run.result["result"]) == (hooks, 0, "success", "")


def test_tool_calls_reset_the_clients_cap(project: TestProject) -> None:
    with_hooks(project, stop_hook(RAN + "test $(wc -l < .ran) -gt 6 && exit 0; echo blocked; echo red >&2; exit 2"))
    steps = [step for n in range(7) for step in (shell(f"echo {n}"), say("done"))]
    run = turn(project, *steps, env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"})
    assert (runs(project), run.result["result"]) == (7, "done")


def test_a_structured_answer_throws_the_block_away(project: TestProject) -> None:
    with_hooks(project, stop_hook(RAN + "echo blocked; echo red >&2; exit 2"))
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    with MessagesServer([call("StructuredOutput", ok=True), say("again")]) as server:
        run = claude(project, "go", server, "--json-schema", json.dumps(schema))
    assert (run.result["structured_output"], runs(project), len(run.shown)) == ({"ok": True}, 1, 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "COMMAND"}]}]},}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "COMMAND", "timeout": "300"}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "COMMAND", "timeout": 0}]}]}}',
        '{"hooks": {"Stop": [{"matcher": {}, "hooks": [{"type": "command", "command": "COMMAND"}]}]}}',
        '// a comment\n{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "COMMAND"}]}]}}',
    ],
)
def test_an_invalid_settings_file_is_ignored_whole(project: TestProject, text: str) -> None:
    project.write(".claude/settings.json", text.replace("COMMAND", f"touch {project.root}/.ran"))
    run = turn(project)
    assert (run.code, (project.root / ".ran").exists()) == (0, False)


def test_hooks_of_the_root_are_not_loaded_in_a_subdirectory(project: TestProject) -> None:
    with_hooks(project, stop_hook(RAN)).write("packages/api/a", "")
    turn(project, cwd=project.root / "packages" / "api")
    assert runs(project) == 0


def test_the_same_entry_twice_runs_once_and_different_ones_both(project: TestProject) -> None:
    same, other = stop_hook(RAN), stop_hook(RAN + ":")
    with_hooks(project, same, same)
    turn(project, settings=same)
    assert runs(project) == 1
    turn(project, settings=other)
    assert runs(project) == 3


def test_settings_changed_in_the_turn_take_effect_at_once(project: TestProject) -> None:
    with_hooks(project, stop_hook(RAN))
    turn(project, shell("echo '{\"disableAllHooks\": true}' > .claude/settings.local.json; sleep 3"), say("done"))
    assert runs(project) == 0


def test_a_config_change_hook_keeps_the_old_settings_in_force(project: TestProject) -> None:
    with_hooks(project, stop_hook(RAN), stop_hook("echo kept; echo no >&2; exit 2", event="ConfigChange"))
    turn(project, shell("echo '{\"disableAllHooks\": true}' > .claude/settings.local.json; sleep 3"), say("done"))
    assert runs(project) == 1


def test_feedback_beyond_50000_characters_is_cut(project: TestProject) -> None:
    project.write("long.txt", "x" * 60_000)
    with_hooks(project, stop_hook(ONCE + "echo blocked; cat long.txt >&2; exit 2"))
    run = turn(project, say("first"), say("second"))
    assert run.shown[1].count("x" * 1000) < 60
    assert "persisted-output" in run.shown[1]


def test_an_args_entry_runs_without_a_shell(project: TestProject) -> None:
    script = 'printf "%s|" "$@" > .args'
    with_hooks(project, stop_hook("sh", "-c", script, "name", "$HOME; rm x", "two words"))
    turn(project)
    assert (project.root / ".args").read_text() == "$HOME; rm x|two words|"


def test_a_system_message_reaches_the_person(project: TestProject) -> None:
    with_hooks(project, stop_hook("""echo '{"systemMessage": "handing back to a human"}'"""))
    run = turn(project)
    assert (len(run.shown), any("handing back to a human" in line for line in run.out.splitlines())) == (1, True)


def test_the_event_on_standard_input(project: TestProject) -> None:
    with_hooks(project, stop_hook("cat > .event"))
    run = turn(project)
    event = json.loads((project.root / ".event").read_text())
    assert (event["session_id"], event["hook_event_name"], event["cwd"]) == (run.session, "Stop", str(project.root))
    assert (event["stop_hook_active"], event["background_tasks"]) == (False, [])
    assert (event["permission_mode"], event["last_assistant_message"]) == ("bypassPermissions", "first")
    assert event["prompt_id"]


@pytest.mark.parametrize("entry", [("no-such-program-anywhere",), ("no-such-program-anywhere", "hook")])
def test_a_missing_program_lets_every_turn_end(project: TestProject, entry: tuple[str, ...]) -> None:
    with_hooks(project, stop_hook(*entry))
    run = turn(project)
    assert (run.code, len(run.shown), run.result["subtype"]) == (0, 1, "success")
