"""What node:test printed in three versions of Node, and what must be read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.node import ENDED_EARLY, matches, parse
from tests.check.evidence.recorded import Row, compare, output, read, rows, untold

RED = ["adds", "parent > child", "a suite > throws", "a suite > rejects", "hooks > never", "hooks"]


def versions(cases: str, *numbers: int) -> str:
    """The recorded names of cases in these versions of Node."""
    return " ".join(f"{number}-{case}" for case in cases.split() for number in numbers or (20, 22, 24))


ROWS = [
    *rows(versions("green green-spec green-tap"), 7, 0, 0, 1, 1),
    *rows(versions("red red-spec red-tap"), 2, 6, 0, 1, ids=RED, says="the sum is wrong"),
    *rows("20-import-error", 1, 1, ids=["/project/a.test.js"], says="Cannot find module './missing'"),
    *rows(versions("import-error", 22, 24), 1, 1, ids=["a.test.js"], says="Cannot find module './missing'"),
    *rows("20-syntax-error", 0, 1, ids=["/project/a.test.js"], says="SyntaxError: Unexpected token ';'"),
    *rows(versions("syntax-error", 22, 24), 0, 1, ids=["a.test.js"], says="SyntaxError: Unexpected token ';'"),
    *rows("20-crash", 0, 1, ids=["/project/a.test.js"], says="SIGSEGV"),
    *rows("22-crash", 0, 1, ids=["a.test.js"], says="SIGSEGV"),
    *rows("24-crash", 0, 1, ids=["a.test.js"], says="test failed"),
    *rows(versions("empty"), 0, 0, nothing=True),
    *rows(versions("no-tests-inside exit-half"), 1, 0),
    *rows(versions("talk"), 2, 0),
    *rows(versions("plain"), 1, 1, ids=["fails"], says="not true"),
    *rows("20-pattern", 0, 0, 0, 7),
    *rows(versions("pattern", 22, 24), 2, 0),
    *rows(versions("green-dot red-dot only-missing plain-exit")),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_a_recording_is_read(row: Row) -> None:
    compare(read("node", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("node", ROWS) == set()


@pytest.mark.parametrize("case", versions("red red-spec").split())
def test_every_test_has_its_status(case: str) -> None:
    evidence = read("node", case)
    assert evidence is not None
    assert evidence.complete
    assert evidence.statuses["parent > good child"] == "passed"
    assert evidence.statuses["skipped"] == "skipped"
    assert evidence.statuses["a suite > throws"] == "failed"


@pytest.mark.parametrize("case", versions("green green-spec").split())
def test_a_todo_that_fails_is_no_failure(case: str) -> None:
    evidence = read("node", case)
    assert evidence is not None
    assert evidence.statuses["later"] == "xfailed"
    assert "failed" not in evidence.statuses.values()


def test_a_broken_hook_is_told_with_its_own_words() -> None:
    for case in versions("red red-spec").split():
        evidence = read("node", case)
        assert evidence is not None
        assert "hook is broken" in evidence.failures[-1].text


def test_lines_that_a_test_prints_do_not_become_results() -> None:
    evidence = read("node", "24-talk")
    assert evidence is not None
    assert "failed" not in evidence.statuses.values()


def test_a_stream_that_breaks_off_is_an_error() -> None:
    text = output("node", "22-green")
    evidence = parse(text[: text.index("# Subtest: parent")])
    assert evidence is not None
    assert [failure.id for failure in evidence.failures] == [ENDED_EARLY]
    again = parse(text + text[: text.index("# Subtest: parent")])
    assert again is not None
    assert again.failing == 1


def test_the_counts_of_node_18() -> None:
    evidence = parse(
        "TAP version 13\nok 1 - a\n1..1\n# tests 1\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n"
    )
    assert evidence is not None
    assert (evidence.passed, evidence.failed) == (1, 0)


def test_counts_need_each_other() -> None:
    assert parse("# fail 2\n") is None
    assert parse("ℹ tests 2\nsomething\nℹ pass 0\nℹ fail 2\n") is None


def test_what_names_it() -> None:
    assert matches(["node", "--test"])
    assert matches(["tsx", "--test", "a.ts"])
    assert not matches(["node", "run.js"])
