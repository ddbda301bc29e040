"""The budget's state on disk: one small file per session, under a file lock, with a second place (G14, G16).

This module imports `filelock`; the stop line imports it while the check runs.
"""

from __future__ import annotations

import os
import time

from filelock import FileLock, Timeout

from ralph_hooks import fastjson, files, paths
from ralph_hooks.gate import budget
from ralph_hooks.gate.root import session_name
from ralph_hooks.ledger import ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from ralph_hooks.check.watch import Cancel
    from ralph_hooks.plan.locate import Project

LOCK_SECONDS = 5.0
PAUSE = 0.02
KEEP_SECONDS = 30 * 86400
PRUNE_ABOVE = 500
RESET = "RESET"  # the decision in the ledger line of a person's `budget reset`


class Unwritable(Exception):
    """Neither place takes a state, so nothing can be charged."""


class Session:
    """One session's state, held under its lock inside `with`; `cancel` may cut the wait for the lock short.

    `notes` are sentences for the person about state that was lost and rebuilt.
    """

    def __init__(
        self,
        session: str,
        agent: str,
        project: Project | None,
        *,
        active: bool = False,
        cancel: Cancel | None = None,
    ) -> None:
        self._ids = (session, agent)
        self._name = session_name(session, agent)
        self._project = project
        self._active = active
        self._sleep = time.sleep if cancel is None else cancel.sleep
        self._lock: FileLock | None = None
        self._path = ""
        self.notes: list[str] = []
        self.state: dict[str, Any] = budget.fresh()

    def __enter__(self) -> Session:
        failures = []
        for directory in (paths.sessions_dir(), os.path.join(paths.spare_state_dir(), "sessions")):
            try:
                self._take(directory)
            except (OSError, Timeout) as error:
                failures.append(self._why(directory, error))
                continue
            self.state = self._load()
            return self
        raise Unwritable("the session's budget cannot be kept: " + "; ".join(failures))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.release()

    def _take(self, directory: str) -> None:
        files.make_dirs(directory)
        path = os.path.join(directory, self._name + ".json")
        os.close(files.open_state(path + ".lock", os.O_RDWR))  # the library takes what is there
        lock = FileLock(path + ".lock", mode=files.PRIVATE)
        self._wait_for(lock)
        try:
            _write(path + ".holder", str(os.getpid()).encode())
            if not os.access(directory, os.W_OK):
                raise PermissionError(13, "not writable", directory)
        except OSError:
            lock.release()
            raise
        self._lock, self._path = lock, path

    def _wait_for(self, lock: FileLock) -> None:
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                lock.acquire(blocking=False)
                return
            except Timeout:
                if time.monotonic() >= deadline:
                    raise
            self._sleep(PAUSE)

    def _why(self, directory: str, error: Exception) -> str:
        if not isinstance(error, Timeout):
            return f"`{directory}` cannot be written ({getattr(error, 'strerror', None) or error})"
        holder = files.read_bytes_or_none(os.path.join(directory, self._name + ".json.holder")) or b"?"
        return f"the lock in `{directory}` is held (last holder: pid {holder.decode('utf-8', 'replace')[:20]})"

    def _load(self) -> dict[str, Any]:
        known = []
        broken = False
        for directory in (paths.sessions_dir(), os.path.join(paths.spare_state_dir(), "sessions")):
            path = os.path.join(directory, self._name + ".json")
            text = files.read_bytes_or_none(path)
            if text is None:
                continue
            state = _parse(text)
            if state is None:
                broken = True
                self._move_aside(path)
            else:
                known.append(state)
        if known:
            return max(known, key=lambda state: int(state["seq"]))
        return self._rebuild(broken)

    def _move_aside(self, path: str) -> None:
        aside = f"{path}.corrupt-{int(time.time())}-{os.urandom(2).hex()}"
        try:
            os.replace(path, aside)
        except OSError:
            aside = path
        self.notes.append(f"the session's state was unreadable; it lies at `{aside}` and was rebuilt from the ledger")

    def _rebuild(self, broken: bool) -> dict[str, Any]:
        """From the ledger's charges; without those, a session in mid-turn gets one last block (G16)."""
        seen, state = charges(self._project, *self._ids)
        if seen or not (broken or self._active):
            return state
        last = self._last_block()
        return budget.after_charges(last, last)

    def _last_block(self) -> int:
        from ralph_hooks.plan.compiled import plan_for

        try:
            return max(0, plan_for(self._project).budget.max_blocks - 1) if self._project else 0
        except Exception:  # the plan itself is broken, which its own step reports
            return 0

    def save(self, state: dict[str, Any]) -> None:
        """Make the new state durable, before anything is printed. Raises `Unwritable`."""
        self.state = {**state, "seq": self.state["seq"] + 1}
        text = fastjson.dumps(
            {**self.state, "session": self._ids[0][:200], "agent": self._ids[1][:200], "at": time.time()}
        )
        spare = os.path.join(paths.spare_state_dir(), "sessions", self._name + ".json")
        for path in (self._path, spare):
            try:
                files.write_state(path, text.encode())
            except OSError:
                continue
            files.prune(os.path.dirname(path), PRUNE_ABOVE, KEEP_SECONDS)
            return
        raise Unwritable(f"the session's budget cannot be written to `{self._path}` or `{spare}`")


def charges(project: Project | None, session: str, agent: str) -> tuple[bool, dict[str, Any]]:
    """What the ledger says of a session since its last green: whether it knows it, and the state that follows."""
    seen, charged, blocks = False, 0, 0
    for record in ledger.read(project):
        if record.get("session") != session or record.get("agent", "") != agent:
            continue
        seen = True
        decision = record.get("decision")
        if decision in ("ALLOW", RESET) or (decision == "SKIP" and record.get("reason") == "already green"):
            charged = blocks = 0
        elif decision == "BLOCK":
            charged += bool(record.get("charged"))
            blocks += 1
    return seen, budget.after_charges(charged, blocks)


def peek(session: str, agent: str) -> dict[str, Any] | None:
    """A session's state as it lies on disk, without its lock; `None` when there is none to be read."""
    name = session_name(session, agent) + ".json"
    found = []
    for directory in (paths.sessions_dir(), os.path.join(paths.spare_state_dir(), "sessions")):
        state = _parse(files.read_bytes_or_none(os.path.join(directory, name)) or b"")
        found += [state] if state else []
    return max(found, key=lambda state: int(state["seq"])) if found else None


def reset(session: str, agent: str, project: Project | None, cancel: Cancel | None = None) -> None:
    """Give a session its whole budget back. Raises `Unwritable`."""
    with Session(session, agent, project, cancel=cancel) as held:
        if not budget.is_fresh(held.state):
            held.save(budget.rule_green(held.state))


def exists(session: str, agent: str) -> bool:
    """Whether a state file of this session lies anywhere: without one, green has nothing to reset."""
    name = session_name(session, agent) + ".json"
    return any(
        os.path.exists(os.path.join(directory, name))
        for directory in (paths.sessions_dir(), os.path.join(paths.spare_state_dir(), "sessions"))
    )


def _parse(text: bytes) -> dict[str, Any] | None:
    try:
        data = fastjson.loads(text.decode("utf-8"))
    except (fastjson.JsonError, UnicodeDecodeError):
        return None
    if not budget.valid(data):
        return None
    return {key: data[key] for key in budget.fresh()}


def _write(path: str, data: bytes) -> None:
    fd = files.open_state(path, os.O_WRONLY | os.O_TRUNC)
    try:
        files.write_all(fd, data)
    finally:
        os.close(fd)
