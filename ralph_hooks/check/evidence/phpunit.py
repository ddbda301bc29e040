"""PHPUnit 9 to 12: the result below the last `Time:` line; what tests print stands above it.

A test that calls `exit` ends PHPUnit without a result, even with exit code 0. A header with nothing but progress below
it therefore counts as an error.
"""

from __future__ import annotations

import os
import re

from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_HEADER = re.compile(r"(?:PHPUnit (\d+)[\w.-]* by Sebastian Bergmann|ParaTest v\S+ upon PHPUnit (\d+))")
_TIME = re.compile(r"Time: [\d:.]+(?: \w+)?, Memory: [\d.]+ ?\w+$")
_OK = re.compile(r"OK \((\d+) tests?, \d+ assertions?\)$")
_VERDICT = re.compile(r"(?:OK, but .+|[A-Z]+)!$")
_COUNTS = re.compile(r"Tests: \d+, Assertions: \d+(?:, [A-Za-z ]+: \d+)*\.$")
_COUNT = re.compile(r"([A-Z][A-Za-z ]*): (\d+)")
_COMPACT = re.compile(r"(?:OK|ERRORS|FAILURES) \((\d+) tests?, (\d+ .+)\)$")
_COMPACT_COUNT = re.compile(r"(\d+) (error|failure|skipped|incomplete)s?\b")
_RECORD = re.compile(r"--- ([A-Z ]+): (.+)$")
_LIST = re.compile(r"There (?:was|were) \d+ (.+?)s?:$")
_ENTRY = re.compile(r"(\d+)\) (.+)$")
_PROGRESS = re.compile(
    r"(?:[.FEWRSIDNT]*(?: +\d+ / \d+ \( *\d+%\))?|(?:Runtime|Configuration|Random [Ss]eed|Processes): .*)$"
)
_TESTDOX = re.compile(r" ([✔✘↩∅☢⚠]) (.+)$")
_DURATION = re.compile(r" +[\d.]+ ms$")
_BARS = tuple("   " + bar for bar in "│├┐┊╵┴┤")
_SIGNS = {"✔": "passed", "✘": "failed", "↩": "skipped", "∅": "skipped", "☢": "passed", "⚠": "passed"}
_PROGRAMS = {"phpunit", "phpunit.phar", "paratest", "simple-phpunit"}
_ASKS = ("--version", "--help", "-h", "--list-", "--check-version", "--generate-configuration")


def matches(words: list[str]) -> bool:
    """`phpunit`, `php … phpunit.phar`, `paratest`; not where it only answers a question."""
    at = 1 if words[:1] == ["php"] else 0
    while at and at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-d", "-c") else 1
    program = words[at] if at < len(words) else ""
    return os.path.basename(program) in _PROGRAMS and not any(word.startswith(_ASKS) for word in words)


def parse(text: str) -> Evidence | None:
    """The last result."""
    lines = lines_of(text)
    header = _last(lines, _HEADER)
    time = _last(lines, _TIME)
    result = next((at for at in range(len(lines) - 1, time, -1) if _is_result(lines, at)), -1) if time >= 0 else -1
    if result >= 0:
        found = _HEADER.match(lines[header]) if header >= 0 else None
        return _evidence(lines, time, result, int(found[1] or found[2]) if found else 10)
    if header < 0 or header < time:
        return None
    return _unfinished(lines[header + 1 :])


def _unfinished(rest: list[str]) -> Evidence | None:
    """What a header without a `Time:` line below it means."""
    at = _last(rest, _COMPACT)
    if at >= 0:
        return _compact(rest, at)
    if "No tests executed!" in rest:
        return Evidence("phpunit", passed=0, failed=0, nothing=True)
    if all(_PROGRESS.match(line) for line in rest):
        return Evidence("phpunit", errors=1, failures=[Failure("phpunit", "it started and ended without a result")])
    return None


def _last(lines: list[str], form: re.Pattern[str]) -> int:
    return next((at for at in range(len(lines) - 1, -1, -1) if form.match(lines[at])), -1)


def _is_result(lines: list[str], at: int) -> bool:
    line = lines[at]
    if line == "No tests executed!" or _OK.match(line):
        return True
    return bool(_COUNTS.match(line)) and bool(_VERDICT.match(lines[at - 1]))


