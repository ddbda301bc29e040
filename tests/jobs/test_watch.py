"""A job on a terminal: the picture, and when there is one."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
import time
from typing import Any

import pytest
from rich.console import Console

from ralph_hooks.cli.show.job_live import JobView
from ralph_hooks.evolve import lineage, phase
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.lineage import Event
from ralph_hooks.evolve.qa import QA
from ralph_hooks.jobs.folders import run_folder
from ralph_hooks.jobs.owner import me
from ralph_hooks.jobs.row import JobRow
from tests.jobs.conftest import MakeJobs
from tests.support.project import REPOSITORY

JOB = "job_0123456789ab"
CALL = {"max_generations": 4, "per_iteration_timeout_seconds": 600, "max_total_seconds": 3600}
KEYS = "^C stops watching"


def row(**keys: Any) -> JobRow:
    facts: dict[str, Any] = {
        "job_id": JOB, "number": 1, "lineage_id": "durations\x1b[2J", "project_dir": "/p", "created_at": 0.0,
        "cancel_requested": False, "ended_at": None, "status": None, "result": None, "lease": me(), "heartbeat_age": 0,
    }  # fmt: skip
    return JobRow(**{**facts, **keys})


def finished(number: int, **keys: Any) -> tuple[str, dict[str, Any]]:
    qa = QA(passed=False, verdict="fail", score=0.5, pass_threshold=1.0)
    one = Iteration(generation=number, qa=qa, grade=0.5, failing=["a", "b"], duration=61.0, cost_usd=0.25, **keys)
    return lineage.GENERATION_FINISHED, {"iteration": one.to_json()}


def started(number: int, run: str) -> tuple[str, dict[str, Any]]:
    return lineage.GENERATION_STARTED, {"generation": number, "run_id": run, "owner": me().to_json(), "execute": True}


BEGIN = (lineage.JOB_STARTED, {"call": CALL, "seed": "goal: x", "first_generation": 1})


def picture(width: int, now: JobRow, *told: tuple[str, dict[str, Any]], height: int = 24) -> str:
    console = Console(width=width, height=height, force_terminal=True, color_system=None, emoji=False)
    view = JobView(console, now, KEYS)
    at = time.time() - 30
    view.add(now, [Event(n, now.lineage_id, JOB, kind, body, at) for n, (kind, body) in enumerate(told, 1)])
    with console.capture() as capture:
        console.print(view.render())
    return capture.get()


@pytest.mark.parametrize("width", [40, 80, 160])
def test_the_picture_fits_its_terminal(width: int) -> None:
    teller = phase.Teller(run_folder(JOB, 3, "r3"))
    teller.enter(phase.AGENT)
    teller.act("Bash: pytest " + "-q " * 100)
    lost = (lineage.GENERATION_LOST, {"generation": 2, "run_id": "r", "swept": [], "seconds": 40.0})
    told = [
        BEGIN,
        finished(1),
        started(2, "r"),
        lost,
        started(2, "s"),
        finished(2, notes=["a cycle"]),
        started(3, "r3"),
    ]
    text = picture(width, row(), *told)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert "running" in text.splitlines()[0]
    assert "Bash: pytest -q" in text
    assert "generation 2 lost its worker" in text
    assert "3 of 4" in text
    assert re.search(r"this one .* 9 m (29|30|31) s left", text)
    assert re.search(r"total .* 56 m (47|48|49) s left", text)  # 3600 less twice 61, 40 lost and 30 running
    assert re.search(r"1 +continue +RED +2 .* 61\.0 s", text)
    assert re.search(r"3 +agent .* (29|30|31)\.\d s", text)
    assert KEYS in text
    if width > 40:
        assert "$0.25" in text


def test_a_generation_on_another_machine_only_runs() -> None:
    assert re.search(r"1 +running ", picture(80, row(), BEGIN, started(1, "elsewhere")))


def test_a_queued_job_waits_and_a_lost_one_says_so() -> None:
    assert "waits for a worker" in picture(80, row(lease=None), BEGIN)
    text = picture(80, row(lease=replaced()), BEGIN, started(1, "x"))
    assert re.search(r"1 +interrupted", text)
    assert KEYS not in text


def replaced() -> Any:
    from dataclasses import replace

    return replace(me(), boot="an earlier one")


def on_a_terminal(project: Any, *argv: str, columns: int = 80) -> tuple[int, str]:
    """Exit code and everything that was drawn."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", *argv],
        cwd=project.project.root,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY), "TERM": "xterm"} | project.env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # Linux says EIO when the other side is gone
            break
        if not data:
            break
        drawn += data
    os.close(ours)
    return process.wait(30), drawn.decode()


@pytest.mark.slow
def test_watch_draws_on_a_terminal_and_writes_lines_elsewhere(jobs: MakeJobs) -> None:
    project = jobs(2, agent_seconds=1.5)
    job = project.start()
    code, drawn = on_a_terminal(project, "job", "watch", job)
    assert code == 0
    assert "\x1b[" in drawn
    assert "^C stops watching; the job goes on" in drawn
    assert "agent" in drawn
    assert drawn.rstrip().endswith("completed (qa passed)\r\nreview the changes")
    for plain in (on_a_terminal(project, "job", "watch", job, "--plain")[1], project.job("watch", job).out):
        assert "\x1b" not in plain
        assert "generation_finished  generation 2" in plain
    lines = project.job("watch", job, "--json").out.splitlines()
    assert lines == project.job("events", job, "--json").out.splitlines()


@pytest.mark.slow
def test_evolve_draws_too(jobs: MakeJobs) -> None:
    project = jobs(1, agent_seconds=1)
    project.project.write("../seed.yaml", "goal: count up\n")
    code, drawn = on_a_terminal(project, "evolve", "--lineage-id", "x", "--seed", "../seed.yaml", columns=40)
    assert code == 0
    assert "^C cancels the job" in drawn
    assert "completed (qa passed)" in drawn
