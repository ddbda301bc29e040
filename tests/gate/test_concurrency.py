"""Two at once, fifty at once, one beside a run by hand (G21)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.gate import event, lines, stop
from tests.support.project import REPOSITORY, Done, TestProject, make_project

SLOW_RED = "echo run >> ../runs; sleep 2; exit 1"


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "shop").config(f"[[check]]\nrun = '{SLOW_RED}'\n").commit()


def runs(project: TestProject) -> int:
    path = project.root.parent / "runs"
    return len(path.read_text().split()) if path.exists() else 0


def at_once(*calls: tuple[TestProject, Mapping[str, object]]) -> list[Done]:
    def send(call: tuple[TestProject, Mapping[str, object]]) -> Done:
        project, fields = call
        return project.ralph("hook", "claude", stdin=json.dumps(event(project, **fields)))

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(send, calls))


def test_a_double_fire_is_one_run_and_one_charge(project: TestProject) -> None:
    done = at_once((project, {}), (project, {}))
    assert [one.code for one in done] == [2, 2]
    assert done[0].err == done[1].err and "attempt 1/20" in done[0].err
    assert runs(project) == 1
    ledger = lines(project)
    assert [line["decision"] for line in ledger] == ["BLOCK", "BLOCK"]
    assert sorted(line["charged"] for line in ledger) == [False, True]
    stop(project).blocks("attempt 2/20")


def test_a_twin_that_comes_late_is_a_twin_all_the_same(project: TestProject) -> None:
    """It had started before the other one ended, but had not even read the event by then."""
    with subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "hook", "claude"],
        cwd=project.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    ) as late:  # fmt: skip
        data = json.dumps(event(project))
        first = project.ralph("hook", "claude", stdin=data)
        _, err = late.communicate(data.encode())
    assert (first.code, late.returncode, first.err) == (2, 2, err.decode())
    assert runs(project) == 1
    assert [line["charged"] for line in lines(project)] == [True, False]


def test_the_same_bytes_one_after_the_other_are_two_stops(project: TestProject) -> None:
    stop(project).blocks("attempt 1/20")
    stop(project).blocks("attempt 2/20")
    assert runs(project) == 2


def test_two_sessions_take_turns_and_the_second_adopts_the_verdict(project: TestProject) -> None:
    project.commit()
    done = at_once((project, {"session_id": "a"}), (project, {"session_id": "b"}))
    assert [one.code for one in done] == [2, 2]
    assert all("attempt 1/20" in one.err for one in done)
    assert runs(project) == 1, [(line["digest_before"], line["digest_after"], line["run"]) for line in lines(project)]


def test_never_two_runs_in_one_checkout(tmp_path: Path) -> None:
    lockfile = tmp_path / "one"
    script = f"set -C; > {lockfile} || exit 9; sleep 0.2; rm {lockfile}; date +%N > stamp; exit 1"
    project = make_project(tmp_path / "shop").write("run.sh", script).check("bash", "run.sh").commit()
    done = at_once(*[(project, {"session_id": str(n)}) for n in range(5)])
    assert [one.code for one in done] == [2] * 5
    assert all("exited 1" in one.err for one in done), done


def test_a_waiter_without_time_says_so(project: TestProject) -> None:
    project.config("[[check]]\nrun = 'sleep 4; exit 1'\n")
    first = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "hook", "claude"],
        cwd=project.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert first.stdin is not None
    first.stdin.write(json.dumps(event(project, session_id="a")).encode())
    first.stdin.close()
    time.sleep(1)
    late = stop(project, session_id="b", within="1")
    late.lets_go("UNVERIFIED", "busy", says=f"pid {first.pid}")
    assert first.wait(20) == 2
    for pipe in (first.stdout, first.stderr):
        assert pipe is not None
        pipe.close()


def started(project: TestProject, **fields: object) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "hook", "claude"],
        cwd=project.root, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(event(project, **fields)).encode())
    process.stdin.close()
    return process


def wait_for_runs(project: TestProject, wanted: int) -> None:
    deadline = time.monotonic() + 20
    while runs(project) < wanted:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("which", [0, 1])
def test_term_to_one_of_two_twins_ends_that_one_alone(project: TestProject, which: int) -> None:
    """The one that waits need not wait on; the one that judged leaves its work to the other."""
    twins = [started(project)]
    wait_for_runs(project, 1)
    twins.append(started(project))
    time.sleep(0.7)
    twins[which].send_signal(signal.SIGTERM)
    assert twins[which].wait(1.5) == 0
    assert twins[1 - which].wait(20) == 2
    assert [(line["decision"], line["reason"]) for line in lines(project)] == [
        ("UNVERIFIED", "cancelled"),
        ("BLOCK", "red"),
    ]
    assert lines(project)[-1]["charged"] is True


@pytest.mark.slow
def test_fifty_stops_of_one_session_at_once_count_exactly(tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop").config(
        "[[check]]\nrun = 'exit 1'\n[budget]\nmax_blocks = 30\nstall = 0\n"
    )
    project.commit()
    done = at_once(*[(project, {"last_assistant_message": str(n)}) for n in range(50)])
    assert sorted(one.code for one in done) == [0] * 20 + [2] * 30
    ledger = lines(project)
    assert sorted(line["attempt"] for line in ledger if line["decision"] == "BLOCK") == list(range(1, 31))
    assert sum(line["decision"] == "RELEASED_RED" for line in ledger) == 20


def test_a_check_that_starts_an_agent_is_not_judged_by_its_own_stop(tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop")
    inner = json.dumps(event(project, session_id="inner"))
    project.write("inner.json", inner)
    project.config(f"[[check]]\nrun = '{sys.executable} -m ralph_hooks hook claude < inner.json; exit 1'\n").commit()
    done = project.ralph("hook", "claude", stdin=json.dumps(event(project)))
    assert done.code == 2
    assert [line["decision"] for line in lines(project)] == ["SKIP", "BLOCK"]
    assert lines(project)[0]["reason"] == "nested in a run of the checks"
