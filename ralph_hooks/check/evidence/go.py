"""go test: plain, `-v` and `-json`.

Without `-v` Go names failing tests only, so there is no count of passed ones. A run in which anything failed ends in a
line that says only `FAIL`; that line closes the run, and in a package that ended `ok` nothing failed, whatever was
printed there.
"""

from __future__ import annotations

import re
from bisect import bisect

from ralph_hooks.check.evidence import go_json
from ralph_hooks.check.evidence.go_packages import HEADER, PACKAGE, Package, evidence_of
from ralph_hooks.check.evidence.text import lines_of
from ralph_hooks.check.verdict import Evidence

_UNTESTED = re.compile(r"\t\S+\t\tcoverage: ")
_FRAME = re.compile(r"--- (?P<end>PASS|FAIL|SKIP): (?P<test>Benchmark\S+|\S+(?= \())(?: \(\d+\.\d\ds\))?$")
_SECTION = re.compile(r"=== (RUN|PAUSE|CONT|NAME) +(\S+)$")
_NOTHING = ("[no test files]", "[no tests to run]")
_OPEN = 100  # tests looked at, of those that run at the same time
_STATUS = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}


def matches(words: list[str]) -> bool:
    """`go test`, also behind `-C DIR`."""
    rest = words[3:] if words[1:2] == ["-C"] else words[1:]
    return words[:1] == ["go"] and rest[:1] == ["test"]


def parse(text: str) -> Evidence | None:
    """The last run: packages, and the tests that it names."""
    lines = lines_of(text)
    ends = _package_lines(lines)
    events = text.split("\n")
    if go_json.last_event(events) > (ends[-1] if ends else -1):
        return go_json.parse(events)
    if not ends:
        return None
    starts = [end + 2 for end in ends[:-1] if lines[end + 1 : end + 2] == ["FAIL"]]
    reader = _Reader(set(ends))
    for at in range(starts[-1] if starts else 0, ends[-1] + 1):
        reader.read(at, lines[at])
    if not reader.packages:
        return None
    if lines[ends[-1] + 1 : ends[-1] + 2] != ["FAIL"]:
        _believe_the_end(reader.packages)
    return evidence_of(reader.packages, reader.builds, counted=reader.verbose)


def _package_lines(lines: list[str]) -> list[int]:
    """Where packages end, without such lines that a test printed: one that was running then and ended later."""
    marks = _marks(lines)
    ends: list[int] = []
    running: dict[str, None] = {}
    for at, line in enumerate(lines):
        if (found := _SECTION.match(line)) and found[1] == "RUN":
            running[found[2]] = None
        elif (found := _FRAME.search(line)) and found["test"] in running:
            del running[found["test"]]
        elif PACKAGE.match(line) and not any(_ends_later(marks[test], at) for test in list(running)[-_OPEN:]):
            ends.append(at)
            running.clear()
    return ends


def _marks(lines: list[str]) -> dict[str, list[int]]:
    """By test: the lines where it began, and (inverted) where it ended."""
    marks: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        if (found := _SECTION.match(line)) and found[1] == "RUN":
            marks.setdefault(found[2], []).append(at)
        elif (found := _FRAME.search(line)) and found["test"] in marks:
            marks[found["test"]].append(~at)
    return marks


def _ends_later(marks: list[int], at: int) -> bool:
    """Whether the next thing that happens to a test after a line is its end."""
    following = bisect(marks, at, key=lambda mark: max(mark, ~mark))
    return following < len(marks) and marks[following] < 0


def _believe_the_end(packages: list[Package]) -> None:
    """A run without a closing `FAIL` whose last package passed had no failing one: such lines were a test's own."""
    if packages[-1].ended in ("ok", "none"):
        packages[:] = [package for package in packages if package.ended in ("ok", "none")]


class _Reader:
    """Gives each line to the test or package that it belongs to."""

    def __init__(self, ends: set[int]) -> None:
        self.packages: list[Package] = []
        self.builds: dict[str, list[str]] = {}
        self.verbose = False
        self._ends = ends
        self._package = Package("")
        self._test = ""
        self._build: list[str] | None = None

    def read(self, at: int, line: str) -> None:
        """Take the next line."""
        if found := _SECTION.match(line):
            self.verbose = True
            self._begin(found[2])
            self._package.tests.setdefault(found[2], "")
        elif found := self._frame(line):
            self._begin(found["test"])
            self.verbose |= found["end"] != "FAIL"
            self._package.tests[found["test"]] = _STATUS[found["end"]]
        elif at in self._ends and (found := PACKAGE.match(line)) and not self._told(found[1]):
            self._end(found)
        elif line in ("FAIL", "PASS"):
            self._begin("")
        elif (found := HEADER.match(line)) and not self._package.tests:
            self._build = self.builds.setdefault(found[1], [])
        elif self._build is not None:
            self._build.append(line)
        elif not _UNTESTED.match(line):
            self._package.say(self._test, line)

    def _told(self, verdict: str) -> bool:
        """Whether a test must have printed this: without `-v`, no test is named in a package that passes."""
        return verdict == "ok  " and bool(self._package.tests) and not self.verbose

    def _begin(self, test: str) -> None:
        self._test = test
        self._build = None

    def _frame(self, line: str) -> re.Match[str] | None:
        """A test's end. With `-v` every test began before, and a test's own output may stand in front of its end."""
        if not self.verbose or not self._package.tests:
            return _FRAME.match(line.lstrip(" "))
        found = _FRAME.search(line)
        return found if found and found["test"] in self._package.tests else None

    def _end(self, found: re.Match[str]) -> None:
        package, self._package = self._package, Package("")
        self._begin("")
        package.name = found[2]
        if found[4]:
            package.ended = "broken"
        elif found[1] == "FAIL":
            package.ended = "fail"
            _find_hidden(package)
        else:
            package.ended = "none" if (found[3] or "").endswith(_NOTHING) else "ok"
        self.packages.append(package)


def _find_hidden(package: Package) -> None:
    """A failing test whose `--- FAIL` line begins with output that had no newline."""
    own = [] if package.tests else package.texts.get("", [])
    test = ""
    for line in own:
        if found := _FRAME.search(line):
            test = found["test"]
            package.tests[test] = "failed"
        elif test:
            package.say(test, line)
