"""The gate inside real Claude Code: blocks, budgets, stalls, releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from ralph_hooks.scripted import MessagesServer, Step, say, shell
from tests.support.clients import ClientRun, claude
from tests.support.gated import FIX, MEND, decisions, gated, runs, scripted, stops
from tests.support.project import TestProject

pytestmark = [pytest.mark.client, pytest.mark.usefixtures("installed")]


def turn(project: TestProject, *steps: Step) -> ClientRun:
    with MessagesServer(steps) as server:
        return claude(project, "go", server)


def exits(run: ClientRun) -> list[int]:
    return [hook["exit_code"] for hook in run.hooks()]


def test_red_blocks_and_green_lets_go(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", failing=2)
    run = turn(project, say("All tests pass."), shell("echo 1 > failing"), say("Now."), shell(FIX), say("Done now."))
    assert (run.code, run.result["result"], exits(run)) == (0, "Done now.", [2, 2, 0])
    assert "attempt 1/20" in run.shown[1]
    assert "bug 0 is still there" in run.shown[1]
    assert "2 failed, 3 passed" in run.shown[1]
    assert "fixed since the last stop" in run.shown[3]
    assert decisions(project) == ["BLOCK(red)", "BLOCK(red)", "ALLOW"]
    assert [stop["session"] for stop in stops(project)] == [run.session] * 3


def test_green_is_silent(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", failing=0)
    run = turn(project, say("Done."))
    assert (exits(run), len(run.shown), run.result["result"]) == ([0], 1, "Done.")
    assert (run.hooks()[0]["stdout"], run.hooks()[0]["stderr"]) == ("", "")
    assert (decisions(project), runs(project)) == (["ALLOW"], 1)


@pytest.mark.parametrize("words", ["No such file or directory: 'data.csv'", "can't open file 'x'"])
def test_output_that_names_a_missing_file_still_blocks(tmp_path: Path, words: str) -> None:
    """Case 1: the client takes such words on standard error for a missing hook script."""
    project = scripted(tmp_path / "p", f'echo "FileNotFoundError: [Errno 2] {words}"; exit 1\n')
    run = turn(project, say("a"), shell(MEND), say("b"))
    assert exits(run) == [2, 0]
    assert words in run.shown[1]
    assert decisions(project)[0] == "BLOCK(red)"


def test_an_agent_that_edits_nothing_is_verified_again(tmp_path: Path) -> None:
    """Case 2."""
    project = gated(tmp_path / "p")
    run = turn(project, say("a"), say("b"), shell(FIX), say("c"))
    assert (exits(run), runs(project)) == ([2, 2, 0], 3)
    assert "attempt 2/20" in run.shown[2]


@pytest.mark.parametrize("budget", [1, 3])
def test_a_spent_budget_hands_back_to_a_human(tmp_path: Path, budget: int) -> None:
    project = gated(tmp_path / "p", more=f"[budget]\nmax_blocks = {budget}\n")
    steps = [step for n in range(9) for step in (shell(f"echo {n} > note"), say("done"))]
    run = turn(project, *steps)
    assert exits(run) == [2] * budget + [0]
    assert decisions(project) == ["BLOCK(red)"] * budget + ["RELEASED_RED(budget)"]
    assert "handing back to a human" in run.hooks()[-1]["stdout"]
    assert "bug 0 is still there" in run.hooks()[-1]["stdout"] or "test_0" in run.hooks()[-1]["stdout"]


@pytest.mark.slow
def test_twenty_blocks_and_not_one_more(tmp_path: Path) -> None:
    """Case 3: edits and tools at each of 24 stops, always red."""
    project = scripted(tmp_path / "p", "echo still red; exit 1\n")
    run = turn(project, *[step for n in range(24) for step in (shell(f"echo {n} > note"), say("done"))])
    assert exits(run) == [2] * 20 + [0]
    assert "attempt 20/20" in run.shown[-2]
    assert decisions(project)[-1] == "RELEASED_RED(budget)"


def test_a_stalled_agent_is_released_before_the_clients_own_cap(tmp_path: Path) -> None:
    project = gated(tmp_path / "p")
    run = turn(project, *[say(f"done {n}") for n in range(12)])
    assert exits(run) == [2] * 5 + [0]
    assert decisions(project)[-1] == "RELEASED_RED(stalled)"
    assert run.result["result"] == "done 5"
    assert run.hooks()[-1]["stdout"].startswith('{"systemMessage"')


def test_progress_is_free(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", failing=4, more="[budget]\nmax_blocks = 1\n")
    steps = [step for n in (3, 2, 1, 0) for step in (say("done"), shell(f"echo {n} > failing"))]
    run = turn(project, *steps, say("all green"))
    assert (exits(run), run.result["result"]) == ([2, 2, 2, 2, 0], "all green")
    assert [stop.get("charged") for stop in stops(project)] == [True, False, False, False, None]


def test_a_flood_of_output_is_cut_and_kept(tmp_path: Path) -> None:
    script = "yes 'a line of noise that says nothing' | head -c 200000; echo; echo THE END; exit 1\n"
    project = scripted(tmp_path / "p", script)
    run = turn(project, say("a"), shell(MEND), say("b"))
    feedback = run.hooks()[0]["stderr"]
    assert exits(run) == [2, 0]
    assert len(feedback) <= 8001
    assert "THE END" in run.shown[1]
    log = Path(stops(project)[0]["checks"][0]["log"])
    assert str(log) in feedback
    assert log.stat().st_size >= 200_000


def test_a_check_that_does_not_end_blocks_before_the_client_gives_up(tmp_path: Path) -> None:
    project = scripted(tmp_path / "p", "echo waiting; sleep 60\n", keys="timeout_s = 1\n")
    run = turn(project, say("a"), shell(MEND), say("b"))
    assert exits(run) == [2, 0]
    assert decisions(project)[0] == "BLOCK(timeout)"
    assert "waiting" in run.shown[1]


def test_what_cannot_run_blocks_twice_at_most(tmp_path: Path) -> None:
    project = gated(tmp_path / "p").config('[[check]]\nrun = ["no-such-runner", "-q"]\n').commit()
    run = turn(project, *[step for n in range(5) for step in (shell(f"echo {n} > note"), say("done"))])
    assert exits(run) == [2, 2, 0]
    assert "no-such-runner" in run.shown[2]
    assert decisions(project)[:2] == ["BLOCK(cannot_run)"] * 2
    assert decisions(project)[2].startswith("RELEASED_RED")


def test_no_tests_are_no_pass(tmp_path: Path) -> None:
    project = gated(tmp_path / "p").write("suite.py", "").commit()
    run = turn(project, say("a"), shell("git checkout -q HEAD~1 -- suite.py; echo 0 > failing"), say("b"))
    assert decisions(project) == ["BLOCK(no_tests)", "ALLOW"]
    assert exits(run) == [2, 0]


def test_an_agent_that_rewrites_the_check_is_told_on(tmp_path: Path) -> None:
    project = scripted(tmp_path / "p", "echo red; exit 1\n")
    run = turn(project, say("a"), shell("echo exit 0 > check.sh"), say("b"))
    assert (exits(run), decisions(project)) == ([2, 0], ["BLOCK(red)", "ALLOW(CONFIG_CHANGED)"])
    assert "check.sh" in run.hooks()[1]["stdout"]
    assert run.hooks()[1]["stdout"].startswith('{"systemMessage"')


def test_a_project_without_a_config_is_left_alone(tmp_path: Path) -> None:
    project = gated(tmp_path / "p")
    (project.root / "ralph-hooks.toml").unlink()
    run = turn(project, say("a"))
    assert (exits(run), run.hooks()[0]["stdout"], runs(project)) == ([0], "", 0)
