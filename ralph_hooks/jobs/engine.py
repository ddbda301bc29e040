"""One job, generation by generation, so that any instant may be the last one of this process (E2, E7, E11, E12).

DBOS remembers which steps are over; the lineage's events remember everything else. A step first looks there whether
its generation is recorded already, so that a step that runs twice does its work once.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from ralph_hooks.check.identity import new_run_id
from ralph_hooks.evolve import actions, iteration, lineage
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.lineage import JobState, LineageState
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.stop_rules import Ending, cycle_note, decide
from ralph_hooks.jobs.bounds import attempted, limits_of, remaining, sweep_run
from ralph_hooks.jobs.database import DatabaseTrouble
from ralph_hooks.jobs.launching import Launcher, StoreWatch, complain
from ralph_hooks.jobs.owner import Owner, me
from ralph_hooks.jobs.result import result_of
from ralph_hooks.jobs.store import LeaseLost, Store
from ralph_hooks.jobs.takeover import lost_seconds

RETRY_SECONDS = 0.5


class Engine:
    """All jobs of one worker. Thread-safe: every job runs in a thread of DBOS."""

    def __init__(self, store: Store, launch: Launcher, owner: Owner | None = None) -> None:
        self._store = store
        self._launch = launch
        self._owner = owner or me()
        self._turn = threading.Condition()
        self._under_way: set[str] = set()
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
        with self._alone(lineage_id, job_id):
            while True:
                try:
                    return self._step(lineage_id, job_id, index, execute)
                except LeaseLost:
                    pass
                except DatabaseTrouble as trouble:
                    complain(trouble)
                time.sleep(RETRY_SECONDS)

    @contextmanager
    def _alone(self, lineage_id: str, job_id: str) -> Iterator[None]:
        """One step of a lineage at a time in this process: a job that was queued again may run twice here."""
        with self._turn:
            self._turn.wait_for(lambda: lineage_id not in self._under_way)
            self._under_way.add(lineage_id)
            self.active.add(job_id)
        try:
            yield
        finally:
            with self._turn:
                self._under_way.discard(lineage_id)
                self.active.discard(job_id)
                self._turn.notify_all()

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
            rows = self._buried(job, lost_seconds(self._store, connection, row, job))
            found = self._unlaunched(state, job, execute)
            order = self._order(state, job, execute)
            if found is None:
                rows.append((lineage.GENERATION_STARTED, self._announcement(order)))
            self._store.hold(connection, row, job_id, rows, (token, self._owner))
        return self._record(state, job, token, found or self._launched(order, token))

    def _token(self, connection: Any, row: Any) -> str:
        """A new lease on this lineage. Raises `LeaseLost` while another owner lives.

        One that this process holds is nobody else's: no other thread of it is in a step of this lineage, and a commit
        whose answer got lost may have taken it.
        """
        ours = row.lease_token is not None and row.lease_owner == self._owner.to_json()
        if not ours and not self._store.free_to_take(connection, row):
            raise LeaseLost
        return uuid.uuid4().hex

    def _answer(self, job: JobState, index: int) -> dict[str, Any]:
        """What a step that is on record said."""
        if job.result is not None and index == len(job.iterations) - 1:
            return {"result": job.result, "execute": True}
        found = decide(job.iterations[: index + 1], limits_of(job))
        return {"result": None, "execute": True if isinstance(found, Ending) else found.execute}

    def _buried(self, job: JobState, seconds: float) -> list[tuple[str, dict[str, Any]]]:
        """The owner of a started generation died: its tree is ended before another agent may live."""
        if job.running is None:
            return []
        swept = sweep_run(job.running)
        body = {"generation": job.running["generation"], "run_id": job.running["run_id"], "swept": swept}
        job.running, job.lost_seconds = None, job.lost_seconds + seconds
        return [(lineage.GENERATION_LOST, body | {"seconds": seconds})]

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
        found = self._launch(order, StoreWatch(self._store, order, token))
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
        self._write((state.lineage, job.job), rows, result, (token, len(job.iterations)))
        return {"result": result, "execute": True if isinstance(decision, Ending) else decision.execute}

    def _write(self, whose: tuple[str, str], rows: Any, result: Any, under: tuple[str, int]) -> None:
        """What a generation left is not done again because the database was away: it is written when it is back.

        `under` is the lease, and how many iterations there are afterwards: a commit whose answer got lost has happened.
        Raises `LeaseLost` then too; the step finds what is on record.
        """
        (token, count), again = under, False
        while True:
            try:
                with self._store.begin() as connection:
                    if again and len(self._store.state(whose[0], connection).jobs[whose[1]].iterations) >= count:
                        raise LeaseLost
                    if result is None:
                        self._store.append(connection, *whose, rows, token)
                    else:
                        self._store.end_job(connection, whose, rows, result, token)
            except DatabaseTrouble as trouble:
                complain(trouble)
                again = True
                time.sleep(RETRY_SECONDS)
            else:
                return
