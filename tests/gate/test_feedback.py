"""What the agent is told: never over the limit, never a cut without a word, never slow (G18)."""

from __future__ import annotations

import time

import pytest

from ralph_hooks.check.verdict import RED, CheckResult, Evidence, Failure, Run
from ralph_hooks.gate.feedback import Attempt, feedback
from ralph_hooks.plan.config import Feedback


def red(ids: list[str], *, why: str = "", text: str = "", tail: bytes = b"") -> Run:
    run = Run("run", 0.0)
    check = CheckResult("tests", RED, why)
    check.evidence = Evidence("pytest", passed=1, failed=len(ids), failures=[Failure(one, text) for one in ids])
    check.tail = tail
    check.log, check.log_bytes = "/state/logs/run/tests.log", len(tail)
    run.checks = [check]
    return run


def test_thousands_of_failures_are_compared_at_once() -> None:
    now = [f"tests/test_{n}.py::test" for n in range(30_000)]
    begin = time.monotonic()
    text = feedback(red(now), Attempt(2, 20, [*now[5:], "gone"]), Feedback())
    assert time.monotonic() - begin < 3
    assert "newly failing since the last stop: tests/test_0.py::test" in text
    assert "fixed since the last stop: gone" in text
    assert "+29980 more failing" in text


@pytest.mark.parametrize("most", [1000, 8000, 50_000])
@pytest.mark.parametrize(
    "run",
    [
        red(["a"], why="w" * 100_000),
        red(["i" * 5000 for _ in range(500)]),
        red(["a"], text="t" * 100_000),
        red(["a"], text="`" * 100_000, tail=b"`" * 100_000),
        red(["a"], tail=b"x\n" * 100_000),
        red(["a"], tail=b"x" * 200_000),
        red(["a" * 300] * 30, why="w" * 300, text="t\n" * 5000, tail=b"line\n" * 5000),
    ],
    ids=["why", "ids", "failure", "fences", "lines", "line", "all"],
)
def test_it_stays_within_its_limit_and_says_what_it_left_out(run: Run, most: int) -> None:
    notes = ["note " * 400, "The check's definition changed: x. Only a person can accept that: `ralph-hooks seal`."]
    text = feedback(run, Attempt(1, 20, []), Feedback(max_chars=most), notes)
    assert len(text) <= most
    assert text.startswith("ralph-hooks: the suite is still failing (attempt 1/20).\nFix the first failure")
    assert "Do not edit, skip or delete tests" in text
    assert "left out" in text or "last 40 lines" in text
    assert "full log (" in text and text.rstrip().endswith("/state/logs/run/tests.log")


def test_where_all_fits_nothing_is_left_out() -> None:
    text = feedback(red(["a", "b"], text="E  assert 1 == 2", tail=b"2 failed\n"), Attempt(1, 20, []), Feedback())
    assert "left out" not in text
    assert "First failure, `a`" in text and "E  assert 1 == 2" in text and "last 1 lines of output" in text
