"""prove (Perl's TAP::Harness): the last `Files=…` line with its `Result:`, and the report above it."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_FILES = re.compile(r"Files=\d+, Tests=(\d+), +\d+ wallclock secs")
_RESULT = re.compile(r"Result: (PASS|FAIL|NOTESTS)$")
_REPORT = "Test Summary Report"
_FILE = re.compile(r"(\S.*?) +\(Wstat: (\d+)(?: \([^)]*\))? Tests: (\d+) Failed: (\d+)\)$")
_NUMBERS = re.compile(r"  Failed tests?:  ([\d, -]+)$")
_NEXT_NUMBERS = re.compile(r"                ([\d, -]+)$")
_DONE = re.compile(r"(\S.*?) \.\.+ ?(.*)$")
_FAILED = re.compile(r"#   Failed test(?: '(.*)'| at (.+) line \d+\.)?$")
_VERDICT = re.compile(r"Dubious, test returned |Failed \d+/\d+ subtests|No subtests run|\s*$")
_AT = re.compile(r"#   at (.+) line \d+\.$")
_MANY = 1000  # test numbers read from one file's report


def matches(words: list[str]) -> bool:
    """`prove`."""
    return words[:1] == ["prove"] and "--dry" not in words and "-D" not in words


def parse(text: str) -> Evidence | None:
    """The last summary. A file that died or broke its plan, with no test of its own failing, is an error."""
    lines = lines_of(text)
    at = next((at for at in range(len(lines) - 1, 0, -1) if _is_summary(lines, at)), None)
    found = _FILES.match(lines[at - 1]) if at else None
    if at is None or not found:
        return None
    begin = next((above + 1 for above in range(at - 2, 0, -1) if _is_summary(lines, above)), 0)
    own = lines[begin : at - 1]
    report = _report(own) if lines[at] == "Result: FAIL" else {}
    told, before = (_told(own), _before(own)) if report else ({}, {})
    failures: list[Failure] = []
    errors = 0
    for file, (said, failed) in report.items():
        if failed:
            failures += _tests(file, said, told.get(file, []))
        elif any(line.startswith(("  Parse errors:", "  Non-zero")) for line in said):
            errors += 1
            failures.append(Failure(file, cut("\n".join([dedent(said), *before.get(file, [])]))))
    failed = sum(count for _, count in report.values())
    skipped = sum((done := _DONE.match(line)) is not None and done[2].startswith("skipped") for line in own)
    return Evidence(
        "prove",
        passed=max(0, int(found[1]) - failed),
        failed=failed,
        errors=errors or int(lines[at] == "Result: FAIL" and not failed),
        skipped=skipped,
        failures=failures,
        statuses={failure.id: "failed" for failure in failures},
        nothing=lines[at] == "Result: NOTESTS",
    )


def _is_summary(lines: list[str], at: int) -> bool:
    return bool(_RESULT.match(lines[at])) and bool(_FILES.match(lines[at - 1]))


def _report(lines: list[str]) -> dict[str, tuple[list[str], int]]:
    """By file: its lines in the last report, and how many of its tests failed."""
    begin = next((at for at in range(len(lines) - 1, -1, -1) if lines[at] == _REPORT), len(lines))
    report: dict[str, tuple[list[str], int]] = {}
    current: list[str] = []
    for line in lines[begin + 2 :]:
        if found := _FILE.match(line):
            current = []
            report[found[1]] = (current, int(found[4]))
        else:
            current.append(line)
    return report


def _tests(file: str, said: list[str], told: list[tuple[str, str]]) -> list[Failure]:
    """The failing tests of a file: by description where the file told as many as the report counts, else by number."""
    numbers = _numbers(said)
    if len(told) == len(numbers):
        return [Failure(f"{file}: {name or number}", text) for number, (name, text) in zip(numbers, told, strict=True)]
    texts = "\n".join(text for _, text in told) or dedent(said)
    return [Failure(f"{file}: {number}", cut(texts) if number == numbers[0] else "") for number in numbers]


def _numbers(said: list[str]) -> list[int]:
    """`2-4, 7` as numbers; long lists go on in the next line."""
    parts: list[str] = []
    for line in said:
        if found := _NUMBERS.match(line) or (parts and _NEXT_NUMBERS.match(line)) or None:
            parts += found[1].split(",")
    numbers: list[int] = []
    for part in parts:
        first, _, last = part.strip().partition("-")
        if first.isdigit() and (not last or last.isdigit()):
            numbers += range(int(first), min(int(last or first), int(first) + _MANY) + 1)
    return numbers[:_MANY]


def _told(lines: list[str]) -> dict[str, list[tuple[str, str]]]:
    """By file: description and text of each failing test that it complained about."""
    told: dict[str, list[tuple[str, str]]] = {}
    for at, line in enumerate(lines):
        found = _FAILED.match(line)
        if not found:
            continue
        own = [line]
        for more in lines[at + 1 : at + 200]:
            if not more.startswith("#   ") or _FAILED.match(more):
                break
            own.append(more)
        where = found[2] or next((place[1] for more in own[1:] if (place := _AT.match(more))), "")
        told.setdefault(where, []).append((found[1] or "", cut(dedent([more[1:] for more in own]))))
    return told


def _before(lines: list[str]) -> dict[str, list[str]]:
    """By file: what it said before its result, which are the lines since the result above."""
    before: dict[str, list[str]] = {}
    said: list[str] = []
    for line in lines:
        if found := _DONE.match(line):
            before.setdefault(found[1], said[-40:])
            said = []
        elif not _VERDICT.match(line):
            said.append(line)
    return before
