"""CTest: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.ctest import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "red",
        passed=4,
        failed=6,
        skipped=2,
        ids=["price", "hangs", "crashes", "missing", "setup", "needs_db"],
        says="Failed",
    ),
    Row(
        "output",
        passed=4,
        failed=6,
        skipped=2,
        ids=["price", "hangs", "crashes", "missing", "setup", "needs_db"],
        says="got 9, want 10",
    ),
    Row("verbose-talks", passed=1, failed=0),
    Row(
        "verbose",
        passed=4,
        failed=5,
        skipped=2,
        ids=["price", "crashes", "missing", "setup", "needs_db"],
        says="got 9, want 10",
    ),
    Row("green", passed=3, failed=0),
    Row("talks", passed=1, failed=0),
    Row("nothing", passed=0, failed=0, nothing=True),
    Row("nothing-error", passed=0, failed=0, nothing=True),
    Row("disabled-only", passed=0, failed=0, skipped=1, nothing=True),
    Row("skipped-only", passed=0, failed=0, skipped=1),
    Row("parallel", passed=1, failed=1, ids=["price"], says="Failed"),
    Row("quiet"),
    Row("repeat", passed=1, failed=1, ids=["price"], says="Failed"),
    Row("stop", passed=1, failed=1, ids=["price"], says="Failed"),
    Row("list"),
    Row("twice", passed=1, failed=0),
    Row("test-dir", passed=0, failed=1, ids=["price"], says="Failed"),
    Row("dashboard", passed=1, failed=1, ids=["price"], says="Failed"),
    Row("no-tests-in-project", passed=0, failed=0, nothing=True),
    Row("no-configuration"),
    Row(
        "odd",
        passed=1,
        failed=5,
        ids=[
            "paren (a) b",
            "a.very.long.name.that.goes.on.and.on.and.on.and.on.and.on.and.on.and.on.for.ever.and.ever.and",
            "talk",
            "abort",
            "regex",
        ],
        says="Failed",
    ),
    Row(
        "odd-output",
        passed=1,
        failed=5,
        ids=[
            "paren (a) b",
            "a.very.long.name.that.goes.on.and.on.and.on.and.on.and.on.and.on.and.on.for.ever.and.ever.and",
            "talk",
            "abort",
            "regex",
        ],
        says="Failed",
    ),
    Row(
        "odd-parallel",
        passed=1,
        failed=5,
        ids=[
            "paren (a) b",
            "a.very.long.name.that.goes.on.and.on.and.on.and.on.and.on.and.on.and.on.for.ever.and.ever.and",
            "talk",
            "abort",
            "regex",
        ],
        says="Failed",
    ),
    Row(
        "odd-verbose",
        passed=1,
        failed=5,
        ids=[
            "paren (a) b",
            "a.very.long.name.that.goes.on.and.on.and.on.and.on.and.on.and.on.and.on.for.ever.and.ever.and",
            "talk",
            "abort",
            "regex",
        ],
        says="Failed",
    ),
    Row("make-test", passed=0, failed=1, ids=["price"], says="Failed"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("ctest", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("ctest", ROWS) == set()


@pytest.mark.parametrize("command", ["ctest", "ctest --test-dir build --output-on-failure"])
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize("command", ["ctest -N", "cmake --build build", "make test", "", "echo ctest"])
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
