"""A lock on a small file of counts, held for two small writes: whoever cannot get it soon goes without."""

from __future__ import annotations

import fcntl
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.watch import Cancel

LOCK_SECONDS = 2.0
PAUSE = 0.01


def take(fd: int, cancel: Cancel | None = None) -> bool:
    """Lock the open file; whether it came to that in time. Raises `Cancelled` when `cancel` fires."""
    sleep = time.sleep if cancel is None else cancel.sleep
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            sleep(PAUSE)
        else:
            return True
