"""Logs of finished work do not grow for ever: whole folders go, the oldest first. Nothing here is in a user's git."""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ralph_hooks.loop.record import Record
from ralph_hooks.plan.locate import Project

RUN = re.compile(r"\d+-[0-9a-f]{16}")
DAY = 86400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """How much of what is finished stays: at most so many folders, so many days, so many bytes together."""

    folders: int
    days: float
    size: int


RUNS = Keep(folders=20, days=30, size=1 << 30)


@dataclass(frozen=True, slots=True, order=True)
class _Folder:
    touched: float
    size: int
    path: str


def prune(folders: Iterable[str], keep: Keep) -> list[str]:
    """Remove what is over a bound, and give what went. The newest folder stays whatever its size; trouble is passed by.

    The caller names only folders of work that is over.
    """
    gone, size = [], 0
    now = time.time()
    for number, folder in enumerate(sorted(map(_measured, folders), reverse=True)):
        size += folder.size
        old = now - folder.touched > keep.days * DAY
        if number and (number >= keep.folders or size > keep.size or old):
            shutil.rmtree(folder.path, ignore_errors=True)
            gone.append(folder.path)
    return gone


def _measured(path: str) -> _Folder:
    """When anything in a folder was last written, and how much it holds. Links are not followed."""
    touched, size = _stat(path)
    for directory, _, names in os.walk(path):
        for name in names:
            at, more = _stat(os.path.join(directory, name))
            touched, size = max(touched, at), size + more
    return _Folder(touched, size, path)


def _stat(path: str) -> tuple[float, int]:
    try:
        found = os.lstat(path)
    except OSError:
        return 0.0, 0
    return found.st_mtime, found.st_size if stat.S_ISREG(found.st_mode) else 0


def prune_runs(project: Project, running: str, keep: Keep = RUNS) -> list[str]:
    """Remove logs of finished runs of this project's loops. The caller drives the checkout with the run `running`.

    The last run of every loop stays while it can be resumed.
    """
    finished = []
    for name, runs in _loops(os.path.join(project.state, "loops")):
        past = Record(project.root, name).last_run(1)
        resumable = past.run if past is not None and not past.complete else ""
        finished += [path for path in runs if os.path.basename(path) not in (running, resumable)]
    return prune(finished, keep)


def _loops(place: str) -> Iterator[tuple[str, list[str]]]:
    """Every loop with the folders of its runs."""
    for name in entries(place):
        runs = entries(os.path.join(place, name))
        yield name, [os.path.join(place, name, run) for run in runs if RUN.fullmatch(run)]


def entries(place: str) -> list[str]:
    """Directories below a place; none where it cannot be read."""
    try:
        with os.scandir(place) as found:
            return sorted(entry.name for entry in found if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
