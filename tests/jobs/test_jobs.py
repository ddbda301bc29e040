"""E9, E12 and what surrounds a job: states, waiting, lists, endings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ralph_hooks.evolve import lineage as kinds
from ralph_hooks.jobs import follow
from ralph_hooks.jobs.states import RECOVERY
from tests.jobs.conftest import MakeJobs, on_both
from tests.support.jobs import SEED, kill
from tests.support.project import REPOSITORY

pytestmark = pytest.mark.slow


@on_both
def test_a_job_runs_until_qa_passes(jobs: MakeJobs) -> None:
    project = jobs(3)
    job = project.start()
    assert follow.JOB_ID.fullmatch(job)
    result = project.end(job)
    assert (result["status"], result["stop_reason"]) == ("completed", "qa passed")
    assert result["generations_run"] == 3
    assert result["qa"]["passed"] is True
    assert [one["generation"] for one in result["iterations"]] == [1, 2, 3]
    assert result["iterations"][0]["failing"] == ["count"]
    assert result["failure_reason_code"] is None
    assert project.json("result", job)["job_status"] == "completed"
    project.until(lambda: not project.workers(), 30)  # it leaves when idle


@on_both
def test_case_45_a_second_start_gets_the_running_jobs_id(jobs: MakeJobs) -> None:
    project = jobs(3, agent_seconds=20)
    project.project.write("../seed.yaml", SEED)
    seed = str(project.project.root.parent / "seed.yaml")
    with ThreadPoolExecutor(4) as pool:
        tries = list(pool.map(lambda _: project.job("start", "--lineage-id", "x", "--seed", seed), range(4)))
    begun = [done.out.strip() for done in tries if done.code == 0]
    assert len(begun) == 1
    for done in tries:
        if done.code:
            assert done.err.splitlines()[-2] == f"error: lineage `x` already has a live job: {begun[0]}"
    project.until(lambda: project.rounds("begin") == 1)
    assert len(project.json("list")["jobs"]) == 1
    assert len(project.workers()) == 1


@on_both
def test_cancelling_a_running_job_kills_its_tree_and_keeps_its_iterations(jobs: MakeJobs) -> None:
    project = jobs(9, agent_seconds=1)
    job = project.start()
    project.until(lambda: project.rounds("begin") == 2)
    begin = time.monotonic()
    assert project.json("cancel", job)["status"] in ("cancel_requested", "cancelled")
    result = project.end(job, 30)
    assert time.monotonic() - begin < 15
    assert not project.agents()
    assert (result["status"], result["stop_reason"]) == ("cancelled", "cancelled")
    assert (result["failure_reason_code"], result["recovery_action"]) == ("cancelled", "retry")
    assert result["iterations"][0]["action"] == "continue"
    assert result["iterations"][-1]["trouble"] == "cancelled"
    assert project.job("result", job).code == 130

    again = project.start()  # the same number again
    project.until(lambda: (kinds.GENERATION_STARTED, result["generation"]) in project.kinds(again))
    project.job("cancel", again)
    project.end(again, 30)


def sleepers(seconds: str) -> list[int]:
    """Processes that sleep for so long, whatever their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", seconds.encode()]:
            found.append(int(place.parent.name))
    return found


@pytest.mark.parametrize("how", ["cancel", "worker", "end"])
def test_what_slips_out_of_session_group_and_environment_dies_too(jobs: MakeJobs, how: str) -> None:
    seconds = f"299.{os.getpid()}{len(how)}"
    project = jobs(1, agent_seconds=0.5 if how == "end" else 60)
    agent = (project.project.root / "agent.py").read_text()
    escape = f"subprocess.Popen(['sh', '-c', 'setsid env -i sleep {seconds} & exit'], start_new_session=True).wait()\n"
    project.project.write("agent.py", agent.replace('note("begin")\n', escape + 'note("begin")\n'))
    job = project.start()
    project.until(lambda: project.rounds("begin") == 1 and sleepers(seconds))
    if how == "cancel":
        project.job("cancel", job)
    elif how == "worker":
        kill(project.workers()[0])
    project.until(lambda: not sleepers(seconds), 20)
    if how != "worker":
        assert project.end(job)["status"] == ("cancelled" if how == "cancel" else "completed")


