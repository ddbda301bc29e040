"""E7: the state of a lineage is folded from its events."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.errors import RalphError
from ralph_hooks.evolve import lineage
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.lineage import Event, check_continuable, check_rewind, fold
from tests.support.properties import patient


def events(*rows: tuple[str, str, dict[str, Any]]) -> list[Event]:
    return [Event(number, "L", job, kind, body) for number, (job, kind, body) in enumerate(rows, 1)]


def started(job: str, seed: str | None = "goal: x", first: int = 1) -> tuple[str, str, dict[str, Any]]:
    return (job, lineage.JOB_STARTED, {"call": {}, "seed": seed, "first_generation": first})


def finished(job: str, generation: int, **keys: Any) -> tuple[str, str, dict[str, Any]]:
    one = Iteration(generation=generation, **keys)
    return (job, lineage.GENERATION_FINISHED, {"iteration": one.to_json()})


def ended(job: str, reason: str) -> tuple[str, str, dict[str, Any]]:
    return (job, lineage.JOB_ENDED, {"result": {"status": "completed", "stop_reason": reason}})


def test_the_last_completed_generation_is_followed_by_the_next() -> None:
    assert fold("L", events(started("j"), finished("j", 1), finished("j", 2))).next_generation == 3


@pytest.mark.parametrize(
    "how",
    [
        {"trouble": "step_error"},
        {"trouble": "iteration_timeout"},
        {"trouble": "cancelled"},
        {"action": "failed"},
        {"action": "interrupted"},
        {"launched": False, "trouble": "wall_clock_exhausted"},
    ],
)
def test_what_failed_or_was_interrupted_is_numbered_again(how: dict[str, Any]) -> None:
    state = fold("L", events(started("j"), finished("j", 1), finished("j", 2, **how)))
    assert state.next_generation == 2
    assert state.last is not None
    assert state.last.generation == 1


def test_a_lost_generation_is_not_running_any_more() -> None:
    rows = [started("j"), ("j", lineage.GENERATION_STARTED, {"generation": 1, "run_id": "r"})]
    assert fold("L", events(*rows)).jobs["j"].running == {"generation": 1, "run_id": "r", "at": 0.0}
    rows.append(("j", lineage.WORKER_LOST, {"generation": 1, "seconds": 2.5}))
    assert fold("L", events(*rows)).jobs["j"].running is not None
    rows.append(("j", lineage.GENERATION_LOST, {"generation": 1, "run_id": "r", "swept": [], "seconds": 1.5}))
    lost = fold("L", events(*rows)).jobs["j"]
    assert (lost.running, lost.lost_seconds) == (None, 4.0)


def test_a_later_seed_replaces_and_a_missing_one_keeps() -> None:
    assert fold("L", events(started("a"), started("b", None))).seed == "goal: x"
    assert fold("L", events(started("a"), started("b", "goal: y"))).seed == "goal: y"


@pytest.mark.parametrize("reason", ["qa_failed", "wall_clock_exhausted", "max_generations reached", "qa passed"])
def test_these_endings_stay_continuable(reason: str) -> None:
    check_continuable(fold("L", events(started("j"), finished("j", 1), ended("j", reason))), None)


def test_converged_needs_a_rewind() -> None:
    rows = [started("j"), finished("j", 1), finished("j", 2), ended("j", "converged")]
    with pytest.raises(RalphError) as caught:
        check_continuable(fold("L", events(*rows)), None)
    assert caught.value.message == ("lineage `L` has converged at generation 2; it goes on only from an earlier point")
    assert "--rewind 2" in caught.value.hint
    state = fold("L", events(*rows, ("k", lineage.REWOUND, {"to": 1})))
    check_continuable(state, None)
    assert state.next_generation == 2
    assert state.last is not None
    assert state.last.generation == 1


@pytest.mark.parametrize("to", [-1, 3, 10])
def test_a_rewind_goes_to_a_finished_generation(to: int) -> None:
    state = fold("L", events(started("j"), finished("j", 1), finished("j", 2)))
    with pytest.raises(RalphError, match="has finished generations up to 2"):
        check_rewind(state, to)
    check_rewind(state, 0)
    check_rewind(state, 2)


def test_generation_one_needs_a_seed() -> None:
    with pytest.raises(RalphError, match="`seed_content` is needed for generation 1"):
        check_continuable(fold("L", []), None)
    check_continuable(fold("L", []), "goal: x")


@patient
@given(st.lists(st.tuples(st.sampled_from(["", "step_error"]), st.sampled_from(["continue", "failed"])), max_size=20))
def test_generations_have_no_gaps(rows: list[tuple[str, str]]) -> None:
    state = fold("L", events(started("j")))
    for number, (trouble, action) in enumerate(rows, 2):
        before = state.next_generation
        one = Iteration(generation=before, trouble=trouble, action=action)
        lineage.apply(state, Event(number, "L", "j", lineage.GENERATION_FINISHED, {"iteration": one.to_json()}))
        assert state.next_generation == before + (1 if one.complete else 0)
