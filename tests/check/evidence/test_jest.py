"""What jest 29 and 30 printed, and what must be read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.jest import matches, parse
from ralph_hooks.check.verdict import Evidence
from tests.check.evidence.recorded import Row, compare, output, read, rows, untold

RED = [
    "a.test.js › adds",
    "a.test.js › a suite › compares › deeply",
    "a.test.js › a suite › inner › throws",
    "a.test.js › a suite › inner › times out",
    "a.test.js › fixed",
    "b.test.js › never",
    "b.test.js › neither",
]


def both(cases: str) -> str:
    """The recorded names of cases in both versions."""
    return " ".join(f"{case} 29-{case}" for case in cases.split())


ROWS = [
    *rows(both("green green-verbose coverage red-coverage-threshold"), 6, 0, 0, 2),
    *rows(
        both("red red-verbose red-silent red-noStackTrace red-colour github json"),
        *(2, 7, 0, 1),
        ids=RED,
        says="Expected: 3",
    ),
    *rows(both("red-verbose-one red-bail"), 1, 5, 0, 1, ids=RED[:5], says="Received: 2"),
    *rows(both("red-summary-only"), 2, 7, 0, 1),
    *rows(
        both("import-error"),
        1,
        0,
        3,
        ids=["a.test.js", "d.test.js", "c.test.js"],
        says="Cannot find module './missing'",
    ),
    *rows(both("empty empty-pass pattern-empty"), 0, 0, nothing=True),
    *rows(both("name-empty"), 0, 0, 0, 8),
    *rows(both("talk"), 2, 0),
    *rows(both("exit-half exit-half-one"), 0, 0, 1, ids=["process.exit"], says='process.exit called with "0"'),
    *rows(both("snapshot"), 0, 2, ids=["a.test.js › obsolete", "a.test.js › inline"], says="toMatchSnapshot"),
    *rows(both("projects"), 1, 2, ids=["api api/a.test.js › red", "web web/a.test.js › same name"], says="toContain"),
    *rows(both("crash bad-option list")),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_a_recording_is_read(row: Row) -> None:
    compare(_in_order(row), row)


def _in_order(row: Row) -> Evidence | None:
    """Files run side by side: jest prints them in any order."""
    evidence = read("jest", row.case)
    if evidence is not None and sorted(failure.id for failure in evidence.failures) == sorted(row.ids):
        evidence.failures.sort(key=lambda failure: row.ids.index(failure.id))
    return evidence


def test_every_recording_has_its_row() -> None:
    assert untold("jest", ROWS) == set()


@pytest.mark.parametrize("case", both("red-verbose").split())
def test_a_verbose_run_gives_every_status(case: str) -> None:
    evidence = read("jest", case)
    assert evidence is not None
    assert evidence.complete
    assert evidence.statuses["a.test.js › ok"] == "passed"
    assert evidence.statuses["a.test.js › skipped"] == "skipped"
    assert evidence.statuses["a.test.js › a suite › inner › throws"] == "failed"
    assert len(evidence.statuses) == 10


def test_console_output_is_no_failure() -> None:
    evidence = read("jest", "red")
    assert evidence is not None
    assert not [failure.id for failure in evidence.failures if failure.id.endswith("Console")]


def test_part_of_a_summary_is_none() -> None:
    assert parse("Test Suites: 1 failed, 1 total\nTests:       2 failed, 3 total\n") is None
    assert parse("Tests:       2 failed, 3 total\nSnapshots:   0 total\nTime:        1 s\n") is None


def test_a_second_package_counts_alone() -> None:
    evidence = parse(output("jest", "red") + output("jest", "green"))
    assert evidence is not None
    assert (evidence.passed, evidence.failing, evidence.failures) == (6, 0, [])


def test_suites_that_did_not_run_count_without_their_sections() -> None:
    text = output("jest", "import-error")
    evidence = parse(text[text.index("Test Suites:") :])
    assert evidence is not None
    assert (evidence.failed, evidence.errors) == (0, 3)


def test_what_names_it() -> None:
    assert matches(["jest", "--ci"])
    assert matches(["react-scripts", "test"])
    assert not matches(["react-scripts", "build"])
    assert not matches(["ts-jest"])
