"""dotnet test: VSTest's line per test project, its long form, MSBuild's terminal logger, Microsoft.Testing.Platform."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_PROJECT = re.compile(
    r"(?:Passed|Failed|Skipped|Zero tests ran)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total: +\d+"
    r"(?:, Duration: [^-]*(?:- (.+))?)?$"
)
_TERMINAL = re.compile(
    r"Test summary: total: (\d+), failed: (\d+), succeeded: (\d+), skipped: (\d+)(?:, duration: .*)?$"
)
_LONG = re.compile(r"Test Run (?:Successful|Failed|Aborted)\.$")
_PLATFORM = re.compile(r"Test run summary: .+")
_NUMBER = re.compile(
    r" +(total|failed|succeeded|skipped|passed|error|Passed|Failed|Skipped): (\d+)$|Total tests: (\d+)$"
)
_FAILED = re.compile(r"(?: {2})?(?:Failed|failed) (\S.*?) [\[(](?:< )?\d[^\])]*[\])]$")
_LISTED = re.compile(
    r" *(?:Failed|Passed|Skipped|failed|passed|skipped) \S.* [\[(](?:< )?\d[^\])]*[\])]$| +Skipped \S+$"
)
_TERMINAL_FAILED = re.compile(r" {4,}(\S.*?) \((?:< ?)?\d[^)]*\): Error Message: (.*)$")
_FROM = re.compile(r"  from \S.*\.(?:dll|exe) \(.*\)$")
_NOTHING = re.compile(r"No test (?:is available in|matches the given testcase filter) |No test projects were found")
_UNBUILT = re.compile(r"\s*(\S.*\(\d+,\d+\)): error ([A-Z]+\d+): (.*?)(?: \[([^\]]+)\])?$")
_BUILD_FAILED = re.compile(r"Build FAILED\.$|Build failed with \d+ error|Restore failed with \d+ error")
_RESTORE = re.compile(r" *(?:Determining projects to restore\.\.\.|Restore complete \()")


def matches(words: list[str]) -> bool:
    """`dotnet test`, `dotnet vstest`; not where it only lists."""
    return words[:1] == ["dotnet"] and words[1:2] in (["test"], ["vstest"]) and not {"--list-tests", "-t"} & set(words)


def parse(text: str) -> Evidence | None:
    """The last run: the sum over its test projects, or the one summary that the newer forms print."""
    lines = lines_of(text)
    at = next((at for at in range(len(lines) - 1, -1, -1) if _is_summary(lines[at])), None)
    if at is None:
        return _without_summary(lines)
    begin = next((above + 1 for above in range(at, -1, -1) if _RESTORE.match(lines[above])), 0)
    own = lines[begin:]
    passed, failed, skipped = _counts(own, at - begin)
    failures = _failures(own[: at - begin]) if failed else []
    return Evidence(
        "dotnet",
        passed=passed,
        failed=failed,
        skipped=skipped,
        failures=failures,
        statuses={failure.id: "failed" for failure in failures},
        nothing=passed + failed + skipped == 0,
    )


def _is_summary(line: str) -> bool:
    return any(form.match(line) for form in (_PROJECT, _TERMINAL, _LONG, _PLATFORM))


def _counts(lines: list[str], at: int) -> tuple[int, int, int]:
    """Passed, failed, skipped of the last summary; of all projects where each has a line of its own."""
    if found := _TERMINAL.match(lines[at]):
        return int(found[3]), int(found[2]), int(found[4])
    if not _PROJECT.match(lines[at]):
        return _numbers(lines[at + 1 :])
    projects: dict[str, tuple[int, int, int]] = {}
    for place, line in enumerate(lines[: at + 1]):
        if found := _PROJECT.match(line):
            projects[found[4] or str(place)] = (int(found[2]), int(found[1]), int(found[3]))
    passed, failed, skipped = (sum(column) for column in zip(*projects.values(), strict=True))
    return passed, failed, skipped


def _numbers(lines: list[str]) -> tuple[int, int, int]:
    """The numbers below a heading: one to a line, before or after the lines of single projects."""
    numbers: dict[str, int] = {}
    for line in lines:
        if found := _NUMBER.match(line):
            numbers.setdefault((found[1] or "total").lower(), int(found[2] or found[3]))
        elif numbers and line.strip():
            break
    passed = numbers.get("succeeded", numbers.get("passed", 0))
    return passed, numbers.get("failed", 0) + numbers.get("error", 0), numbers.get("skipped", 0)


def _failures(lines: list[str]) -> list[Failure]:
    """Each failing test with the lines below it, up to the next test or the next line that is no part of it."""
    texts: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        if found := _FAILED.match(line):
            current = texts[found[1]] = []
        elif found := _TERMINAL_FAILED.match(line):
            current = texts[found[1]] = [f"      {found[2]}"]
        elif _LISTED.match(line) or _is_summary(line) or line.startswith(("Results File:", "Test Run ")):
            current = None
        elif current is not None and not _FROM.match(line):
            current.append(line)
    return [Failure(name, cut(dedent(said))) for name, said in texts.items()]


def _without_summary(lines: list[str]) -> Evidence | None:
    """The compiler's errors, or VSTest's word that there was no test."""
    if any(_BUILD_FAILED.match(line.strip()) for line in lines):
        unbuilt = dict.fromkeys(found.groups() for line in lines if (found := _UNBUILT.match(line)))
        if unbuilt:
            projects: dict[str, list[str]] = {}
            for place, code, said, project in unbuilt:
                projects.setdefault(project or "the build", []).append(f"{place}: error {code}: {said}")
            failures = [Failure(project, cut("\n".join(said))) for project, said in projects.items()]
            return Evidence("dotnet", errors=len(failures), failures=failures)
    if any(_NOTHING.match(line) for line in lines):
        return Evidence("dotnet", passed=0, failed=0, nothing=True)
    return None
