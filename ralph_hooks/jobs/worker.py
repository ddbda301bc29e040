"""The process that runs jobs: takes a slot, runs what is queued, adopts what the dead left, leaves when idle (E10)."""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import suppress
from typing import Any

from ralph_hooks.errors import RalphError
from ralph_hooks.jobs import adopt, folders, slots
from ralph_hooks.jobs.database import Database, connect, locate, migrate, quiet_dbos, require_extra, start_lock
from ralph_hooks.jobs.engine import Engine
from ralph_hooks.jobs.launching import Launcher
from ralph_hooks.jobs.slots import APPLICATION, QUEUE, VERSION, WORKFLOW, Slot
from ralph_hooks.jobs.store import Store
from ralph_hooks.jobs.supervise import Supervisor
from ralph_hooks.loop.providers.base import RUN_MARK, SESSION_MARKS
from ralph_hooks.process import signals, tree
from ralph_hooks.process.spawn import Child

IDLE_SECONDS = 10.0
POLL_SECONDS = 0.1
ADOPT_SECONDS = 3.0
PRUNE_SECONDS = 3600.0
STEP = 0.2
STOP_SECONDS = 10.0


class Worker:
    """One worker process. `idle_seconds` of nothing to do end it; 0 = never."""

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS, at_once: int = 4, launch: Launcher | None = None) -> None:
        require_extra()
        self._idle_seconds = idle_seconds
        self._at_once = at_once
        self._supervisor = Supervisor()
        self._launch = launch or self._supervisor
        self._stop = threading.Event()
        self.database = locate()

    def run(self) -> int:
        """Until idle or told to stop; the exit code."""
        engine = connect(self.database)
        with start_lock(self.database):
            migrate(self.database, engine)
            slot = slots.take(self.database)
        store = Store(self.database, engine)
        tree.adopt_orphans()
        for number in (signals.TERM, signals.INT):
            signals.on(number, lambda *_: self._stop.set())
        jobs = Engine(store, self._launch)
        dbos = launch_dbos(self.database, engine, slot, jobs, self._at_once)
        try:
            self._work(store, jobs, slot)
        finally:
            self._leave(jobs, dbos)
        return 0

    def _work(self, store: Store, jobs: Engine, slot: Slot) -> None:
        adopter = adopt.Adopter(store, slot)
        idle_since = next_look = next_pruning = time.monotonic()
        while not self._stop.wait(STEP):
            now = time.monotonic()
            if now >= next_look:
                adopter.look()
                next_look = now + ADOPT_SECONDS
            if now >= next_pruning:
                with suppress(RalphError):
                    folders.prune(store)
                next_pruning = now + PRUNE_SECONDS
            if jobs.active:
                idle_since = now
            elif self._idle_seconds and now - idle_since >= self._idle_seconds:
                if self._may_leave(slot, jobs):
                    return
                idle_since = now

    def _may_leave(self, slot: Slot, jobs: Engine) -> bool:
        """Nothing is left to do, decided under the lock under which jobs are started."""
        with start_lock(self.database):
            if jobs.active or adopt.waiting(slot):
                return False
            slot.release()
            return True

    def _leave(self, jobs: Engine, dbos: Any) -> None:
        self._supervisor.stopping = True
        deadline = time.monotonic() + STOP_SECONDS
        while jobs.active and tree.living_children() and time.monotonic() < deadline:
            time.sleep(STEP)
        if jobs.active:
            os._exit(0)  # threads of killed generations sleep for ever: their jobs are taken up by the next worker
        dbos.destroy(workflow_completion_timeout_sec=0)


def launch_dbos(database: Database, engine: Any, slot: Slot, jobs: Engine, at_once: int) -> Any:
    """Start DBOS under this slot's name; what a dead worker of the slot left is recovered by it at once."""
    from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer

    with quiet_dbos():
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": database.url,
            "system_database_engine": engine,
            "application_version": VERSION,
            "executor_id": slot.executor,
            "serializer": DBOSPortableJSONSerializer(),
            "run_migrations": False,
            "log_level": "ERROR",
            "enable_otlp": False,
        }
        logging.getLogger("dbos").setLevel(logging.ERROR)
        DBOS(config=config)
        register(DBOS, jobs)
        DBOS.launch()
        DBOS.register_queue(QUEUE, worker_concurrency=at_once, polling_interval_sec=POLL_SECONDS)
    return DBOS


def register(dbos: Any, jobs: Engine) -> None:
    """Tell DBOS what a job is: a workflow whose steps are generations."""

    @dbos.step(name="generation")  # type: ignore[untyped-decorator]
    def generation(lineage_id: str, job_id: str, index: int, execute: bool) -> dict[str, Any]:
        return jobs.step(lineage_id, job_id, index, execute)

    @dbos.workflow(name=WORKFLOW, max_recovery_attempts=None)  # type: ignore[untyped-decorator]
    def job(lineage_id: str, job_id: str, execute: bool) -> dict[str, Any]:
        return jobs.run(lineage_id, job_id, execute, generation)


def ensure_worker(database: Database, most: int | None = None) -> None:
    """Start a local worker when fewer than `most` run and none would take a new job. The caller holds the lock."""
    if len(slots.taken(database)) < (most or 1):
        spawn_worker(database)


def spawn_worker(database: Database) -> None:
    """A worker of its own session, whose output goes to a log in the state directory."""
    import sys

    from ralph_hooks import files
    from ralph_hooks.process.spawn import CouldNotStart, spawn

    files.make_dirs(database.directory)
    log = os.path.join(database.directory, "worker.log")
    folders.rotate(log)
    fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, files.PRIVATE)
    try:
        argv = [sys.executable, "-P", "-m", "ralph_hooks", "worker"]
        child = spawn(argv, cwd="/", env=worker_environment(), stdout=fd, stderr=fd)
    finally:
        os.close(fd)
    for earlier in [one for one in _spawned if one.poll()]:
        _spawned.remove(earlier)
    if isinstance(child, CouldNotStart):
        raise RalphError(f"the worker could not be started: {child.words}", hint="ralph-hooks worker")

    _spawned.append(child)


_spawned: list[Child] = []  # a server that lives long reaps the workers that it started


def worker_environment() -> dict[str, str]:
    """This process's environment without the marks of the session that asked."""
    dropped = (*SESSION_MARKS, RUN_MARK)
    return {name: value for name, value in os.environ.items() if name not in dropped}
