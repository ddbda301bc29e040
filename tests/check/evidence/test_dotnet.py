"""dotnet test: what the real runner printed, and what we read from it."""

from __future__ import annotations

import pytest

from ralph_hooks.check.evidence.dotnet import matches
from tests.check.evidence.recorded import Row, compare, read, untold

ROWS = [
    Row(
        "documented/broken",
        errors=1,
        ids=["/project/Shop.Tests/Shop.Tests.csproj"],
        says="/project/Shop.Tests/PriceTests.cs(12,9): error CS0103: The n",
    ),
    Row("documented/platform-green", passed=12, failed=0),
    Row(
        "documented/platform-red",
        passed=3,
        failed=1,
        skipped=1,
        ids=["Shop.Tests.PriceTests.Price"],
        says="Actual:   9",
    ),
    Row("documented/platform-none", passed=0, failed=0, nothing=True),
    Row("documented/terminal-green", passed=2, failed=0),
    Row(
        "documented/terminal-red",
        passed=15,
        failed=1,
        skipped=1,
        ids=["Shop.Tests.PriceTests.Price"],
        says="Actual:   9",
    ),
    Row("documented/vstest-green", passed=5, failed=0),
    Row(
        "documented/vstest-long",
        passed=1,
        failed=1,
        skipped=1,
        ids=["Shop.Tests.PriceTests.Price"],
        says="Assert.AreEqual failed. Expected:<10>. Actual:<9>.",
    ),
    Row(
        "documented/vstest-red",
        passed=4,
        failed=2,
        skipped=1,
        ids=["Shop.Tests.PriceTests.Price", "Shop.Tests.PriceTests.Rows(a: 1, b: 2)"],
        says="Actual:   9",
    ),
    Row("documented/vstest-no-match", passed=0, failed=0, nothing=True),
    Row("documented/vstest-none", passed=0, failed=0, nothing=True),
    Row(
        "documented/vstest-projects",
        passed=5,
        failed=1,
        skipped=1,
        ids=["Left.Tests.Same"],
        says="Assert.True() Failure",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_recording(row: Row) -> None:
    compare(read("dotnet", row.case), row)


def test_every_recording_has_its_row() -> None:
    assert untold("dotnet", ROWS) == set()


@pytest.mark.parametrize("command", ["dotnet test", "dotnet test Shop.sln --no-build", "dotnet vstest a.dll"])
def test_command_is_recognised(command: str) -> None:
    assert matches(command.split())


@pytest.mark.parametrize("command", ["dotnet build", "dotnet test --list-tests", "dotnet run", "", "echo dotnet test"])
def test_other_command_is_not(command: str) -> None:
    assert not matches(command.split())
