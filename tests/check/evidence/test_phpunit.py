"""PHPUnit: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.phpunit import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "red",
        passed=3,
        failed=2,
        errors=1,
        skipped=2,
        ids=["FailTest::testRaises", "FailTest::testPrice", 'FailTest::testRows with data set "not same" (1, 2)'],
        says="RuntimeException: no stock",
    ),
    Row("talks", passed=2, failed=0),
    Row("skipped-only", passed=0, failed=0, skipped=1),
    Row("syntax"),
    Row("exits", errors=1, ids=["phpunit"], says="it started and ended without a result"),
    Row("no-tests-in-class", passed=0, failed=0),
    Row("killed", errors=1, ids=["phpunit"], says="it started and ended without a result"),
    Row(
        "testdox",
        passed=3,
        failed=2,
        errors=1,
        skipped=2,
        ids=["Fail: Price", "Fail: Raises", 'Fail: Rows with data set "not same"'],
        says="Failed asserting that 9 is identical to 10.",
    ),
    Row("testdox-talks", passed=2, failed=0),
    Row("filtered", passed=0, failed=0, nothing=True),
    Row(
        "verbose",
        passed=3,
        failed=2,
        errors=1,
        skipped=2,
        ids=["FailTest::testRaises", "FailTest::testPrice", 'FailTest::testRows with data set "not same" (1, 2)'],
        says="RuntimeException: no stock",
    ),
    Row("risky", passed=1, failed=0),
    Row("risky-allowed", passed=1, failed=0),
    Row("nowhere"),
    Row("suite", passed=1, failed=1, ids=["FailTest::testPrice"], says="Failed asserting that 9 is identical to 10."),
    Row("debug", passed=2, failed=0),
    Row("version", errors=1, ids=["phpunit"], says="it started and ended without a result"),
    Row("teamcity", passed=3, failed=2, errors=1, skipped=2),
    Row("columns", passed=120, failed=0),
    Row(
        "odd",
        passed=2,
        failed=2,
        errors=1,
        ids=["OddTest::testWarning", "OddTest::testText", "OddTest::testOutput"],
        says="/project/OddTest.php:6",
    ),
    Row(
        "odd-testdox",
        passed=2,
        failed=2,
        errors=1,
        ids=["Odd: Text", "Odd: Output", "OK (5 tests, 5 assertions): Warning"],
        says="There was 1 failure:",
    ),
    Row(
        "before-class",
        passed=0,
        failed=0,
        errors=1,
        skipped=4,
        ids=["OddTest::testText"],
        says="#1 /usr/share/php/PHPUnit/TextUI/TestRunner.php(651): PHPUni",
    ),
    Row(
        "isolation",
        passed=1,
        failed=2,
        errors=2,
        ids=["OddTest::testWarning", "OddTest::testNotice", "OddTest::testText", "OddTest::testOutput"],
        says="/project/OddTest.php:6",
    ),
    Row(
        "colours",
        passed=2,
        failed=2,
        errors=1,
        ids=["OddTest::testWarning", "OddTest::testText", "OddTest::testOutput"],
        says="/project/OddTest.php:6",
    ),
    Row("twice", passed=2, failed=0),
    Row("documented/paratest-green", passed=4, failed=0),
    Row("documented/phpunit-10-issues", passed=3, failed=0),
    Row("documented/phpunit-10-skipped", passed=0, failed=0, skipped=2),
    Row(
        "documented/phpunit-11-red",
        passed=4,
        failed=1,
        errors=1,
        skipped=2,
        ids=["Shop\\CartTest::testRaises", 'Shop\\CartTest::testRows with data set "not same" (1, 2)'],
        says="RuntimeException: no stock",
    ),
    Row("documented/phpunit-11-none", passed=0, failed=0, nothing=True),
    Row(
        "documented/phpunit-11-testdox",
        passed=2,
        failed=1,
        errors=1,
        skipped=2,
        ids=["Cart (Shop\\Cart): Price", "Cart (Shop\\Cart): Raises"],
        says="Failed asserting that 9 is identical to 10.",
    ),
    Row("documented/phpunit-11-warnings", passed=2, failed=0),
    Row(
        "documented/phpunit-13-compact",
        passed=6,
        failed=1,
        errors=1,
        skipped=5,
        ids=["Shop\\CartTest::testPrice", "Shop\\CartTest::testRaises"],
        says="Failed asserting that 9 is identical to 10.",
    ),
    Row("documented/phpunit-13-compact-green", passed=3, failed=0, skipped=1),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("phpunit", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("phpunit", ROWS) == set()


@pytest.mark.parametrize(
    "command",
    [
        "phpunit",
        "php vendor/bin/phpunit",
        "php -d memory_limit=-1 phpunit.phar tests",
        "paratest -p4",
        "simple-phpunit",
    ],
)
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize(
    "command", ["phpunit --version", "phpunit --list-tests", "php artisan test", "phpstan", "", "echo phpunit"]
)
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
