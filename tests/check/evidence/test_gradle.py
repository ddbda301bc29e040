"""Gradle: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.gradle import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "red",
        passed=2,
        failed=2,
        skipped=1,
        ids=["shop.PriceTest > raises", "shop.PriceTest > price"],
        says="java.lang.IllegalStateException at PriceTest.java:10",
    ),
    Row("green"),
    Row("talks"),
    Row(
        "tell",
        passed=2,
        failed=2,
        skipped=1,
        ids=["shop.PriceTest > raises", "shop.PriceTest > price"],
        says="java.lang.IllegalStateException: no stock",
    ),
    Row("tell-talks", passed=1, failed=0),
    Row("tell-green", passed=2, failed=0),
    Row("up-to-date"),
    Row("no-match", passed=0, failed=0, nothing=True),
    Row(
        "subprojects",
        passed=1,
        failed=1,
        ids=["shop.RightTest > same"],
        says="org.junit.ComparisonFailure at RightTest.java:8",
    ),
    Row("subprojects-green"),
    Row("no-source", passed=0, failed=0, nothing=True),
    Row(
        "compile",
        errors=1,
        ids=[":compileTestJava"],
        says="/project/src/test/java/X.java:1: error: incompatible types: ",
    ),
    Row(
        "ignored",
        passed=2,
        failed=2,
        skipped=1,
        ids=["shop.PriceTest > raises", "shop.PriceTest > price"],
        says="java.lang.IllegalStateException at PriceTest.java:10",
    ),
    Row("quiet", passed=2, failed=2, skipped=1),
    Row("twice"),
    Row("exits", passed=0, failed=0, nothing=True),
    Row("documented/gradle-8-green"),
    Row(
        "documented/gradle-8-red",
        passed=4,
        failed=2,
        skipped=1,
        ids=["PriceTest > price()", "PriceTest > rows(int) > [2] 2"],
        says="org.opentest4j.AssertionFailedError at PriceTest.java:9",
    ),
    Row("documented/gradle-8-no-source", passed=0, failed=0, nothing=True),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("gradle", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("gradle", ROWS) == set()


@pytest.mark.parametrize("command", ["gradlew test", "gradle check", "gradlew :app:testDebugUnitTest", "gradle build"])
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize("command", ["gradle --version", "mvn test", "gradlew tasks", "", "echo gradlew test"])
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
