"""The flaky arbiter (T9): a red check once more on the same content; green then is FLAKY, counted for each test id."""

from __future__ import annotations

import os

from ralph_hooks import fastjson, files
from ralph_hooks.check.verdict import FLAKY, GREEN, RED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph_hooks.check.verdict import CheckResult
    from ralph_hooks.plan.config import Check
    from ralph_hooks.plan.locate import Project

FILE = "flakes.json"
TOLD_FROM = 3


def arbitrate(
    checks: list[Check],
    results: dict[str, CheckResult],
    same_content: Callable[[], bool],
    again: Callable[[Check], CheckResult | None],
) -> None:
    """Try the red checks that may be tried again. Where the content moved, red stays red."""
    doubtful = [check for check in checks if check.flaky_retry and _is_red(results.get(check.name))]
    if not doubtful or not same_content():
        return
    for check in doubtful:
        second = again(check)
        if second is not None and second.verdict == GREEN and same_content():
            first = results[check.name]
            first.verdict = FLAKY
            first.why = "red, then green on the same content"


def _is_red(result: CheckResult | None) -> bool:
    return result is not None and result.verdict == RED


def flaked_ids(check: CheckResult) -> list[str]:
    """The tests that failed in the first try of a flaky check; its own name where none is known."""
    ids = [failure.id for failure in check.evidence.failures] if check.evidence else []
    return (ids or [check.name]) if check.verdict == FLAKY else []


def count(project: Project, ids: list[str]) -> list[str]:
    """Count one flake for each id; sentences for the person about those that flaked three times or more."""
    path = os.path.join(project.state, FILE)
    known = _load(path)
    for test in ids:
        known[test] = known.get(test, 0) + 1
    try:
        files.write_state(path, fastjson.dumps(known).encode())
    except OSError:
        pass  # the count is a courtesy
    return [f"`{test}` flaked {known[test]} times" for test in ids if known[test] >= TOLD_FROM]


def _load(path: str) -> dict[str, int]:
    try:
        data = fastjson.loads((files.read_bytes_or_none(path) or b"").decode("utf-8", "replace"))
    except fastjson.JsonError:
        return {}
    return {key: value for key, value in data.items() if type(value) is int} if isinstance(data, dict) else {}
