"""Results that a runner prints as an indented tree of suites, one marked line for each test."""

from __future__ import annotations

import re


def walk(lines: list[str], marked: re.Pattern[str], *, margin: int, step: int = 2) -> list[tuple[list[str], str]]:
    """Path and mark of every test, in order.

    `marked` has two groups, mark and name, and is matched against a line without its indentation. An unmarked line
    names a suite when it stands at most one `step` deeper than the suite around it; the tree starts at `margin`.
    """
    results: list[tuple[list[str], str]] = []
    suites: list[str] = []
    for line in lines:
        text = line.lstrip(" ")
        if not text:
            continue
        depth, rest = divmod(len(line) - len(text) - margin, step)
        if depth < 0 or rest or depth > len(suites):
            continue
        if match := marked.match(text):
            results.append(([*suites[:depth], match[2]], match[1]))
        else:
            suites[depth:] = [text.rstrip()]
    return results


def statuses(results: list[tuple[str, str]], counts: dict[str, int]) -> dict[str, str]:
    """Status by id, or nothing at all when the lines do not add up to the runner's own counts.

    A test may print lines that look like results, and a reporter may list only some of them.
    """
    found = [status for _, status in results]
    if any(found.count(status) != number for status, number in counts.items()):
        return {}
    by_id: dict[str, str] = {}
    for name, status in results:
        if by_id.get(name) != "failed":
            by_id[name] = status
    return by_id
