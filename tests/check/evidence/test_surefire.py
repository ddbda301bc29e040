"""Maven Surefire: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.surefire import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "red",
        passed=2,
        failed=1,
        errors=1,
        skipped=2,
        ids=["shop.PriceTest.raises", "shop.PriceTest.price"],
        says="java.lang.IllegalStateException: no stock",
    ),
    Row("green", passed=1, failed=0),
    Row("talks", passed=1, failed=0),
    Row(
        "exits",
        passed=0,
        failed=0,
        errors=1,
        ids=["shop.ExitTest"],
        says="Command was /bin/sh -c cd '/project' && '/usr/lib/jvm/java-1",
    ),
    Row("skipped-only", passed=0, failed=0, skipped=1),
    Row("no-match", passed=0, failed=0, nothing=True),
    Row("no-match-allowed", passed=0, failed=0, nothing=True),
    Row("skip-tests", passed=0, failed=0, nothing=True),
    Row(
        "ignored-failures",
        passed=1,
        failed=1,
        errors=1,
        skipped=1,
        ids=["shop.PriceTest.raises", "shop.PriceTest.price"],
        says="java.lang.IllegalStateException: no stock",
    ),
    Row(
        "quiet",
        passed=1,
        failed=1,
        errors=1,
        skipped=1,
        ids=["shop.PriceTest.raises", "shop.PriceTest.price"],
        says="java.lang.IllegalStateException: no stock",
    ),
    Row(
        "modules",
        passed=3,
        failed=1,
        ids=["shop.RightTest.same"],
        says="org.junit.ComparisonFailure: expected:<[lef]t> but was:<[rig",
    ),
    Row(
        "modules-stop",
        passed=3,
        failed=1,
        ids=["shop.RightTest.same"],
        says="org.junit.ComparisonFailure: expected:<[lef]t> but was:<[rig",
    ),
    Row("modules-green", passed=2, failed=0),
    Row(
        "broken",
        errors=1,
        ids=["shop (compilation)"],
        says="/project/src/test/java/shop/BrokenTest.java:[4,52] incompati",
    ),
    Row("no-tests", passed=0, failed=0, nothing=True),
    Row("twice", passed=1, failed=0),
    Row(
        "rerun",
        passed=1,
        failed=1,
        errors=1,
        skipped=1,
        ids=["shop.PriceTest.raises", "shop.PriceTest.price"],
        says="java.lang.IllegalStateException: no stock",
    ),
    Row(
        "junit5",
        passed=2,
        failed=3,
        errors=1,
        skipped=1,
        ids=[
            "shop.PriceTest.raises",
            "shop.PriceTest.rows(int)[2]",
            "shop.PriceTest.price",
            "shop.PriceTest$Inner.inner",
        ],
        says="at java.base/java.lang.reflect.Method.invoke(Method.java:569",
    ),
    Row("junit5-green", passed=1, failed=0),
    Row(
        "junit5-quiet",
        passed=2,
        failed=3,
        errors=1,
        skipped=1,
        ids=[
            "shop.PriceTest.raises",
            "shop.PriceTest.rows(int)[2]",
            "shop.PriceTest.price",
            "shop.PriceTest$Inner.inner",
        ],
        says="at java.base/java.lang.reflect.Method.invoke(Method.java:569",
    ),
    Row(
        "junit5-tree",
        passed=2,
        failed=3,
        errors=1,
        skipped=1,
        ids=[
            "shop.PriceTest.raises",
            "shop.PriceTest.rows(int)[2]",
            "shop.PriceTest.price",
            "shop.PriceTest$Inner.inner",
        ],
        says="at java.base/java.lang.reflect.Method.invoke(Method.java:569",
    ),
    Row(
        "junit5-rerun",
        passed=2,
        failed=3,
        errors=1,
        skipped=1,
        ids=[
            "shop.PriceTest.raises",
            "shop.PriceTest.rows(int)[2]",
            "shop.PriceTest.price",
            "shop.PriceTest$Inner.inner",
        ],
        says="at java.base/java.lang.reflect.Method.invoke(Method.java:569",
    ),
    Row("documented/flaky", passed=2, failed=0),
    Row(
        "documented/surefire-2-12",
        passed=2,
        failed=1,
        ids=["shop.PriceTest.price"],
        says="java.lang.AssertionError: the price expected:<10> but was:<9",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("surefire", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("surefire", ROWS) == set()


@pytest.mark.parametrize(
    "command", ["mvn test", "mvnw -B verify", "mvn -pl api -am install", "mvn surefire:test", "mvnd package"]
)
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize("command", ["mvn compile", "mvn -version", "gradle test", "", "echo mvn test"])
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
