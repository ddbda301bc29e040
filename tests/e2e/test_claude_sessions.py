"""The gate inside real Claude Code: sessions, subagents, background work, modes, other hooks."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.scripted import MessagesServer, Step, call, say, shell
from tests.support.clients import ClientRun, claude, finish, start_claude, stop_hook, with_hooks
from tests.support.gated import CLAUDE_GATE, FIX, MEND, decisions, gated, runs, scripted, stops
from tests.support.project import TestProject

pytestmark = [pytest.mark.client, pytest.mark.usefixtures("installed")]

SUBAGENT_GATE = stop_hook("ralph-hooks", "hook", "claude", "--within", "630", event="SubagentStop")
ENDLESS = "echo $$ > runs.pid; exec sleep 300"
END = "kill $(cat runs.pid)"
TWO_BLOCKS = "[budget]\nmax_blocks = 2\n"


def turn(project: TestProject, *steps: Step, args: tuple[str, ...] = (), **options: Any) -> ClientRun:
    with MessagesServer(steps) as server:
        return claude(project, "go", server, *args, **options)


def exits(run: ClientRun, event: str = "Stop") -> list[int]:
    return [hook["exit_code"] for hook in run.hooks(event)]


def working(times: int) -> list[Step]:
    """An agent that does something at every stop, but not what is needed."""
    return [step for n in range(times) for step in (shell(f"echo {n} > note"), say("done"))]


def test_resume_keeps_the_budget_and_green_resets_it(tmp_path: Path) -> None:
    """Case 14."""
    project = gated(tmp_path / "p", more=TWO_BLOCKS)
    first = turn(project, *working(4))
    assert exits(first) == [2, 2, 0]
    again = turn(project, say("more"), args=("--resume", first.session))
    assert (again.session, exits(again)) == (first.session, [0])
    fixed = turn(project, shell(FIX), say("fixed"), args=("--resume", first.session))
    assert (exits(fixed), decisions(project)[-1]) == ([0], "ALLOW")
    broken = turn(project, shell("echo 1 > failing"), *working(4), args=("--resume", first.session))
    assert exits(broken) == [2, 2, 0]


def test_a_fork_is_a_session_of_its_own(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", more=TWO_BLOCKS)
    first = turn(project, *working(4))
    fork = turn(project, *working(4), args=("--resume", first.session, "--fork-session"))
    assert fork.session != first.session
    assert (exits(first), exits(fork)) == ([2, 2, 0], [2, 2, 0])


def test_one_sessions_budget_is_not_anothers(tmp_path: Path) -> None:
    """Case 13."""
    project = gated(tmp_path / "p", more=TWO_BLOCKS)
    turn(project, *working(4))
    other = turn(project, say("a"), shell(FIX), say("b"))
    assert exits(other) == [2, 0]


@pytest.mark.parametrize("on", [False, True])
def test_subagents_are_gated_only_where_the_config_says_so(tmp_path: Path, on: bool) -> None:
    project = gated(tmp_path / "p", more=f"[gate]\nsubagents = {str(on).lower()}\n")
    with_hooks(project, CLAUDE_GATE, SUBAGENT_GATE).commit()
    work = call("Agent", description="d", prompt="work", subagent_type="general-purpose", run_in_background=False)
    with MessagesServer(
        [work, shell(FIX), say("done")], agents=[[say("sub a"), say("sub b"), shell(FIX), say("sub c")]]
    ) as server:
        run = claude(project, "go", server)
    assert exits(run, "SubagentStop") == ([2, 2, 0] if on else [0])
    assert exits(run) == [0]
    sub = [stop for stop in stops(project) if stop["event"] == "SubagentStop"]
    assert [stop["decision"] for stop in sub] == (["BLOCK", "BLOCK", "ALLOW"] if on else ["SKIP"])
    assert len({stop["agent"] for stop in sub}) == 1
    if on:
        assert "bug 0 is still there" in server.agent_turns[1].shown


def test_a_subagent_with_a_worktree_is_judged_there(tmp_path: Path) -> None:
    project = gated(tmp_path / "p", more="[gate]\nsubagents = true\n")
    with_hooks(project, CLAUDE_GATE, SUBAGENT_GATE).write(
        ".gitignore", "runs*\n__pycache__/\n.claude/worktrees\n"
    ).commit()
    work = call("Agent", description="d", prompt="work", isolation="worktree", run_in_background=False)
    subagent: list[Step] = [shell("pwd"), say("sub a"), shell(FIX), say("sub b")]
    with MessagesServer([work, say("a"), shell(FIX), say("b")], agents=[subagent]) as server:
        run = claude(project, "go", server)
    tree = Path(server.agent_turns[1].results[0])
    assert tree != project.root
    assert (exits(run, "SubagentStop"), exits(run)) == ([2, 0], [2, 0])
    assert [stop["decision"] for stop in stops(project)] == ["BLOCK", "ALLOW"]


def test_background_work_is_waited_for(tmp_path: Path) -> None:
    project = gated(tmp_path / "p")
    run = turn(
        project, shell("sleep 1; echo built", background=True), say("waiting"), say("built"), shell(FIX), say("done")
    )
    assert [each.split("(")[0] for each in decisions(project)] == ["SKIP", "BLOCK", "ALLOW"]
    assert "background" in stops(project)[0]["reason"]
    assert (exits(run), runs(project)) == ([0, 2, 0], 2)


def test_a_dev_server_is_not_waited_for(tmp_path: Path) -> None:
    project = gated(tmp_path / "p").write("bin/npm", f"#!/bin/sh\n{ENDLESS}\n")
    (project.root / "bin" / "npm").chmod(0o755)
    path = f"{project.root}/bin:{os.environ['PATH']}"
    steps = (shell("npm run dev", background=True), say("up"), shell(f"{FIX}; {END}"), say("done"))
    turn(project, *steps, env={"PATH": path})
    assert decisions(project)[:2] == ["BLOCK(red)", "ALLOW"]


@pytest.mark.slow
def test_background_work_without_an_end_is_skipped_three_times(tmp_path: Path) -> None:
    """Case 11, with a command that no pattern knows; short tasks beside it wake the agent up."""
    project = gated(tmp_path / "p")
    jobs = [shell(job, background=True) for job in (f"sh -c '{ENDLESS}'", "sleep 1", "sleep 2", "sleep 3")]
    steps: list[Step] = [
        jobs,
        say("waiting"),
        say("one"),
        say("two"),
        say("three"),
        shell(f"{FIX}; {END}"),
        say("done"),
    ]
    turn(project, *steps)
    kinds = [each.split("(")[0] for each in decisions(project)]
    assert kinds[:5] == ["SKIP", "SKIP", "SKIP", "BLOCK", "ALLOW"]


def test_a_hook_that_the_client_kills_is_written_down(tmp_path: Path) -> None:
    project = scripted(tmp_path / "p", "echo $$ > runs; sleep 60\n")
    with_hooks(project, stop_hook("ralph-hooks", "hook", "claude", "--within", "630", timeout=1)).commit()
    run = turn(project, say("a"))
    assert (run.hooks()[0]["outcome"], len(run.shown)) == ("cancelled", 1)
    assert decisions(project) == ["UNVERIFIED(cancelled)"]
    pid = int((project.root / "runs").read_text())
    assert gone(pid), "the check outlived the hook"


def test_a_hook_that_is_killed_while_it_waits_is_written_down_too(tmp_path: Path) -> None:
    """Another session's checks hold the checkout."""
    project = scripted(tmp_path / "p", "touch runs.began; sleep 60\n")
    with MessagesServer([say("a")]) as one, MessagesServer([say("b")]) as two:
        first = start_claude(project, "go", one)
        wait_for(project.root / "runs.began")
        with_hooks(project, stop_hook("ralph-hooks", "hook", "claude", "--within", "630", timeout=1))
        second = claude(project, "go", two)
        first.terminate()
        finish(first, one)
    assert second.hooks()[0]["outcome"] == "cancelled"
    assert [(stop["decision"], stop["reason"]) for stop in stops(project)] == [("UNVERIFIED", "cancelled")] * 2


