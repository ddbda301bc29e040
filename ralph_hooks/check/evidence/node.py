"""node:test: the counts at its end, in the TAP form (Node before 23 without a terminal) and in the spec form."""

from __future__ import annotations

import re

from ralph_hooks.check.evidence import tap
from ralph_hooks.check.evidence.text import cut, dedent
from ralph_hooks.check.verdict import Evidence, Failure

_COUNT = re.compile(r"^(#|ℹ) (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+)(?:\.\d+)?$")
_VERSION = re.compile(r"^TAP version 13$")
_BRANCH = re.compile(r"^((?:  )*)([✔✖▶﹣⚠]) (.*?)(?: \(\d[\d.]*ms\)( # .*)?)?$")
_FAILING = re.compile(r"^✖ failing tests:$")
_WHERE = re.compile(r"^test at .+:\d+:\d+$")
_BEGUN = "# Subtest: "
_STATUS = {"✔": "passed", "✖": "failed", "﹣": "skipped", "⚠": "xfailed"}
ENDED_EARLY = "node:test ended without its summary"


def matches(words: list[str]) -> bool:
    """`node --test`, and what runs it with a loader in front."""
    return words[0] in ("node", "tsx", "c8") and "--test" in words


def parse(text: str) -> Evidence | None:
    """The last block of `tests`, `pass`, `fail` … lines. Parents of subtests count as tests, as node counts them."""
    lines = text.split("\n")
    end = max(
        (at for at, line in enumerate(lines) if (match := _COUNT.match(line)) and match[2] == "tests"), default=-1
    )
    after = lines[end + 1 :]
    if any(_VERSION.match(line) for line in after) and not any("# tests " in line for line in after):
        return Evidence("node", passed=0, failed=0, errors=1, failures=[Failure(ENDED_EARLY, cut(text[-4000:]))])
    mark, counts = _counts(lines, end)
    if not {"tests", "pass", "fail"} <= counts.keys():
        return None
    start = max(
        (at for at in range(end) if (match := _COUNT.match(lines[at])) and match[2] == "duration_ms"), default=-1
    )
    body = lines[start + 1 :]
    results, statuses, failures = _tap(body[: end - start - 1]) if mark == "#" else _spec(body, end - start - 1)
    failed = counts["fail"] + counts.get("cancelled", 0)
    seen = list(statuses.values())
    whole = results - counts.get("suites", 0) == counts["tests"]
    if not whole and (seen.count("passed") > counts["pass"] or seen.count("failed") > failed):
        statuses = {}  # a test printed lines that look like results
    known = min(counts.get("todo", 0), sum(status == "xfailed" for status in statuses.values()))
    return Evidence(
        "node",
        passed=counts["pass"],
        failed=failed,
        skipped=counts.get("skipped", 0) + counts.get("todo", 0) - known,
        xfailed=known,
        failures=failures if failed else [],
        statuses=statuses,
        complete=whole and bool(statuses),
        nothing=counts["tests"] == 0,
    )


def _counts(lines: list[str], at: int) -> tuple[str, dict[str, int]]:
    counts: dict[str, int] = {}
    mark = ""
    for line in lines[max(at, 0) : at + 8]:
        match = _COUNT.match(line)
        if not match or match[2] in counts or (mark and match[1] != mark):
            break
        mark = match[1]
        counts[match[2]] = int(match[3])
    return mark, counts


def _worse(statuses: dict[str, str], name: str, status: str) -> None:
    if statuses.get(name) != "failed":
        statuses[name] = status


def _tap(lines: list[str]) -> tuple[int, dict[str, str], list[Failure]]:
    """How many tests and suites there are, their statuses and failures."""
    document = tap.read(lines)
    begun = {line[len(_BEGUN) :]: at for at, line in reversed(list(enumerate(lines))) if line.startswith(_BEGUN)}
    statuses: dict[str, str] = {}
    failures: dict[str, Failure] = {}
    for point in document.points:
        if not point.parent:
            _worse(statuses, point.path, point.status)
        if point.status == "failed" and not (point.parent and "'subtestsFailed'" in point.text):
            at = 0 if "stack:" in point.text else begun.get(point.path, 0)
            text = f"{_before(lines, at)}\n{point.text}"
            failures.setdefault(point.path, Failure(point.path, cut(text)))
    return len(document.points), statuses, list(failures.values())


def _before(lines: list[str], at: int) -> str:
    """What a file printed before it failed as a whole, such as a module that is missing."""
    start = at
    while start > max(0, at - 200) and lines[start - 1].startswith("# ") and not lines[start - 1].startswith(_BEGUN):
        start -= 1
    return "\n".join(line[2:] for line in lines[start:at])


def _spec(lines: list[str], summary: int) -> tuple[int, dict[str, str], list[Failure]]:
    """The tree above the counts, and the section of failing tests below them."""
    statuses: dict[str, str] = {}
    failed: list[tuple[str, str, str]] = []
    parents: dict[int, str] = {}
    begin = results = 0
    for at, line in enumerate(lines[:summary]):
        if not (match := _BRANCH.match(line)):
            continue
        depth = len(match[1]) // 2
        above = [parents[key] for key in sorted(parents) if key < depth]
        path = " > ".join([*above, match[3]])
        if match[2] == "▶":
            parents = {key: name for key, name in parents.items() if key < depth} | {depth: match[3]}
        elif parents.get(depth) == match[3]:
            del parents[depth]
            failed += [(match[3], path, "")] if match[2] == "✖" else []
        else:
            status = _status(match)
            _worse(statuses, path, status)
            failed += [(match[3], path, "\n".join(lines[begin:at]))] if status == "failed" else []
        begin = at + 1
        results += match[2] != "▶"
    return results, statuses, _sections(lines[summary:], failed)


def _status(match: re.Match[str]) -> str:
    """A cross with a reason behind its duration is a `todo` that fails, as it may."""
    return "xfailed" if match[2] == "✖" and match[4] else _STATUS.get(match[2], "passed")


def _sections(lines: list[str], failed: list[tuple[str, str, str]]) -> list[Failure]:
    """Each failing test with its own text; parents whose subtests failed have none and are left out."""
    start = next((at for at, line in enumerate(lines) if _FAILING.match(line)), len(lines))
    heads = [
        at + 1 for at in range(start, len(lines) - 1) if _WHERE.match(lines[at]) and _BRANCH.match(lines[at + 1])
    ]  # fmt: skip
    failures: dict[str, Failure] = {}
    waiting: dict[str, list[tuple[str, str]]] = {}
    for name, path, before in reversed(failed):
        waiting.setdefault(name, []).append((path, before))
    for head, end in zip(heads, [*(at - 1 for at in heads), len(lines)][1:], strict=True):
        match = _BRANCH.match(lines[head])
        if not match or _status(match) != "failed":
            continue
        rows = waiting.get(match[3])
        path, before = rows.pop() if rows else (match[3], "")
        text = dedent(lines[head + 1 : end])
        text = f"{before}\n{text}" if text == "'test failed'" else text
        failures.setdefault(path, Failure(path, cut(text)))
    return list(failures.values()) or [Failure(path, text) for _, path, text in failed if text]
