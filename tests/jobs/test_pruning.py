"""Folders of ended jobs are bounded; results stay, and so does all that belongs to a job that has not ended."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from ralph_hooks.jobs import folders, launching
from ralph_hooks.jobs.cancel import cancel
from ralph_hooks.jobs.database import DatabaseTrouble
from ralph_hooks.jobs.follow import find, result
from ralph_hooks.jobs.store import Store
from ralph_hooks.loop.pruning import Keep
from tests.jobs.conftest import MakeJobs, on_both
from tests.jobs.test_engine import put, store
from tests.loop.test_pruning import folder
from tests.support.jobs import kill

__all__ = ["store"]
NOTHING = Keep(folders=0, days=0, size=0)


@on_both
def test_only_ended_jobs_of_this_database_are_pruned(store: Store) -> None:
    place = Path(folders.runs_folder())
    ended = [put(store, f"l{number}") for number in range(3)]
    for age, job in enumerate(ended):
        cancel(store, job)
        folder(place, job, days=age)
    waiting = put(store, "waiting")
    folder(place, waiting, days=900)
    folder(place, "job_ffffffffffff", days=900)  # of another database
    assert folders.prune(store, Keep(folders=2, days=900, size=1 << 30)) == [str(place / ended[2])]
    assert folders.prune(store, NOTHING) == [str(place / ended[1])]
    assert set(os.listdir(place)) == {ended[0], waiting, "job_ffffffffffff"}
    assert result(find(store, ended[2]))["status"] == "cancelled"


@pytest.mark.slow
def test_a_worker_prunes(jobs: MakeJobs) -> None:
    project = jobs(1)
    place = Path(folders.runs_folder())
    first, second = project.start("first"), project.start("second")
    for job in (first, second):
        project.end(job)
    for pid in project.workers():
        kill(pid, signal.SIGTERM)
    project.until(lambda: not project.workers())
    for path in [place / first, *(place / first).rglob("*")]:
        os.utime(path, (0, 0))
    last = project.start("last")
    project.until(lambda: not (place / first).exists())
    project.end(last)
    assert (place / second).is_dir()
    assert project.json("result", first)["status"] == "completed"


def test_a_long_log_begins_anew(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    folders.rotate(str(log))
    log.write_bytes(b"short")
    folders.rotate(str(log))
    assert log.read_bytes() == b"short"
    log.write_bytes(b"x" * (folders.LOG_BYTES + 1))
    folders.rotate(str(log))
    assert not log.exists()
    assert (tmp_path / "worker.log.1").stat().st_size == folders.LOG_BYTES + 1


def test_the_same_trouble_is_told_once_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(50):
        launching.complain(DatabaseTrouble("the database is away"))
        launching.complain(DatabaseTrouble("the disk is full"))
    assert capsys.readouterr().err.count("trying again") == 2
