"""What `go test` says of packages and their tests, whatever the form it says it in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ralph_hooks.check.evidence.text import cut, dedent
from ralph_hooks.check.verdict import Evidence, Failure

PACKAGE = re.compile(r"(ok  |FAIL|\?   )\t(\S+)(?:\t(.*)| \[((?:build|setup) failed)\])$")
HEADER = re.compile(r"# \[?([^\s\]]+)\]?(?: \[\S+\])?$")
_RUNNING = re.compile(r"\t\t(\S+) \([\d.hms]+\)$")


@dataclass
class Package:
    """One package of a run. `ended` is `ok`, `fail`, `broken` (not built), `none` (no tests) or "" while it runs.

    `current` is the test that spoke last.
    """

    name: str
    ended: str = ""
    current: str = ""
    tests: dict[str, str] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)

    def say(self, test: str, line: str) -> None:
        """A line of output that belongs to a test, or to the package itself for an empty name."""
        self.current = test or self.current
        self.texts.setdefault(test, []).append(line)

    def failing(self) -> list[str]:
        """The failing tests, without those that fail only because of a subtest.

        A package that died names no failing test: then those that it was running are the failing ones.
        """
        if self.ended != "fail":
            return []
        failed = [test for test, status in self.tests.items() if status == "failed"] or self._running()
        if self.tests.get(self.current) == "" and self.current not in failed:
            failed.append(self.current)  # it died, and the package with it
        parents = {parent for test in failed for parent in _parents(test)}
        return [test for test in failed if test not in parents]

    def _running(self) -> list[str]:
        timed_out = [found[1] for lines in self.texts.values() for line in lines if (found := _RUNNING.match(line))]
        return timed_out or [test for test, status in self.tests.items() if not status]


def _parents(test: str) -> list[str]:
    parts = test.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]


def evidence_of(packages: list[Package], builds: dict[str, list[str]], *, counted: bool) -> Evidence:
    """The evidence of one run. `builds` is what the compiler said, by package.

    `counted` when every test was named (`-v`, `-json`); else only failing ones are.
    """
    failures: list[Failure] = []
    errors = 0
    statuses: dict[str, str] = {}
    for package in packages:
        failing = package.failing()
        failures += [Failure(f"{package.name}.{test}", _text(package, test)) for test in failing]
        if package.ended in ("fail", "broken") and not failing:
            errors += 1
            failures.append(Failure(package.name, _package_text(package, builds)))
        statuses |= _statuses(package, failing)
    found = list(statuses.values())
    return Evidence(
        "go",
        passed=found.count("passed") if counted else None,
        failed=len(failures) - errors if counted or len(failures) > errors else None,
        errors=errors,
        skipped=found.count("skipped"),
        failures=failures,
        statuses=statuses,
        complete=counted and not errors,
        nothing=all(package.ended == "none" for package in packages),
    )


def _statuses(package: Package, failing: list[str]) -> dict[str, str]:
    """Status by id. In a package that passed no test failed, whatever a test printed."""
    if package.ended == "ok":
        told = {test: status or "passed" for test, status in package.tests.items() if status != "failed"}
    else:
        told = {test: status for test, status in package.tests.items() if status}
    return {f"{package.name}.{test}": status for test, status in (told | dict.fromkeys(failing, "failed")).items()}


def _text(package: Package, test: str) -> str:
    own = package.texts.get(test) or package.texts.get("", [])
    return cut(dedent(own))


def _package_text(package: Package, builds: dict[str, list[str]]) -> str:
    own = [line for line in package.texts.get("", []) if line not in ("PASS", "FAIL") and not PACKAGE.match(line)]
    return cut(dedent(builds.get(package.name) or own or [line for lines in package.texts.values() for line in lines]))
