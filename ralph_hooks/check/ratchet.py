"""The ratchet (T4): tests that were there at the last green and are not there, or not run, any more.

Known ids (JUnit XML, verbose output) are compared one by one; where a runner only counts, the count is. A renamed or
moved test keeps its name and is no deletion. What changed inside a test is not judged.
"""

from __future__ import annotations

import os
import re

from ralph_hooks import fastjson, files
from ralph_hooks.check.verdict import GREEN, PASSES, RED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.check.verdict import CheckResult, Evidence
    from ralph_hooks.plan.config import Guard
    from ralph_hooks.plan.locate import Project

FILE = "ratchet.json"
RAN = ("passed", "failed")
SHOWN = 10


def hold(project: Project, results: list[CheckResult], rules: Guard, *, learn: bool = True) -> list[str]:
    """Compare with the last green and, on a green without losses, move the baseline.

    Sentences about losses; with `ratchet = "block"` a pass with losses becomes RED.
    """
    if rules.ratchet == "off":
        return []
    known = _load(project)
    notes = []
    for result in results:
        if result.remembered:
            continue
        lost = losses(known.get(result.name), result.evidence) if result.verdict in (*PASSES, RED) else []
        notes += [f"check `{result.name}`: {loss}" for loss in lost]
        if lost and rules.ratchet == "block" and result.verdict in PASSES:
            result.verdict = RED
            result.why = "; ".join(lost)
        elif result.verdict == GREEN and not lost and learn:
            known[result.name] = baseline(result.evidence) or known.get(result.name)
    if learn:
        _save(project, {name: entry for name, entry in known.items() if entry})
    return notes


def losses(before: dict[str, Any] | None, now: Evidence | None, then: str = "the last green") -> list[str]:
    """What was run at `then` and is not run now."""
    if not before:
        return []
    executed = now.executed if now is not None else None
    if executed is None:
        return [f"{then} counted {before['executed']} tests; now nobody counts"] if before["executed"] else []
    if before["ids"] and now is not None and now.complete:
        return _lost_ids(before["ids"], now.statuses, then)
    if executed < before["executed"] and (now is None or not now.failing):
        return [f"{before['executed'] - executed} fewer tests were run than at {then}; which ones is unknown"]
    return []


def _lost_ids(before: dict[str, str], now: dict[str, str], then: str) -> list[str]:
    arrived = {name_of(test) for test in now if test not in before}
    vanished = [test for test in before if test not in now and name_of(test) not in arrived]
    idle = [test for test, status in before.items() if status in RAN and now.get(test, status) not in RAN]
    found = [f"{len(vanished)} tests vanished since {then}: {_some(vanished)}"] if vanished else []
    return found + ([f"{len(idle)} tests are skipped or expected to fail now: {_some(idle)}"] if idle else [])


def name_of(test: str) -> str:
    """The part of an id that stays when its file moves: `tests/a.py::Cart::test_x[1]` -> `test_x[1]`."""
    for mark in ("::", " > ", " › ", "#"):
        if mark in test:
            return test.rsplit(mark, 1)[1]
    return re.split(r"[./](?=[^./\[\]()]+(\[.*\]|\(.*\))?$)", test)[-1] if test else test


def _some(tests: list[str]) -> str:
    return ", ".join(tests[:SHOWN]) + (f" (+{len(tests) - SHOWN} more)" if len(tests) > SHOWN else "")


def baseline(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None or evidence.executed is None:
        return None
    return {"executed": evidence.executed, "ids": dict(evidence.statuses) if evidence.complete else {}}


def _load(project: Project) -> dict[str, Any]:
    try:
        data = fastjson.loads(
            (files.read_bytes_or_none(os.path.join(project.state, FILE)) or b"").decode("utf-8", "replace")
        )
    except fastjson.JsonError:
        return {}
    return {name: entry for name, entry in data.items() if _whole(entry)} if isinstance(data, dict) else {}


def _whole(entry: object) -> bool:
    return isinstance(entry, dict) and type(entry.get("executed")) is int and isinstance(entry.get("ids"), dict)


def _save(project: Project, known: dict[str, Any]) -> None:
    path = os.path.join(project.state, FILE)
    data = fastjson.dumps(known).encode()
    if files.read_bytes_or_none(path) == data:
        return
    try:
        files.write_state(path, data)
    except OSError:
        pass  # the old baseline stands


def forget(project: Project) -> None:
    """A person accepted the tests as they are: the next green is the new baseline."""
    try:
        files.remove(os.path.join(project.state, FILE))
    except OSError:
        pass
