"""Read a child's output: any amount of it in flat memory, the head on disk up to a cap, the tail in a ring."""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

from ralph_hooks import files

RING = 256 * 1024
LOG_CAP = 16 * 1024 * 1024
_F_SETPIPE_SZ = 1031


def pipe() -> tuple[int, int]:
    """A pipe as large as an unprivileged process may have, so that a chatty child seldom waits for us."""
    read, write = os.pipe()
    try:
        import fcntl

        fcntl.fcntl(write, _F_SETPIPE_SZ, 1024 * 1024)
    except OSError:
        pass  # another system, or over the user's pipe quota: a small pipe works too
    return read, write


class Output:
    """What came out of one pipe, read by a thread until its end.

    `total` is in bytes; `last_at` is on the monotonic clock. The thread may outlive its use when a
    stray grandchild keeps the pipe open; it dies with the process. The descriptor is the thread's to close.
    """

    def __init__(self, fd: int, log: str | None = None, cap: int = LOG_CAP) -> None:
        self.total = 0
        self.last_at = time.monotonic()
        self.log = log
        self.log_error = ""
        self._fd = fd
        self._cap = cap
        self._ring = bytearray(RING)
        self._over = allocate_lock()
        self._over.acquire()
        self._log_fd = self._open_log(log)
        start_new_thread(self._pump, ())

    def _open_log(self, log: str | None) -> int | None:
        if log is None:
            return None
        try:
            files.make_dirs(os.path.dirname(log))
            return os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, files.PRIVATE)
        except OSError as error:
            self.log_error = f"the log `{log}` could not be written: {error.strerror}"
            return None

    def _pump(self) -> None:
        view = memoryview(self._ring)
        position = 0
        try:
            while count := os.readv(self._fd, [view[position:]]):
                self._keep(view[position : position + count])
                self.total += count
                self.last_at = time.monotonic()
                position = (position + count) % RING
        except OSError:
            pass
        finally:
            os.close(self._fd)
            self._over.release()

    def _keep(self, part: memoryview) -> None:
        room = self._cap - self.total
        if self._log_fd is None or room <= 0:
            return
        try:
            files.write_all(self._log_fd, part[:room])
        except OSError as error:
            self.log_error = f"the log `{self.log}` is cut short: {error.strerror}"
            os.close(self._log_fd)
            self._log_fd = None

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the output, at most `seconds`; whether it came."""
        if not self._over.acquire(timeout=max(0.0, seconds)):
            return False
        self._over.release()
        return True

    def settle(self, quiet: float = 0.1, most: float = 1.0) -> None:
        """After the leader's exit: wait for the end, or for a stray holder of the pipe to fall silent."""
        deadline = time.monotonic() + most
        while (now := time.monotonic()) < deadline and not self.wait(min(quiet, deadline - now)):
            if time.monotonic() - self.last_at >= quiet:
                break

    def tail(self) -> bytes:
        """The last bytes, at most `RING`."""
        total = self.total
        if total <= RING:
            return bytes(self._ring[:total])
        position = total % RING
        return bytes(self._ring[position:]) + bytes(self._ring[:position])

    def finish(self) -> None:
        """Complete the log: what the cap cut is named, and the tail stands at its end."""
        if self._log_fd is None:
            return
        fd, self._log_fd = self._log_fd, None
        try:
            if self.total > self._cap:
                tail = self.tail()[-max(0, self.total - self._cap) :]
                cut = self.total - self._cap - len(tail)
                files.write_all(fd, b"\n[ralph-hooks: %d bytes left out here]\n" % cut + tail)
        except OSError as error:
            self.log_error = f"the log `{self.log}` is cut short: {error.strerror}"
        finally:
            os.close(fd)
