"""A stop that fires twice (a plugin and a settings file name the same hook) is one run and one charge (G21).

Both processes get the same bytes. The first to lock a file named after them judges the stop and leaves its decision
and the time in the file; whoever had started before that time leaves with the same decision. How far it had got by
then does not matter: on a busy machine one of the two may be late by more than a whole check takes. A later stop with
the same bytes starts after that time and is judged anew.
"""

from __future__ import annotations

import fcntl
import os
import time

from ralph_hooks import fasthash, fastjson, files, paths
from ralph_hooks.gate.decision import CANCELLED, Decision
from ralph_hooks.process.table import start_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.watch import Cancel
    from ralph_hooks.gate.event import Event

PAUSE = 0.01
KEEP_SECONDS = 3600
PRUNE_ABOVE = 32


class Twin:
    """Ours from `meet` to `leave`, unless another process judged this very stop meanwhile."""

    def __init__(self, event: Event, client: str) -> None:
        name = fasthash.blake2(client.encode() + b"\0" + event.raw.strip(), 16)
        self._path = os.path.join(paths.state_dir(), "fires", name)
        self._fd = -1

    def meet(self, deadline: float, cancel: Cancel) -> Decision | None:
        """The twin's decision, or `None` when this process is the one that judges.

        Raises `TimeoutError`, and `Cancelled` when `cancel` fires.
        """
        try:
            files.make_dirs(os.path.dirname(self._path))
            self._fd = files.open_state(self._path, os.O_RDWR)
        except OSError:
            return None  # a state that cannot be written costs the order of twins, not the verdict
        try:
            self._lock(deadline, cancel)
        except BaseException:
            self._close()  # whoever judges is the one that writes
            raise
        return _read(self._fd, _born())

    def _lock(self, deadline: float, cancel: Cancel) -> None:
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise TimeoutError from None
                cancel.sleep(PAUSE)

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def leave(self, decision: Decision) -> None:
        """Tell the twin, wherever it is by now. One that was told to end judged nothing: the twin has to."""
        if self._fd < 0 or decision.reason == CANCELLED:
            self._close()
            return
        data = {name: getattr(decision, name) for name in ("kind", "reason", "message", "feedback", "silent")}
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, fastjson.dumps({"ended": _now(), **data}).encode(), 0)
        except OSError:
            pass  # a full disk: the twin judges for itself
        self._close()
        files.prune(os.path.dirname(self._path), PRUNE_ABOVE, KEEP_SECONDS)


def _read(fd: int, born: float) -> Decision | None:
    """The decision in the file, when it was made in our lifetime."""
    text = os.pread(fd, 1 << 20, 0)
    try:
        data = fastjson.loads(text.decode())
        if not data.pop("ended") >= born:
            return None
        decision = Decision(data.pop("kind"), data.pop("reason"), **data)
    except (fastjson.JsonError, UnicodeDecodeError, AttributeError, KeyError, TypeError):
        return None
    decision.record = {"twin": True, "charged": False}
    return decision


def _now() -> float:
    """Seconds since boot, on the clock that process start times are told in."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _born() -> float:
    """When this process had started for certain: the end of its tick. Without /proc, now, which misses late twins."""
    ticks, now = start_time(os.getpid()), _now()
    born = (int(ticks) + 1) / os.sysconf("SC_CLK_TCK") if ticks else now
    return min(born, now)
