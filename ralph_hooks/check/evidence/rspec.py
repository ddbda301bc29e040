"""RSpec: the counts below the last `Finished in`, or the last JSON report; what an example printed is neither."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from ralph_hooks.check.evidence.text import cut, dedent, lines_of
from ralph_hooks.check.verdict import Evidence, Failure

_COUNTS = re.compile(
    r"(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$"
)
_FINISHED = re.compile(r"Finished in .*\d seconds?(?: \(files took .* to load\))?$")
_TOOK = re.compile(r"Took \d+ seconds?\b")
_PROCESSES = re.compile(r"\d+ process(?:es)? for \d+ ")
_ENTRY = re.compile(r"  (\d+)\) (.+)$")
_OUTSIDE = re.compile(r"An error occurred (?:while loading (.+)|(in .+))\.$")
_FAILED = re.compile(r"rspec (\S+) # (.+)$")
_LEAF = re.compile(r"(.*?)(?: \((FAILED|PENDING)(?: - \d+|: .*)\))?$")
_MARKS = re.compile(r"[.F*]+$|Randomized with seed |Run options: ")
_SECTIONS = ("Failures:", "Failed examples:", "Top ", "An error occurred ")
_JSON = '{"version":"'
_STATUS = {"FAILED": "failed", "PENDING": "skipped", None: "passed"}


def matches(words: list[str]) -> bool:
    """`rspec`, `bin/rspec`, `parallel_rspec`; a dry run executes nothing and says nothing."""
    return words[:1] in (["rspec"], ["parallel_rspec"], ["turbo_tests"]) and "--dry-run" not in words


def parse(text: str) -> Evidence | None:
    """The last report, printed or JSON."""
    lines = lines_of(text)
    at = next((at for at in range(len(lines) - 1, 0, -1) if _is_summary(lines, at)), 0)
    start = text.rfind(_JSON)
    if start >= 0 and text.count("\n", 0, start) >= at and (report := _report(text, start)):
        return _from_json(report)
    return _from_text(lines, at) if at else None


def _is_summary(lines: list[str], at: int) -> bool:
    """Counts stand below `Finished in`; the sum that parallel_tests prints stands above `Took`."""
    if not _COUNTS.match(lines[at]):
        return False
    return bool(_FINISHED.match(lines[at - 1])) or any(_TOOK.match(line) for line in lines[at + 1 : at + 3])


def _from_text(lines: list[str], at: int) -> Evidence:
    found = _COUNTS.match(lines[at])
    examples, failed, pending, errors = (int(number or 0) for number in found.groups()) if found else (0, 0, 0, 0)
    own = lines[_start(lines, at) : at]
    failures = _entries(own, "Failures:") if failed else []
    listed = [(entry[1], entry[2]) for line in own + lines[at:] if (entry := _FAILED.match(line))][-failed:]
    if failed and len(failures) != failed:
        failures = [Failure(name) for _, name in listed] or failures
    _tell_apart(failures, [place for place, _ in listed])
    outside = _outside(own)[-errors:] if errors else []
    waiting = _entries(own, "Pending: (Failures listed here are expected and do not affect your suite's status)")
    expected = {entry.id for entry in waiting[:pending] if "Failure/Error:" in entry.text}
    statuses = _documentation(own, examples)
    statuses |= {test: "xfailed" for test in expected if test in statuses}
    return Evidence(
        "rspec",
        passed=max(0, examples - failed - pending),
        failed=failed,
        errors=errors,
        skipped=pending - len(expected),
        xfailed=len(expected),
        failures=outside + failures,
        statuses=statuses or {failure.id: "failed" for failure in failures},
        complete=bool(statuses),
        nothing=examples == 0 and not errors,
    )


def _start(lines: list[str], at: int) -> int:
    """Where this report begins: below the one above it, or, for a sum of several, where parallel_tests began."""
    alone = _FINISHED.match(lines[at - 1])
    for above in range(at - 2, 0, -1):
        again = lines[above - 1 : above + 1] == lines[at - 1 : at + 1]  # a second formatter of the same run
        if (_is_summary(lines, above) and not again) if alone else _PROCESSES.match(lines[above]):
            return above + 1
    return 0


def _entries(lines: list[str], heading: str) -> list[Failure]:
    """The numbered entries below the last such heading."""
    begin = next((at for at in range(len(lines) - 1, -1, -1) if lines[at] == heading), len(lines))
    entries: list[tuple[str, list[str]]] = []
    for line in lines[begin + 1 :]:
        found = _ENTRY.match(line)
        if found and int(found[1]) == len(entries) + 1:
            entries.append((found[2].removesuffix(" FIXED"), []))
        elif line.startswith(_SECTIONS) or _FINISHED.match(line):
            break
        elif entries:
            entries[-1][1].append(line)
    return [Failure(name, cut(dedent(said))) for name, said in entries]


def _tell_apart(failures: list[Failure], places: list[str]) -> None:
    """Examples of one name get their place as well."""
    names = Counter(failure.id for failure in failures)
    if len(places) == len(failures):
        for failure, place in zip(failures, places, strict=True):
            failure.id += f" ({place})" if names[failure.id] > 1 else ""


def _outside(lines: list[str]) -> list[Failure]:
    """Errors outside of examples: spec files that did not load, hooks of a group or of the suite."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if said := _OUTSIDE.match(line):
            found.append((said[1] or said[2], []))
        elif line in ("Failures:", "No examples found."):
            break
        elif found and not _FINISHED.match(line):
            found[-1][1].append(line)
    return [Failure(name, cut(dedent(said))) for name, said in found]


