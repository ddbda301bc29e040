"""The process table: who is whose parent, and since when. Without `/proc` little of it is known."""

from __future__ import annotations

import os


def parents() -> dict[int, tuple[int, int]]:
    """Of every process: its parent and its session."""
    table = {}
    for name in entries():
        fields = stat(int(name))
        if fields is not None:
            table[int(name)] = (int(fields[1]), int(fields[3]))
    return table


def entries() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def stat(pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat after the command's name: state, parent, group, session, …"""
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        text = os.read(fd, 4096).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(fd)
    return text[text.rindex(")") + 2 :].split()


def start_time(pid: int) -> str:
    """When the process started, in ticks since boot; with the pid it names one process. Empty when it is gone."""
    fields = stat(pid)
    return fields[19] if fields else ""


def alive(pid: int, started: str) -> bool:
    """Whether the process of this id and start time still runs; a zombie does not."""
    fields = stat(pid)
    if fields is not None:
        return fields[0] not in "ZX" and fields[19] == started
    if started or pid < 1:
        return False
    try:
        os.kill(pid, 0)  # no /proc here: the id alone has to do
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return not os.path.isdir("/proc/self")


def parent_of(pid: int) -> int:
    """The parent of a process, 0 when it is gone."""
    fields = stat(pid)
    return int(fields[1]) if fields else 0


def is_ancestor(pid: int) -> bool:
    """Whether `pid` is a parent, grandparent … of this process."""
    current = os.getppid()
    for _ in range(1000):
        if current == pid:
            return True
        fields = stat(current) if current > 1 else None
        if fields is None:
            return False
        current = int(fields[1])
    return False


def descendants(roots: set[int], parents: dict[int, tuple[int, int]]) -> set[int]:
    found = set(roots)
    while True:
        more = {pid for pid, (parent, _) in parents.items() if parent in found and pid not in found}
        if not more:
            return found
        found |= more
