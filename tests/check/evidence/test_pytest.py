"""What pytest printed, and what must be read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.pytest import ENDED_EARLY, matches, parse
from tests.check.evidence.recorded import Row, book, compare, output, read, rows, untold

RED = [
    "test_calc.py::test_adds",
    "test_calc.py::test_named[x[1]]",
    r"test_calc.py::test_named[\xe9::\xfc]",
    "test_calc.py::test_named[a - b]",
    "test_calc.py::TestClass::test_method",
    "test_calc.py::test_strict",
    "test_calc.py::test_uses_fixture",
    "test_calc.py::test_teardown",
]
TITLES = [
    "ERROR at setup of test_uses_fixture",
    "ERROR at teardown of test_teardown",
    "test_adds",
    "test_named[x[1]]",
    r"test_named[\xe9::\xfc]",
    "test_named[a - b]",
    "TestClass.test_method",
    "test_strict",
]
SUB = [
    "test_sub.py::test_sub [even] (number=1)",
    "test_sub.py::test_sub [even] (number=3)",
    "test_sub.py::test_sub",
    "test_sub.py::TestOld::test_sub (number=1)",
]
LONG = "test_long_name_that_goes_over_the_width_of_the_terminal_and_then_some_more_to_be_quite_sure_of_it"
ROWS = [
    *rows("green green-quiet green-verbose green-vv-ra green-xdist green-colour", 6, 0, 0, 1, 1),
    *rows("7-green pretty-green sugar-green", 6, 0, 0, 1, 1),
    *rows("7-empty pretty-empty sugar-empty", 0, 0, nothing=True),
    *rows("7-red 7-red-verbose", 3, 6, 2, 1, ids=RED, says="the sum is wrong"),
    *rows("7-import-error", 0, 0, 1, ids=["test_broken.py"], says="No module named 'missing_module'"),
    *rows("sugar-red", 3, 6, 2, 1, ids=[*RED[:5], *RED[6:], RED[5]], says="the sum is wrong"),
    *rows("pretty-red", 3, 6, 2, 1, ids=TITLES, says="fixture is broken"),
    *rows("pretty-exit-half", 0, 0, 1, ids=[ENDED_EARLY], says="collected 2 items"),
    *rows("sugar-exit-half"),
    *rows("green-deselected", 1, 0),
    *rows("green-qq bad-option"),
    *rows(
        "red red-quiet red-verbose red-tb-short red-tb-no red-tb-line red-tb-native red-tb-long red-quiet-short"
        " red-colour red-junit-style",
        *(3, 6, 2, 1),
        ids=RED,
        says="the sum is wrong",
    ),
    *rows("red-rA", 3, 6, 2, 1, ids=RED[6:] + RED[:6], says="fixture is broken"),
    *rows("red-rN", 3, 6, 2, 1, ids=TITLES, says="fixture is broken"),
    *rows("red-no-summary", 3, 6, 2, 1),
    *rows("rerun", 4, 6, 2, 1, ids=RED, says="the sum is wrong"),
    *rows("red-stop-first", 1, 1, ids=RED[:1], says="assert -1 == 3"),
    *rows("red-maxfail", 2, 2, ids=RED[:2], says="the sum is wrong"),
    *rows("import-error import-error-quiet", 0, 0, 1, ids=["test_broken.py"], says="No module named 'missing_module'"),
    *rows("import-error-continue", 1, 0, 1, ids=["test_broken.py"], says="ModuleNotFoundError"),
    *rows("syntax-error", 0, 0, 1, ids=["test_syntax.py"], says="SyntaxError: invalid syntax"),
    *rows("conftest-error", 0, 0, 1, ids=["conftest.py"], says="conftest is broken"),
    *rows("internal-error", 0, 0, 1, ids=["INTERNALERROR"], says="KeyError: 'plugin bug'"),
    *rows("empty empty-quiet all-deselected no-such-file collect-only", 0, 0, nothing=True),
    *rows("skipped-only", 0, 0, 0, 1),
    *rows("crash", 0, 0, 1, ids=[ENDED_EARLY], says="Segmentation fault"),
    *rows("exit-half", 0, 0, 1, ids=[ENDED_EARLY], says="collected 2 items"),
    *rows("crash-xdist", 2, 1, ids=["test_crash.py::test_dies"], says="crashed while running"),
    *rows("talk talk-shown", 3, 0),
    *rows("warn warn-quiet", 1, 1, ids=["test_warn.py::test_red"], says="Differing items"),
    *rows("subtests subtests-verbose", 2, 4, ids=SUB, says="assert (1 % 2) == 0"),
    *rows("deep", 0, 2, ids=["test_deep.py::test_chained", f"test_deep.py::{LONG}"], says="ValueError: while handling"),
    *rows(
        "nested-red nested-red-shown",
        *(0, 2),
        ids=["test_nested.py::test_outer_one", "test_nested.py::test_outer_two"],
        says="outer one fails",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_a_recording_is_read(row: Row) -> None:
    compare(read("pytest", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("pytest", [*ROWS, Row("red-xdist"), Row("red-xdist-verbose"), Row("red-qq")]) == set()


@pytest.mark.parametrize("case", ["red-xdist", "red-xdist-verbose"])
def test_xdist_reports_the_same_in_any_order(case: str) -> None:
    evidence = read("pytest", case)
    assert evidence is not None
    assert (evidence.passed, evidence.failed, evidence.errors, evidence.skipped) == (3, 6, 2, 1)
    assert sorted(failure.id for failure in evidence.failures) == sorted(RED)
    texts = {failure.id: failure.text for failure in evidence.failures}
    assert "the sum is wrong" in texts[RED[0]]
    assert "ValueError: boom" in texts[RED[4]]


def test_the_short_summary_alone_gives_failures_and_no_passes() -> None:
    evidence = read("pytest", "red-qq")
    assert evidence is not None
    assert (evidence.passed, evidence.failed) == (None, 8)
    assert [failure.id for failure in evidence.failures] == RED


@pytest.mark.parametrize("case", ["red-verbose", "red-xdist-verbose"])
def test_a_verbose_run_gives_every_status(case: str) -> None:
    evidence = read("pytest", case)
    assert evidence is not None
    assert evidence.complete
    assert evidence.statuses["test_calc.py::test_named[a b]"] == "passed"
    assert evidence.statuses["test_calc.py::test_skipped"] == "skipped"
    assert {test for test, status in evidence.statuses.items() if status == "failed"} == set(RED)
    assert len(evidence.statuses) == 11


def test_green_statuses_tell_xfail_from_pass() -> None:
    evidence = read("pytest", "green-verbose")
    assert evidence is not None
    assert evidence.complete
    assert evidence.statuses["test_calc.py::test_known"] == "xfailed"
    assert evidence.statuses["test_calc.py::test_fixed"] == "passed"


def test_each_failure_has_its_own_text() -> None:
    evidence = read("pytest", "red")
    assert evidence is not None
    texts = [failure.text for failure in evidence.failures]
    for text, word in zip(
        texts, ["-1 == 3", "+ x[1]", "+ é::ü", "+ a - b", "boom", "XPASS", "fixture", "teardown"], strict=True
    ):
        assert word in text
    assert "x[1]" not in texts[0]


def test_a_second_run_in_the_same_output_counts_alone() -> None:
    both = output("pytest", "red") + output("pytest", "green-quiet")
    evidence = parse(both)
    assert evidence is not None
    assert (evidence.passed, evidence.failing, evidence.failures) == (6, 0, [])
    back = parse(output("pytest", "import-error") + output("pytest", "red-quiet"))
    assert back is not None
    assert [failure.id for failure in back.failures] == RED


PRINTED = [
    "2 failed",
    "error: 2 failed, 3 passed in 1.2s of waiting",
    "2 failed, 1 passed in 0.03s.",
    "   2 failed, 1 passed in 0.03s",
    "3 apples, 2 pears in 0.03s",
    "[INFO] 1 failed in 0.5s",
    "FAILED tests/test_x.py::test_y - no",
]


@pytest.mark.parametrize("line", PRINTED)
def test_a_line_that_only_talks_like_a_summary_is_none(line: str) -> None:
    assert parse(f"starting\n{line}\ndone\n") is None
    evidence = parse(output("pytest", "green") + line + "\n")
    assert evidence is not None
    assert (evidence.passed, evidence.failing) == (6, 0)


GLUED = [
    ("some thread says hello============== ", " ==============\n"),
    ("============== ", " ==============and goodbye\n"),
]


@pytest.mark.parametrize(("before", "after"), GLUED)
def test_a_final_line_that_another_process_wrote_into_is_no_evidence_either_way(before: str, after: str) -> None:
    text = output("pytest", "green")
    head = text[: text.rindex("\n=") + 1]
    assert parse(f"{head}{before}6 passed in 0.02s{after}") is None


def test_the_results_of_a_benchmark_are_not_those_of_a_plugin() -> None:
    evidence = parse(output("pytest", "green") + "Results (1.20s):\n    12 requests\n")
    assert evidence is not None
    assert (evidence.passed, evidence.nothing) == (6, False)


OLD = [
    ("== 1 failed, 2 passed in 0.12 seconds ==", (2, 1)),
    ("= 1 failed, 2 passed, 3 warnings in 3723.51s (1:02:03) =", (2, 1)),
    ("===== 5 passed, 2 rerun, 1 flaky in 12.00s =====", (5, 0)),
    ("1 passed in 90061.00s (1 day, 1:01:01)", (1, 0)),
]


@pytest.mark.parametrize(("line", "counts"), OLD)
def test_final_lines_of_other_versions_and_plugins(line: str, counts: tuple[int, int]) -> None:
    evidence = parse(f"..F\n{line}\n")
    assert evidence is not None
    assert (evidence.passed, evidence.failed) == counts


def test_only_its_own_command_matches() -> None:
    assert matches(["pytest", "-q"])
    assert matches(["py.test"])
    assert not matches(["pytest-watch"])
    assert book("pytest")["versions"]["pytest"] == "pytest 9.0.2"
