"""One run per checkout at a time (G21): a kernel lock, the holder's run id in the file, its result beside it."""

from __future__ import annotations

import fcntl
import os
import time

from ralph_hooks import fastjson, files
from ralph_hooks.check import identity, record
from ralph_hooks.check.watch import Busy
from ralph_hooks.process import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from ralph_hooks.check.run import Cancel
    from ralph_hooks.check.verdict import Run

PAUSE = 0.02


class CheckoutLock:
    """Held while checks run. `waited` tells that somebody else ran meanwhile."""

    def __init__(self, checkout: str, run_id: str, deadline: float | None, cancel: Cancel | None = None) -> None:
        self._directory = checkout
        self._path = os.path.join(checkout, "run.lock")
        self._run_id = run_id
        self._deadline = deadline
        self._cancel = cancel
        self._fd: int | None = None
        self.waited = False

    def __enter__(self) -> CheckoutLock:
        try:
            files.make_dirs(self._directory)
            self._fd = files.open_state(self._path, os.O_RDWR)
        except OSError:
            return self  # a state that cannot be written costs the order of runs, not the verdict
        try:
            self._acquire(self._fd)
            self._take_over(self._fd)
        except BaseException:
            os.close(self._fd)
            self._fd = None
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fd is not None:
            try:
                os.ftruncate(self._fd, 0)
            except OSError:
                pass
            os.close(self._fd)
            self._fd = None

    def _acquire(self, fd: int) -> None:
        latest = self._latest_start()
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.waited = True
            else:
                return
            if latest is not None and time.monotonic() >= latest:
                raise Busy(self._holder(fd))
            self._pause()

    def _pause(self) -> None:
        """Wait a little; the one place where a signal may end the waiting."""
        sleep = time.sleep if self._cancel is None else self._cancel.sleep
        sleep(PAUSE)

    def _latest_start(self) -> float | None:
        """With less than half of the last run's duration left, a run of ours would only be cut off."""
        if self._deadline is None:
            return None
        last = _read(self._directory)
        duration = last["run"]["duration"] if last else 0.0
        return self._deadline - max(duration / 2, 0.05)

    @staticmethod
    def _holder(fd: int) -> str:
        run_id = os.pread(fd, 200, 0).decode("utf-8", "replace").strip()
        pid = identity.owner(run_id)
        return f"pid {pid}" if pid else "unknown"

    def _take_over(self, fd: int) -> None:
        """A holder that was killed leaves its run id: what its checks left running is ended first."""
        left = os.pread(fd, 200, 0).decode("utf-8", "replace").strip()
        if left and identity.owner(left) is None:
            tree.sweep(left)
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, self._run_id.encode(), 0)
        except OSError:
            pass  # a full disk: the kernel lock still holds

    def shared(self, plan_digest: str, digest: str) -> Run | None:
        """The result of the run we waited for, if it judged this very content under this very plan."""
        last = _read(self._directory)
        if not last or not digest or last["plan"] != plan_digest:
            return None
        try:
            run = record.restore(last["run"])
            run.verdict, run.failing_count  # noqa: B018 - a file that was tampered with has others
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        return run if run.digest_before == digest == run.digest_after else None


def share(checkout: str, plan_digest: str, run: Run) -> None:
    """Leave the result for those who wait for the lock."""
    text = fastjson.dumps({"plan": plan_digest, "run": record.dump(run)})
    try:
        files.write_cache(os.path.join(checkout, "last-run.json"), text.encode())
    except OSError:
        pass  # they will run for themselves


def _read(checkout: str) -> dict[str, Any] | None:
    text = files.read_bytes_or_none(os.path.join(checkout, "last-run.json"))
    try:
        data = fastjson.loads((text or b"").decode("utf-8", "replace"))
        float(data["run"]["duration"])
    except (fastjson.JsonError, KeyError, TypeError, ValueError, OverflowError):
        return None
    return data if isinstance(data, dict) else None


__all__ = ["Busy", "CheckoutLock", "share"]
