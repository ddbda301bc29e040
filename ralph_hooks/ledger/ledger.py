"""The ledger: one JSON line for every stop and every run, appended in one write, outside the repository (G20)."""

from __future__ import annotations

import os
import time

from ralph_hooks import fastjson, files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ralph_hooks.plan.locate import Project

VERSION = 1
NAME = "ledger.jsonl"
OLD = "ledger.old.jsonl"
TEXTS = ("at", "event", "client", "session", "agent", "decision", "reason", "verdict", "run")
ROTATE_BYTES = 32 * 1024 * 1024


def append(project: Project | None, record: dict[str, Any]) -> bool:
    """Add one line; `False` when neither the state directory nor the spare one could be written.

    `project=None` is for events that belong to no project: they go to the state directory's own ledger.
    """
    line = fastjson.dumps({"v": VERSION, "at": timestamp(), **record}).encode()
    for directory in places(project):
        path = os.path.join(directory, NAME)
        try:
            _rotate(path)
            files.append_line(path, line)
        except OSError:
            continue
        return True
    return False


def places(project: Project | None) -> list[str]:
    """Where the ledger may lie, the usual place first."""
    own = project.state if project is not None else paths.state_dir()
    return [own, os.path.join(paths.spare_state_dir(), os.path.basename(own))]


def writable(project: Project | None) -> bool:
    """Whether one of the places takes a line; without any, no stop can be judged (G16)."""
    for directory in places(project):
        try:
            files.make_dirs(directory)
        except OSError:
            continue
        if os.access(directory, os.W_OK):
            return True
    return False


def read(project: Project | None) -> Iterator[dict[str, Any]]:
    """All records, oldest first. Lines that are not JSON objects (torn by a crash) are left out."""
    for directory in reversed(places(project)):
        for name in (OLD, NAME):
            yield from read_file(os.path.join(directory, name))


def read_file(path: str) -> Iterator[dict[str, Any]]:
    """The records of one ledger file; none when it is not there, or is no file."""
    try:
        with open(files.open_regular(path), "rb") as file:
            for line in file:
                record = parse(line)
                if record is not None:
                    yield record
    except OSError:
        return


def parse(line: bytes) -> dict[str, Any] | None:
    """One record, or `None` for a torn line and for one that is not of our making."""
    try:
        record = fastjson.loads(line.decode("utf-8", "replace"))
    except fastjson.JsonError:
        return None
    if not isinstance(record, dict):
        return None
    return record if all(isinstance(record.get(key) or "", str) for key in TEXTS) else None


def timestamp(when: float | None = None) -> str:
    """UTC with milliseconds, as in 2026-01-31T12:00:00.000Z."""
    when = time.time() if when is None else when
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when)) + f".{int(when % 1 * 1000):03d}Z"


def _rotate(path: str) -> None:
    try:
        found = os.lstat(path)
        if found.st_mode & files.KIND != files.REGULAR:
            files.make_way(path)
        elif found.st_size > ROTATE_BYTES:
            os.replace(path, os.path.join(os.path.dirname(path), OLD))
    except FileNotFoundError:
        pass
