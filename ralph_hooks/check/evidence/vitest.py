"""vitest: its closing table, and the `FAIL` sections above it."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence import tree
from ralph_hooks.check.evidence.text import cut
from ralph_hooks.check.verdict import Evidence, Failure

_FILES = re.compile(r"^ +Test Files {2}(\S.*)$")
_ROW = re.compile(r"^ +(Tests|Type Errors|Errors|Snapshots|Start at|Duration) {2}(\S.*)$")
_COUNT = re.compile(r"(\d+) (failed|passed|skipped|todo|expected fail)\b")
_RUN = re.compile(r"^ RUN  v\d+\.\d+\.\d+")
_NOTHING = re.compile(r"^No test files found, exiting with code \d+$")
_FAIL = re.compile(r"^ FAIL {2}(\S.*?)(?: \[ .* \])?$")
_FAILED_SUITES = re.compile(r"^⎯+ Failed Suites (\d+) ⎯+$")
_UNHANDLED = re.compile(r"^⎯+ Unhandled Errors ⎯+$")
_RULE = re.compile(r"^⎯{3,}(?:\[\d+/\d+\]⎯+)?$")
_STATUS = re.compile(r"^ ([✓×↓□]) (\S.* > .*?)(?: \d[\d.]*m?s)?$")
_MEANS = {"✓": "passed", "×": "failed", "↓": "skipped", "□": "skipped"}
ENDED_EARLY = "vitest ended without its summary"
UNHANDLED = "unhandled error"


def matches(words: list[str]) -> bool:
    """`vitest`, but not its benchmarks and listings."""
    return words[0] == "vitest" and not {"bench", "list", "init"} & set(words[1:2])


def parse(text: str) -> Evidence | None:
    """The last table of `Test Files`, `Tests`, `Start at`, `Duration`."""
    lines = text.split("\n")
    tables = [(at, rows) for at, line in enumerate(lines) if _FILES.match(line) and (rows := _table(lines, at))]
    end = tables[-1][0] if tables else -1
    for at in range(end + 1, len(lines)):
        if _NOTHING.match(lines[at]):
            return Evidence("vitest", passed=0, failed=0, nothing=True)
    for at in range(end + 1, len(lines)):
        if _RUN.match(lines[at]) and not any("Test Files " in line for line in lines[at:]):
            failure = Failure(ENDED_EARLY, cut("\n".join(lines[at:])))
            return Evidence("vitest", passed=0, failed=0, errors=1, failures=[failure])
    if not tables:
        return None
    start = tables[-2][0] + 1 if len(tables) > 1 else 0
    start = max([start, *(at for at in range(start, end) if _RUN.match(lines[at]))])
    return _evidence(lines[start:end], _counts(tables[-1][1]["Test Files"]), _counts(tables[-1][1]["Tests"]))


def _table(lines: list[str], at: int) -> dict[str, str] | None:
    rows = {"Test Files": lines[at].partition("Test Files  ")[2]}
    for line in lines[at + 1 : at + 8]:
        if not (match := _ROW.match(line)) or match[1] in rows:
            break
        rows[match[1]] = match[2]
    return rows if {"Tests", "Start at", "Duration"} <= rows.keys() else None


def _counts(row: str) -> dict[str, int]:
    return {kind: int(number) for number, kind in _COUNT.findall(row)}


def _evidence(lines: list[str], files: dict[str, int], tests: dict[str, int]) -> Evidence:
    """Errors that no test caught are told as a failure but not counted: vitest has an option that lets them pass."""
    failures = _failures(lines)
    failed, bad = tests.get("failed", 0), files.get("failed", 0)
    suites = next((int(match[1]) for line in lines if (match := _FAILED_SUITES.match(line))), None)
    errors = suites if suites is not None and bad else (bad if not failed else 0)
    skipped = tests.get("skipped", 0) + tests.get("todo", 0)
    known = tests.get("expected fail", 0)
    results = [(match[2], _MEANS[match[1]]) for line in lines if (match := _STATUS.match(line))]
    expected = {"passed": tests.get("passed", 0) + known, "failed": failed, "skipped": skipped}
    statuses = tree.statuses(results, expected)
    complete = bool(statuses)
    failing = failures if failed + errors else []
    statuses.update({failure.id: "failed" for failure in failing})
    return Evidence(
        "vitest",
        passed=tests.get("passed", 0),
        failed=failed,
        errors=errors,
        skipped=skipped,
        xfailed=known,
        failures=failing or _unhandled(lines),
        statuses=statuses,
        complete=complete,
        nothing=not tests and not files,
    )


def _failures(lines: list[str]) -> list[Failure]:
    """One section may stand for several tests that failed alike: their headers follow each other."""
    failures: dict[str, Failure] = {}
    at = 0
    while at < len(lines):
        names: list[str] = []
        while at < len(lines) and (match := _FAIL.match(lines[at])):
            names.append(match[1])
            at += 1
        begin = at
        while names and at < len(lines) and not _RULE.match(lines[at]) and not _FAIL.match(lines[at]):
            at += 1
        for name in names:
            failures.setdefault(name, Failure(name, cut("\n".join(lines[begin:at]))))
        at += not names
    return list(failures.values())


def _unhandled(lines: list[str]) -> list[Failure]:
    start = next((at for at, line in enumerate(lines) if _UNHANDLED.match(line)), None)
    return [] if start is None else [Failure(UNHANDLED, cut("\n".join(lines[start + 1 :])))]
