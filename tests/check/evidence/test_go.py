"""go test: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.go import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "plain-red",
        failed=3,
        errors=1,
        ids=[
            "example.com/shop/bad.TestPrice/discount",
            "example.com/shop/bad.TestName",
            "example.com/shop/broken",
            "example.com/shop/panics.TestBoom",
        ],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row("plain-green", uncounted=True),
    Row("plain-talks", uncounted=True),
    Row("plain-no-files", nothing=True),
    Row("plain-no-tests", nothing=True),
    Row("plain-timeout", failed=1, ids=["example.com/shop/slow.TestSlow"], says="panic: test timed out after 1s"),
    Row("plain-killed", errors=1, ids=["example.com/shop/exits"], says="signal: killed"),
    Row(
        "plain-broken",
        errors=1,
        ids=["example.com/shop/broken"],
        says="broken/broken_test.go:5:28: undefined: undefinedThing",
    ),
    Row(
        "plain-vet",
        errors=1,
        ids=["example.com/shop/vet"],
        says='vet/vet_test.go:8:42: fmt.Printf format %d has arg "text" of',
    ),
    Row(
        "plain-parallel",
        failed=1,
        ids=["example.com/shop/parallel.TestLeft"],
        says="parallel_test.go:14: left is wrong",
    ),
    Row("plain-example", failed=1, ids=["example.com/shop/example.Example"], says="want:"),
    Row("plain-main", errors=1, ids=["example.com/shop/main"], says="the database is still open"),
    Row(
        "verbose-red",
        passed=7,
        failed=3,
        errors=1,
        skipped=1,
        ids=[
            "example.com/shop/bad.TestPrice/discount",
            "example.com/shop/bad.TestName",
            "example.com/shop/broken",
            "example.com/shop/panics.TestBoom",
        ],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row("verbose-green", passed=3, failed=0, skipped=1),
    Row("verbose-talks", passed=1, failed=0),
    Row("verbose-no-files", nothing=True),
    Row("verbose-no-tests", nothing=True),
    Row(
        "verbose-timeout",
        passed=1,
        failed=1,
        ids=["example.com/shop/slow.TestSlow"],
        says="panic: test timed out after 1s",
    ),
    Row("verbose-killed", passed=1, failed=1, ids=["example.com/shop/exits.TestKilled"], says="signal: killed"),
    Row(
        "verbose-broken",
        errors=1,
        ids=["example.com/shop/broken"],
        says="broken/broken_test.go:5:28: undefined: undefinedThing",
    ),
    Row(
        "verbose-vet",
        errors=1,
        ids=["example.com/shop/vet"],
        says='vet/vet_test.go:8:42: fmt.Printf format %d has arg "text" of',
    ),
    Row(
        "verbose-parallel",
        passed=2,
        failed=1,
        ids=["example.com/shop/parallel.TestLeft"],
        says="parallel_test.go:14: left is wrong",
    ),
    Row("verbose-example", passed=1, failed=1, ids=["example.com/shop/example.Example"], says="want:"),
    Row("verbose-main", passed=1, failed=0, errors=1, ids=["example.com/shop/main"], says="the database is still open"),
    Row(
        "json-red",
        passed=7,
        failed=3,
        errors=1,
        skipped=1,
        ids=[
            "example.com/shop/bad.TestPrice/discount",
            "example.com/shop/bad.TestName",
            "example.com/shop/broken",
            "example.com/shop/panics.TestBoom",
        ],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row("json-green", passed=3, failed=0, skipped=1),
    Row("json-talks", passed=1, failed=0),
    Row("json-no-files", passed=0, failed=0, nothing=True),
    Row("json-no-tests", passed=0, failed=0, nothing=True),
    Row(
        "json-timeout",
        passed=1,
        failed=1,
        ids=["example.com/shop/slow.TestSlow"],
        says="panic: test timed out after 1s",
    ),
    Row("json-killed", passed=1, failed=1, ids=["example.com/shop/exits.TestKilled"], says="signal: killed"),
    Row(
        "json-broken",
        passed=0,
        failed=0,
        errors=1,
        ids=["example.com/shop/broken"],
        says="broken/broken_test.go:5:28: undefined: undefinedThing",
    ),
    Row(
        "json-vet",
        passed=0,
        failed=0,
        errors=1,
        ids=["example.com/shop/vet"],
        says='vet/vet_test.go:8:42: fmt.Printf format %d has arg "text" of',
    ),
    Row(
        "json-parallel",
        passed=2,
        failed=1,
        ids=["example.com/shop/parallel.TestLeft"],
        says="parallel_test.go:14: left is wrong",
    ),
    Row("json-example", passed=1, failed=1, ids=["example.com/shop/example.Example"], says="want:"),
    Row("json-main", passed=1, failed=0, errors=1, ids=["example.com/shop/main"], says="the database is still open"),
    Row(
        "plain-cover",
        failed=2,
        ids=["example.com/shop/bad.TestPrice/discount", "example.com/shop/bad.TestName"],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row("verbose-nested", passed=4, failed=0),
    Row("json-nested", passed=2, failed=0),
    Row("verbose-count", passed=3, failed=0, skipped=1),
    Row("plain-directory", uncounted=True),
    Row("plain-twice", uncounted=True),
    Row(
        "verbose-twice",
        passed=5,
        failed=2,
        skipped=1,
        ids=["example.com/shop/bad.TestPrice/discount", "example.com/shop/bad.TestName"],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row("plain-nowhere", errors=1, ids=["./nowhere"], says="stat /project/nowhere: directory not found"),
    Row(
        "plain-no-packages",
        errors=1,
        ids=["./none/nothing/..."],
        says="pattern ./none/nothing/...: lstat ./none/nothing/: no such f",
    ),
    Row(
        "plain-failfast",
        failed=1,
        ids=["example.com/shop/bad.TestPrice/discount"],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row(
        "plain-subtests",
        failed=2,
        ids=["example.com/shop/subtests.TestParent/a/deep_(0.00s)", "example.com/shop/subtests.TestStderr"],
        says="panic: not really",
    ),
    Row(
        "plain-goroutine-panics",
        failed=2,
        ids=["example.com/shop/subtests.TestParent/a/deep_(0.00s)", "example.com/shop/subtests.TestStderr"],
        says="panic: not really",
    ),
    Row(
        "plain-exits",
        failed=3,
        ids=[
            "example.com/shop/subtests.TestParent/a/deep_(0.00s)",
            "example.com/shop/subtests.TestStderr",
            "example.com/shop/subtests.TestExitsInside",
        ],
        says="panic: not really",
    ),
    Row("plain-fuzz", failed=1, ids=["example.com/shop/fuzz.FuzzX/seed#1"], says="fuzz_test.go:10: boom found"),
    Row(
        "verbose-subtests",
        passed=2,
        failed=2,
        skipped=1,
        ids=["example.com/shop/subtests.TestParent/a/deep_(0.00s)", "example.com/shop/subtests.TestStderr"],
        says="subtests_test.go:11: deep",
    ),
    Row(
        "verbose-goroutine-panics",
        passed=1,
        failed=3,
        skipped=1,
        ids=[
            "example.com/shop/subtests.TestParent/a/deep_(0.00s)",
            "example.com/shop/subtests.TestStderr",
            "example.com/shop/subtests.TestGoexit",
        ],
        says="subtests_test.go:11: deep",
    ),
    Row(
        "verbose-exits",
        passed=0,
        failed=3,
        skipped=1,
        ids=[
            "example.com/shop/subtests.TestParent/a/deep_(0.00s)",
            "example.com/shop/subtests.TestStderr",
            "example.com/shop/subtests.TestExitsInside",
        ],
        says="subtests_test.go:11: deep",
    ),
    Row(
        "verbose-fuzz",
        passed=1,
        failed=1,
        ids=["example.com/shop/fuzz.FuzzX/seed#1"],
        says="fuzz_test.go:10: boom found",
    ),
    Row(
        "json-subtests",
        passed=2,
        failed=2,
        skipped=1,
        ids=["example.com/shop/subtests.TestParent/a/deep_(0.00s)", "example.com/shop/subtests.TestStderr"],
        says="subtests_test.go:11: deep",
    ),
    Row(
        "json-goroutine-panics",
        passed=1,
        failed=3,
        skipped=1,
        ids=[
            "example.com/shop/subtests.TestParent/a/deep_(0.00s)",
            "example.com/shop/subtests.TestStderr",
            "example.com/shop/subtests.TestGoexit",
        ],
        says="subtests_test.go:11: deep",
    ),
    Row(
        "json-exits",
        passed=0,
        failed=3,
        skipped=1,
        ids=[
            "example.com/shop/subtests.TestParent/a/deep_(0.00s)",
            "example.com/shop/subtests.TestStderr",
            "example.com/shop/subtests.TestExitsInside",
        ],
        says="subtests_test.go:11: deep",
    ),
    Row(
        "json-fuzz", passed=1, failed=1, ids=["example.com/shop/fuzz.FuzzX/seed#1"], says="fuzz_test.go:10: boom found"
    ),
    Row("plain-bench", failed=1, ids=["example.com/shop/bench.BenchmarkBad"], says="bench_test.go:9: bad bench"),
    Row(
        "plain-repeated",
        failed=2,
        ids=["example.com/shop/bad.TestPrice/discount", "example.com/shop/bad.TestName"],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row(
        "verbose-run",
        passed=0,
        failed=1,
        ids=["example.com/shop/bad.TestPrice/discount"],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row("verbose-vet-after", passed=3, failed=0, skipped=1),
    Row("no-module", errors=1, ids=["./..."], says="pattern ./...: directory prefix / does not contain main modu"),
    Row(
        "old-plain-red",
        failed=3,
        errors=1,
        ids=[
            "example.com/shop/bad.TestPrice/discount",
            "example.com/shop/bad.TestName",
            "example.com/shop/broken",
            "example.com/shop/panics.TestBoom",
        ],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row(
        "old-verbose-red",
        passed=7,
        failed=3,
        errors=1,
        skipped=1,
        ids=[
            "example.com/shop/bad.TestPrice/discount",
            "example.com/shop/bad.TestName",
            "example.com/shop/broken",
            "example.com/shop/panics.TestBoom",
        ],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row(
        "old-json-red",
        passed=7,
        failed=3,
        errors=1,
        skipped=1,
        ids=[
            "example.com/shop/bad.TestPrice/discount",
            "example.com/shop/bad.TestName",
            "example.com/shop/broken",
            "example.com/shop/panics.TestBoom",
        ],
        says="bad_test.go:10: got 9, want 10",
    ),
    Row("old-json-nested", passed=4, failed=0),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("go", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("go", ROWS) == set()


@pytest.mark.parametrize("command", ["go test ./...", "go test", "go -C sub test ./..."])
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize(
    "command", ["go vet ./...", "go build", "gofmt -l .", "golangci-lint run", "", "echo go test ./..."]
)
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
