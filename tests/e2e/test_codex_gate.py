"""The gate inside the real Codex."""

from __future__ import annotations

from pathlib import Path

import pytest

from ralph_hooks.scripted import ResponsesServer, Step, say, shell
from tests.support.clients import ClientRun, codex
from tests.support.gated import FIX, MEND, decisions, gated, runs, scripted, stops
from tests.support.project import TestProject, make_project

pytestmark = [pytest.mark.client, pytest.mark.usefixtures("installed")]


def turn(project: TestProject, *steps: Step, args: tuple[str, ...] = ()) -> ClientRun:
    with ResponsesServer(steps) as server:
        return codex(project, "go", server, *args)


def test_red_blocks_and_green_lets_go(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", failing=2, client="codex")
    run = turn(project, say("All tests pass."), shell("echo 1 > failing"), say("b"), shell(FIX), say("c"))
    assert (run.code, run.said()) == (0, ["All tests pass.", "b", "c"])
    assert "attempt 1/20" in run.shown[1]
    assert "bug 0 is still there" in run.shown[1]
    assert "attempt 2/20" in run.shown[3] or "fixed since the last stop" in run.shown[3]
    assert decisions(project) == ["BLOCK(red)", "BLOCK(red)", "ALLOW"]
    assert {stop["session"] for stop in stops(project)} == {run.session}
    assert {stop["client"] for stop in stops(project)} == {"codex"}


def test_a_spent_budget_hands_back_to_a_human(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", more="[budget]\nmax_blocks = 2\n", client="codex")
    run = turn(project, *[step for n in range(9) for step in (shell(f"echo {n} > note"), say(f"done {n}"))])
    assert (run.code, run.said()) == (0, ["done 0", "done 1", "done 2"])
    assert decisions(project) == ["BLOCK(red)"] * 2 + ["RELEASED_RED(budget)"]


def test_a_stalled_agent_is_released(tmp_path: Path) -> None:
    """Codex itself would go on for ever."""
    project = gated(tmp_path / "p", client="codex")
    run = turn(project, *[say(f"done {n}") for n in range(12)])
    assert (len(run.said()), decisions(project)[-1]) == (6, "RELEASED_RED(stalled)")


@pytest.mark.parametrize("output", ["true", "echo", "printf '\\n\\n   \\n'", "printf '\\000\\033[0m'", "echo '{'"])
def test_a_suite_with_nothing_to_say_still_blocks(tmp_path: Path, output: str) -> None:
    """Codex drops a block whose standard error is blank."""
    project = scripted(tmp_path / "p", f"{output}; exit 1\n", client="codex")
    run = turn(project, say("a"), shell(MEND), say("b"))
    assert (run.said(), decisions(project)) == (["a", "b"], ["BLOCK(red)", "ALLOW"])


def test_green_is_silent(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", failing=0, client="codex")
    run = turn(project, say("a"))
    assert (run.said(), decisions(project), runs(project)) == (["a"], ["ALLOW"], 1)


def test_a_talkative_login_shell_changes_nothing(tmp_path: Path, own_home: Path) -> None:
    """Case 18: Codex runs hooks through a login shell."""
    for name in (".bash_profile", ".profile", ".bashrc"):
        (own_home / name).write_text("echo welcome\n")
    project = gated(tmp_path / "p", client="codex")
    run = turn(project, say("a"), shell(FIX), say("b"))
    assert (run.said(), decisions(project)) == (["a", "b"], ["BLOCK(red)", "ALLOW"])


def test_a_resumed_thread_keeps_its_budget(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", more="[budget]\nmax_blocks = 1\n", client="codex")
    first = turn(project, say("a"), shell("echo > note"), say("b"))
    again = turn(project, say("c"), args=("resume", first.session))
    assert again.said() == ["c"]
    assert decisions(project) == ["BLOCK(red)", "RELEASED_RED(budget)", "RELEASED_RED(budget)"]


def test_the_agents_cd_does_not_move_the_gate(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", client="codex")
    make_project(project.root / "vendor" / "lib").check("true").commit()
    run = turn(project, shell("cd vendor/lib"), say("a"), shell(FIX), say("b"))
    assert (run.said(), decisions(project)) == (["a", "b"], ["BLOCK(red)", "ALLOW"])


@pytest.mark.parametrize("name", ["with two  spaces", "ünï 'quoted' $HOME"])
def test_any_path(tmp_path: Path, name: str) -> None:
    project = gated(tmp_path / name, client="codex")
    run = turn(project, say("a"), shell(FIX), say("b"))
    assert (run.said(), decisions(project)) == (["a", "b"], ["BLOCK(red)", "ALLOW"])


def test_every_reply_is_one_that_codex_accepts(tmp_path: Path) -> None:
    """A reply outside its schema would be reported as a failed hook."""
    project = gated(tmp_path / "p", more="[budget]\nmax_blocks = 1\n[gate]\nannounce = true\n", client="codex")
    steps: list[Step] = [say("a"), shell("echo > note"), say("b")]
    with ResponsesServer(steps) as server:
        run = codex(project, "go", server, human=True)
    with ResponsesServer([shell(FIX), say("c")]) as server:
        green = codex(project, "go", server, human=True)
    assert decisions(project) == ["BLOCK(red)", "RELEASED_RED(budget)", "ALLOW"]
    ends = [line for line in (run.err + green.err).splitlines() if line.startswith("hook: Stop ")]
    assert ends == ["hook: Stop Blocked", "hook: Stop Completed", "hook: Stop Completed"]
