"""Kill a child with everything it started, also what left its group, its session or its parent.

Two nets: this process becomes the child subreaper, so that orphans are handed to it and stay visible as descendants;
and every child carries a run id in its environment, which finds what another subreaper adopted.
Without `/proc` only the process group and the parent links that still stand are followed.
"""

from __future__ import annotations

import os
import time

from ralph_hooks.process import signals
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
    parents = _parents()
    if not parents:
        return set()
    roots = {child.pid} if child.status is None else set()
    me = os.getpid()
    if strays:
        roots |= {pid for pid, (parent, _) in parents.items() if parent == me and pid not in living}
    roots |= {pid for pid, (_, session) in parents.items() if session == child.pid}
    found = _descendants(roots, parents) | marked(run_id, variable)
    return {pid for pid in found if pid != me and _running(pid)}


def _parents() -> dict[int, tuple[int, int]]:
    """Of every process: its parent and its session."""
    table = {}
    for name in _proc_entries():
        fields = _stat(int(name))
        if fields is not None:
            table[int(name)] = (int(fields[1]), int(fields[3]))
    return table


def _proc_entries() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _stat(pid: int) -> list[str] | None:
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


def living_children() -> bool:
    """Whether a child that this process started has not been seen to end."""
    return bool(living)


def kill_descendants() -> None:
    """End everything below this process, which must be a subreaper: then nothing of its tree can be elsewhere."""
    deadline = time.monotonic() + SWEEP_SECONDS
    me = os.getpid()
    while time.monotonic() < deadline:
        below = {pid for pid in _descendants({me}, _parents()) - {me} if _running(pid)}
        if not below:
            return
        for pid in below:
            _signal(pid, signals.KILL)
        time.sleep(0.002)


def start_time(pid: int) -> str:
    """When the process started, in ticks since boot; with the pid it names one process. Empty when it is gone."""
    fields = _stat(pid)
    return fields[19] if fields else ""


def alive(pid: int, started: str) -> bool:
    """Whether the process of this id and start time still runs; a zombie does not."""
    fields = _stat(pid)
    if fields is not None:
        return fields[0] not in "ZX" and fields[19] == started
    if started or pid < 1:
        return False
    try:
        os.kill(pid, 0)  # no /proc here: the id alone has to do
    except PermissionError:
        return True
    except OSError:
        return False
    return not os.path.isdir("/proc/self")


def parent_of(pid: int) -> int:
    """The parent of a process, 0 when it is gone."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def is_ancestor(pid: int) -> bool:
    """Whether `pid` is a parent, grandparent … of this process."""
    current = os.getppid()
    for _ in range(1000):
        if current == pid:
            return True
        fields = _stat(current) if current > 1 else None
        if fields is None:
            return False
        current = int(fields[1])
    return False


def _descendants(roots: set[int], parents: dict[int, tuple[int, int]]) -> set[int]:
    found = set(roots)
    while True:
        more = {pid for pid, (parent, _) in parents.items() if parent in found and pid not in found}
        if not more:
            return found
        found |= more


def marked(run_id: str, variable: str = RUN_ID) -> set[int]:
    """The running processes whose environment holds `variable=run_id`, this one left out."""
    if not run_id:
        return set()
    needle = f"{variable}={run_id}".encode()
    found = set()
    for name in _proc_entries():
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if needle in file.read().split(b"\0"):
                    found.add(int(name))
        except OSError:
            continue
    return {pid for pid in found if pid != os.getpid() and _running(pid)}


def _running(pid: int) -> bool:
    fields = _stat(pid)
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
