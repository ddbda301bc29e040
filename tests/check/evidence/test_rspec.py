"""RSpec: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.rspec import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "red",
        passed=2,
        failed=3,
        skipped=2,
        xfailed=1,
        ids=["Cart computes the price", "Cart raises", "Cart is fixed"],
        says='Failure/Error: it("computes the price") { expect(9).to eq(10',
    ),
    Row(
        "documentation",
        passed=2,
        failed=3,
        skipped=2,
        xfailed=1,
        ids=["Cart computes the price", "Cart raises", "Cart is fixed"],
        says='Failure/Error: it("computes the price") { expect(9).to eq(10',
    ),
    Row("documentation-green", passed=2, failed=0),
    Row("talks", passed=2, failed=0),
    Row(
        "load-error",
        passed=0,
        failed=0,
        errors=1,
        ids=["./load_spec.rb"],
        says="# ./load_spec.rb:1:in `<top (required)>'",
    ),
    Row(
        "load-error-beside",
        passed=0,
        failed=0,
        errors=1,
        ids=["./load_spec.rb"],
        says="# ./load_spec.rb:1:in `<top (required)>'",
    ),
    Row("killed"),
    Row(
        "around",
        passed=0,
        failed=2,
        errors=1,
        ids=["in an `after(:context)` hook", "Hooks a", "Hooks b"],
        says="# ./around_spec.rb:5:in `block (2 levels) in <top (required)",
    ),
    Row("empty", passed=0, failed=0, nothing=True),
    Row("filtered", passed=0, failed=0, nothing=True),
    Row(
        "json",
        passed=2,
        failed=3,
        skipped=3,
        ids=["Cart computes the price", "Cart raises", "Cart is fixed"],
        says="got: 9",
    ),
    Row("json-talks", passed=2, failed=0),
    Row(
        "fail-fast",
        passed=1,
        failed=1,
        ids=["Cart computes the price"],
        says='Failure/Error: it("computes the price") { expect(9).to eq(10',
    ),
    Row("nested", passed=1, failed=0),
    Row("exits"),
    Row(
        "aggregate",
        passed=0,
        failed=2,
        ids=["Aggregate tells every failure", 'Aggregate is expected to eq "something else"'],
        says="1.1) Failure/Error: expect(1).to eq(2)",
    ),
    Row(
        "nowhere",
        passed=0,
        failed=0,
        errors=1,
        ids=["./nowhere_spec.rb"],
        says="# /usr/share/rubygems-integration/all/gems/rspec-core-3.12.0",
    ),
    Row(
        "profile",
        passed=2,
        failed=3,
        skipped=2,
        xfailed=1,
        ids=["Cart computes the price", "Cart is fixed", "Cart raises"],
        says='Failure/Error: it("computes the price") { expect(9).to eq(10',
    ),
    Row("skipped-only", passed=0, failed=0, skipped=2),
    Row("pending-only", passed=0, failed=0, xfailed=1),
    Row(
        "odd",
        passed=5,
        failed=4,
        skipped=1,
        ids=[
            "A fails with a report",
            "A same name (./odd_spec.rb[1:6])",
            "A same name (./odd_spec.rb[1:7])",
            "A has a very long",
        ],
        says='Failure/Error: it("fails with a report") { puts "Finished in',
    ),
    Row(
        "odd-documentation",
        passed=5,
        failed=4,
        skipped=1,
        ids=[
            "A fails with a report",
            "A same name (./odd_spec.rb[1:6])",
            "A same name (./odd_spec.rb[1:7])",
            "A has a very long",
        ],
        says='Failure/Error: it("fails with a report") { puts "Finished in',
    ),
    Row(
        "odd-json",
        passed=5,
        failed=4,
        skipped=1,
        ids=[
            "A fails with a report",
            "A same name (./odd_spec.rb[1:6])",
            "A same name (./odd_spec.rb[1:7])",
            "A has a very long name over lines",
        ],
        says="1) inner numbered",
    ),
    Row(
        "two-formatters",
        passed=5,
        failed=4,
        skipped=1,
        ids=[
            "A fails with a report",
            "A same name (./odd_spec.rb[1:6])",
            "A same name (./odd_spec.rb[1:7])",
            "A has a very long",
        ],
        says='Failure/Error: it("fails with a report") { puts "Finished in',
    ),
    Row(
        "suite-hook",
        passed=0,
        failed=0,
        errors=1,
        ids=["in a `before(:suite)` hook"],
        says="Failure/Error: RSpec.configure { |c| c.before(:suite) { rais",
    ),
    Row(
        "colours",
        passed=5,
        failed=4,
        skipped=1,
        ids=[
            "A fails with a report",
            "A same name (./odd_spec.rb[1:6])",
            "A same name (./odd_spec.rb[1:7])",
            "A has a very long",
        ],
        says='Failure/Error: it("fails with a report") { puts "Finished in',
    ),
    Row("twice", passed=2, failed=0),
    Row(
        "documented/parallel-tests",
        passed=3,
        failed=1,
        ids=["Cart computes the price"],
        says="Failure/Error: expect(9).to eq(10)",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("rspec", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("rspec", ROWS) == set()


@pytest.mark.parametrize("command", ["rspec", "rspec spec/models", "parallel_rspec spec", "turbo_tests"])
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize("command", ["rspec --dry-run", "rake spec", "ruby -Itest test.rb", "", "echo rspec"])
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
