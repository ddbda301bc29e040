"""One job, generation by generation, so that any instant may be the last one of this process (E2, E7, E11, E12).

DBOS remembers which steps are over; the lineage's events remember everything else. A step first looks there whether
its generation is recorded already, so that a step that runs twice does its work once.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from ralph_hooks.check.identity import new_run_id
from ralph_hooks.evolve import actions, iteration, lineage
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.lineage import JobState, LineageState
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.stop_rules import Ending, cycle_note, decide
from ralph_hooks.jobs.bounds import attempted, limits_of, remaining, sweep_run
from ralph_hooks.jobs.database import DatabaseTrouble
from ralph_hooks.jobs.owner import Owner, me
from ralph_hooks.jobs.result import result_of
from ralph_hooks.jobs.store import LeaseLost, Store

RETRY_SECONDS = 0.5


class Watch(Protocol):
    """What a launched generation asks while it runs."""

    def cancelled(self) -> bool:
        """Whether somebody asked for the end."""

    def beat(self) -> None:
        """Renew the lease. Raises `LeaseLost`."""


class Launcher(Protocol):
    """Runs one generation in a process tree of its own and gives what it left behind; never raises for its faults."""

    def __call__(self, order: Order, watch: Watch) -> Iteration: ...


class Engine:
    """All jobs of one worker. Thread-safe: every job runs in a thread of DBOS."""

    def __init__(self, store: Store, launch: Launcher, owner: Owner | None = None) -> None:
        self._store = store
        self._launch = launch
        self._owner = owner or me()
        self._held: dict[str, str] = {}
        self.active: set[str] = set()

    def run(self, lineage_id: str, job_id: str, execute: bool, step: Callable[..., dict[str, Any]]) -> dict[str, Any]:
        """The workflow: steps until one says that the job is over. Deterministic, as DBOS asks for."""
        index = 0
        while True:
            answer = step(lineage_id, job_id, index, execute)
            if answer["result"] is not None:
                result: dict[str, Any] = answer["result"]
                return result
            execute = answer["execute"]
            index += 1

    def step(self, lineage_id: str, job_id: str, index: int, execute: bool) -> dict[str, Any]:
        """One durable step: one generation, recorded once."""
        self.active.add(job_id)
        try:
            while True:
                try:
                    return self._step(lineage_id, job_id, index, execute)
                except LeaseLost:
                    self._held.pop(lineage_id, None)
                except DatabaseTrouble as trouble:
                    complain(trouble)
                time.sleep(RETRY_SECONDS)
        finally:
            self.active.discard(job_id)

    def _step(self, lineage_id: str, job_id: str, index: int, execute: bool) -> dict[str, Any]:
        with self._store.begin() as connection:
            row = self._store.lock(connection, lineage_id)
            state = self._store.state(lineage_id, connection)
            job = state.jobs[job_id]
            if job.result is not None and len(job.iterations) <= index:
                return {"result": job.result, "execute": execute}
            if len(job.iterations) > index:
                return self._answer(job, index)
            token = self._token(connection, row)
            rows = self._buried(job)
            found = self._unlaunched(state, job, execute)
            order = self._order(state, job, execute)
            if found is None:
                rows.append((lineage.GENERATION_STARTED, self._announcement(order)))
            self._store.hold(connection, row, job_id, rows, (token, self._owner))
        self._held[lineage_id] = token
        return self._record(state, job, token, found or self._launched(order, token))

    def _token(self, connection: Any, row: Any) -> str:
        """The lease of this lineage, ours already or a new one. Raises `LeaseLost` while another owner lives."""
        held = self._held.get(row.lineage_id)
        if held is not None and held == row.lease_token:
            return held
        if not self._store.free_to_take(connection, row):
            raise LeaseLost
        return uuid.uuid4().hex

    def _answer(self, job: JobState, index: int) -> dict[str, Any]:
        """What a step that is on record said."""
        if job.result is not None and index == len(job.iterations) - 1:
            return {"result": job.result, "execute": True}
        found = decide(job.iterations[: index + 1], limits_of(job))
        return {"result": None, "execute": True if isinstance(found, Ending) else found.execute}

    def _buried(self, job: JobState) -> list[tuple[str, dict[str, Any]]]:
        """The owner of a started generation died: its tree is ended before another agent may live."""
        if job.running is None:
            return []
        swept = sweep_run(job.running)
        body = {"generation": job.running["generation"], "run_id": job.running["run_id"], "swept": swept}
        job.running = None
        return [(lineage.GENERATION_LOST, body)]

    def _unlaunched(self, state: LineageState, job: JobState, execute: bool) -> Iteration | None:
        """Why the next generation is not even started, as an iteration of its own."""
        number = state.next_generation
        made = partial(Iteration, generation=number, execute=execute, launched=False)
        if job.cancel_requested:
            return made(trouble=iteration.CANCELLED, detail="cancelled before the generation started")
        if remaining(job) <= 0:
            total = job.call["max_total_seconds"]
            detail = f"the total of {total:g} s is spent; generation {number} was not started"
            return made(trouble=iteration.WALL_CLOCK, detail=detail)
        if number > job.settings.get("lineage_cap", 30):
            return made(action=actions.EXHAUSTED, detail=f"the lineage has reached its cap of {number - 1} generations")
        return None

    def _order(self, state: LineageState, job: JobState, execute: bool) -> Order:
        each, left = float(job.call["per_iteration_timeout_seconds"]), remaining(job)
        return Order(
            lineage_id=state.lineage,
            job_id=job.job,
            generation=state.next_generation,
            run_id=new_run_id(),
            execute=execute,
            seconds=min(each, left),
            bound=iteration.ITERATION_TIMEOUT if each <= left else iteration.WALL_CLOCK,
            seed=state.seed or "",
            call=job.call,
            settings=job.settings,
            last=state.last,
            attempted=attempted(job),
            commits=[one for it in job.iterations for one in it.commits],
            final=len(job.iterations) + 1 >= job.call["max_generations"],
        )

    def _announcement(self, order: Order) -> dict[str, Any]:
        """The run id is on record before anything carries it."""
        return {
            "generation": order.generation,
            "run_id": order.run_id,
            "owner": self._owner.to_json(),
            "execute": order.execute,
            "project_dir": order.call.get("project_dir"),
        }

    def _launched(self, order: Order, token: str) -> Iteration:
        begin = time.monotonic()
        found = self._launch(order, _StoreWatch(self._store, order, token))
        return replace(found, duration=round(time.monotonic() - begin, 3))

    def _record(self, state: LineageState, job: JobState, token: str, found: Iteration) -> dict[str, Any]:
        """The iteration, and the end of the job if this is it, in one transaction."""
        note = cycle_note([*job.iterations, found])
        if note:
            found = replace(found, notes=[*found.notes, note])
        job.iterations.append(found)
        decision = decide(job.iterations, limits_of(job))
        rows: list[tuple[str, dict[str, Any]]] = []
        if found.trouble == iteration.CANCELLED and found.launched:
            rows.append((lineage.KILLED, {"generation": found.generation, "reason": found.trouble}))
        rows.append((lineage.GENERATION_FINISHED, {"iteration": found.to_json()}))
        result = None
        if isinstance(decision, Ending):
            result = result_of(job.job, state.lineage, job.iterations, decision, job.call)
            rows.append((lineage.JOB_ENDED, {"result": result}))
        self._write((state.lineage, job.job), rows, result, token)
        if result is not None:
            self._held.pop(state.lineage, None)
        return {"result": result, "execute": True if isinstance(decision, Ending) else decision.execute}

    def _write(self, whose: tuple[str, str], rows: Any, result: dict[str, Any] | None, token: str) -> None:
        """What a generation left is not done again because the database was away: it is written when it is back."""
        while True:
            try:
                with self._store.begin() as connection:
                    if result is None:
                        self._store.append(connection, *whose, rows, token)
                    else:
                        self._store.end_job(connection, whose, rows, result, token)
            except DatabaseTrouble as trouble:
                complain(trouble)
                time.sleep(RETRY_SECONDS)
            else:
                return


def complain(trouble: DatabaseTrouble) -> None:
    """Into the worker's log."""
    print(f"{time.strftime('%F %T')} {trouble.message}; trying again", file=sys.stderr, flush=True)  # noqa: T201


class _StoreWatch:
    def __init__(self, store: Store, order: Order, token: str) -> None:
        self._store = store
        self._order = order
        self._token = token

    def cancelled(self) -> bool:
        return self._store.cancel_requested(self._order.job_id)

    def beat(self) -> None:
        self._store.beat(self._order.lineage_id, self._token)
