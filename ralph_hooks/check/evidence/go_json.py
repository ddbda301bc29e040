"""go test -json: one event per line, what a test printed kept apart from what happened."""

from __future__ import annotations

import json
from typing import Any

from ralph_hooks.check.evidence.go_packages import HEADER, PACKAGE, Package, evidence_of
from ralph_hooks.check.verdict import Evidence

_STATUS = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_FRAMES = ("=== ", "--- ")


def last_event(lines: list[str]) -> int:
    """The last line that is an event, or -2."""
    for at in range(len(lines) - 1, -1, -1):
        if _event(lines[at]):
            return at
    return -2


def parse(lines: list[str]) -> Evidence | None:
    """The last run; `None` when no package came to its end."""
    reader = _Reader()
    for line in lines:
        event = _event(line)
        if event:
            reader.take(event)
        else:
            reader.overhear(line)
    ended = [package for package in reader.packages.values() if package.ended]
    return evidence_of(ended, reader.builds, counted=True) if ended else None


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith("{") or '"Action":"' not in line:
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    owner = event.get("Package", event.get("ImportPath"))
    texts = (owner, event.get("Action"), event.get("Test", ""), event.get("Output", ""))
    return event if all(isinstance(text, str) for text in texts) else None


class _Reader:
    """Packages of the last run, by name."""

    def __init__(self) -> None:
        self.packages: dict[str, Package] = {}
        self.builds: dict[str, list[str]] = {}
        self._build: list[str] = []

    def take(self, event: dict[str, Any]) -> None:
        """The next event."""
        action, output = event["Action"], event.get("Output", "").removesuffix("\n")
        if "Package" not in event:
            if action == "build-output":
                self._compiler(output)
            return
        package = self._package(event["Package"], action)
        test = event.get("Test", "")
        if action == "output":
            _hear(package, test, output)
        elif test:
            package.tests[test] = _STATUS.get(action, package.tests.get(test, ""))
        elif action in _STATUS:
            package.ended = _ending(package, action)

    def overhear(self, line: str) -> None:
        """A line that is no event: older versions of Go let the compiler speak between them."""
        found = PACKAGE.match(line)
        if found and found[4]:
            self.packages.setdefault(found[2], Package(found[2])).ended = "broken"
        else:
            self._compiler(line)

    def _compiler(self, line: str) -> None:
        if found := HEADER.match(line):
            self._build = self.builds.setdefault(found[1], [])
        else:
            self._build.append(line)

    def _package(self, name: str, action: str) -> Package:
        known = self.packages.get(name)
        if known and known.ended and action in ("start", "run"):
            self.packages.clear()
            known = None
        return known or self.packages.setdefault(name, Package(name))


def _hear(package: Package, test: str, line: str) -> None:
    if test and line.strip().startswith(_FRAMES):
        return
    package.say(test, line)


def _ending(package: Package, action: str) -> str:
    own = package.texts.get("", [])
    if action == "fail":
        return "broken" if any(line.endswith((" [build failed]", " [setup failed]")) for line in own) else "fail"
    nothing = action == "skip" or any(line.endswith("[no tests to run]") for line in own)
    return "none" if nothing else "ok"
