"""unittest, and what prints like it: Django's test command, nose2, `unittest.main()`."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence.text import cut
from ralph_hooks.check.verdict import Evidence, Failure

_RAN = re.compile(r"^Ran (\d+) tests? in [\d.]+s$")
_RESULT = re.compile(r"^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$")
_COUNT = re.compile(r"([a-z ]+)=(\d+)")
_DOUBLE = re.compile(r"^={70}$")
_SINGLE = re.compile(r"^-{70}$")
_HEADER = re.compile(r"^(FAIL|ERROR|UNEXPECTED SUCCESS): (\S.*)$")
_DOTS = re.compile(r"^[.FEsxu]+$")
_NAME = re.compile(r"^(\S+) \((\S+)\)(.*)$")
_STATUS = re.compile(r"^(?:.* \.\.\. )?(ok|FAIL|ERROR|expected failure|unexpected success|skipped (?:'.*'|\".*\"))$")
_STARTED = re.compile(r"^(\S+ \([\w.<>]+\))(?:$| \.\.\. )")
ENDED_EARLY = "unittest ended without its summary"
_MEANS = {"ok": "passed", "expected failure": "xfailed"}


def matches(words: list[str]) -> bool:
    """`unittest`, `nose2`, `manage.py test`, `django-admin test`."""
    if words[0] in ("unittest", "nose2"):
        return True
    rest = words[1:] if words[0].startswith(("python", "pypy")) else words
    program = rest[0].rpartition("/")[2] if rest else ""
    return program in ("manage.py", "django-admin", "django") and rest[1:2] == ["test"]


def parse(text: str) -> Evidence | None:
    """The last `Ran N tests` with its result, and the blocks above it that belong to it."""
    lines = text.split("\n")
    for at in range(len(lines) - 1, -1, -1):
        if not (ran := _RAN.match(lines[at])) or not any(_SINGLE.match(line) for line in lines[max(0, at - 3) : at]):
            continue
        if result := next((match for line in lines[at + 1 : at + 6] if (match := _RESULT.match(line))), None):
            start = next((before for before in range(at - 1, -1, -1) if _RAN.match(lines[before])), -1) + 1
            counts = {kind.strip(): int(number) for kind, number in _COUNT.findall(result[2] or "")}
            return _evidence(int(ran[1]), counts, lines[start:at], result[1])
    if _DOTS.match(lines[-1]) or lines[-1].endswith(" ... "):  # no end of line: a test has ended the process
        return Evidence("unittest", passed=0, failed=0, errors=1, failures=[Failure(ENDED_EARLY, cut(lines[-1]))])
    return None


def _evidence(ran: int, counts: dict[str, int], lines: list[str], result: str) -> Evidence:
    failures = _failures(lines)
    failed = counts.get("failures", 0) + counts.get("unexpected successes", 0)
    errors = counts.get("errors", 0)
    if result == "FAILED" and not failed + errors:
        errors = 1  # a result that says no more than that
    statuses = _statuses(lines)
    evidence = Evidence(
        "unittest",
        passed=_passed(ran, counts, lines, failures),
        failed=failed,
        errors=errors,
        skipped=counts.get("skipped", 0),
        xfailed=counts.get("expected failures", 0),
        failures=failures if failed + errors else [],
        statuses=statuses,
        nothing=result == "NO TESTS RAN" or (ran == 0 and not counts),
    )
    seen = list(statuses.values())
    whole = (seen.count("passed"), seen.count("skipped")) == (evidence.passed, evidence.skipped)
    evidence.complete = whole and len(statuses) >= ran > 0
    evidence.statuses.update({failure.id: "failed" for failure in evidence.failures})
    return evidence


def _passed(ran: int, counts: dict[str, int], lines: list[str], failures: list[Failure]) -> int:
    """What is left of `Ran`; Python 3.12.1 leaves skipped tests out of it, which only the dots can tell."""
    skipped, known = counts.get("skipped", 0), counts.get("expected failures", 0)
    failed = counts.get("failures", 0) + counts.get("unexpected successes", 0) + counts.get("errors", 0)
    # One test may fail in several subtests, and a broken `setUpClass` is no test that ran.
    named = {base for failure in failures if (base := _base(failure.id))}
    others = known + (len(named) if len(failures) >= failed else failed)
    dots = next((line.count(".") for line in reversed(lines) if _DOTS.match(line)), None)
    if dots is None:
        dots = list(_statuses(lines).values()).count("passed")
    return dots if skipped and dots + others == ran else max(0, ran - skipped - others)


def _failures(lines: list[str]) -> list[Failure]:
    """The blocks between a double line, a header, a single line and the next double line."""
    failures: dict[str, Failure] = {}
    starts = [
        at for at in range(len(lines) - 1) if _DOUBLE.match(lines[at]) and _HEADER.match(lines[at + 1])
    ]  # fmt: skip
    for at, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        header = _HEADER.match(lines[at + 1])
        assert header is not None
        rules = [row for row in range(at + 2, end) if _SINGLE.match(lines[row])]
        last = rules[-1] if len(rules) > 1 and end == len(lines) else end
        body = [line for row, line in enumerate(lines[at + 2 : last], at + 2) if rules[:1] != [row]]
        name = _identify(header[2])
        text = "unexpected success" if header[1] == "UNEXPECTED SUCCESS" else "\n".join(body)
        failures.setdefault(name, Failure(name, cut(text)))
    return list(failures.values())


def _identify(name: str) -> str:
    """`mod.Class.test` with the subtest's words; Python below 3.11 names only the class in parentheses."""
    match = _NAME.match(name)
    if not match:
        return name
    test, where, more = match.groups()
    if where.startswith("unittest.loader._FailedTest"):
        return test
    return (where if where.rpartition(".")[2] == test else f"{where}.{test}") + more


def _base(name: str) -> str:
    """The test that a failing id counts as; empty for a broken set-up of a class or module."""
    name = name.partition(" ")[0]
    last = name.rpartition(".")[2]
    return "" if last in ("setUpClass", "tearDownClass", "setUpModule", "tearDownModule") else name


def _statuses(lines: list[str]) -> dict[str, str]:
    """The lines of a verbose run; a test's own output may stand between its name and its status."""
    statuses: dict[str, str] = {}
    name = ""
    for line in lines:
        if _DOUBLE.match(line):
            break
        if started := _STARTED.match(line):
            name = _identify(started[1])
        if name and (status := _STATUS.match(line)):
            word = status[1]
            statuses[name] = "skipped" if word.startswith("skipped ") else _MEANS.get(word, "failed")
            name = ""
    return {name: status for name, status in statuses.items() if _base(name)}
