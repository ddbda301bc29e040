"""What unittest and Django printed, and what must be read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.unittest import ENDED_EARLY, matches, parse
from tests.check.evidence.recorded import Row, compare, output, read, rows, untold

RED = [
    "test_calc.TestCalc.test_described",
    "test_calc.TestSetUp.setUpClass",
    "test_calc.TestCalc.test_adds",
    "test_calc.TestCalc.test_sub [even] (number=1)",
    "test_calc.TestCalc.test_sub [even] (number=3)",
    "test_calc.TestCalc.test_fixed",
]
ROWS = [
    *rows("green green-verbose green-quiet 3.12-green 3.12-green-verbose", 3, 0, 0, 1, 1),
    *rows(
        "red red-verbose red-buffer red-locals 3.12-red 3.12-red-verbose",
        1,
        4,
        2,
        1,
        1,
        ids=RED,
        says="ValueError: boom",
    ),
    *rows("red-failfast", 0, 1, ids=RED[2:3], says="2 != 3 : the sum is wrong"),
    *rows("import-error 3.12-import-error", 1, 0, 1, ids=["test_broken"], says="No module named 'missing_module'"),
    *rows("no-module", 0, 0, 1, ids=["nosuch"], says="No module named 'nosuch'"),
    *rows("empty discover-empty django-empty 3.12-empty", 0, 0, nothing=True),
    *rows("skipped", 0, 0, 0, 2),
    *rows("3.12-skipped", 0, 0, 0, 2, nothing=True),
    *rows("talk talk-verbose", 2, 0),
    *rows("main", 0, 1, ids=["__main__.TestMain.test_red"], says="KeyError not raised"),
    *rows("django", 2, 1, ids=["test_site.TestSite.test_red"], says="{'a': 1} != {'a': 2}"),
    *rows("exit-half", 0, 0, 1, ids=[ENDED_EARLY], says="."),
    *rows("crash django-parallel"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_a_recording_is_read(row: Row) -> None:
    compare(read("unittest", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("unittest", ROWS) == set()


def test_a_verbose_run_gives_every_status() -> None:
    evidence = read("unittest", "red-verbose")
    assert evidence is not None
    assert evidence.complete
    assert evidence.statuses["test_calc.TestCalc.test_ok"] == "passed"
    assert evidence.statuses["test_calc.TestCalc.test_known"] == "xfailed"
    assert evidence.statuses["test_calc.TestCalc.test_skipped"] == "skipped"
    assert evidence.statuses["test_calc.TestCalc.test_described"] == "failed"


def test_python_before_3_11_names_only_the_class() -> None:
    text = output("unittest", "main").replace("__main__.TestMain.test_red", "__main__.TestMain")
    evidence = parse(text)
    assert evidence is not None
    assert [failure.id for failure in evidence.failures] == ["__main__.TestMain.test_red"]


def test_the_words_of_python_3_12_for_no_tests() -> None:
    evidence = parse("\n" + "-" * 70 + "\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n")
    assert evidence is not None
    assert evidence.nothing
    skipped = parse("-" * 70 + "\nRan 0 tests in 0.000s\n\nNO TESTS RAN (skipped=1)\n")
    assert skipped is not None
    assert skipped.nothing


def test_a_result_without_its_rule_is_printed_by_somebody_else() -> None:
    assert parse("Ran 1 test in 0.000s\n\nFAILED (failures=1)\n") is None
    green = output("unittest", "green") + "Ran 3 tests in 0.1s\n\nFAILED (failures=2)\n"
    evidence = parse(green)
    assert evidence is not None
    assert evidence.failing == 0


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["unittest", "discover"], True),
        (["manage.py", "test"], True),
        (["python3.12", "manage.py", "test", "app"], True),
        (["python", "tests/manage.py", "test"], True),
        (["django-admin", "test"], True),
        (["python", "manage.py", "migrate"], False),
        (["python"], False),
        (["test"], False),
    ],
)
def test_what_names_it(words: list[str], wanted: bool) -> None:
    assert matches(words) is wanted
