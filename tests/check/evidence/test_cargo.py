"""cargo test: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.cargo import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "red",
        passed=3,
        failed=2,
        skipped=1,
        ids=["shop::tests::price", "shop::tests::result"],
        says="the price is wrong",
    ),
    Row(
        "no-fail-fast",
        passed=5,
        failed=4,
        skipped=1,
        ids=["shop::tests::price", "shop::tests::result", "order::fails", "src/lib.rs - sub (line 14)"],
        says="the price is wrong",
    ),
    Row(
        "quiet",
        passed=5,
        failed=4,
        skipped=1,
        ids=["tests::price", "tests::result", "fails", "src/lib.rs - sub (line 14)"],
        says="the price is wrong",
    ),
    Row("green", passed=1, failed=0),
    Row("nothing", passed=0, failed=0, nothing=True),
    Row("ignored-only", passed=0, failed=0, skipped=1),
    Row("talks", passed=2, failed=0),
    Row(
        "one-thread",
        passed=3,
        failed=2,
        skipped=1,
        ids=["shop::tests::price", "shop::tests::result"],
        says="the price is wrong",
    ),
    Row(
        "doc", passed=1, failed=1, ids=["src/lib.rs - sub (line 14)"], says="Test executable failed (exit status: 101)."
    ),
    Row(
        "show-output",
        passed=5,
        failed=4,
        skipped=1,
        ids=["shop::tests::price", "shop::tests::result", "order::fails", "src/lib.rs - sub (line 14)"],
        says="the price is wrong",
    ),
    Row("twice", passed=1, failed=0),
    Row("twice-broken", errors=1, ids=["shop (lib test)"], says="error[E0308]: mismatched types"),
    Row("broken", errors=1, ids=["broken (lib test)"], says='9 |         assert_eq!(super::add(1, 2), "three");'),
    Row(
        "dies",
        passed=0,
        failed=0,
        errors=2,
        ids=["aborts", "exits"],
        says="test b_aborts ... error: test failed, to rerun pass `--test ",
    ),
    Row(
        "dies-quiet",
        passed=0,
        failed=0,
        errors=1,
        ids=["a test binary"],
        says="process didn't exit successfully: `/project/target/debug/dep",
    ),
    Row("exits", passed=0, failed=0, errors=1, ids=["exits"], says="running 1 test, and then no result"),
    Row(
        "workspace",
        passed=2,
        failed=2,
        ids=["left::tests::it_works", "right::tests::also"],
        says="left == right",
    ),
    Row("workspace-green", passed=1, failed=0),
    Row("nested", passed=2, failed=0),
    Row("nested-quiet", passed=2, failed=0),
    Row(
        "odd",
        passed=2,
        failed=2,
        errors=1,
        ids=["out::no_panic", "out::wrong_panic", "overflow"],
        says="note: test did not panic as expected at tests/out.rs:8:4",
    ),
    Row(
        "odd-nocapture",
        passed=2,
        failed=2,
        ids=["out::no_panic", "out::wrong_panic"],
        says="note: test did not panic as expected at tests/out.rs:8:4",
    ),
    Row(
        "odd-quiet",
        passed=2,
        failed=2,
        errors=1,
        ids=["no_panic", "wrong_panic", "a test binary"],
        says="note: test did not panic as expected at tests/out.rs:8:4",
    ),
    Row(
        "colours",
        passed=3,
        failed=2,
        skipped=1,
        ids=["shop::tests::price", "shop::tests::result"],
        says="the price is wrong",
    ),
    Row("no-run"),
    Row("list"),
    Row("unknown-option"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("cargo", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("cargo", ROWS) == set()


@pytest.mark.parametrize(
    "command",
    [
        "cargo test",
        "cargo t",
        "cargo +nightly test --workspace",
        "cargo llvm-cov --lcov",
        "cross test",
        "cargo hack test --each-feature",
    ],
)
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize(
    "command",
    [
        "cargo nextest run",
        "cargo build",
        "cargo clippy -- test",
        "cargo",
        "cargo llvm-cov nextest",
        "",
        "echo cargo test",
    ],
)
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
