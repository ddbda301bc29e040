"""T8: a loop on one prompt, one more check, both for one session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.gate import event, stop
from tests.support.project import Done, TestProject, make_project


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    made = make_project(tmp_path / "shop").write("ok", "").config("[[check]]\nname = 't'\nrun = 'test -e ok'\n")
    return made.commit()


def type_in(project: TestProject, text: str, **fields: object) -> Done:
    said = {"hook_event_name": "UserPromptSubmit", "prompt": text, **fields}
    return project.ralph("hook", "claude", stdin=json.dumps(event(project, **said)))


def start(project: TestProject, words: str) -> None:
    done = type_in(project, f"/ralph-hooks:loop {words}")
    assert done.code == 0 and "the loop runs" in json.loads(done.out)["systemMessage"]


def test_the_limit_ends_a_loop_on_a_green_tree(project: TestProject) -> None:
    start(project, '"make it better" --max-iterations 2')
    for n in (1, 2):
        stop(project).blocks(f"iteration {n}/2", "make it better")
    done = stop(project)
    assert done.code == 0 and "reached its limit of 2 iterations; the gate is green" in done.out
    stop(project).lets_go("SKIP", "already green")


def test_the_promise_counts_only_on_a_green_tree_and_only_to_the_letter(project: TestProject) -> None:
    start(project, '"work" --completion-promise "ALL DONE"')
    kept = "fine <promise>ALL DONE</promise>"
    (project.root / "ok").unlink()
    stop(project, last_assistant_message=kept).blocks("iteration 1/20", "still failing")
    project.write("ok", "")
    stop(project, last_assistant_message="ALL DONE").blocks("iteration 2/20")
    stop(project, last_assistant_message="<promise>all done</promise>").blocks("iteration 3/20")
    done = stop(project, last_assistant_message=kept)
    assert done.code == 0 and "promise kept, gate green" in done.out


def test_a_loop_never_catches_another_session(project: TestProject) -> None:
    start(project, '"work"')
    stop(project, session_id="another").lets_go("ALLOW")
    stop(project).blocks("iteration 1/20")


def test_a_loop_ends_when_the_gate_hands_back(project: TestProject) -> None:
    start(project, '"work" --max-iterations=50')
    (project.root / "ok").unlink()
    for _ in range(5):
        stop(project).blocks("iteration")
    assert "the gate handed back" in stop(project).out
    project.write("ok", "")
    assert stop(project).code == 0


def test_cancel_ends_it(project: TestProject) -> None:
    start(project, '"work"')
    assert "ended: loop" in type_in(project, "/ralph-hooks:cancel").err
    stop(project).lets_go("ALLOW")
    assert "nothing to cancel" in type_in(project, "/ralph-hooks:cancel").err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "no prompt"),
        ('"x" --max-iterations 0', "not from 1 to 1000"),
        ('"x" --max-iterations', "not from 1 to 1000"),
        ('"x" --forever', "unknown option"),
        ('"x', "cannot be read"),
    ],
)
def test_a_loop_that_cannot_be_read_is_refused(project: TestProject, words: str, says: str) -> None:
    done = type_in(project, f"/ralph-hooks:loop {words}")
    assert done.code == 2 and says in done.err
    stop(project).lets_go("ALLOW")


def test_a_goal_is_one_more_check_of_this_session(project: TestProject) -> None:
    assert "one more check" in type_in(project, '/ralph-hooks:goal "test -e goal.txt"').err
    assert "test -e goal.txt" in type_in(project, "/ralph-hooks:goal").err
    stop(project).blocks("check `goal`: RED")
    assert stop(project, session_id="another").code == 0
    project.write("goal.txt", "")
    stop(project).lets_go("ALLOW")
    (project.root / "goal.txt").unlink()
    stop(project).blocks("check `goal`: RED")
    assert "the goal is gone" in type_in(project, "/ralph-hooks:goal clear").err
    assert stop(project).code == 0


def test_a_machine_cannot_type(project: TestProject) -> None:
    assert type_in(project, '/ralph-hooks:loop "work"', source="loop_wakeup").out == ""
    stop(project).lets_go("ALLOW")
