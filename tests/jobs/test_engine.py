"""E7, E11: leases and steps, with engines in this process and a launcher of ours."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.refusal import parse_call
from ralph_hooks.evolve.setting import settle
from ralph_hooks.jobs.cancel import cancel
from ralph_hooks.jobs.database import connect, locate, migrate
from ralph_hooks.jobs.engine import Engine, Watch
from ralph_hooks.jobs.follow import find, listing
from ralph_hooks.jobs.opening import client
from ralph_hooks.jobs.owner import LEASE_SECONDS, Owner, me
from ralph_hooks.jobs.start import AlreadyRunning, queue
from ralph_hooks.jobs.states import state
from ralph_hooks.jobs.store import LeaseLost, Store
from ralph_hooks.jobs.tables import lineages
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
