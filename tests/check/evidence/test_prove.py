"""prove: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.prove import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row("green", passed=3, failed=0),
    Row("talks", passed=6, failed=0),
    Row("verbose", passed=6, failed=0),
    Row(
        "red",
        passed=6,
        failed=3,
        errors=4,
        ids=[
            "bad/compile.t",
            "bad/dies.t",
            "bad/kill.t",
            "bad/plan.t",
            "bad/price.t: the price",
            "bad/price.t: no name # here",
            "bad/price.t: inner",
        ],
        says="Can't locate Nowhere/AtAll.pm in @INC (you may need to insta",
    ),
    Row(
        "verbose-red",
        passed=1,
        failed=3,
        ids=["bad/price.t: the price", "bad/price.t: no name # here", "bad/price.t: inner"],
        says="got: '9'",
    ),
    Row(
        "quiet-red",
        passed=1,
        failed=3,
        ids=["bad/price.t: the price", "bad/price.t: no name # here", "bad/price.t: inner"],
        says="got: '9'",
    ),
    Row("skipped", passed=0, failed=0, skipped=1, nothing=True),
    Row("nothing", passed=0, failed=0, skipped=2, nothing=True),
    Row("nowhere", passed=0, failed=0, nothing=True),
    Row(
        "parallel",
        passed=7,
        failed=3,
        ids=["bad/price.t: the price", "bad/price.t: no name # here", "bad/price.t: inner"],
        says="got: '9'",
    ),
    Row(
        "merge",
        passed=7,
        failed=3,
        ids=["bad/price.t: 2", "bad/price.t: 3", "bad/price.t: 4"],
        says="Non-zero exit status: 3",
    ),
    Row("very-quiet", passed=6, failed=0),
    Row("partly-skipped", passed=6, failed=0, skipped=1),
    Row("todo-passed", passed=1, failed=0),
    Row("killed", passed=1, failed=0, errors=1, ids=["bad/kill.t"], says="Non-zero wait status: 9"),
    Row("twice", passed=3, failed=0),
    Row(
        "failures",
        passed=1,
        failed=3,
        ids=["bad/price.t: the price", "bad/price.t: no name # here", "bad/price.t: inner"],
        says="got: '9'",
    ),
    Row(
        "comments",
        passed=7,
        failed=3,
        ids=["bad/price.t: the price", "bad/price.t: no name # here", "bad/price.t: inner"],
        says="got: '9'",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("prove", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("prove", ROWS) == set()


@pytest.mark.parametrize("command", ["prove", "prove -lr t"])
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize("command", ["perl t/a.t", "prove -D t", "", "echo prove"])
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
