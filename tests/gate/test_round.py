"""Round mode inside the hook (F6), through the real hook process; this test process plays the driver."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ralph_hooks.process import table
from tests.support.gate import Stopped, event, stop
from tests.support.project import TestProject, make_project

CONTINUE = '{"state": "continue", "next_steps": ["more"]}'
COMPLETE = '{"state": "complete", "evidence": ["green"]}'
BLOCKED = '{"state": "blocked", "blocker": "no key"}'


def me(**changes: object) -> dict[str, object]:
    return {"pid": os.getpid(), "start": table.start_time(os.getpid()), "run": "r", "name": "night"} | changes


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    """A project whose check is green while `ok` exists, in a round of the loop `night`."""
    made = make_project(tmp_path / "shop").check("test", "-e", "ok").commit()
    return in_round(made, {"driver": me()})


def in_round(project: TestProject, state: object) -> TestProject:
    path = project.root.parent / "round.json"
    path.write_text(json.dumps({"round": 3, "most_chars": 16384, "verify": True, **state}))  # type: ignore[dict-item]
    project.env["RALPH_HOOKS_ROUND"] = str(path)
    checkout = Path(os.environ["XDG_STATE_HOME"]) / "ralph-hooks/checkouts"
    from ralph_hooks.plan.locate import Project

    place = Path(Project(str(project.root), str(project.root), "").checkout)
    assert place.parent == checkout
    place.mkdir(parents=True, exist_ok=True)
    (place / "driver.json").write_text(json.dumps(me()))
    return project


def say(project: TestProject, message: str | None, **fields: object) -> Stopped:
    return stop(project, "claude", "600", last_assistant_message=message, **fields)


@pytest.mark.parametrize("message", [CONTINUE, BLOCKED, f"```json\n{CONTINUE}\n```"])
def test_continue_and_blocked_end_the_round_whatever_the_tree(project: TestProject, message: str) -> None:
    done = say(project, message).lets_go("ALLOW", "round reported")
    assert (done.line["loop"], done.line["round"]) == ("night", 3)


def test_complete_on_a_red_tree_is_blocked_and_on_a_green_one_ends_the_round(project: TestProject) -> None:
    say(project, COMPLETE).blocks("still failing (attempt 1/20)", "Then end with the report again")
    project.write("ok", "")
    say(project, COMPLETE).lets_go("ALLOW")


def test_a_message_that_is_no_report_is_refused_twice(project: TestProject) -> None:
    for _ in range(2):
        say(project, "All tests pass. Done.").blocks(
            "this round has not reported yet: the final message is not one JSON object", '"state": "continue" |'
        )
    say(project, "All tests pass. Done.").lets_go("ALLOW", "no report")
    say(project, COMPLETE).blocks("still failing")


@pytest.mark.parametrize("message", ["", None, CONTINUE.replace("more", "x" * 17000)])
def test_an_empty_or_over_long_message_is_no_report(project: TestProject, message: str | None) -> None:
    say(project, message).blocks("this round has not reported yet")


def test_without_checks_complete_is_taken(project: TestProject) -> None:
    in_round(project, {"driver": me(), "verify": False})
    say(project, COMPLETE).lets_go("ALLOW", "round reported complete")


def test_without_a_project_the_report_is_still_asked_for(project: TestProject) -> None:
    (project.root / "ralph-hooks.toml").unlink()
    say(project, "Done.").blocks("this round has not reported yet")
    assert say(project, CONTINUE).code == 0


def test_background_work_is_waited_for_and_not_for_ever(project: TestProject) -> None:
    task = {"id": "b1", "type": "shell", "status": "running", "command": "make"}
    for number in range(3):
        say(project, f"waiting {number}", background_tasks=[task]).lets_go("SKIP", "background work in a round")
    say(project, "waiting still", background_tasks=[task]).blocks("has not reported yet")


@pytest.mark.parametrize(
    "driver",
    [
        me(pid=1, start=""),
        me(start="1"),
        me(pid=2**22),
        {"pid": "x"},
        None,
    ],
)
def test_a_round_whose_driver_is_not_above_us_is_none(project: TestProject, driver: object) -> None:
    in_round(project, {"driver": driver})
    say(project, "Done.").lets_go("SKIP", "loop_running: night")


def test_a_live_driver_that_is_no_ancestor_is_not_ours(project: TestProject) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        in_round(project, {"driver": me(pid=other.pid, start=table.start_time(other.pid))})
        say(project, "Done.").lets_go("SKIP", "loop_running: night")
        other.communicate(b"\n")


def test_an_agent_that_the_agent_started_is_not_the_round(project: TestProject) -> None:
    in_round(project, {"driver": me(), "session": "the-rounds-own"})
    say(project, "Done.", session_id="another").lets_go("SKIP", "loop_running: night")
    say(project, "Done.", session_id="the-rounds-own").blocks("has not reported yet")


def test_a_subagents_stop_is_not_the_rounds(project: TestProject) -> None:
    say(project, "Done.", hook_event_name="SubagentStop", agent_id="a").lets_go("SKIP")


def test_a_stranger_that_holds_the_count_of_refusals_holds_nobody_up(project: TestProject) -> None:
    say(project, "not a report").blocks("has not reported yet")
    with open(f"{project.env['RALPH_HOOKS_ROUND']}.refusals") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = project.ralph("hook", "claude", stdin=json.dumps(event(project, prompt_id="p2")), timeout=20)
    assert done.code == 0


@pytest.mark.parametrize("wrong", [{"most_chars": "many"}, {"most_chars": None}, {"round": []}, {"session": 5}])
def test_a_round_of_the_wrong_shape_is_none(project: TestProject, wrong: dict[str, object]) -> None:
    in_round(project, {"driver": me(), **wrong})
    say(project, CONTINUE).lets_go("SKIP", "loop_running")


def test_two_entries_that_fire_at_one_stop_refuse_once(project: TestProject) -> None:
    with ThreadPoolExecutor(4) as pool:
        payload = json.dumps(event(project, last_assistant_message="Done."))
        done = list(pool.map(lambda _: project.ralph("hook", "claude", stdin=payload).code, range(4)))
    assert done == [2, 2, 2, 2]
    count = json.loads(Path(f"{project.env['RALPH_HOOKS_ROUND']}.refusals").read_text())["refusals"]
    assert count in (1, 2)  # those that overlap count once; on a busy machine one may come after the others have left


@pytest.mark.parametrize("text", ["", "{", "[]", "\udcff", '{"refusals": "x", "waits": -1}'])
def test_a_damaged_count_starts_anew(project: TestProject, text: str) -> None:
    Path(f"{project.env['RALPH_HOOKS_ROUND']}.refusals").write_text(text, errors="surrogateescape")
    say(project, "Done.").blocks("has not reported yet")


@pytest.mark.parametrize("text", ["", "{", "[]", "5"])
def test_a_damaged_round_is_none(project: TestProject, text: str) -> None:
    Path(project.env["RALPH_HOOKS_ROUND"]).write_text(text)
    say(project, "Done.").lets_go("SKIP", "loop_running: night")
