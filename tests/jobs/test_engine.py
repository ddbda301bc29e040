"""E7, E11: leases and steps, with engines in this process and a launcher of ours."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.refusal import parse_call
from ralph_hooks.evolve.setting import settle
from ralph_hooks.jobs.cancel import cancel
from ralph_hooks.jobs.database import DatabaseTrouble, connect, locate, migrate
from ralph_hooks.jobs.engine import Engine
from ralph_hooks.jobs.follow import find, listing
from ralph_hooks.jobs.launching import Watch
from ralph_hooks.jobs.opening import client
from ralph_hooks.jobs.owner import BEAT_SECONDS, LEASE_SECONDS, Owner, me
from ralph_hooks.jobs.start import AlreadyRunning, queue
from ralph_hooks.jobs.states import state
from ralph_hooks.jobs.store import LeaseLost, Store
from ralph_hooks.jobs.tables import events, lineages
from ralph_hooks.jobs.takeover import take_over
from tests.jobs.conftest import on_both

SEED = "goal: g\nacceptance_criteria:\n- {description: d, verify_command: 'true'}\n"
FAR = Owner("another-machine", "boot", 1, "1")


@pytest.fixture
def store(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Store]:
    if database_url:
        monkeypatch.setenv("RALPH_HOOKS_DATABASE_URL", database_url)
    monkeypatch.chdir(tmp_path)
    database = locate()
    engine = connect(database)
    migrate(database, engine)
    yield Store(database, engine)
    engine.dispose()


def put(store: Store, lineage: str = "l", **fields: Any) -> str:
    call = parse_call({"lineage_id": lineage, "seed_content": SEED, **fields})
    with client(store) as dbos:
        return queue((store, dbos), call, settle(call), None)


def steps(engine: Engine, job: str, lineage: str = "l") -> dict[str, Any]:
    """The workflow without DBOS."""
    return engine.run(lineage, job, True, engine.step)


def plain(order: Order, watch: Watch) -> Iteration:
    return Iteration(generation=order.generation, duration=0.0, findings_hash=str(order.generation))


def set_lease(store: Store, owner: Owner, age: float) -> None:
    with store.begin() as connection:
        row = store.lock(connection, "l")
        store.hold(connection, row, "", [], ("theirs", owner))
        connection.execute(lineages.update().values(heartbeat_at=lineages.c.heartbeat_at - age))


@on_both
def test_a_job_runs_to_its_limit_and_is_recorded_once(store: Store) -> None:
    job = put(store, max_generations=3)
    result = steps(Engine(store, plain), job)
    assert [one["generation"] for one in result["iterations"]] == [1, 2, 3]
    assert result["stop_reason"] == "max_generations reached"
    calls: list[int] = []

    def never(order: Order, watch: Watch) -> Iteration:
        calls.append(order.generation)
        return plain(order, watch)

    assert steps(Engine(store, never), job) == result  # what DBOS replays after a crash runs nothing again
    assert calls == []


@on_both
def test_a_lease_of_a_living_owner_is_waited_for_and_an_expired_one_is_taken(store: Store) -> None:
    job = put(store, max_generations=1)
    set_lease(store, FAR, age=0)
    assert state(find(store, job)) == "running"
    with store.begin() as connection:
        assert store.take_lease(connection, store.lock(connection, "l"), me()) is None
    set_lease(store, FAR, age=LEASE_SECONDS + 1)
    assert state(find(store, job)) == "interrupted"
    assert steps(Engine(store, plain), job)["status"] == "failed"
    with pytest.raises(LeaseLost):
        store.beat("l", "theirs")


def test_an_owner_of_this_machine_is_judged_by_its_process(store: Store) -> None:
    job = put(store, max_generations=1)
    set_lease(store, me(), age=1000)
    assert state(find(store, job)) == "running"
    set_lease(store, replace(me(), start="1"), age=0)
    assert state(find(store, job)) == "interrupted"
    set_lease(store, replace(me(), boot="an earlier one"), age=0)
    assert state(find(store, job)) == "interrupted"


@on_both
def test_two_engines_on_one_job_run_every_generation_once(store: Store) -> None:
    job = put(store, max_generations=4)
    ran: list[int] = []
    alive: list[int] = []

    def slow(order: Order, watch: Watch) -> Iteration:
        alive.append(order.generation)
        assert len(alive) == 1
        time.sleep(0.2)
        ran.append(order.generation)
        alive.remove(order.generation)
        return plain(order, watch)

    results: list[dict[str, Any]] = []
    engines = [Engine(store, slow, owner) for owner in (me(), replace(FAR, pid=2))]
    threads = [threading.Thread(target=lambda e=e: results.append(steps(e, job))) for e in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert ran == [1, 2, 3, 4]
    assert len(results) == 2
    assert results[0] == results[1]


def test_what_an_owner_that_lost_its_lease_did_is_not_recorded(store: Store) -> None:
    job = put(store, max_generations=1)
    entered: list[int] = []

    def robbed(order: Order, watch: Watch) -> Iteration:
        entered.append(order.generation)
        if len(entered) == 1:
            set_lease(store, FAR, age=LEASE_SECONDS + 1)
        return replace(plain(order, watch), detail=f"try {len(entered)}")

    result = steps(Engine(store, robbed), job)
    assert [one["detail"] for one in result["iterations"]] == ["try 2"]
    kinds = " ".join(event.kind for event in store.job_events(job))
    assert kinds == ("job_started generation_started generation_lost generation_started generation_finished job_ended")


def test_the_lineages_cap_and_the_total_start_nothing(store: Store) -> None:
    def slow(order: Order, watch: Watch) -> Iteration:
        time.sleep(1.1)
        return plain(order, watch)

    result = steps(Engine(store, slow), put(store, max_total_seconds=1))
    assert (result["stop_reason"], result["generations_run"]) == ("wall_clock_exhausted", 1)
    assert result["iterations"][-1]["launched"] is False
    for _ in range(3):
        result = steps(Engine(store, plain), put(store))
    assert (result["stop_reason"], result["generation"]) == ("exhausted", 31)


class Killed(BaseException):
    """The process of this engine is gone."""


def crash(store: Store, job: str, owner: Owner, ran: float) -> None:
    """An owner that dies after `ran` seconds of a generation; as long again nobody notices, and then ten minutes."""

    def dies(order: Order, watch: Watch) -> Iteration:
        raise Killed

    with pytest.raises(Killed):
        steps(Engine(store, dies, owner), job)
    silence = ran + 600
    with store.begin() as connection:
        connection.execute(lineages.update().values(heartbeat_at=lineages.c.heartbeat_at + ran - silence))
        connection.execute(
            events.update().where(events.c.kind == "generation_started").values(at=events.c.at - silence)
        )


@on_both
def test_generations_of_dead_workers_count_for_as_long_as_they_ran(store: Store) -> None:
    job = put(store, max_total_seconds=100)
    dead = replace(me(), boot="an earlier one")
    for number in range(3):
        crash(store, job, replace(dead, pid=number), 30)
    calls: list[float] = []

    def asks(order: Order, watch: Watch) -> Iteration:
        calls.append(order.seconds)
        return plain(order, watch)

    result = steps(Engine(store, asks), job)
    assert calls == []
    assert result["stop_reason"] == "wall_clock_exhausted"
    lost = [event.body["seconds"] for event in store.job_events(job) if event.kind == "generation_lost"]
    assert lost == [pytest.approx(30 + BEAT_SECONDS, abs=2)] * 3


@on_both
def test_a_job_that_was_taken_over_counts_its_lost_time_once(store: Store) -> None:
    job = put(store, max_total_seconds=100, max_generations=1)
    crash(store, job, replace(me(), boot="an earlier one"), 40)
    assert take_over(store, find(store, job), lambda: None)
    calls: list[float] = []

    def asks(order: Order, watch: Watch) -> Iteration:
        calls.append(order.seconds)
        return plain(order, watch)

    steps(Engine(store, asks), job)
    assert calls == [pytest.approx(100 - 40 - BEAT_SECONDS, abs=2)]
    kinds = [event.kind for event in store.job_events(job)]
    assert kinds[1:4] == ["generation_started", "worker_lost", "generation_lost"]


class Unanswered(Store):
    """A store whose commits now and then happen without anybody being told."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.database, store.engine)
        self.count = 0

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        with super().begin() as connection:
            yield connection
        self.count += 1
        if self.count % 3:
            raise DatabaseTrouble("the connection is gone")


