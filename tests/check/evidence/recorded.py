"""What the real runners printed (`tests/recordings/`), and how an expected row is compared with what we read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ralph_hooks.check.evidence.registry import runner as module_of
from ralph_hooks.check.evidence.text import clean
from ralph_hooks.check.verdict import Evidence

RECORDINGS = Path(__file__).resolve().parents[2] / "recordings"


@dataclass(frozen=True)
class Row:
    """What must be read from one recording; `says` stands in the first failure's text, no counts mean no evidence.

    `uncounted`: the runner spoke of tests without counting them. Cases below `documented/` are written by hand.
    """

    case: str
    passed: int | None = None
    failed: int | None = None
    errors: int = 0
    skipped: int = 0
    xfailed: int = 0
    ids: list[str] = field(default_factory=list)
    says: str = ""
    nothing: bool = False
    uncounted: bool = False


def rows(cases: str, *counts: int, **expected: Any) -> list[Row]:
    """The same row for several cases, named in one string; counts are passed, failed, errors, skipped, xfailed."""
    names = ("passed", "failed", "errors", "skipped", "xfailed")
    fields: dict[str, Any] = dict(zip(names, counts, strict=False)) | expected
    return [Row(case, **fields) for case in cases.split()]


def book(runner: str) -> dict[str, Any]:
    """The runner's `record.json`."""
    path = RECORDINGS / runner / "record.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"cases": {}}
    return loaded


def documented(runner: str) -> set[str]:
    """Cases written by hand after the runner's documentation, where the real one could not be run."""
    return {f"documented/{path.stem}" for path in (RECORDINGS / runner / "documented").glob("*.txt")}


def output(runner: str, case: str) -> str:
    """What the runner printed, cleaned."""
    return clean((RECORDINGS / runner / f"{case}.txt").read_bytes())


def read(runner: str, case: str, *, parser: str = "") -> Evidence | None:
    """What the runner's parser (or another one) makes of a recording."""
    module = module_of(parser or runner)
    assert module is not None, f"no row for {parser or runner}"
    return module.parse(output(runner, case))


def compare(evidence: Evidence | None, row: Row) -> None:
    """Fail the test unless the evidence is exactly what the row says."""
    if row.passed is None and row.failed is None and not (row.nothing or row.errors or row.uncounted):
        assert evidence is None, f"{row.case}: evidence where the runner gave no summary"
        return
    assert evidence is not None, f"{row.case}: no evidence"
    counts = (evidence.passed, evidence.failed, evidence.errors, evidence.skipped, evidence.xfailed)
    assert counts == (row.passed, row.failed, row.errors, row.skipped, row.xfailed), row.case
    assert [failure.id for failure in evidence.failures] == row.ids, row.case
    assert evidence.nothing == row.nothing, row.case
    if row.says:
        assert row.says in evidence.failures[0].text, evidence.failures[0].text


def untold(runner: str, rows: list[Row]) -> set[str]:
    """Recorded cases without a row, and rows without a recording; must be empty."""
    return (set(book(runner)["cases"]) | documented(runner)) ^ {row.case for row in rows}
