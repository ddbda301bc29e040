"""The harness itself: the real clients against the scripted models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph_hooks.scripted import MessagesServer, ResponsesServer, Script, Step, call, error, say, shell
from tests.support.clients import claude, codex, program, stop_hook, with_hooks
from tests.support.project import REPOSITORY, make_project

TWICE = """\
#!/bin/sh
n=$(cat "$0.count" 2>/dev/null || echo 0)
echo $((n + 1)) > "$0.count"
[ "$n" -ge 2 ] && exit 0
echo blocked
echo "still failing: $n" >&2
exit 2
"""


@pytest.mark.client
def test_claude_speaks(tmp_path: Path) -> None:
    with MessagesServer([say("hello there")]) as server:
        run = claude(make_project(tmp_path / "p"), "hi", server)
    assert (run.code, run.result["result"], run.result["subtype"]) == (0, "hello there", "success")
    assert "hi" in run.shown[0]


@pytest.mark.client
def test_claude_runs_two_commands_at_once(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    with MessagesServer([[say("both"), shell("echo one > a; echo first"), shell("echo second")], say("ok")]) as server:
        run = claude(project, "go", server)
    assert run.code == 0
    assert (project.root / "a").read_text() == "one\n"
    assert server.turns[1].results == ("first", "second")


@pytest.mark.client
def test_claude_other_tools(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    path = str(project.root / "new.txt")
    with MessagesServer([call("Write", file_path=path, content="text\n"), say("ok")]) as server:
        run = claude(project, "go", server)
    assert (run.code, (project.root / "new.txt").read_text()) == (0, "text\n")


@pytest.mark.client
@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 529])
def test_claude_maps_errors(tmp_path: Path, status: int) -> None:
    with MessagesServer(Script([], then=error(status))) as server:
        run = claude(make_project(tmp_path / "p"), "go", server)
    assert (run.code, run.result["is_error"], run.result["api_error_status"]) == (1, True, status)


@pytest.mark.client
def test_claude_hook_blocks_twice(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p").write("hook.sh", TWICE)
    with_hooks(project, stop_hook("sh", str(project.root / "hook.sh")))
    with MessagesServer([say("a"), say("b"), say("c")]) as server:
        run = claude(project, "go", server)
    assert run.code == 0
    assert [hook["exit_code"] for hook in run.hooks()] == [2, 2, 0]
    assert len(run.shown) == 3
    assert "still failing: 0" in run.shown[1]
    assert "still failing: 1" in run.shown[2]


@pytest.mark.client
def test_claude_subagent_has_its_own_script(tmp_path: Path) -> None:
    steps: list[Step] = [
        call(
            "Agent", description="d", prompt="the sub prompt", subagent_type="general-purpose", run_in_background=False
        )
    ]
    with MessagesServer([*steps, say("main")], agents=[[shell("echo in the sub"), say("sub done")]]) as server:
        run = claude(make_project(tmp_path / "p"), "go", server)
    assert run.result["result"] == "main"
    assert "sub done" in run.shown[1]
    assert [turn.results for turn in server.agent_turns] == [(), ("in the sub",)]


@pytest.mark.client
def test_codex_speaks(tmp_path: Path) -> None:
    with ResponsesServer([say("hello there")]) as server:
        run = codex(make_project(tmp_path / "p"), "hi", server)
    assert (run.code, run.said()) == (0, ["hello there"])
    assert "hi" in run.shown[0]


@pytest.mark.client
def test_codex_runs_two_commands_at_once(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    with ResponsesServer([[shell("echo one > a; echo first"), shell("echo second")], say("ok")]) as server:
        run = codex(project, "go", server)
    assert (run.code, (project.root / "a").read_text()) == (0, "one\n")
    first, second = server.turns[1].results
    assert "first" in first
    assert "second" in second


@pytest.mark.client
@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_codex_maps_errors(tmp_path: Path, status: int) -> None:
    with ResponsesServer([error(status)]) as server:
        run = codex(make_project(tmp_path / "p"), "go", server)
    assert run.code == 1
    assert run.of_type("turn.failed")


@pytest.mark.client
def test_codex_hook_blocks_twice(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p").write("hook.sh", TWICE)
    with_hooks(project, stop_hook(f"sh '{project.root / 'hook.sh'}'"), file=".codex/hooks.json")
    with ResponsesServer([say("a"), say("b"), say("c")]) as server:
        run = codex(project, "go", server)
    assert (run.code, len(run.shown)) == (0, 3)
    assert "still failing: 0" in run.shown[1]
    assert "still failing: 1" in run.shown[2]


@pytest.mark.client
@pytest.mark.parametrize("switch", ["trusted", "vetted"])
def test_codex_skips_hooks_that_nobody_trusted(tmp_path: Path, switch: str) -> None:
    project = make_project(tmp_path / "p").write("hook.sh", TWICE)
    with_hooks(project, stop_hook(f"sh '{project.root / 'hook.sh'}'"), file=".codex/hooks.json")
    with ResponsesServer([say("a")]) as server:
        run = codex(project, "go", server, trusted=switch != "trusted", vetted=switch != "vetted")
    assert (run.code, run.said()) == (0, ["a"])


@pytest.mark.client
def test_the_installed_program_is_the_one_that_the_client_finds(tmp_path: Path, installed: Path) -> None:
    with MessagesServer([shell("command -v ralph-hooks"), say("ok")]) as server:
        claude(make_project(tmp_path / "p"), "go", server)
    assert server.turns[1].results == (str(installed / "ralph-hooks"),)
    first = (installed / "ralph-hooks").read_text().splitlines()[0]
    assert first.startswith(f"#!{installed}/python")


@pytest.mark.parametrize(("ci", "outcome"), [("1", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_client_fails_under_ci_and_is_skipped_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("RALPH_HOOKS_TEST_CLIENTS", str(tmp_path))
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="npm ci"):
        program("claude")


def test_the_lock_file_pins_exactly_and_names_no_registry() -> None:
    place = REPOSITORY / "tests" / "clients"
    wanted = json.loads((place / "package.json").read_text())["dependencies"]
    packages = json.loads((place / "package-lock.json").read_text())["packages"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert all(package.get("integrity") for name, package in packages.items() if name)
