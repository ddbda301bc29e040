"""cargo nextest: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.nextest import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "red",
        passed=2,
        failed=2,
        skipped=1,
        ids=["shop tests::result", "shop tests::price"],
        says='Error: "no stock"',
    ),
    Row(
        "no-fail-fast",
        passed=4,
        failed=3,
        skipped=1,
        ids=["shop tests::price", "shop tests::result", "shop::order fails"],
        says="the price is wrong",
    ),
    Row(
        "all-statuses",
        passed=4,
        failed=3,
        skipped=1,
        ids=["shop tests::result", "shop tests::price", "shop::order fails"],
        says='Error: "no stock"',
    ),
    Row("green", passed=2, failed=0, skipped=6),
    Row(
        "no-capture",
        passed=4,
        failed=3,
        skipped=1,
        ids=["shop tests::price", "shop tests::result", "shop::order fails"],
        says="the price is wrong",
    ),
    Row("no-capture-talks", passed=2, failed=0, skipped=6),
    Row("few-words", passed=4, failed=3, skipped=1),
    Row("nothing", passed=0, failed=0, skipped=8, nothing=True),
    Row("nothing-passes", passed=0, failed=0, skipped=8, nothing=True),
    Row("flaky", passed=3, failed=0),
    Row("slow", passed=0, failed=1, skipped=2, ids=["flaky tests::slow"], says="(test timed out)"),
    Row("dies", passed=0, failed=1, skipped=2, ids=["flaky tests::dies"], says="(test aborted with signal 6: SIGABRT)"),
    Row(
        "retries",
        passed=1,
        failed=2,
        ids=["flaky tests::dies", "flaky tests::slow"],
        says="(test aborted with signal 6: SIGABRT)",
    ),
    Row(
        "workspace",
        passed=1,
        failed=2,
        ids=["right tests::also", "left tests::it_works"],
        says="two is small",
    ),
    Row("broken", errors=1, ids=["broken (lib test)"], says='9 |         assert_eq!(super::add(1, 2), "three");'),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("nextest", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("nextest", ROWS) == set()


@pytest.mark.parametrize("command", ["cargo nextest run", "cargo-nextest nextest run", "cargo llvm-cov nextest"])
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize("command", ["cargo test", "cargo build", "", "echo cargo nextest run"])
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
