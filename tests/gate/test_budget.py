"""G14's invariants over any sequence of verdicts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.check.verdict import CANNOT_RUN, GREEN, NO_TESTS, RED, TIMEOUT, CheckResult, Evidence, Failure, Run
from ralph_hooks.gate import budget
from ralph_hooks.gate.decision import BLOCK
from ralph_hooks.plan.config import Budget


def run_of(verdict: str, failing: int | None = None, content: str = "", ids: list[str] | None = None) -> Run:
    run = Run("r", 0.0)
    run.digest_before = run.digest_after = content
    check = CheckResult("tests", verdict)
    if failing is not None or ids is not None:
        names = ids if ids is not None else [f"t{n}" for n in range(failing or 0)]
        check.evidence = Evidence("pytest", passed=1, failed=len(names), failures=[Failure(name) for name in names])
    run.checks = [check]
    return run


runs = st.builds(
    run_of,
    st.sampled_from([GREEN, RED, RED, RED, TIMEOUT, CANNOT_RUN, NO_TESTS]),
    st.one_of(st.none(), st.integers(1, 6)),
    st.sampled_from(["", "a", "b", "c"]),
)
limits = st.builds(
    Budget,
    max_blocks=st.integers(1, 6),
    stall=st.integers(0, 4),
    cannot_run=st.integers(1, 3),
    renew=st.just("session"),
)


@given(st.lists(runs, max_size=60), limits)
def test_blocks_stay_within_the_budget_between_two_resets(sequence: list[Run], wanted: Budget) -> None:
    state = budget.fresh()
    charged = blocks = unable = same = 0
    first: int | None = None
    previous: Run | None = None
    for run in sequence:
        if run.verdict == GREEN:
            state = budget.rule_green(state)
            charged = blocks = unable = same = 0
            first, previous = None, None
            continue
        state, ruling = budget.rule_red(state, run, wanted)
        assert budget.valid(state)
        equal = (
            previous is not None
            and run.digest_after not in ("",)
            and ((run.digest_after, run.failing_ids) == (previous.digest_after, previous.failing_ids))
        )
        same = same + 1 if equal else 0
        unable = unable + 1 if run.verdict != RED else 0
        if ruling.kind == BLOCK:
            charged += ruling.charged
            blocks += 1
            first = run.failing_count if first is None else first
            previous = run
            assert unable <= wanted.cannot_run
            assert not wanted.stall or same < wanted.stall
        assert (state["charged"], state["blocks"]) == (charged, blocks)
        assert charged <= wanted.max_blocks
        assert blocks <= wanted.max_blocks + (first or 0)


def rulings(sequence: list[Run], wanted: Budget | None = None) -> list[str]:
    state = budget.fresh()
    said = []
    for run in sequence:
        state, ruling = budget.rule_red(state, run, wanted or Budget())
        said.append(f"{ruling.kind}{'' if ruling.charged or ruling.kind != BLOCK else ' free'} {ruling.reason}")
    return said


def test_twenty_changing_reds_are_blocked_and_the_next_is_released() -> None:
    said = rulings([run_of(RED, content=str(n)) for n in range(24)])
    assert said == ["BLOCK red"] * 20 + ["RELEASED_RED budget"] * 4


def test_five_unchanged_stops_after_a_block_are_a_stall() -> None:
    said = rulings([run_of(RED, 3, "same")] * 7)
    assert said == ["BLOCK red"] * 5 + ["RELEASED_RED stalled"] * 2


def test_a_stall_ends_when_something_changes() -> None:
    said = rulings([run_of(RED, 3, "same")] * 6 + [run_of(RED, 3, "new")])
    assert said[-2:] == ["RELEASED_RED stalled", "BLOCK red"]


def test_without_a_digest_nothing_counts_as_unchanged() -> None:
    assert rulings([run_of(RED, 3, "")] * 8) == ["BLOCK red"] * 8


def test_progress_is_free_also_when_the_budget_is_spent_but_not_after_the_release() -> None:
    counts = [9, 9, 8, 7, 7, 9]
    said = rulings([run_of(RED, n, str(i)) for i, n in enumerate(counts)], Budget(max_blocks=2))
    assert said == [
        "BLOCK red",
        "BLOCK red",
        "BLOCK free red",
        "BLOCK free red",
        "RELEASED_RED budget",
        "RELEASED_RED budget",
    ]
    said = rulings([run_of(RED, n, str(i)) for i, n in enumerate([9, 9, 5])], Budget(max_blocks=1))
    assert said == ["BLOCK red", "RELEASED_RED budget", "RELEASED_RED budget"]


@pytest.mark.parametrize("verdict", [TIMEOUT, CANNOT_RUN, NO_TESTS])
def test_a_check_that_cannot_decide_blocks_twice_in_a_row(verdict: str) -> None:
    word = verdict.lower()
    said = rulings([run_of(verdict, content=str(n)) for n in range(3)] + [run_of(RED, content="x"), run_of(verdict)])
    assert said == [f"BLOCK {word}", f"BLOCK {word}", f"RELEASED_RED {word}", "BLOCK red", f"BLOCK {word}"]


def test_the_first_release_is_told_in_full_and_the_next_is_not() -> None:
    state = budget.fresh()
    firsts = []
    for n in range(4):
        state, ruling = budget.rule_red(state, run_of(RED, content=str(n)), Budget(max_blocks=2))
        firsts.append(ruling.first)
    assert firsts == [False, False, True, False]


@pytest.mark.parametrize(
    "data",
    [None, [], {}, {"v": 99}, {**budget.fresh(), "charged": -1}, {**budget.fresh(), "charged": "3"},
     {**budget.fresh(), "charged": True}, {**budget.fresh(), "ids": None}, {**budget.fresh(), "lowest": "x"}],
)  # fmt: skip
def test_foreign_data_is_no_state(data: object) -> None:
    assert not budget.valid(data)
