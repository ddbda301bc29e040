"""What producers of TAP printed (tape, bats, tap), and what must be read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.tap import matches, parse
from tests.check.evidence.recorded import Row, compare, output, read, rows, untold

BATS = ["the sum", "missing program"]
ROWS = [
    *rows("tape-green tape-both", 2, 0, xfailed=1),
    *rows(
        "tape-red", 2, 3, ids=["the sum is right", "should be deeply equivalent", "plan != count"], says="expected: 3"
    ),
    *rows("tape-empty bats-empty", 0, 0, nothing=True),
    *rows("tape-throws", 1, 0, 1, ids=["TAP plan"], says="Error: boom"),
    *rows("tape-missing"),
    *rows("bats-green", 2, 0, 0, 1),
    *rows("bats-red bats-tap13", 1, 2, ids=BATS, says="[ $((1 + 1)) -eq 3 ]' failed"),
    *rows("bats-tap", 3, 2, 0, 1, ids=BATS, says="2 failed, 1 passed"),
    *rows("bats-broken", 0, 1, ids=["bats-gather-tests"], says="syntax error"),
    *rows("tap-green", 2, 0, 0, 2),
    *rows(
        "tap-red",
        *(3, 3, 0, 2),
        ids=[
            "red.js > adds > the sum is right",
            "red.js > adds > deeper > should be equivalent",
            "red.js > throws > boom",
        ],
        says="compare: ===",
    ),
    *rows("tap-bail", 0, 1, 1, ids=["the sum is right", "Bail out!"], says="lineNumber: 3"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_a_recording_is_read(row: Row) -> None:
    compare(read("tap", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("tap", ROWS) == set()


@pytest.mark.parametrize("case", ["red-tap", "3-red-tap"])
def test_the_braces_of_vitest_are_subtests(case: str) -> None:
    evidence = parse(output("vitest", case))
    assert evidence is not None
    assert (evidence.passed, evidence.failed, evidence.errors, evidence.skipped) == (2, 6, 0, 3)
    assert evidence.failures[2].id == "a.test.js > a suite > inner > throws"
    assert "boom" in evidence.failures[2].text


BROKEN = [
    ("TAP version 13\n1..3\nok 1\nok 2\n", "3 tests were planned, 2 reported"),
    ("TAP version 14\nok 1 - a\n", "without its plan"),
    ("1..3\nok 1 - a\nok 2 - b\n", "3 tests were planned, 2 reported"),
    ("TAP version 13\n1..2\nok 1\nBail out! no database\n", "no database"),
]


@pytest.mark.parametrize(("text", "words"), BROKEN)
def test_a_stream_that_breaks_its_plan_fails(text: str, words: str) -> None:
    evidence = parse(text)
    assert evidence is not None
    assert evidence.errors == 1
    assert words in evidence.failures[-1].text


WHOLE = [
    ("ok 1\nok 2\n1..2\n", 2),
    ("ok 7 - g\nok 8 - h\n1..8\n", 2),  # the head of the output is lost
    ("1..1 # a comment\nok 1 - a # time=12ms\n", 1),
    ("ok\nok\n", 2),
]


@pytest.mark.parametrize(("text", "passed"), WHOLE)
def test_a_stream_that_keeps_its_plan_or_lost_its_head_passes(text: str, passed: int) -> None:
    evidence = parse(text)
    assert evidence is not None
    assert (evidence.passed, evidence.failing) == (passed, 0)


DIRECTIVES = [
    ("ok 1 - a # SKIP no database", "skipped"),
    ("ok 1 - a # skipped: no database", "skipped"),
    ("not ok 1 - a # TODO later", "xfailed"),
    ("ok 1 - a # todo", "skipped"),
    (r"ok 1 - a \# skip this is a name", "passed"),
    ("not ok 1 - a #5 skipping", "failed"),
]


@pytest.mark.parametrize(("line", "status"), DIRECTIVES)
def test_directives(line: str, status: str) -> None:
    evidence = parse(f"TAP version 14\n1..1\n{line}\n")
    assert evidence is not None
    assert list(evidence.statuses.values()) == [status]


def test_points_inside_a_yaml_block_are_text() -> None:
    evidence = parse(
        "TAP version 13\n1..1\nnot ok 1 - a\n  ---\n  source: |\n    ok 2 - printed\n    not ok 3\n  ...\n"
    )
    assert evidence is not None
    assert (evidence.passed, evidence.failed) == (0, 1)
    assert "not ok 3" in evidence.failures[0].text


@pytest.mark.parametrize("text", ["okay\nnot okay\n", "ok, done\n", "1..\n", "", "looks ok 1\n"])
def test_prose_is_no_tap(text: str) -> None:
    assert parse(text) is None


def test_what_names_it() -> None:
    assert matches(["bats", "test"])
    assert matches(["ava", "--tap"])
    assert not matches(["ava"])
