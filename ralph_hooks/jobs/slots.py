"""Which worker this is. Two workers with one executor id would run a step twice, so each holds a slot's lock (E10)."""

from __future__ import annotations

import os

from filelock import FileLock, Timeout

from ralph_hooks import files
from ralph_hooks.errors import RalphError
from ralph_hooks.jobs.database import Database
from ralph_hooks.jobs.owner import machine

MOST = 64
APPLICATION = "ralph-hooks"
VERSION = "1"  # of the workflow's steps; a worker takes up jobs of its own version only
QUEUE = "ralph-evolve"
WORKFLOW = "ralph_evolve_job"


class Slot:
    """A held slot. `executor` names it to DBOS; a worker that is started again in it recovers exactly its own jobs."""

    def __init__(self, number: int, lock: FileLock) -> None:
        self.number = number
        self.executor = executor(number)
        self._lock = lock

    def release(self) -> None:
        """Give it up."""
        self._lock.release()


def executor(number: int) -> str:
    """The executor id of a slot on this machine."""
    return f"{machine()}-slot-{number}"


def take(database: Database) -> Slot:
    """The first free slot. Raises `RalphError` when there is none."""
    for number in range(MOST):
        lock = _lock(database, number)
        if lock is not None:
            return Slot(number, lock)
    raise RalphError(f"all {MOST} worker slots of this machine are taken", hint="`ralph-hooks job list --live`")


def taken(database: Database) -> list[int]:
    """Numbers of the slots that a living worker holds."""
    held = []
    for number in range(MOST):
        if not os.path.exists(_path(database, number)):
            break
        lock = _lock(database, number)
        if lock is None:
            held.append(number)
        else:
            lock.release()
    return held


def _path(database: Database, number: int) -> str:
    return os.path.join(database.directory, f"slot-{number}.lock")


def _lock(database: Database, number: int) -> FileLock | None:
    files.make_dirs(database.directory)
    lock = FileLock(_path(database, number), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    return lock