def wait_for(path: Path, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.05)


def gone(pid: int, seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_our_deadline_comes_before_the_clients(tmp_path: Path) -> None:
    """`--within 4` with the client's own timeout of 4 s: the block is there before it."""
    project = scripted(tmp_path / "p", "sleep 60\n")
    with_hooks(project, stop_hook("ralph-hooks", "hook", "claude", "--within", "4", timeout=4)).commit()
    run = turn(project, say("a"), shell(MEND), say("b"))
    assert (exits(run), decisions(project)[0]) == ([2, 0], "BLOCK(timeout)")


def test_plan_mode_is_left_alone(tmp_path: Path) -> None:
    project = gated(tmp_path / "p")
    run = turn(project, say("a plan"), mode="plan")
    assert (exits(run), decisions(project), runs(project)) == ([0], ["SKIP(plan mode)"], 0)


@pytest.mark.parametrize(
    ("failing", "other", "shown"), [(1, "exit 0", 2), (0, "exit 2", 2), (1, "exit 2", 2), (0, "exit 0", 1)]
)
def test_someone_elses_stop_hook_beside_ours(tmp_path: Path, failing: int, other: str, shown: int) -> None:
    project = gated(tmp_path / "p", failing)
    theirs = stop_hook(f"test -e /{project.root}/.once && exit 0; touch .once; echo theirs; echo lint >&2; {other}")
    with_hooks(project, theirs, CLAUDE_GATE).write(".gitignore", "runs*\n__pycache__/\n.once\n").commit()
    run = turn(project, say("a"), shell(FIX), say("b"))
    assert (len(run.shown) > 1) == (shown > 1)
    if shown > 1:
        assert ("lint" in run.shown[1], "bug 0" in run.shown[1]) == (other == "exit 2", failing == 1)
    assert decisions(project)[-1] in ("ALLOW", "SKIP(already green)")


def test_the_gate_registered_twice_is_one_run_and_one_charge(tmp_path: Path) -> None:
    """Case 23: by plugin and by settings, say; entries that the client takes for different ones."""
    project = gated(tmp_path / "p", more=TWO_BLOCKS)
    with_hooks(project, CLAUDE_GATE, stop_hook("ralph-hooks", "hook", "claude", "--within", "629")).commit()
    run = turn(project, say("a"), shell("echo > note"), say("b"), shell(FIX), say("c"))
    assert exits(run) == [2, 2, 2, 2, 0, 0]
    assert runs(project) == 3
    assert sum(bool(stop.get("charged")) for stop in stops(project)) == 2


@pytest.mark.slow
def test_a_question_after_green_is_silent_in_a_big_repository(tmp_path: Path) -> None:
    """Case 17, 50,000 files."""
    project = gated(tmp_path / "p", failing=0)
    for folder in range(100):
        place = project.root / f"d{folder}"
        place.mkdir()
        for n in range(500):
            (place / f"{n}.txt").write_text("x")
    project.commit()
    first = turn(project, say("green"))
    second = turn(project, say("an answer"), args=("--resume", first.session))
    assert (exits(second), second.hooks()[0]["stdout"], second.hooks()[0]["stderr"]) == ([0], "", "")
    assert decisions(project) == ["ALLOW", "SKIP(already green)"]
    assert runs(project) == 1
    assert stops(project)[1]["took_s"] < 5