def _documentation(lines: list[str], examples: int) -> dict[str, str]:
    """Statuses from the documentation format; none unless every example is found there."""
    shown = [line for line in lines[: _length(lines)] if line.strip() and not _MARKS.match(line)]
    statuses: dict[str, str] = {}
    above: list[str] = []
    for line, following in zip(shown, [*shown[1:], ""], strict=False):
        depth = _depth(line)
        found = _LEAF.match(line.strip())
        above[depth:] = [found[1] if found else line.strip()]
        if found and (found[2] or _depth(following) <= depth):
            statuses[" ".join(above)] = _STATUS[found[2]]
    return statuses if len(statuses) == examples else {}


def _length(lines: list[str]) -> int:
    ends = ("Pending: (", "Failures:", "Finished in ", "Top ")
    return next((at for at, line in enumerate(lines) if line.startswith(ends)), len(lines))


def _depth(line: str) -> int:
    return (len(line) - len(line.lstrip(" "))) // 2


def _report(text: str, start: int) -> dict[str, Any] | None:
    try:
        report = json.JSONDecoder().raw_decode(text, start)[0]
        counts = report["summary"]
        known = [int(counts[name]) for name in ("example_count", "failure_count", "pending_count")]
        return report if known and all(isinstance(test, dict) for test in report["examples"]) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _from_json(report: dict[str, Any]) -> Evidence:
    counts = report["summary"]
    examples, failed, pending = (int(counts[name]) for name in ("example_count", "failure_count", "pending_count"))
    errors = int(counts.get("errors_outside_of_examples_count") or 0)
    failures: list[Failure] = []
    places: list[str] = []
    statuses: dict[str, str] = {}
    for test in report["examples"]:
        name, status = " ".join(str(test.get("full_description", "")).split()), str(test.get("status", ""))
        statuses[name] = "skipped" if status == "pending" else status
        if status == "failed":
            failures.append(Failure(name, _exception(test.get("exception"))))
            places.append(str(test.get("id", "")))
    _tell_apart(failures, places)
    return Evidence(
        "rspec",
        passed=max(0, examples - failed - pending),
        failed=failed,
        errors=errors,
        skipped=pending,
        failures=failures,
        statuses={name: status for name, status in statuses.items() if status in ("passed", "failed", "skipped")},
        complete=not errors,
        nothing=examples == 0 and not errors,
    )


def _exception(said: object) -> str:
    if not isinstance(said, dict):
        return ""
    trace = said.get("backtrace")
    where = next((line for line in trace if "/gems/" not in str(line)), "") if isinstance(trace, list) else ""
    return cut(f"{said.get('class', '')}: {str(said.get('message', '')).strip()}\n{where}")
