"""CTest: the last `N% tests passed` line that a total time follows, and the list of failed tests below it."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_SUMMARY = re.compile(r"\d+% tests passed, (\d+) tests? failed out of (\d+)$")
_TOTAL = re.compile(r"Total Test time \(real\) = +[\d.]+ sec$")
_NONE = "No tests were found!!!"
_PROJECT = "Test project "
_LISTED = re.compile(r"\t *(\d+) - (.+) \(([^()]*)\)(?:\s.*)?$")
_RESULT = re.compile(r" *(?:\d+/\d+ )?Test +#(\d+): (.+?) \.*(?: +(Passed)|[^.*]*\*\*\*(.+?)) +[\d.]+ sec(?:\s.*)?$")
_START = re.compile(r"(?: +Start +\d+: |test \d+$)")
_NOISE = re.compile(r"(?:Test command|Working Directory|Test timeout computed to be|Environment variables): ?")
_NUMBERED = re.compile(r"(\d+): (.*)$")
_SKIPPED = ("Skipped", "Not Run (Disabled)", "Disabled")


def matches(words: list[str]) -> bool:
    """`ctest`, not where it only lists or submits."""
    return words[:1] == ["ctest"] and not {"-N", "--show-only", "--print-labels", "--version"} & set(words)


def parse(text: str) -> Evidence | None:
    """The last summary. Tests that a fixture or a missing program kept from running count as failed, as CTest says."""
    lines = lines_of(text)
    at = _last_summary(lines)
    if at is None:
        return None
    begin = next((above for above in range(at, -1, -1) if lines[above].startswith(_PROJECT)), 0)
    statuses = _statuses(lines[begin:at])
    found = _SUMMARY.match(lines[at])
    if not found:
        skipped = list(statuses.values()).count("skipped")
        return Evidence("ctest", passed=0, failed=0, skipped=skipped, statuses=statuses, nothing=True)
    failed, total = int(found[1]), int(found[2])
    unrun, listed = _lists(lines[at:])
    skipped = sum(reason == "Skipped" for _, _, reason in unrun)
    disabled = sum(reason == "Disabled" for _, _, reason in unrun)
    texts = _texts(lines[begin:at], {number: name for number, name, _ in listed})
    failures = [Failure(name, cut(f"{reason}\n{texts.get(name, '')}".rstrip())) for _, name, reason in listed[:failed]]
    statuses |= {failure.id: "failed" for failure in failures}
    return Evidence(
        "ctest",
        passed=max(0, total - failed - skipped),
        failed=failed,
        skipped=skipped + disabled,
        failures=failures,
        statuses=statuses,
        complete=len(statuses) == total + disabled,
        nothing=total == 0,
    )


def _last_summary(lines: list[str]) -> int | None:
    """A summary counts when the total time stands below it: between the two there are only times per label."""
    timed = False
    for at in range(len(lines) - 1, -1, -1):
        if _TOTAL.match(lines[at]):
            timed = True
        elif lines[at].strip() == _NONE or (timed and _SUMMARY.match(lines[at])):
            return at
    return None


def _lists(lines: list[str]) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Number, name and reason of the tests that did not run and of those that failed."""
    unrun: list[tuple[str, str, str]] = []
    failed: list[tuple[str, str, str]] = []
    current: list[tuple[str, str, str]] | None = None
    for line in lines:
        if line == "The following tests did not run:":
            current = unrun
        elif line == "The following tests FAILED:":
            current = failed
        elif current is not None and (found := _LISTED.match(line)):
            current.append((found[1], found[2], found[3]))
        elif line:
            current = None
    return unrun, failed


def _statuses(lines: list[str]) -> dict[str, str]:
    statuses: dict[str, str] = {}
    for line in lines:
        if found := _RESULT.match(line):
            reason = found[4] or ""
            statuses[found[2]] = "passed" if found[3] else "skipped" if reason in _SKIPPED else "failed"
    return statuses


def _texts(lines: list[str], failed: dict[str, str]) -> dict[str, str]:
    """What failed tests printed: numbered lines (`-V`), or the lines below the result (`--output-on-failure`)."""
    said: dict[str, list[str]] = {name: [] for name in failed.values()}
    current: list[str] = []
    for line in lines:
        if found := _RESULT.match(line):
            current = said.get(found[2], [])
        elif _START.match(line):
            current = []
        elif (numbered := _NUMBERED.match(line)) and numbered[1] in failed:
            said[failed[numbered[1]]] += [] if _NOISE.match(numbered[2]) else [numbered[2]]
        else:
            current.append(line)
    return {name: dedent(own) for name, own in said.items()}