def _evidence(lines: list[str], time: int, result: int, major: int) -> Evidence:
    if found := _OK.match(lines[result]):
        counts = {"Tests": int(found[1])}
    else:
        counts = {name.strip(): int(number) for name, number in _COUNT.findall(lines[result])}
    skipped = counts.get("Skipped", 0) + counts.get("Incomplete", 0)
    bad = counts.get("Failures", 0) + counts.get("Errors", 0)
    untested = counts.get("Warnings", 0) if major < 10 else 0  # in PHPUnit 9 a warning is a test's whole outcome
    tests = counts.get("Tests", 0)
    shown, statuses = _testdox(lines[:result])
    failures = _failures(lines[time + 1 : result]) or shown
    return Evidence(
        "phpunit",
        passed=max(0, tests - skipped - bad - untested),
        failed=counts.get("Failures", 0),
        errors=counts.get("Errors", 0),
        skipped=skipped,
        failures=failures if bad else [],
        statuses=statuses if len(statuses) == tests else {failure.id: "failed" for failure in failures if bad},
        complete=tests > 0 and len(statuses) == tests,
        nothing=tests == 0,
    )


def _compact(lines: list[str], at: int) -> Evidence:
    """`--compact` of PHPUnit 13: records that begin with `--- KIND: test`, and one line of counts."""
    found = _COMPACT.match(lines[at])
    tests, told = (int(found[1]), found[2]) if found else (0, "")
    counts = {kind: int(number) for number, kind in _COMPACT_COUNT.findall(told)}
    skipped = counts.get("skipped", 0) + counts.get("incomplete", 0)
    failed, errors = counts.get("failure", 0), counts.get("error", 0)
    records: list[tuple[str, list[str]]] = []
    current: list[str] = []
    for line in lines[:at]:
        if record := _RECORD.match(line):
            current = []
            if record[1] in ("FAILURE", "ERROR"):
                records.append((record[2], current))
        else:
            current.append(line)
    failures = [Failure(name, cut(dedent(said))) for name, said in records[-(failed + errors) :]]
    return Evidence(
        "phpunit",
        passed=max(0, tests - skipped - failed - errors),
        failed=failed,
        errors=errors,
        skipped=skipped,
        failures=failures if failed + errors else [],
        statuses={failure.id: "failed" for failure in failures if failed + errors},
        nothing=tests == 0,
    )


def _failures(lines: list[str]) -> list[Failure]:
    """The numbered entries of the lists of errors and failures; a line `--` parts the lists."""
    entries: list[tuple[str, list[str]]] = []
    kind, number, fresh = "", 0, True
    for line in lines:
        found = _ENTRY.match(line)
        if fresh and (heading := _LIST.match(line)):
            kind, number = heading[1], 0
        elif line == "--":
            kind = ""
        elif kind not in ("error", "failure"):
            pass
        elif found and int(found[1]) == number + 1:
            number += 1
            entries.append((found[2], []))
        elif entries and number:
            entries[-1][1].append(line)
        fresh = line == "--" or (fresh and not line)
    return [Failure(name, cut(_without_verdict(said))) for name, said in entries]


def _without_verdict(said: list[str]) -> str:
    """The last entry's lines run into the verdict of the whole run."""
    return dedent(said[:-1] if said and _VERDICT.match(said[-1]) else said)


def _testdox(lines: list[str]) -> tuple[list[Failure], dict[str, str]]:
    """What `--testdox` prints: classes, sentences with a sign, and a failure's text behind bars."""
    begin = _last(lines, _HEADER) + 1
    texts: dict[str, list[str]] = {}
    statuses: dict[str, str] = {}
    group = test = ""
    for line in lines[begin:]:
        if line.startswith("Summary of "):
            break
        if found := _TESTDOX.match(line):
            test = f"{group}: {_DURATION.sub('', found[2])}"
            statuses[test] = _SIGNS[found[1]]
        elif line.startswith(_BARS):
            texts.setdefault(test, []).append(line[4:].removeprefix(" "))
        elif line and not line.startswith(" "):
            group = line
    failing = [test for test, status in statuses.items() if status == "failed"]
    return [Failure(test, cut(dedent(texts.get(test, [])))) for test in failing], statuses
