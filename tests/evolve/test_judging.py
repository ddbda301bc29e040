"""E3 QA, E4 actions, E5 findings, E6 grades."""

from __future__ import annotations

import math

import pytest

from ralph_hooks.evolve import findings, grade
from ralph_hooks.evolve.actions import Facts, action
from ralph_hooks.evolve.findings import Finding, findings_hash
from ralph_hooks.evolve.qa import Outcome, assess, cannot_run, counted_tests, findings_of, passes


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"verdict": "pass", "score": 1.0}, True),
        ({"verdict": "pass"}, True),
        ({"verdict": "pass", "score": None, "passed": True}, True),
        ({"verdict": "pass", "score": 0.1}, False),
        ({"verdict": "pass", "score": math.nan}, False),
        ({"verdict": "pass", "score": math.inf}, False),
        ({"verdict": "pass", "score": 1.2}, False),
        ({"verdict": "pass", "score": True}, False),
        ({"verdict": "pass", "score": "1.0"}, False),
        ({"verdict": "pass", "score": 1.0, "passed": False}, False),
        ({"verdict": "pass", "score": 1.0, "passed": "true"}, False),
        ({"verdict": "PASS", "score": 1.0}, False),
        ({"verdict": "fail", "score": 1.0, "passed": True}, False),
        ({"passed": True, "score": 1.0}, False),
        ({}, False),
    ],
)
def test_case_39_numbers_that_contradict_the_verdict(answer: dict[str, object], expected: bool) -> None:
    assert passes(answer, 0.8) is expected


GREEN = Outcome(name="tests", verdict="GREEN", passed=4, total=4)
RED = Outcome(name="tests", verdict="RED", passed=3, total=4, findings=(Finding("t::a", "AssertionError"),))


def test_green_checks_and_criteria_pass() -> None:
    qa = assess([GREEN, Outcome(name="AC-1", verdict="GREEN", criterion=True)], 1.0)
    assert (qa.passed, qa.verdict, qa.score) == (True, "pass", 1.0)


def test_a_failing_criterion_lowers_the_score() -> None:
    qa = assess([GREEN, Outcome(name="AC-1", verdict="RED", criterion=True, why="exit 1")], 0.5)
    assert (qa.passed, qa.verdict, qa.score) == (False, "fail", 0.8)
    assert qa.differences == ["AC-1: fails (exit 1)"]


def test_without_counts_there_is_no_score() -> None:
    assert assess([Outcome(name="make", verdict="GREEN")], 1.0).score is None
    assert assess([Outcome(name="make", verdict="GREEN")], 1.0).passed


def test_nothing_checked_is_no_pass() -> None:
    qa = assess([], 0.0)
    assert not qa.passed
    assert qa.differences == ["nothing was checked"]


def test_timeout_and_no_tests_have_their_own_finding() -> None:
    outcomes = [Outcome(name="slow", verdict="TIMEOUT"), Outcome(name="none", verdict="NO_TESTS", passed=0, total=0)]
    qa = assess(outcomes, 1.0)
    assert qa.differences == ["slow: did not finish in time", "none: ran no tests"]
    assert findings_of(outcomes) == [Finding("slow", "TIMEOUT"), Finding("none", "NO_TESTS")]
    assert len(qa.suggestions) == 2


def test_long_lists_of_failures_are_cut_and_counted() -> None:
    many = tuple(Finding(f"t{n}") for n in range(25))
    assert assess([Outcome(name="tests", verdict="RED", findings=many)], 1.0).differences[0].endswith("t19 (+5 more)")


def test_only_the_projects_own_checks_are_a_gate_error() -> None:
    missing = Outcome(name="AC-1", verdict="CANNOT_RUN", criterion=True)
    assert cannot_run([GREEN, missing]) == ""
    assert cannot_run([Outcome(name="tests", verdict="CANNOT_RUN", why="`pytest` is missing")]) == (
        "tests: `pytest` is missing"
    )


def test_the_number_of_tests() -> None:
    assert counted_tests([GREEN, RED]) == 8
    assert counted_tests([GREEN, Outcome(name="make", verdict="GREEN")]) is None
    assert counted_tests([]) is None


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (Facts(changed=False, green=True), "converged"),
        (Facts(changed=False, green=False), "stagnated"),
        (Facts(changed=True, green=True), "continue"),
        (Facts(changed=True, green=False), "continue"),
        (Facts(changed=False), "converged"),
        (Facts(changed=True), "continue"),
        (Facts(changed=True, green=True, died=True), "failed"),
        (Facts(changed=True, died=True, killed=True), "interrupted"),
        (Facts(changed=True, over_cap=True, killed=True), "exhausted"),
        (Facts(changed=False, planning=True), "ontology_stable"),
        (Facts(changed=True, planning=True), "continue"),
    ],
)
def test_action(facts: Facts, expected: str) -> None:
    assert action(facts) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/a.py::t - took 1.25s", "tests/a.py::t - took 7.5s"),
        ("<Foo object at 0x7f00aa>", "<Foo object at 0x12bb>"),
        ("/tmp/pytest-1/x.py::t", "/home/me/x.py::t"),
        ("failed at 2026-01-01T10:00:00Z", "failed at 2027-02-03T11:12:13.5Z"),
    ],
)
def test_the_hash_is_free_of_times_paths_and_addresses(one: str, other: str) -> None:
    assert findings_hash([Finding(one)]) == findings_hash([Finding(other)])


def test_the_hash_knows_ids_and_classes_but_no_order() -> None:
    a, b = Finding("a", "ValueError"), Finding("b", "KeyError")
    assert findings_hash([a, b]) == findings_hash([b, a]) == findings_hash([b, a, a])
    assert len({findings_hash([a]), findings_hash([b]), findings_hash([Finding("a", "KeyError")])}) == 3
    assert findings_hash([]) is None


def test_case_40_empty_findings_never_oscillate() -> None:
    assert not findings.oscillating([None, None, None], 3)
    assert findings.oscillating(["x", "a", "a", "a"], 3)
    assert not findings.oscillating(["a", "a"], 3)


def test_the_error_class_is_the_last_one_named() -> None:
    text = "Traceback\n  ValueError: x\nDuring handling:\npkg.errors.TypeError: y"
    assert findings.error_class(text) == "TypeError"
    assert findings.error_class("plain", "RED") == "RED"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("A", 1.0),
        ("b", 0.75),
        ("F", 0.0),
        ("E", None),
        (0.5, 0.5),
        (1, 1.0),
        (True, None),
        (1.1, None),
        (math.nan, None),
    ],
)
def test_grades(value: object, expected: float | None) -> None:
    assert grade.value(value) == expected


@pytest.mark.parametrize(
    ("row", "window", "expected"),
    [
        (["A", "B"], 2, True),
        (["B", 0.75], 2, False),
        ([1.0, 0.5, None, 0.25], 2, False),
        ([0.9, 0.8, 0.7], 3, True),
        ([0.8, 0.9, 0.7], 3, False),
        ([0.9], 2, False),
    ],
)
def test_regression(row: list[object], window: int, expected: bool) -> None:
    assert grade.regressing(row, window) is expected


def test_fewer_tests_are_no_better_grade() -> None:
    assert grade.honest(1.0, 3, 5) == (None, "the number of tests fell from 5 to 3, so this generation has no grade")
    assert grade.honest(1.0, 5, 5) == (1.0, "")
    assert grade.honest(0.5, None, 5) == (0.5, "")
