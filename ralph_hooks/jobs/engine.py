"""One job, generation by generation, so that any instant may be the last one of this process (E2, E7, E11, E12).

DBOS remembers which steps are over; the lineage's events remember everything else. A step first looks there whether
its generation is recorded already, so that a step that runs twice does its work once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ralph_hooks.check.identity import new_run_id
from ralph_hooks.evolve import actions, iteration, lineage
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.lineage import JobState, LineageState
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.stop_rules import Ending, cycle_note, decide
from ralph_hooks.jobs.bounds import attempted, limits_of, remaining, sweep_run
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


@dataclass
class _Held:
    token: str


class Engine:
    """All jobs of one worker. Thread-safe: every job runs in a thread of DBOS."""

    def __init__(self, store: Store, launch: Launcher, owner: Owner | None = None) -> None:
        self._store = store
        self._launch = launch
        self._owner = owner or me()
        self._held: dict[str, _Held] = {}
        self._lock = threading.Lock()
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
                    with self._lock:
                        self._held.pop(lineage_id, None)
                    time.sleep(RETRY_SECONDS)
        finally:
            self.active.discard(job_id)

    def _step(self, lineage_id: str, job_id: str, index: int, execute: bool) -> dict[str, Any]:
        state, token = self._enter(lineage_id, job_id, index)
        job = state.jobs[job_id]
        if job.result is not None and len(job.iterations) <= index:
            return {"result": job.result, "execute": execute}
        if len(job.iterations) > index:
            return self._answer(job, index)
        if job.running is not None:
            self._bury(state, job, token)
        return self._generation(state, job, token, execute)

    def _enter(self, lineage_id: str, job_id: str, index: int) -> tuple[LineageState, str]:
        """The state, under a lease of ours (no lease is needed for what is recorded already)."""
        held = self._held.get(lineage_id)
        if held is not None:
            return self._store.state(lineage_id), held.token
        with self._store.begin() as connection:
            self._store.lock(connection, lineage_id)
            state = self._store.state(lineage_id, connection)
            job = state.jobs[job_id]
            if job.result is not None or len(job.iterations) > index:
                return state, ""
            token = self._store.take_lease(connection, lineage_id, self._owner)
        if token is None:
            raise LeaseLost
        with self._lock:
            self._held[lineage_id] = _Held(token)
        return state, token

    def _answer(self, job: JobState, index: int) -> dict[str, Any]:
        if job.result is not None and index == len(job.iterations) - 1:
            return {"result": job.result, "execute": True}
        found = decide(job.iterations[: index + 1], limits_of(job))
        return {"result": None, "execute": True if isinstance(found, Ending) else found.execute}

    def _bury(self, state: LineageState, job: JobState, token: str) -> None:
        """The owner of a started generation died: its tree is ended before another agent may live."""
        assert job.running is not None
        swept = sweep_run(job.running)
        body = {"generation": job.running["generation"], "run_id": job.running["run_id"], "swept": swept}
        with self._store.begin() as connection:
            self._store.append(connection, state.lineage, job.job, [(lineage.GENERATION_LOST, body)], token)
        job.running = None

    def _generation(self, state: LineageState, job: JobState, token: str, execute: bool) -> dict[str, Any]:
        found = self._unlaunched(state, job, execute)
        if found is None:
            order = self._order(state, job, execute)
            self._announce(order, token)
            found = self._launched(order, token)
        return self._record(state, job, token, found)

    def _unlaunched(self, state: LineageState, job: JobState, execute: bool) -> Iteration | None:
        """Why the next generation is not even started, as an iteration of its own."""
        number = state.next_generation
        if job.cancel_requested or self._store.cancel_requested(job.job):
            detail = "cancelled before the generation started"
            return Iteration(
                generation=number, execute=execute, launched=False, trouble=iteration.CANCELLED, detail=detail
            )
        if remaining(job) <= 0:
            detail = f"the total of {job.call['max_total_seconds']:g} s is spent; generation {number} was not started"
            return Iteration(
                generation=number, execute=execute, launched=False, trouble=iteration.WALL_CLOCK, detail=detail
            )
        if number > job.settings.get("lineage_cap", 30):
            detail = f"the lineage has reached its cap of {number - 1} generations"
            return Iteration(
                generation=number, execute=execute, launched=False, action=actions.EXHAUSTED, detail=detail
            )
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

    def _announce(self, order: Order, token: str) -> None:
        """The run id is on record before anything carries it."""
        body = {
            "generation": order.generation,
            "run_id": order.run_id,
            "owner": self._owner.to_json(),
            "execute": order.execute,
            "project_dir": order.call.get("project_dir"),
        }
        with self._store.begin() as connection:
            rows = [(lineage.GENERATION_STARTED, body)]
            self._store.append(connection, order.lineage_id, order.job_id, rows, token)

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
        with self._store.begin() as connection:
            self._store.append(connection, state.lineage, job.job, rows, token)
            if result is not None:
                self._store.end_job(connection, state.lineage, job.job, result)
        if result is not None:
            with self._lock:
                self._held.pop(state.lineage, None)
        return {"result": result, "execute": True if isinstance(decision, Ending) else decision.execute}


class _StoreWatch:
    def __init__(self, store: Store, order: Order, token: str) -> None:
        self._store = store
        self._order = order
        self._token = token

    def cancelled(self) -> bool:
        return self._store.cancel_requested(self._order.job_id)

    def beat(self) -> None:
        self._store.beat(self._order.lineage_id, self._token)