@on_both
def test_a_commit_without_an_answer_has_happened(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ralph_hooks.jobs.engine.RETRY_SECONDS", 0.01)
    job = put(store, max_generations=3)
    result = steps(Engine(Unanswered(store), plain), job)
    assert [one["generation"] for one in result["iterations"]] == [1, 2, 3]
    found = [event.body["iteration"]["generation"] for event in store.job_events(job) if "iteration" in event.body]
    assert found == [1, 2, 3]


def test_a_worker_that_could_not_reach_the_database_goes_on_when_it_is_back(store: Store) -> None:
    job = put(store, max_generations=1)
    tries: list[int] = []

    def blind(order: Order, watch: Watch) -> Iteration:
        tries.append(order.generation)
        if len(tries) == 1:
            raise DatabaseTrouble("the connection is gone")
        return plain(order, watch)

    assert steps(Engine(store, blind), job)["generations_run"] == 1
    assert tries == [1, 1]


def test_a_live_lineage_refuses_and_an_ended_one_goes_on(store: Store) -> None:
    job = put(store, max_generations=1)
    with pytest.raises(AlreadyRunning) as caught:
        put(store)
    assert caught.value.job_id == job
    cancel(store, job)
    assert state(find(store, job)) == "cancelled"
    other = put(store, max_generations=1)
    result = steps(Engine(store, plain), other)
    assert result["iterations"][0]["generation"] == 1


def test_a_page_of_many_jobs_reads_one_page(store: Store) -> None:
    ids = [put(store, f"l{number}") for number in range(60)]
    page = listing(store, 50)
    assert [row["job_id"] for row in page["jobs"]] == ids[:9:-1]
    plan = ""
    with store.engine.connect() as connection:
        text = "EXPLAIN QUERY PLAN SELECT * FROM ralph_jobs j JOIN ralph_lineages l ON l.lineage_id = j.lineage_id "
        rows = connection.exec_driver_sql(text + "ORDER BY j.number DESC LIMIT 50")
        plan = " ".join(str(row) for row in rows)
    assert "USE TEMP B-TREE" not in plan
    assert "SCAN l" not in plan
