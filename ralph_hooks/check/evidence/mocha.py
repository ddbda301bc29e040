"""mocha: the counts at its end, its numbered failures, the tree of the spec reporter."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence import tree
from ralph_hooks.check.evidence.text import cut, dedent
from ralph_hooks.check.verdict import Evidence, Failure

_PASSING = re.compile(r"^  (\d+) passing \(\d+(?:ms|s|m|h|d)\)$")
_MORE = re.compile(r"^  (\d+) (pending|failing)$")
_NOTHING = re.compile(r"^(?:Error: No test files found|Warning: Cannot find any files matching pattern)\b")
_EXCEPTION = re.compile(r"^ ?Exception during run: (.*)$|^Error: (?:Cannot find module|ERR_MODULE_NOT_FOUND)")
_NUMBERED = re.compile(r"^  (\d+)\) (\S.*)$")
_MARKED = re.compile(r"(✔|✓|-|\d+\)) (\S.*?)(?: \(\d+ms\))?$")
_DEEPEST = 30


def matches(words: list[str]) -> bool:
    """`mocha`, its old second name, and the wrappers that print its reports."""
    return words[0] in ("mocha", "_mocha", "electron-mocha", "ts-mocha", "mochapack", "mocha-parallel-tests")


def parse(text: str) -> Evidence | None:
    """The last `N passing (time)` with the lines below it."""
    lines = text.split("\n")
    end = max((at for at in range(len(lines)) if _is_summary(lines, at)), default=-1)
    for at in range(end + 1, len(lines)):
        if end < 0 and _NOTHING.match(lines[at]):
            return Evidence("mocha", passed=0, failed=0, nothing=True)
        if end < 0 and (match := _EXCEPTION.match(lines[at])):
            name = match[1] or lines[at]
            failure = Failure(name, cut("\n".join(lines[at:])))
            return Evidence("mocha", passed=0, failed=0, errors=1, failures=[failure])
    match = _PASSING.match(lines[end]) if end >= 0 else None
    if not match:
        return None
    counts = {"passing": int(match[1])}
    below = end + 1
    while below < len(lines) and (more := _MORE.match(lines[below])):
        counts[more[2]] = int(more[1])
        below += 1
    return _evidence(lines[:end], lines[below:], counts)


def _is_summary(lines: list[str], at: int) -> bool:
    return at > 0 and not lines[at - 1].strip() and _PASSING.match(lines[at]) is not None


def _evidence(above: list[str], below: list[str], counts: dict[str, int]) -> Evidence:
    failed, pending = counts.get("failing", 0), counts.get("pending", 0)
    failures = _failures(below, failed)
    start = max((at for at in range(len(above)) if _is_summary(above, at)), default=-1)
    means = {"✔": "passed", "✓": "passed", "-": "skipped"}
    results = [
        (" > ".join(path), means.get(mark, "failed")) for path, mark in tree.walk(above[start + 1 :], _MARKED, margin=2)
    ]
    statuses = tree.statuses(results, {"passed": counts["passing"], "failed": failed, "skipped": pending})
    if {name for name, status in statuses.items() if status == "failed"} != {failure.id for failure in failures}:
        statuses = {}  # a reporter with names of its own
    complete = bool(statuses)
    statuses.update({failure.id: "failed" for failure in failures})
    return Evidence(
        "mocha",
        passed=counts["passing"],
        failed=failed,
        skipped=pending,
        failures=failures,
        statuses=statuses,
        complete=complete,
        nothing=not (counts["passing"] + failed + pending),
    )


def _failures(lines: list[str], expected: int) -> list[Failure]:
    """The blocks numbered 1 to `expected`, in order; text in a message that looks like a number is passed over."""
    starts: list[int] = []
    for at, line in enumerate(lines):
        if len(starts) < expected and (match := _NUMBERED.match(line)) and int(match[1]) == len(starts) + 1:
            starts.append(at)
    failures: dict[str, Failure] = {}
    for at, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        name, body = _title(lines[at:end])
        failures.setdefault(name, Failure(name, cut(dedent(lines[at + body : end]))))
    return list(failures.values())


def _title(lines: list[str]) -> tuple[str, int]:
    """The suites and the test, one line each, the last one closed by a colon; and how many lines they take."""
    first = _NUMBERED.match(lines[0])
    assert first is not None
    path = [first[2]]
    for at, line in enumerate(lines[1 : 1 + _DEEPEST], 1):
        if path[-1].endswith(":") or not line.startswith(" " * (5 + 2 * at)):
            break
        path.append(line.strip())
    return " > ".join(path).removesuffix(":"), len(path)
