"""Kill a child with everything it started, also what left its group, its session or its parent.

Two nets: this process becomes the child subreaper, so that orphans are handed to it and stay visible as descendants;
and every child carries a run id in its environment, which finds what another subreaper adopted.
Without `/proc` only the process group and the parent links that still stand are followed.
"""

from __future__ import annotations

import os
import time

from ralph_hooks.process import signals, table
from ralph_hooks.process.spawn import Child, living

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

RUN_ID = "RALPH_HOOKS_RUN_ID"
CHECK_ID = "RALPH_HOOKS_CHECK_ID"  # one check of a run: what it started, and not what runs beside it
STEP = 0.02
SWEEP_SECONDS = 2.0
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the subreaper. Call it right after a spawn, where the cost of `ctypes` is hidden."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, AttributeError, OSError):
        pass  # no prctl here: the group and the parent links are what there is


def kill_tree(
    child: Child, run_id: str, grace: float = 2.0, *, strays: bool = True, variable: str = RUN_ID
) -> list[str]:
    """TERM to the group, up to `grace` seconds, then KILL until nothing is left; names what survived.

    What carries `variable=run_id` belongs to the tree. `strays` also takes the orphans that this process adopted:
    right while no other tree of ours runs.
    """

    def tree() -> set[int]:
        return _tree(child, run_id, strays, variable)

    doomed = tree()
    _signal_group(child.pid, signals.TERM)
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline:
        if child.poll() and not _alive(doomed) and not tree():
            return []
        time.sleep(STEP)
    return _kill_all(child, tree)


def _kill_all(child: Child, tree: Callable[[], set[int]]) -> list[str]:
    """A process id may be another program's by now; only what still belongs to the tree is killed."""
    deadline = time.monotonic() + SWEEP_SECONDS
    _signal_group(child.pid, signals.KILL)
    while True:
        found = tree()
        for pid in found:
            _signal(pid, signals.KILL)
            _reap(pid)
        if not found and child.poll():
            return []
        if time.monotonic() >= deadline:
            return [_describe(pid) for pid in sorted(found)]
        time.sleep(0.002)


def sweep(run_id: str, variable: str = RUN_ID) -> list[int]:
    """Kill every process that carries this run id; the ids that were found. For trees whose owner is dead."""
    found: list[int] = []
    deadline = time.monotonic() + SWEEP_SECONDS
    while (left := marked(run_id, variable)) and time.monotonic() < deadline:
        for pid in left:
            _signal(pid, signals.KILL)
            _reap(pid)
        found.extend(pid for pid in left if pid not in found)
        time.sleep(STEP)
    return found


def _tree(child: Child, run_id: str, strays: bool, variable: str = RUN_ID) -> set[int]:
    parents = table.parents()
    if not parents:
        return set()
    roots = {child.pid} if child.status is None else set()
    me = os.getpid()
    if strays:
        roots |= {pid for pid, (parent, _) in parents.items() if parent == me and pid not in living}
    roots |= {pid for pid, (_, session) in parents.items() if session == child.pid}
    found = table.descendants(roots, parents) | marked(run_id, variable)
    return {pid for pid in found if pid != me and _running(pid)}


def living_children() -> bool:
    """Whether a child that this process started has not been seen to end."""
    return bool(living)


def kill_children() -> None:
    """End the helpers that this process started and has not seen to end, each with its group."""
    for pid in list(living):
        _signal_group(pid, signals.KILL)


def kill_descendants() -> None:
    """End everything below this process, which must be a subreaper: then nothing of its tree can be elsewhere."""
    deadline = time.monotonic() + SWEEP_SECONDS
    me = os.getpid()
    while time.monotonic() < deadline:
        below = {pid for pid in table.descendants({me}, table.parents()) - {me} if _running(pid)}
        if not below:
            return
        for pid in below:
            _signal(pid, signals.KILL)
        time.sleep(0.002)


def marked(run_id: str, variable: str = RUN_ID) -> set[int]:
    """The running processes whose environment holds `variable=run_id`, this one left out."""
    if not run_id:
        return set()
    needle = f"{variable}={run_id}".encode()
    found = set()
    for name in table.entries():
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if needle in file.read().split(b"\0"):
                    found.add(int(name))
        except OSError:
            continue
    return {pid for pid in found if pid != os.getpid() and _running(pid)}


def _running(pid: int) -> bool:
    fields = table.stat(pid)
    if fields is None:
        return False
    if fields[0] in "ZX":
        _reap(pid)
        return False
    return True


def _alive(pids: set[int]) -> set[int]:
    return {pid for pid in pids if _running(pid)}


def _reap(pid: int) -> None:
    if pid in living:
        return  # its `Child` wants the status
    try:
        os.waitpid(pid, os.WNOHANG)
    except OSError:
        pass


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        pass


def _signal_group(leader: int, number: int) -> None:
    try:
        os.killpg(leader, number)
    except OSError:
        pass


def _describe(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        words = "?"
    return f"{pid} ({words[:80]})"
