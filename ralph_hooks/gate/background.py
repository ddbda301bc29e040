"""Background work means paused, not done, but not for ever (G4): each task has a bounded number of skips and an age."""

from __future__ import annotations

import os
import time

from ralph_hooks import fastjson, files, paths
from ralph_hooks.gate import short_lock
from ralph_hooks.gate.root import session_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.check.watch import Cancel
    from ralph_hooks.gate.event import Event
    from ralph_hooks.plan.config import Background

OVER = ("completed", "failed", "killed", "stopped", "cancelled", "canceled", "done", "exited", "error")
LONG_LIVED = ("subagent", "workflow")
LONG_FACTOR = 6


def pending(event: Event, limits: Background, cancel: Cancel | None = None) -> str:
    """What the turn waits for, in words, or "" when nothing counts. Each task that counts is charged one skip.

    Raises `Cancelled` when `cancel` fires while the list of tasks is somebody else's.
    """
    tasks = [task for task in event.background if _running(task, event) and not _ignored(task, limits)]
    if not tasks:
        return ""
    if not limits.max_skips and not limits.max_age_s:
        return _words(tasks)
    counting = _count(tasks, event, (limits, cancel))
    return _words(counting) if counting else ""


def _running(task: dict[str, Any], event: Event) -> bool:
    if event.name == "SubagentStop" and event.agent and task.get("id") == event.agent:
        return False  # the subagent that is stopping lists itself
    return str(task.get("status", "running")).lower() not in OVER


def _ignored(task: dict[str, Any], limits: Background) -> bool:
    command = task.get("command")
    return isinstance(command, str) and any(matches(command.strip(), pattern) for pattern in limits.ignore)


def matches(text: str, pattern: str) -> bool:
    """Whether `text` fits a pattern in which `*` stands for anything."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    if not text.startswith(first):
        return False
    place = len(first)
    for part in rest[:-1]:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return len(text) - len(rest[-1]) >= place and text.endswith(rest[-1])


def _count(tasks: list[dict[str, Any]], event: Event, how: tuple[Background, Cancel | None]) -> list[dict[str, Any]]:
    """Charge one skip to every task that still counts. State that cannot be kept bounds nothing, so nothing counts."""
    path = os.path.join(paths.sessions_dir(), session_name(event.session, event.agent) + ".tasks")
    try:
        files.make_dirs(os.path.dirname(path))
        fd = files.open_state(path, os.O_RDWR)
    except OSError:
        return []
    try:
        if not short_lock.take(fd, how[1]):
            return []
        known = _load(fd)
        now = time.time()
        counting = [task for task in tasks if _charge(known, task, (how[0], now))]
        data = fastjson.dumps(known).encode()
        os.ftruncate(fd, 0)
        os.pwrite(fd, data, 0)
    except OSError:
        return []
    finally:
        os.close(fd)
    return counting


def _load(fd: int) -> dict[str, list[float]]:
    try:
        data = fastjson.loads(os.pread(fd, 1 << 20, 0).decode("utf-8", "replace"))
    except fastjson.JsonError:
        return {}
    if not isinstance(data, dict):
        return {}
    return {
        key: value
        for key, value in data.items()
        if isinstance(value, list) and len(value) == 2 and all(type(part) in (int, float) for part in value)
    }


def _charge(known: dict[str, list[float]], task: dict[str, Any], around: tuple[Background, float]) -> bool:
    limits, now = around
    name = str(task.get("id") or task.get("command") or task.get("description"))[:200]
    first, skips = known.setdefault(name, [now, 0])
    age = limits.max_age_s * (LONG_FACTOR if task.get("type") in LONG_LIVED else 1)
    spent = limits.max_skips and skips >= limits.max_skips
    old = limits.max_age_s and not 0 <= now - first <= age  # a clock that went back proves nothing: let it be old
    if spent or old or skips < 0:
        known[name] = [first, -1]  # once it has stopped counting it never counts again
        return False
    known[name] = [first, skips + 1]
    return True


def _words(tasks: list[dict[str, Any]]) -> str:
    names = [str(task.get("description") or task.get("command") or task.get("id") or "?")[:60] for task in tasks[:3]]
    more = f" and {len(tasks) - 3} more" if len(tasks) > 3 else ""
    return "background: " + ", ".join(names) + more
