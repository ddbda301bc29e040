"""jest: the four lines of its summary, the sections of its failures, the tree of a verbose run."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence import tree
from ralph_hooks.check.evidence.text import cut, dedent
from ralph_hooks.check.verdict import Evidence, Failure

_SUITES = re.compile(r"^Test Suites: +(?P<counts>\S.*) total$")
_TESTS = re.compile(r"^Tests: +(?P<counts>\S.*) total$")
_AFTER = (re.compile(r"^Snapshots: +\d"), re.compile(r"^Time: +[\d.]+"))
_COUNT = re.compile(r"(\d+) (failed|passed|skipped|todo|pending)")
_NOTHING = re.compile(r"^No tests found(?:, exiting with code \d+| related to files changed since .*)$")
_EXITED = re.compile(r'^ +● +process\.exit called with "')
_FILE = re.compile(r"^ ?(PASS|FAIL) {1,2}(?:\./)?(\S.*?)(?: \(\d[\d.,]*\s?m?s(?:, [^)]*)?\))?$")
_TITLE = re.compile(r"^  ● (\S.*)$")
_CONSOLE = re.compile(r"^    console\.\w+$")
_END = re.compile(r"^(?:Summary of all failing tests|Snapshot Summary| › \d+ snapshots? .*|Test Suites: .*)$")
_MARKED = re.compile(r"(✓|✕|○|✎)(?: (?:skipped|todo|disabled))? (\S.*?)(?: \(\d[\d.]* m?s\))?$")
_MEANS = {"✓": "passed", "✕": "failed", "○": "skipped", "✎": "skipped"}
NOT_RUN = "Test suite failed to run"


def matches(words: list[str]) -> bool:
    """`jest`, and the scripts that wrap it."""
    return words[0] == "jest" or words[:2] in (
        ["react-scripts", "test"],
        ["craco", "test"],
        ["react-app-rewired", "test"],
    )


def parse(text: str) -> Evidence | None:
    """The last block of `Test Suites`, `Tests`, `Snapshots`, `Time`; or what jest says when there is none."""
    lines = text.split("\n")
    ends = [at for at in range(len(lines) - 3) if lines[at].startswith("Test Suites:") and _is_summary(lines, at)]
    end = ends[-1] if ends else -1
    for line in lines[end + 1 :]:
        if _NOTHING.match(line):
            return Evidence("jest", passed=0, failed=0, nothing=True)
        if _EXITED.match(line):
            failure = Failure("process.exit", cut("\n".join(lines[end + 1 :])))
            return Evidence("jest", passed=0, failed=0, errors=1, failures=[failure])
    if not ends:
        return None
    start = ends[-2] + 4 if len(ends) > 1 else 0
    return _evidence(lines[start:end], _counts(_SUITES, lines[end]), _counts(_TESTS, lines[end + 1]))


def _is_summary(lines: list[str], at: int) -> bool:
    patterns = (_SUITES, _TESTS, *_AFTER)
    return all(pattern.match(line) for pattern, line in zip(patterns, lines[at : at + 4], strict=True))


def _counts(pattern: re.Pattern[str], line: str) -> dict[str, int]:
    match = pattern.match(line)
    assert match is not None
    return {kind: int(number) for number, kind in _COUNT.findall(match["counts"])}


def _evidence(lines: list[str], suites: dict[str, int], tests: dict[str, int]) -> Evidence:
    failures, not_run = _failures(lines)
    failed, bad = tests.get("failed", 0), suites.get("failed", 0)
    # Suites that never ran count beside the tests; only the sections say which of the failed ones these are.
    errors = min(not_run, bad) if failures else (bad if not failed else 0)
    skipped = tests.get("skipped", 0) + tests.get("todo", 0) + tests.get("pending", 0)
    results = [(name, _MEANS[mark]) for name, mark in _tree(lines)]
    statuses = tree.statuses(results, {"passed": tests.get("passed", 0), "failed": failed, "skipped": skipped})
    complete = bool(statuses)
    statuses.update({failure.id: "failed" for failure in failures if failed + errors})
    return Evidence(
        "jest",
        passed=tests.get("passed", 0),
        failed=failed,
        errors=errors,
        skipped=skipped,
        failures=failures if failed + errors else [],
        statuses=statuses,
        complete=complete,
        nothing=not tests and not suites,
    )


def _failures(lines: list[str]) -> tuple[list[Failure], int]:
    """The sections below each `FAIL file`, and how many files never ran."""
    failures: dict[str, Failure] = {}
    not_run = 0
    file, title, begin = "", "", 0
    for at, line in enumerate([*lines, "Test Suites: end"]):
        header, named = _FILE.match(line), _TITLE.match(line)
        if not (header or named or _END.match(line)):
            continue
        if title and not _CONSOLE.match(next((row for row in lines[begin:at] if row), "")):
            name = file if title == NOT_RUN else f"{file} › {title}"
            not_run += title == NOT_RUN and name not in failures
            failures.setdefault(name, Failure(name, cut(dedent(lines[begin:at]))))
        file = (header[2] if header[1] == "FAIL" else "") if header else file
        title, begin = (named[1] if named and file else ""), at + 1
    return list(failures.values()), not_run


def _tree(lines: list[str]) -> list[tuple[str, str]]:
    """Id and mark of the tests below each file of a verbose run."""
    results: list[tuple[str, str]] = []
    heads = [at for at, line in enumerate(lines) if _FILE.match(line)]
    for at, end in zip(heads, [*heads, len(lines)][1:], strict=True):
        header = _FILE.match(lines[at])
        assert header is not None
        body = lines[at + 1 : end]
        stop = next(
            (row for row, line in enumerate(body) if _TITLE.match(line) or not line.startswith("  ")), len(body)
        )
        for path, mark in tree.walk(body[:stop], _MARKED, margin=2):
            results.append((" › ".join([header[2], *path]), mark))
    return results