@on_both
def test_cancelling_a_queued_job_ends_it_at_once(jobs: MakeJobs) -> None:
    project = jobs(3)
    job = project.start("q", "--no-worker")
    assert project.state(job) == "queued"
    assert project.json("cancel", job)["status"] == "cancelled"
    assert project.json("result", job)["stop_reason"] == "cancelled"
    other = project.start("q")
    assert project.end(other)["status"] == "completed"
    assert project.state(job) == "cancelled"
    assert project.rounds("begin") == 3


@on_both
def test_case_44_an_owner_killed_after_a_cancel_request_leaves_a_cancelled_job(jobs: MakeJobs) -> None:
    project = jobs(3, agent_seconds=30)
    job = project.start()
    project.until(lambda: project.rounds("begin") == 1)
    (worker,) = project.workers()
    kill(worker, signal.SIGSTOP)
    assert project.json("cancel", job)["status"] == "cancel_requested"
    kill(worker)
    for pid in project.processes("ralph_hooks.evolve.child"):
        kill(pid)
    assert project.json("cancel", job)["status"] == "cancelled"
    assert not project.agents()
    assert project.json("result", job)["status"] == "cancelled"
    assert (kinds.KILLED, 1) in project.kinds(job)


def test_waiting_wakes_on_news_and_says_when_there_is_none(jobs: MakeJobs) -> None:
    project = jobs(2, agent_seconds=2)
    job = project.start("w", "--no-worker")
    first = project.json("wait", job, "--timeout", "5")
    assert [event["kind"] for event in first["events"]] == ["job_started"]
    quiet = project.job("wait", job, "--cursor", str(first["cursor"]), "--timeout", "0.3")
    assert (quiet.out.strip(), quiet.code) == (f"unchanged cursor={first['cursor']}", 3)
    project.job("resume", job)
    seen, cursor = [], first["cursor"]
    while True:
        news = project.json("wait", job, "--cursor", str(cursor), "--timeout", "60")
        seen += [event["cursor"] for event in news["events"]]
        cursor = news["cursor"]
        if news["status"] == "completed":
            break
    seen += [
        event["cursor"] for event in project.json("wait", job, "--cursor", str(cursor), "--timeout", "0")["events"]
    ]
    assert seen == [event.seq for event in project.store.job_events(job)][1:]


@on_both
def test_no_event_is_ever_skipped_by_a_reader_that_races_writers(jobs: MakeJobs) -> None:
    project = jobs(1)
    job = project.start("race", "--no-worker")
    store = project.store

    def write(number: int) -> None:
        for _ in range(20):
            with store.begin() as connection:
                store.append(connection, "race", job, [("note", {"by": number}), ("note", {"by": number})])

    writers = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for writer in writers:
        writer.start()
    seen: list[int] = []
    while len(seen) < 121:
        seen += [event.seq for event in store.job_events(job, seen[-1] if seen else 0, 7)]
    for writer in writers:
        writer.join()
    assert seen == list(range(1, 122))


def test_an_interrupted_client_of_evolve_leaves_the_job_running(jobs: MakeJobs) -> None:
    project = jobs(2, agent_seconds=1.5)
    project.project.write("../seed.yaml", SEED)
    argv = ["evolve", "--lineage-id", "e", "--seed", str(project.project.root.parent / "seed.yaml")]
    client = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", *argv],
        cwd=project.project.root,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert client.stdout is not None
    job = client.stdout.readline().strip()
    project.until(lambda: project.rounds("begin") == 1)
    client.kill()
    client.wait()
    client.stdout.close()
    assert project.end(job)["status"] == "completed"


def test_ctrl_c_of_evolve_cancels_the_job(jobs: MakeJobs) -> None:
    project = jobs(2, agent_seconds=60)
    project.project.write("../seed.yaml", SEED)
    argv = ["evolve", "--json", "--lineage-id", "e", "--seed", str(project.project.root.parent / "seed.yaml")]
    client = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", *argv],
        cwd=project.project.root,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    project.until(lambda: project.rounds("begin") == 1)
    client.send_signal(signal.SIGINT)
    out, err = client.communicate(timeout=60)
    assert client.returncode == 130, err
    assert [json.loads(line)["kind"] for line in out.splitlines()][-1] == "job_ended"
    assert "cancelling job_" in err
    assert not project.agents()


