"""JUnit XML, as pytest, Surefire, Gradle, jest-junit, go-junit-report and many others write it.

Read as a stream, so that a report of any size needs little memory. A document type is refused: no report has one,
and its entities can be a bomb or name a file. Elements such as Surefire's `flakyFailure` (failed first, passed later)
or `rerunFailure` stand beside the result and are no result.
"""

from __future__ import annotations

from xml.parsers import expat

from ralph_hooks.check.evidence.text import clean, cut
from ralph_hooks.check.verdict import Evidence, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_TEXT = 20_000
_MOST_FAILURES = 1000
_BAD = {"failure": "failed", "error": "error"}
_NOT_RUN = {"notrun", "disabled", "skipped", "ignored"}


class RefusedError(Exception):
    """The document is no report, or has a document type."""


class _Report:
    """What one or several files say."""

    def __init__(self) -> None:
        self.counts = {"passed": 0, "failed": 0, "error": 0, "skipped": 0, "xfailed": 0}
        self.failures: dict[str, Failure] = {}
        self.statuses: dict[str, str] = {}

    def add(self, name: str, status: str, text: str) -> None:
        """One test."""
        self.counts[status] += 1
        plain = "failed" if status == "error" else status
        if self.statuses.get(name) != "failed":
            self.statuses[name] = plain
        if plain == "failed" and len(self.failures) < _MOST_FAILURES:
            self.failures.setdefault(name, Failure(name, cut(text)))

    def merge(self, other: _Report) -> None:
        """Everything another file says."""
        for kind, number in other.counts.items():
            self.counts[kind] += number
        for name, status in other.statuses.items():
            if self.statuses.get(name) != "failed":
                self.statuses[name] = status
        for name, failure in other.failures.items():
            self.failures.setdefault(name, failure)


class _Reader:
    """Expat's callbacks for one file."""

    def __init__(self) -> None:
        self.report = _Report()
        self.suites: list[str] = []
        self.rooted = False
        self._case: tuple[str, str] | None = None
        self._result: tuple[str, str] | None = None
        self._text: list[str] = []
        self._length = 0
        self._keeps = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if not self.rooted and tag not in ("testsuites", "testsuite"):
            raise RefusedError(f"the root element is `{tag}`")
        self.rooted = True
        if tag == "testsuite":
            self.suites.append(attributes.get("name", ""))
        elif tag == "testcase":
            owner = attributes.get("classname", "").strip() or (self.suites or [""])[-1]
            self._case = (owner, attributes.get("name", "").strip())
            self._result = ("skipped", "") if attributes.get("status", "").lower() in _NOT_RUN else None
        elif tag in _BAD and self._result is None:
            self._result = (_BAD[tag], attributes.get("message", ""))
            self._collect(True)
        elif tag == "skipped" and self._case and self._result is None:
            expected = "xfail" in attributes.get("type", "")
            self._result = ("xfailed" if expected else "skipped", attributes.get("message", ""))

    def end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "testcase" and self._case:
            owner, name = self._case
            self.report.add(name if owner in ("", name) else f"{owner}::{name}", *(self._result or ("passed", "")))
            self._case = self._result = None
        elif tag in _BAD and self._keeps and self._result:
            status, message = self._result
            self._result = (status, _joined(message, clean("".join(self._text).encode("utf-8", "replace"))))
            self._collect(False)
            if self._case is None:  # a suite that failed as such
                self.report.add((self.suites or [""])[-1] or "suite", *self._result)
                self._result = None
        elif tag == "testsuite" and self.suites:
            self.suites.pop()

    def data(self, text: str) -> None:
        if self._keeps and self._length < _MOST_TEXT:
            self._text.append(text[: _MOST_TEXT - self._length])
            self._length += len(text)

    def _collect(self, keeps: bool) -> None:
        self._keeps, self._text, self._length = keeps, [], 0


def read(files: Iterable[tuple[str, bytes]]) -> Evidence | None:
    """What the reports say together; `None` when none of them can be read.

    A file that cannot be read to its end says nothing, and without it the evidence is not complete.
    """
    total, whole, readable = _Report(), True, False
    for _, content in files:
        report = _parse(content)
        whole = whole and report is not None
        if report is not None:
            readable = True
            total.merge(report)
    if not readable:
        return None
    counts = total.counts
    return Evidence(
        "junit",
        passed=counts["passed"],
        failed=counts["failed"],
        errors=counts["error"],
        skipped=counts["skipped"],
        xfailed=counts["xfailed"],
        failures=list(total.failures.values()),
        statuses=total.statuses,
        complete=whole,
        nothing=not any(counts.values()),
    )


def _parse(content: bytes) -> _Report | None:
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=":")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, RefusedError, LookupError, ValueError):
        return None
    return reader.report


def _refuse(*_: object) -> None:
    raise RefusedError("the document has a document type")


def _joined(message: str, text: str) -> str:
    """Message and text; most writers repeat the one in the other."""
    message = clean(message.encode("utf-8", "replace")).strip()
    text = text.strip("\n")
    return text if not message or message in text else f"{message}\n{text}".rstrip()
