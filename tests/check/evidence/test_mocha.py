"""What mocha 10 and 12 printed, and what must be read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.mocha import matches, parse
from tests.check.evidence.recorded import Row, compare, output, read, rows, untold

RED = [
    "adds",
    "a suite > compares: deeply",
    "a suite > inner > throws",
    "a suite > inner > times out",
    'hooks > "before all" hook for "never"',
    'each > "after each" hook for "first"',
]


def both(cases: str) -> str:
    """The recorded names of cases in both versions."""
    return " ".join(f"{case} 10-{case}" for case in cases.split())


ROWS = [
    *rows(both("green green-dot dry-run"), 5, 0, 0, 2),
    *rows(
        both("red red-dot red-min red-list red-nyan red-colour red-parallel no-diff full-trace swallow"),
        *(2, 6, 0, 1),
        ids=RED,
        says="the sum is wrong",
    ),
    *rows(both("red-bail"), 1, 1, ids=["adds"], says="2 !== 3"),
    *rows(both("import-error"), 0, 0, 1, ids=["Error: Cannot find module './missing'"], says="Require stack"),
    *rows(both("empty empty-pass fail-zero no-tests-inside grep-empty"), 0, 0, nothing=True),
    *rows(both("talk"), 3, 0),
    *rows(both("crash exit-half red-tap")),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_a_recording_is_read(row: Row) -> None:
    compare(read("mocha", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("mocha", ROWS) == set()


def test_the_spec_reporter_gives_every_status() -> None:
    evidence = read("mocha", "green")
    assert evidence is not None
    assert evidence.complete
    assert evidence.statuses["a suite > inner > is slow"] == "passed"
    assert evidence.statuses["later"] == "skipped"
    assert len(evidence.statuses) == 7


def test_lines_that_a_test_prints_leave_the_statuses_out() -> None:
    evidence = read("mocha", "red")
    assert evidence is not None
    assert set(evidence.statuses) <= {*RED, "ok", "skipped", "each > first"}


def test_a_numbered_line_in_a_message_opens_no_failure() -> None:
    text = output("mocha", "red-bail") + "\n  1) a suite\n       other:\n"
    evidence = parse(text)
    assert evidence is not None
    assert [failure.id for failure in evidence.failures] == ["adds"]


def test_counts_in_the_middle_of_a_report_are_none() -> None:
    assert parse("ok 1 adds\n  1 passing (2ms)\n  2 failing\n") is None


def test_what_names_it() -> None:
    assert matches(["mocha"])
    assert matches(["_mocha"])
    assert not matches(["chai"])