@on_both
def test_a_worker_that_is_told_to_stop_leaves_its_job_to_the_next(jobs: MakeJobs) -> None:
    project = jobs(2, agent_seconds=2)
    job = project.start()
    project.until(lambda: project.rounds("begin") == 1)
    (worker,) = project.workers()
    kill(worker, signal.SIGTERM)
    project.until(lambda: not project.workers() and not project.agents(), 20)
    assert project.state(job) == "interrupted"
    project.start("another")  # its worker takes the slot and with it what the dead one left
    assert project.end(job)["status"] == "completed"
    assert (kinds.GENERATION_LOST, 1) in project.kinds(job)


def test_a_generation_over_its_time_is_killed_with_its_tree(jobs: MakeJobs) -> None:
    project = jobs(2, agent_seconds=120)
    project.project.write("../seed.yaml", SEED)
    seed = str(project.project.root.parent / "seed.yaml")
    done = project.job("start", "--lineage-id", "slow", "--seed", seed, "--max-total-seconds", "2")
    result = project.end(done.out.strip(), 40)
    assert (result["status"], result["stop_reason"]) == ("failed", "wall_clock_exhausted")
    assert (result["failure_reason_code"], result["recovery_action"]) == ("timeout", "retry")
    assert "2 s that max_total_seconds left it" in result["detail"]
    assert not project.agents()
    assert result["iterations"][0]["duration"] < 20


def test_two_jobs_run_side_by_side_and_both_are_cancelled_apart(jobs: MakeJobs) -> None:
    project, other = jobs(2, agent_seconds=30), jobs(2, agent_seconds=2)
    one, two = project.start("one"), other.start("two")
    project.until(lambda: project.rounds("begin") == 1 and other.rounds("begin") == 1)
    project.job("cancel", one)
    assert project.end(one, 30)["status"] == "cancelled"
    assert other.end(two)["status"] == "completed"


@pytest.mark.parametrize(
    ("job", "words"),
    [
        ("job_0123456789ab", "error: no job `job_0123456789ab` in `"),
        ("nonsense", "error: `nonsense` is not a job id: it is `job_` and 12 hex digits"),
        ("../../x", "error: `../../x` is not a job id"),
    ],
)
def test_an_unknown_id_is_a_clear_error(jobs: MakeJobs, job: str, words: str) -> None:
    project = jobs(1)
    for verb in ("status", "wait", "result", "events", "watch", "cancel", "resume"):
        done = project.job(verb, job)
        assert done.code == 2, verb
        assert done.err.startswith(words)
        assert done.err.splitlines()[-1] == "hint: ralph-hooks job list"


@on_both
def test_case_46_results_of_yesterday_are_still_there_and_lists_are_pages(jobs: MakeJobs) -> None:
    project = jobs(1)
    ids = [project.start(f"l{number}") for number in range(3)]
    for job in ids:
        assert project.end(job)["status"] == "completed"
    page = project.json("list", "--limit", "2")
    assert [row["job_id"] for row in page["jobs"]] == ids[:0:-1]
    rest = project.json("list", "--before", str(page["next"]))
    assert [row["job_id"] for row in rest["jobs"]] == ids[:1]
    assert rest["next"] is None
    assert project.json("list", "--live")["jobs"] == []
    assert project.json("result", ids[0])["lineage_id"] == "l0"


def test_every_failure_says_what_to_do(jobs: MakeJobs) -> None:
    project = jobs(5)
    project.project.write("agent.py", "import sys; sys.stdin.read(); sys.exit(3)\n")
    result = project.end(project.start())
    assert (result["status"], result["stop_reason"]) == ("failed", "failed")
    assert result["iterations"][0]["detail"] == "the agent ended with exit code 3"
    assert RECOVERY[result["failure_reason_code"]] == result["recovery_action"]
    assert result["next_step"]
