"""A stop that fires twice (a plugin and a settings file name the same hook) is one run and one charge (G21).

Both processes get the same bytes. The first to lock a file named after them judges the stop, leaves its decision in
the file and unlinks it; whoever opened the file before that finds the decision and leaves with it. A later stop with
the same bytes finds no file and is judged anew.
"""

from __future__ import annotations

import fcntl
import os
import time

from ralph_hooks import fastjson, files, paths
from ralph_hooks.gate.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.gate.event import Event

PAUSE = 0.01


class Twin:
    """Ours from `meet` to `leave`, unless another process judged this very stop meanwhile."""

    def __init__(self, event: Event, client: str) -> None:
        from _blake2 import blake2b

        name = blake2b(client.encode() + b"\0" + event.raw.strip(), digest_size=16).hexdigest()
        self._path = os.path.join(paths.state_dir(), "fires", name)
        self._fd = -1

    def meet(self, deadline: float) -> Decision | None:
        """The twin's decision, or `None` when this process is the one that judges. Raises `TimeoutError`."""
        try:
            files.make_dirs(os.path.dirname(self._path))
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, files.PRIVATE)
        except OSError:
            return None  # a state that cannot be written costs the order of twins, not the verdict
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return _read(self._fd)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise TimeoutError from None
                time.sleep(PAUSE)

    def leave(self, decision: Decision) -> None:
        """Tell a twin that is already waiting, and nobody who comes later."""
        if self._fd < 0:
            return
        data = {name: getattr(decision, name) for name in ("kind", "reason", "message", "feedback", "silent")}
        try:
            os.pwrite(self._fd, fastjson.dumps(data).encode(), 0)
            os.unlink(self._path)
        except OSError:
            pass  # gone already, or a full disk: the twin judges for itself
        os.close(self._fd)
        self._fd = -1


def _read(fd: int) -> Decision | None:
    text = os.pread(fd, 1 << 20, 0)
    try:
        data = fastjson.loads(text.decode())
        decision = Decision(data.pop("kind"), data.pop("reason"), **data)
    except (fastjson.JsonError, UnicodeDecodeError, AttributeError, KeyError, TypeError):
        return None
    decision.record = {"twin": True, "charged": False}
    return decision
