"""T8 in real Claude Code, by the plugin: a loop with a limit or a promise, a goal, cancel, two sessions, resume."""

from __future__ import annotations

from pathlib import Path

import pytest

from ralph_hooks.scripted import MessagesServer, Step, say, shell
from tests.support.clients import ClientRun, claude
from tests.support.gated import CHECK, FIX, SUITE, decisions
from tests.support.project import REPOSITORY, TestProject, make_project

pytestmark = [pytest.mark.client, pytest.mark.usefixtures("installed")]

PLUGIN = ("--plugin-dir", str(REPOSITORY))


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    made = make_project(tmp_path / "p").write("suite.py", SUITE).write("failing", "0\n")
    return made.write(".gitignore", "runs\n__pycache__/\n").config(CHECK).commit()


def run(project: TestProject, prompt: str, *steps: Step, more: tuple[str, ...] = ()) -> ClientRun:
    with MessagesServer(steps) as server:
        return claude(project, prompt, server, *PLUGIN, *more)


def exits(done: ClientRun) -> list[int]:
    return [hook["exit_code"] for hook in done.hooks()]


def test_the_limit_ends_a_loop(project: TestProject) -> None:
    steps = [step for n in range(5) for step in (shell(f"echo {n} > note"), say(f"round {n}"))]
    done = run(project, '/ralph-hooks:loop "improve it" --max-iterations 2', *steps)
    assert exits(done) == [2, 2, 0]
    assert sum("improve it" in shown for shown in done.shown[1:]) == 2
    assert "reached its limit of 2 iterations" in done.hooks()[-1]["stdout"]


def test_a_promise_needs_a_green_gate(project: TestProject) -> None:
    kept = "<promise>DONE</promise>"
    steps: list[Step] = [
        shell("echo 1 > failing"),
        say(kept),
        shell(FIX),
        say("almost"),
        shell("echo x > y"),
        say(f"yes {kept}"),
    ]
    done = run(project, '/ralph-hooks:loop "work" --max-iterations 9 --completion-promise "DONE"', *steps)
    assert exits(done) == [2, 2, 0]
    assert "bug 0 is still there" in "\n".join(done.shown)
    assert "promise kept, gate green" in done.hooks()[-1]["stdout"]


def test_a_loop_is_one_sessions_own_and_survives_a_resume(project: TestProject) -> None:
    first = run(
        project, '/ralph-hooks:loop "work" --max-iterations 3', say("one"), say("two"), say("three"), say("four")
    )
    assert exits(first) == [2, 2, 2, 0]
    other = run(project, "hello", say("hi"))
    assert exits(other) == [0] and len(other.shown) == 1
    again = run(
        project, '/ralph-hooks:loop "more" --max-iterations 1', say("a"), say("b"), more=("--resume", first.session)
    )
    assert exits(again) == [2, 0]


def test_a_goal_is_checked_and_cancelled(project: TestProject) -> None:
    started = run(project, '/ralph-hooks:goal "test -e goal.txt"', say("never asked"))
    resume = ("--resume", started.session)
    done = run(project, "reach the goal", say("done?"), shell("touch goal.txt"), say("done"), more=resume)
    assert exits(done) == [2, 0] and "check `goal`: RED" in "\n".join(done.shown)
    run(project, "/ralph-hooks:cancel", say("never asked"), more=resume)
    done = run(project, "go on", shell("rm goal.txt"), say("bye"), more=resume)
    assert exits(done) == [0], decisions(project)
