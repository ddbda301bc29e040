"""`status`, `log`, `pause`, `resume`, `budget`: what they say after real stops."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.cli.show.history import History
from ralph_hooks.ledger import ledger
from ralph_hooks.plan.locate import find_project
from tests.support.gate import lines, stop
from tests.support.project import REPOSITORY, TestProject, make_project

SESSION = "5f0c2f1e-0000-4000-8000-000000000001"


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    """Red until there is a file `fixed`; two blocks a session."""
    made = make_project(tmp_path / "p")
    made.config('[[check]]\nname = "it"\nrun = "test -e fixed"\n[budget]\nmax_blocks = 2\n')
    return made.commit()


def status(project: TestProject) -> dict[str, Any]:
    done = project.ralph("status", "--json")
    data: dict[str, Any] = json.loads(done.out)
    assert done.code == data["exit"]
    return data


def test_nothing_happened_yet(project: TestProject) -> None:
    data = status(project)
    assert (data["exit"], data["last_run"], data["sessions"], data["paused"]) == (0, None, [], None)
    done = project.ralph("status")
    assert (done.code, done.err) == (0, "") and "last run none yet" in done.out
    assert project.ralph("log").err == "nothing happened yet\n"


def test_released_red_stays_until_green(project: TestProject) -> None:
    """G15: blocks are no alarm, a release is, and only green ends it."""
    assert stop(project).code == 2
    project.write("a", "1")
    assert stop(project).code == 2
    assert status(project)["exit"] == 0
    project.write("a", "2")
    stop(project).lets_go("RELEASED_RED", "budget", says="handing back to a human")
    data = status(project)
    assert (data["exit"], data["left_open"]) == (1, [SESSION])
    assert data["sessions"][0] | {"at": ""} == {
        "session": SESSION, "agent": "", "at": "", "decision": "RELEASED_RED", "reason": "budget", "charged": 2,
        "blocks": 2, "max_blocks": 2, "released": "budget", "open": "RELEASED_RED(budget)",
    }  # fmt: skip
    shown = project.ralph("status")
    assert shown.code == 1
    assert "1 session was let go without a green suite, and nothing was green since" in shown.out
    assert project.ralph("check").code == 1
    assert status(project)["exit"] == 1
    project.write("fixed", "")
    assert project.ralph("check").code == 0
    assert status(project)["exit"] == 0


def test_unverified_is_an_alarm_too(project: TestProject) -> None:
    stop(project, session_id="").lets_go("UNVERIFIED", "no session id", says="NOT VERIFIED")
    assert status(project)["exit"] == 1
    assert "(no id)" in project.ralph("status").out


def test_what_a_session_met_outside_of_every_project_counts(project: TestProject) -> None:
    stop(project)
    ledger.append(
        None, {"event": "Stop", "session": SESSION, "decision": "UNVERIFIED", "reason": "bad event", "root": ""}
    )
    ledger.append(None, {"event": "Stop", "session": "another", "decision": "UNVERIFIED", "reason": "bad event"})
    assert status(project)["left_open"] == [SESSION]


def record(decision: str = "", reason: str = "", session: str = "s", **more: Any) -> dict[str, Any]:
    return {"decision": decision, "reason": reason, "session": session, "event": "Stop"} | more


HISTORIES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "released": ([record("RELEASED_RED", "budget")], ["s"]),
    "then skipped": ([record("RELEASED_RED"), record("SKIP", "paused: x")], ["s"]),
    "then blocked again": ([record("RELEASED_RED"), record("BLOCK", "red", verdict="RED")], []),
    "then green": ([record("RELEASED_RED"), record("ALLOW", verdict="GREEN")], []),
    "then remembered": ([record("RELEASED_RED"), record("SKIP", "already green", verdict="GREEN")], []),
    "then green for another": ([record("RELEASED_RED"), record("ALLOW", verdict="FLAKY", session="t")], []),
    "then one check green": ([record("RELEASED_RED"), record(event="check", verdict="GREEN", only=["a"])], ["s"]),
    "then green of an unsealed config": ([record("RELEASED_RED"), record(verdict="GREEN", unsealed=True)], ["s"]),
    "then no project": ([record("RELEASED_RED"), record("ALLOW", "no project")], ["s"]),
    "green, but not kept": ([record("UNVERIFIED", "state", verdict="GREEN")], ["s"]),
    "then released elsewhere": ([record("RELEASED_RED"), record("UNVERIFIED", session="t")], ["s", "t"]),
    "then a reset": ([record("RELEASED_RED"), record("RESET", event="budget reset")], ["s"]),
    "agents apart": ([record("RELEASED_RED", agent="a"), record("BLOCK")], ["s/a"]),
}


@pytest.mark.parametrize(("records", "left"), HISTORIES.values(), ids=HISTORIES.keys())
def test_who_left_red_behind(records: list[dict[str, Any]], left: list[str]) -> None:
    assert [session.name for session in History(records).left_open] == left


def test_status_says_what_is_wrong_with_the_config(project: TestProject) -> None:
    project.config("[gate]\nmemory = 1\n")
    done = project.ralph("status")
    assert (done.code, done.err) == (1, "")
    assert "ralph-hooks.toml:2: `gate.memory` is 1; expected true or false" in done.out


def test_log_shows_stops_and_checks(project: TestProject) -> None:
    stop(project)
    project.ralph("check")
    project.write("fixed", "")
    stop(project)
    done = project.ralph("log")
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines() if re.match(r"\d\d-\d\d \d\d:\d\d:\d\d ", line)]
    assert [row[2] for row in rows] == ["Stop", "check", "Stop"]
    assert rows[0][3:5] == [SESSION[:8], "BLOCK"] and "attempt 1/2" in " ".join(rows[0])
    assert rows[2][4] == "ALLOW"
    assert len([line for line in project.ralph("log", "-n", "1").out.splitlines() if "Stop" in line]) == 1
    records = [json.loads(line) for line in project.ralph("log", "--json").out.splitlines()]
    assert records == lines(project)


def test_the_log_survives_torn_lines_and_hostile_text(project: TestProject) -> None:
    stop(project)
    found = find_project(str(project.root))
    assert found
    ledger.append(
        found, {"event": "Stop", "session": "\x1b[2Jx", "decision": "SKIP", "reason": "a\x1b]0;t\x07\nb", "checks": 3}
    )
    with open(os.path.join(found.state, "ledger.jsonl"), "ab") as file:
        file.write(b'{"torn": ')
    done = project.ralph("log")
    assert (done.code, done.err) == (0, "") and "\x1b" not in done.out and "SKIP" in done.out
    assert project.ralph("status").code == 0


def test_following_sees_new_lines_and_a_new_file(project: TestProject) -> None:
    stop(project)
    found = find_project(str(project.root))
    assert found
    child = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "log", "-f", "--json"], cwd=project.root, text=True,
        stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    try:
        assert child.stdout is not None
        seen = [json.loads(child.stdout.readline())["event"]]
        ledger.append(found, {"event": "one"})
        seen.append(json.loads(child.stdout.readline())["event"])
        path = os.path.join(found.state, "ledger.jsonl")
        os.replace(path, os.path.join(found.state, "ledger.old.jsonl"))
        ledger.append(found, {"event": "two"})
        seen.append(json.loads(child.stdout.readline())["event"])
        with open(path, "ab") as file:
            file.write(b'{"event": ')
            file.flush()
            time.sleep(0.5)
            file.write(b'"three"}\n')
        seen.append(json.loads(child.stdout.readline())["event"])
        assert seen == ["Stop", "one", "two", "three"]
    finally:
        child.terminate()
        child.communicate(timeout=10)


def test_a_pause_skips_and_resume_ends_it(project: TestProject) -> None:
    done = project.ralph("pause", "30m", "--reason", "moving\nfiles\x1b[2J")
    assert done.code == 0 and done.out.startswith("paused until ")
    stop(project).lets_go("SKIP", "paused: moving files")
    data = status(project)
    assert data["paused"]["reason"] == "moving files"
    assert 1700 < data["paused"]["until"] - time.time() <= 1800
    assert "paused   until" in project.ralph("status").out
    assert project.ralph("resume").out == "the gate is on again\n"
    assert project.ralph("resume").out == "the gate was not paused\n"
    assert stop(project).code == 2
    assert [line["event"] for line in lines(project)] == ["pause", "Stop", "resume", "Stop"]


REFUSED = {
    "25h": "error: `25h` is longer than 24h, the longest pause\nhint: ralph-hooks pause 24h\n",
    "99999999h": "error: `99999999h` is no duration\nhint: ralph-hooks pause 30m\n",
    "30": "error: `30` is no duration\nhint: ralph-hooks pause 30m\n",
    "0m": "error: `0m` is no duration\nhint: ralph-hooks pause 30m\n",
    "1h 5m": "error: `1h 5m` is no duration\nhint: ralph-hooks pause 30m\n",
    "1.5h": "error: `1.5h` is no duration\nhint: ralph-hooks pause 30m\n",
    "": "error: `` is no duration\nhint: ralph-hooks pause 30m\n",
}


@pytest.mark.parametrize("duration", REFUSED)
def test_durations_that_are_refused(project: TestProject, duration: str) -> None:
    done = project.ralph("pause", duration)
    assert (done.code, done.out, done.err) == (2, "", REFUSED[duration])


def test_the_longest_pause_is_taken(project: TestProject) -> None:
    assert project.ralph("pause", "23h59m60s").code == 0
    assert status(project)["paused"]["reason"] == "no reason given"


def test_a_budget_is_given_back(project: TestProject) -> None:
    for name in ("a", "b"):
        project.write("x", name)
        assert stop(project).code == 2
    assert "2/2" in project.ralph("budget").out
    done = project.ralph("budget", "reset")
    assert (done.code, done.out) == (0, f"reset: {SESSION}\n")
    project.write("x", "c")
    assert stop(project).code == 2
    assert lines(project)[-1]["attempt"] == 1


def test_a_reset_outlives_the_loss_of_the_state(project: TestProject) -> None:
    """The state is rebuilt from the ledger, so the ledger has to know of the reset."""
    stop(project)
    project.ralph("budget", "reset", SESSION[:6])
    for path in Path(os.environ["XDG_STATE_HOME"], "ralph-hooks", "sessions").glob("*.json"):
        path.unlink()
    project.write("x", "c")
    stop(project)
    assert lines(project)[-1]["attempt"] == 1


def test_whose_budget_must_be_clear(project: TestProject) -> None:
    assert project.ralph("budget", "reset").err.startswith("error: no session has used any\n")
    stop(project, session_id="aa1")
    stop(project, session_id="aa2")
    hint = "hint: ralph-hooks budget reset SESSION, or --all\n"
    for words, said in {
        (): "2 sessions have used some of their budget",
        ("aa",): "2 sessions begin with `aa`",
        ("zz",): "there is no session `zz` here",
    }.items():
        done = project.ralph("budget", "reset", *words)
        assert (done.code, done.err) == (2, f"error: {said}\n{hint}")
    assert project.ralph("budget", "reset", "aa1").out == "reset: aa1\n"
    assert set(project.ralph("budget", "reset", "--all").out.splitlines()) == {"reset: aa1", "reset: aa2"}


def test_resume_where_nothing_can_have_been_paused(project: TestProject, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    project.env = {"XDG_STATE_HOME": str(tmp_path / "file")}
    assert project.ralph("resume").out == "the gate was not paused\n"


def test_a_number_of_lines_beyond_all_bounds_is_all_of_them(project: TestProject) -> None:
    stop(project)
    assert project.ralph("log", "-n", "9" * 30).out.count("BLOCK") == 1
