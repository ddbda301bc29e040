"""E2: the rules in exactly this order; cases 39 and 40."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_hooks.evolve.iteration import TROUBLES, Iteration
from ralph_hooks.evolve.qa import QA
from ralph_hooks.evolve.stop_rules import Ending, Limits, Next, cycle_note, decide
from tests.support.properties import patient

PASSED = QA(passed=True, verdict="pass", score=1.0, pass_threshold=1.0)
REFUSED = QA(passed=False, verdict="fail", score=0.5, pass_threshold=1.0, differences=["tests: fails"])


def it(generation: int = 1, **keys: Any) -> Iteration:
    return Iteration(generation=generation, **keys)


def row(*hashes: str | None, qa: QA | None = REFUSED) -> list[Iteration]:
    return [it(n, findings_hash=one, qa=qa) for n, one in enumerate(hashes, 1)]


def grades(*values: float | None) -> list[Iteration]:
    return [it(n, grade=one, qa=REFUSED) for n, one in enumerate(values, 1)]


SAME = "the same findings 3 generations in a row"
FELL = Ending("failed", "grade_regressing", "grades fell: 0.900, 0.800")
PASS = Ending("completed", "qa passed")
LIMIT = "max_generations reached"
SKIP = Limits(max_generations=1, skip_qa=True)
TEN = Limits(max_generations=10)
ONE = Limits(max_generations=1)
TABLE: list[tuple[str, list[Iteration], Limits, Ending | Next]] = [
    ("budget", [it(trouble="wall_clock_exhausted", launched=False)], TEN, Ending("failed", "wall_clock_exhausted")),
    ("timeout", [it(trouble="iteration_timeout", detail="d")], TEN, Ending("failed", "iteration_timeout", "d")),
    ("step error", [it(trouble="step_error", detail="Timeout")], TEN, Ending("failed", "step_error", "Timeout")),
    ("gate", [it(trouble="gate_error", qa=PASSED)], TEN, Ending("failed", "gate_error")),
    ("cancelled beats a pass", [it(trouble="cancelled", qa=PASSED)], TEN, Ending("cancelled", "cancelled")),
    ("a pass beats any action", [it(action="stagnated", qa=PASSED)], TEN, PASS),
    ("a pass beats a dead agent", [it(action="failed", qa=PASSED)], TEN, PASS),
    ("a pass beats oscillation", [*row("a", "a"), it(3, findings_hash="a", qa=PASSED)], TEN, PASS),
    ("converged without QA", [it(action="converged")], TEN, Ending("completed", "converged")),
    ("converged, refuted", [it(action="converged", qa=REFUSED)], TEN, Ending("failed", "qa_failed", "tests: fails")),
    *[
        (f"action {name}", [it(action=name, qa=REFUSED)], TEN, Ending("failed", name))
        for name in ("failed", "interrupted", "exhausted", "stagnated")
    ],
    ("stable plan", [it(execute=False, action="ontology_stable")], TEN, Next(execute=True)),
    (
        "stable plan on the last",
        [it(execute=False, action="ontology_stable")],
        ONE,
        Ending("failed", "ontology_stable", "the plan is stable, but no generation is left to execute it"),
    ),
    ("planning goes on", [it(execute=False)], TEN, Next(execute=False)),
    ("oscillation", row("a", "a", "a"), TEN, Ending("failed", "oscillation_detected", SAME)),
    ("two are not three", row("b", "a", "a"), TEN, Next(execute=True)),
    ("none never oscillates", row(None, None, None), TEN, Next(execute=True)),
    (
        "oscillation before grade",
        [it(n, findings_hash="a", grade=1 - n / 10, qa=REFUSED) for n in (1, 2, 3)],
        Limits(max_generations=10, grade_regression_window=3),
        Ending("failed", "oscillation_detected", SAME),
    ),
    (
        "oscillation wins over the limit",
        row("a", "a", "a"),
        Limits(max_generations=3),
        Ending("failed", "oscillation_detected", SAME),
    ),
    ("a cycle goes on", row("a", "b", "a", "b"), TEN, Next(execute=True)),
    (
        "a cycle stops when asked",
        row("a", "b", "a", "b"),
        Limits(max_generations=10, stop_on_cycle=True),
        Ending("failed", "oscillation_detected", "the findings repeat with period 2"),
    ),
    ("grades fall", grades(0.9, 0.8), TEN, FELL),
    ("equal grades", grades(0.8, 0.8), TEN, Next(execute=True)),
    ("none resets", grades(0.9, None, 0.8), TEN, Next(execute=True)),
    ("window of three", grades(0.9, 0.8), Limits(max_generations=10, grade_regression_window=3), Next(execute=True)),
    ("grade before limit", grades(0.9, 0.8), Limits(max_generations=2), FELL),
    ("limit, red", [it(qa=REFUSED)], ONE, Ending("failed", LIMIT, "tests: fails")),
    ("limit, skipped", [it()], SKIP, Ending("completed", LIMIT)),
    ("limit, only planned", [it(execute=False)], ONE, Ending("failed", LIMIT)),
    ("on it goes", [it(qa=REFUSED)], TEN, Next(execute=True)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "iterations", "limits", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_rule(name: str, iterations: list[Iteration], limits: Limits, expected: Ending | Next) -> None:
    assert decide(iterations, limits) == expected


def test_a_cycle_is_named() -> None:
    assert cycle_note(row("a", "b", "c", "a", "b", "c")) == "the findings repeat with period 3"
    assert cycle_note(row("a", "a", "a", "a")) == ""
    assert cycle_note(row("a", None, "a", None)) == ""


ITERATIONS = st.lists(
    st.builds(
        Iteration,
        generation=st.integers(1, 10),
        execute=st.booleans(),
        action=st.sampled_from(
            ["continue", "converged", "stagnated", "failed", "interrupted", "exhausted", "ontology_stable"]
        ),
        trouble=st.sampled_from(["", *TROUBLES]),
        qa=st.sampled_from([None, PASSED, REFUSED]),
        findings_hash=st.sampled_from([None, "a", "b"]),
        grade=st.sampled_from([None, 0.0, 0.5, 1.0]),
    ),
    min_size=1,
    max_size=10,
)


@patient
@given(ITERATIONS, st.integers(1, 10), st.booleans())
def test_a_job_always_ends_at_its_limit_and_never_completes_on_red(
    iterations: list[Iteration], most: int, skip_qa: bool
) -> None:
    found = decide(iterations, Limits(max_generations=most, skip_qa=skip_qa))
    if len(iterations) >= most:
        assert isinstance(found, Ending)
    if isinstance(found, Ending) and found.status == "completed":
        last = iterations[-1]
        assert last.trouble == ""
        assert (last.qa is not None and last.qa.passed) or last.action == "converged" or skip_qa
        assert last.qa is not REFUSED or skip_qa


def test_iterations_survive_json() -> None:
    one = it(2, qa=REFUSED, failing=["a"], commits=[{"commit": "x"}])
    assert Iteration.from_json({**one.to_json(), "of a newer version": 1}) == one
