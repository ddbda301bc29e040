"""Gradle: failing tests and `N tests completed`, which its console shows by default; passing ones only where asked to.

What tests print is indented, so it never looks like Gradle's own lines. A build that is green and quiet, or up to
date, is no evidence.
"""

from __future__ import annotations

import re

from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_BUILD = re.compile(r"BUILD (?:SUCCESSFUL|FAILED) in ")
_COMPLETED = re.compile(r"(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$")
_EVENT = re.compile(r"(\S.* > .+) (PASSED|FAILED|SKIPPED)$")
_TASK = re.compile(r"(?:> Task )?(:(?:[^\s:]+:)*[^\s:]+)(?: (FAILED|NO-SOURCE|UP-TO-DATE|SKIPPED|FROM-CACHE))?$")
_TEST_TASK = re.compile(r"(?:.*:)?(?:test|(?!compile|process)\w*Test)$")
_BROKEN = re.compile(r"Execution failed for task '(:\S*compile\w*)'")
_NO_TESTS = re.compile(r"> No tests found for given includes: ")
_STATUS = {"PASSED": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
_NOT_BUILDING = ("help", "tasks", "projects", "dependencies", "--version", "--help", "--stop")


def matches(words: list[str]) -> bool:
    """`gradle`, `./gradlew`: nearly every task of it may run tests."""
    return words[:1] in (["gradle"], ["gradlew"]) and not set(_NOT_BUILDING) & set(words)


def parse(text: str) -> Evidence | None:
    """The last build."""
    lines = _last_build(lines_of(text))
    done = [found.groups(default="0") for line in lines if (found := _COMPLETED.match(line))]
    statuses, texts = _events(lines)
    told = list(statuses.values())
    if not done and not told:
        return _without_tests(lines)
    total, failed, skipped = (
        (sum(int(number) for number in column) for column in zip(*done, strict=True)) if done else (0, 0, 0)
    )
    failed = max(failed, told.count("failed"))
    skipped = max(skipped, told.count("skipped"))
    failing = [test for test, status in statuses.items() if status == "failed"]
    return Evidence(
        "gradle",
        passed=max(total - failed - skipped, told.count("passed")),
        failed=failed,
        skipped=skipped,
        failures=[Failure(test, cut(dedent(texts[test]))) for test in failing],
        statuses=statuses,
        complete=len(statuses) == max(total, len(statuses)) and "passed" in told,
    )


def _last_build(lines: list[str]) -> list[str]:
    ends = [at for at, line in enumerate(lines) if _BUILD.match(line)]
    begin = ends[-2] + 1 if len(ends) > 1 else 0
    return lines[begin : ends[-1] + 1 if ends else len(lines)]


def _events(lines: list[str]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Status by test, and the indented lines below it."""
    statuses: dict[str, str] = {}
    texts: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        if found := _EVENT.match(line):
            statuses[found[1]] = _STATUS[found[2]]
            current = texts[found[1]] = []
        elif line and not line.startswith("    "):
            current = None
        elif current is not None:
            current.append(line)
    return statuses, texts


def _without_tests(lines: list[str]) -> Evidence | None:
    """No word about a test: nothing ran, something did not compile, or Gradle had no reason to speak."""
    at = next((at for at, line in enumerate(lines) if _BROKEN.match(line)), None)
    found = _BROKEN.match(lines[at]) if at is not None else None
    if at is not None and found:
        task = next((above for above in range(at) if (own := _TASK.match(lines[above])) and own[1] == found[1]), at)
        said = [line for line in lines[task + 1 : at] if not line.startswith(("FAILURE:", "* What", "\t"))]
        return Evidence("gradle", errors=1, failures=[Failure(found[1], cut(dedent(said)))])
    tasks = [own for line in lines if (own := _TASK.match(line)) and _TEST_TASK.match(own[1])]
    none = bool(tasks) and all(own[2] == "NO-SOURCE" for own in tasks)
    if none or any(_NO_TESTS.match(line) for line in lines):
        return Evidence("gradle", passed=0, failed=0, nothing=True)
    return None
