"""Maven Surefire and Failsafe: one summary below `Results:` for each module, summed over the last reactor run.

Tests write to the same console, so a summary counts only as the last one of its module's section.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_TAG = r"(?:\[(?:INFO|WARNING|ERROR)\] +)?"
_SCAN = "[INFO] Scanning for projects..."
_GOAL = re.compile(r"\[INFO\] --- (?:maven-)?(\S+?)(?:-plugin)?:[\w.-]+:(\S+) .*@ (\S+)(?: ---)?$")
_COUNTS = re.compile(_TAG + r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?$")
_RESULTS = re.compile(_TAG + r"Results ?:$")
_CLASS = re.compile(_TAG + r"Tests run: .*, Time elapsed: ")
_TEST = re.compile(_TAG + r"(?!Tests run: )(\S.*?)(?: --)? +Time elapsed: [\d.,]+ s(?:ec)? +<<< (?:FAILURE|ERROR)!$")
_OLD_NAME = re.compile(r"([^()]+)\(([\w.$]+)\)$")
_FLAKES = re.compile(_TAG + r"Flakes: ?$")
_FLAKY = re.compile(_TAG.removesuffix("?") + r"(\S+)$")
_QUIET_END = re.compile(r"\[ERROR\] +(?:Failed to execute goal |There are test failures|$)")
_CRASHED = "[ERROR] Crashed tests:"
_UNBUILT = re.compile(r"\[ERROR\] COMPILATION ERROR ?:")
_PROJECT = re.compile(r"\[ERROR\] Failed to execute goal .* on project (\S+): Compilation failure")
_NO_TESTS = re.compile(r"\[ERROR\] Failed to execute goal .*: No tests (?:were executed|matching pattern)")


class _Counts(NamedTuple):
    run: int = 0
    failures: int = 0
    errors: int = 0
    skipped: int = 0


def matches(words: list[str]) -> bool:
    """`mvn`, `./mvnw` or `mvnd` with a goal that runs tests."""
    goals = {"test", "verify", "install", "package", "deploy", "integration-test"}
    return words[:1] in (["mvn"], ["mvnw"], ["mvnd"]) and any(
        word in goals or word.startswith(("surefire:", "failsafe:")) for word in words[1:]
    )


def parse(text: str) -> Evidence | None:
    """The last reactor run; `None` where Maven stopped before any test for a reason that is none of ours."""
    lines = lines_of(text)
    begin = next((at for at in range(len(lines) - 1, -1, -1) if lines[at] == _SCAN), 0)
    lines = lines[begin:]
    sections = _sections(lines)
    found = [counts for section in sections or [lines] if (counts := _counts(section, quiet=not sections))]
    crash = _crash(lines)
    unbuilt = _unbuilt(lines)
    if not (found or crash or unbuilt):
        return _nothing(lines) if sections else None
    tests = [failure for section in sections or [lines] for failure in _failures(section)]
    total = _Counts(*map(sum, zip(*found, strict=True)))
    bad = total.failures + total.errors
    return Evidence(
        "surefire",
        passed=max(0, total.run - bad - total.skipped) if found else None,
        failed=total.failures if found else None,
        errors=total.errors + len(crash) + len(unbuilt),
        skipped=total.skipped,
        failures=[*unbuilt, *(tests if bad else []), *crash],
        statuses={failure.id: "failed" for failure in tests} if bad else {},
        nothing=bool(found) and total.run == 0 and not crash and not unbuilt,
    )


def _sections(lines: list[str]) -> list[list[str]]:
    """The lines of each goal that runs tests."""
    sections: list[list[str]] = []
    inside = False
    for line in lines:
        if goal := _GOAL.match(line):
            inside = goal[1] in ("surefire", "failsafe") and goal[2] in ("test", "integration-test")
            if inside:
                sections.append([])
        elif inside:
            sections[-1].append(line)
    return sections


def _counts(section: list[str], *, quiet: bool) -> _Counts | None:
    """The last summary below a `Results:`; with `-q` Maven says only the summary of a failed module, and then why."""
    for at in range(len(section) - 1, -1, -1):
        if _CLASS.match(section[at]):
            return None
        if not (found := _COUNTS.match(section[at])):
            continue
        if quiet and not any(_QUIET_END.match(line) for line in section[at + 1 : at + 4]):
            continue
        if quiet or any(_RESULTS.match(line) for line in reversed(section[:at])):
            return _Counts(*(int(number) for number in found.groups()))
    return None


def _failures(section: list[str]) -> list[Failure]:
    """Each failing test once, with the trace of its last try; a flaky one passed in the end."""
    texts: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in section:
        if found := _TEST.match(line):
            old = _OLD_NAME.match(found[1])
            name = f"{old[2]}.{old[1]}" if old and "." in old[2] else found[1]
            current = texts[name] = []
        elif not line or line.startswith("["):
            current = None
        elif current is not None:
            current.append(line)
    flaky = _flaky(section)
    return [Failure(name, cut(dedent(said))) for name, said in texts.items() if name not in flaky]


def _flaky(section: list[str]) -> set[str]:
    begin = next((at for at in range(len(section) - 1, -1, -1) if _FLAKES.match(section[at])), len(section))
    names: set[str] = set()
    for line in section[begin + 1 :]:
        if line.strip() in ("[INFO]", ""):
            break
        if found := _FLAKY.match(line):
            old = _OLD_NAME.match(found[1])
            names |= {found[1], old[1] if old else ""}
    return names


def _crash(lines: list[str]) -> list[Failure]:
    """A test process that died: Maven names the classes that it was running."""
    at = next((at for at, line in enumerate(lines) if line == _CRASHED), None)
    if at is None:
        return []
    name = lines[at + 1].removeprefix("[ERROR] ") if at + 1 < len(lines) else ""
    said = [line.removeprefix("[ERROR] ") for line in lines[max(0, at - 3) : at]]
    return [Failure(name or "the test process", cut(dedent(said)))]


def _unbuilt(lines: list[str]) -> list[Failure]:
    at = next((at for at, line in enumerate(lines) if _UNBUILT.match(line)), None)
    project = next((found[1] for line in lines if (found := _PROJECT.match(line))), None)
    if at is None or project is None:
        return []
    end = next((stop for stop in range(at, len(lines)) if lines[stop].startswith("[INFO] BUILD ")), len(lines))
    said = [re.sub(r"^\[\w+\] ?", "", line) for line in lines[at + 1 : end]]
    return [Failure(f"{project} (compilation)", cut("\n".join(line for line in said if line.strip("-"))))]


def _nothing(lines: list[str]) -> Evidence | None:
    """Test goals without any summary: nothing ran, unless something else broke the build."""
    broken = "[INFO] BUILD FAILURE" in lines and not any(_NO_TESTS.match(line) for line in lines)
    return None if broken else Evidence("surefire", passed=0, failed=0, nothing=True)
