"""Run ids: they name a run and carry the process that owns it, so that "is its owner alive" needs no file."""

from __future__ import annotations

import os

from ralph_hooks.process.table import is_ancestor, start_time


def new_run_id() -> str:
    """`<pid>-<start time in ticks since boot>-<random>` of this process."""
    pid = os.getpid()
    return f"{pid}-{start_time(pid) or 0}-{os.urandom(5).hex()}"


def owner(run_id: str) -> int | None:
    """The pid of the live process that made this run id, or `None`."""
    pid, _, rest = run_id.partition("-")
    started, _, _ = rest.partition("-")
    if not (pid.isascii() and pid.isdigit()) or not started:
        return None
    if start_time(os.getpid()):
        return int(pid) if start_time(int(pid)) == started else None
    return int(pid) if _exists(int(pid)) else None  # no /proc: a reused pid cannot be told apart


def nested_in(run_id: str) -> bool:
    """Whether this process runs inside that run: its owner is alive and an ancestor of ours."""
    pid = owner(run_id)
    return pid is not None and pid != os.getpid() and is_ancestor(pid)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
