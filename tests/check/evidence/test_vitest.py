"""What vitest 1, 3 and 5 printed, and what must be read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.vitest import ENDED_EARLY, UNHANDLED, matches, parse
from tests.check.evidence.recorded import Row, compare, output, read, rows, untold

RED = [
    "b.test.js",
    "a.test.js > adds",
    "a.test.js > a suite > compares > deeply",
    "a.test.js > a suite > inner > throws",
    "a.test.js > a suite > inner > times out",
    "a.test.js > fixed",
]


def versions(cases: str, *names: str) -> str:
    """The recorded names of cases in these versions."""
    return " ".join(name + case for case in cases.split() for name in names or ("", "3-", "1-"))


ROWS = [
    *rows("green green-verbose", 5, 0, 0, 2, 1),
    *rows(versions("green green-verbose basic", "3-", "1-"), 6, 0, 0, 2),
    *rows(versions("red red-verbose red-dot red-colour github", "", "3-"), 2, 5, 1, 3, ids=RED, says="hook is broken"),
    *rows(versions("red red-verbose red-dot red-colour github", "1-"), 2, 5, 1, 1, ids=RED, says="hook is broken"),
    *rows(versions("red-bail"), 1, 1, 0, 1, ids=["a.test.js > adds"], says="expected 2 to be 3"),
    *rows(versions("import-error"), 1, 0, 3, ids=["a.test.js", "c.test.js", "d.test.js"], says="missing.js"),
    *rows(versions("empty empty-pass pattern-empty"), 0, 0, nothing=True),
    *rows(versions("name-empty"), 0, 0, 0, 8),
    *rows(versions("talk"), 2, 0),
    *rows(versions("exit-half"), 1, 1, ids=["a.test.js > exits"], says="process.exit unexpectedly called"),
    *rows("crash", 1, 0, ids=[UNHANDLED], says="signal SIGSEGV"),
    *rows("3-crash 1-crash", 0, 0, 1, ids=[ENDED_EARLY], says="RUN  v"),
    *rows(versions("unhandled unhandled-ignored"), 1, 0, ids=[UNHANDLED], says="nobody catches this"),
    *rows(versions("bad-option json red-tap")),
    *rows("basic"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_a_recording_is_read(row: Row) -> None:
    compare(read("vitest", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("vitest", ROWS) == set()


@pytest.mark.parametrize("case", ["red-verbose", "3-red-verbose"])
def test_a_verbose_run_gives_every_status(case: str) -> None:
    evidence = read("vitest", case)
    assert evidence is not None
    assert evidence.complete
    assert evidence.statuses["a.test.js > ok"] == "passed"
    assert evidence.statuses["b.test.js > never"] == "skipped"
    assert evidence.statuses["a.test.js > a suite > inner > throws"] == "failed"


def test_an_error_that_no_test_caught_is_told_but_not_counted() -> None:
    """vitest itself decides by an option whether it fails the run; the exit code carries that."""
    evidence = read("vitest", "unhandled-ignored")
    assert evidence is not None
    assert evidence.failing == 0


def test_tests_that_fail_alike_share_a_section() -> None:
    text = output("vitest", "red-bail").replace(
        " FAIL  a.test.js > adds\n", " FAIL  a.test.js > one\n FAIL  a.test.js > two\n"
    )
    evidence = parse(text)
    assert evidence is not None
    assert [failure.id for failure in evidence.failures] == ["a.test.js > one", "a.test.js > two"]
    assert evidence.failures[0].text == evidence.failures[1].text


def test_a_second_package_counts_alone() -> None:
    evidence = parse(output("vitest", "red") + output("vitest", "green"))
    assert evidence is not None
    assert (evidence.passed, evidence.failing, evidence.failures) == (5, 0, [])


def test_a_line_of_the_table_alone_is_none() -> None:
    assert parse(" Test Files  1 failed (1)\n      Tests  2 failed | 3 passed (5)\n") is None


def test_what_names_it() -> None:
    assert matches(["vitest", "run"])
    assert matches(["vitest"])
    assert not matches(["vitest", "bench"])
