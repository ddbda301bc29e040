"""A running child whose standard output is taken line by line, as it comes, in flat memory.

The caller decides how long to wait (`poll`), and so it stays free to look at clocks and stop requests: no deadline
depends on a line arriving. Standard error is drained by a thread of its own, so that no amount of it blocks the child.
"""

from __future__ import annotations

import os
import select
import time

from ralph_hooks import files
from ralph_hooks.process.output import LOG_CAP, Output, pipe
from ralph_hooks.process.spawn import Child, CouldNotStart, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READ = 256 * 1024
LONGEST_LINE = 16 * 1024 * 1024
TAIL = 64 * 1024
QUIET = 0.1
STRAY_SECONDS = 1.0
STEP = 0.02


class Lines:
    """`last_at` is when a byte last came on standard output (monotonic clock); `long_lines` counts lines over 16 MiB,
    which are left out. `over` means that the child has ended and its output was read to the end."""

    def __init__(self, child: Child, out: int, err: Output, stdin: tuple[int, bytes], log: str) -> None:
        self.child = child
        self.err = err
        self.over = False
        self.long_lines = 0
        self.last_at = time.monotonic()
        self._out = out
        self._partial = bytearray()
        self._skipping = False
        self._tail = bytearray()
        self._log = _Log(log)
        self._write, self._left = stdin[0], memoryview(stdin[1])
        self._pidfd = _pidfd(child.pid)
        self._poller = select.poll()
        self._poller.register(out, select.POLLIN)
        self._poller.register(self._write, select.POLLOUT)
        if self._pidfd >= 0:
            self._poller.register(self._pidfd, select.POLLIN)
        self._ended_at = 0.0

    def poll(self, seconds: float) -> list[bytes]:
        """The lines that are there, without their ends; waits for the first at most `seconds`."""
        lines: list[bytes] = []
        deadline = time.monotonic() + seconds
        while not lines and not self.over:
            left = deadline - time.monotonic()
            step = left if self._pidfd >= 0 and not self._ended_at else min(left, STEP)
            for fd, _ in self._poller.poll(max(0.0, step) * 1000):
                self._ready(fd, lines)
            self._look_for_end(lines)
            if left <= 0:
                break
        return lines

    def _ready(self, fd: int, lines: list[bytes]) -> None:
        if fd == self._out:
            self._read(lines)
        elif fd == self._write:
            self._feed()

    def _read(self, lines: list[bytes]) -> None:
        data = os.read(self._out, READ)
        if not data:
            self._forget(self._out)
            self._out = -1
            return
        self.last_at = time.monotonic()
        self._log.write(data)
        self._tail += data[-TAIL:]
        del self._tail[:-TAIL]
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._add(part)
            self._end_line(lines)
        self._add(rest)

    def _add(self, part: bytes) -> None:
        if not self._skipping:
            self._partial += part
            if len(self._partial) > LONGEST_LINE:
                self._skipping = True
                self.long_lines += 1
                self._partial.clear()

    def _end_line(self, lines: list[bytes]) -> None:
        if not self._skipping and self._partial:
            lines.append(bytes(self._partial).rstrip(b"\r"))
        self._skipping = False
        self._partial.clear()

    def _feed(self) -> None:
        try:
            self._left = self._left[os.write(self._write, self._left) :] if self._left else self._left
        except BlockingIOError:
            return
        except OSError:
            self._left = self._left[:0]  # the child does not want its input
        if not self._left:
            self._forget(self._write)
            self._write = -1

    def _look_for_end(self, lines: list[bytes]) -> None:
        if not self.child.poll():
            return
        now = time.monotonic()
        if not self._ended_at:
            self._ended_at = now
            if self._pidfd >= 0:
                self._poller.unregister(self._pidfd)
        silent = now - max(self.last_at, self._ended_at) >= QUIET
        if self._out < 0 or silent or now - self._ended_at >= STRAY_SECONDS:
            self._end_line(lines)
            self.over = True

    def _forget(self, fd: int) -> None:
        self._poller.unregister(fd)
        os.close(fd)

    def tail(self) -> bytes:
        """The last bytes of standard output, at most 64 KiB."""
        return bytes(self._tail)

    def close(self) -> None:
        """Let go of the pipes and complete the logs. The child is the caller's to end."""
        self.err.settle(QUIET, STRAY_SECONDS)
        self.err.finish()
        self._log.close()
        for fd in (self._out, self._write, self._pidfd):
            if fd >= 0:
                os.close(fd)
        self._out = self._write = self._pidfd = -1


class _Log:
    """A file that takes what fits; a full disk costs the log, not the round."""

    def __init__(self, path: str) -> None:
        self._room = LOG_CAP
        try:
            files.make_dirs(os.path.dirname(path))
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, files.PRIVATE)
        except OSError:
            self._fd = -1

    def write(self, data: bytes) -> None:
        if self._fd < 0 or self._room <= 0:
            return
        cut = b"\n[ralph-hooks: the rest is left out here]\n" if len(data) > self._room else b""
        try:
            files.write_all(self._fd, data[: self._room] + cut)
        except OSError:
            self.close()
        self._room -= len(data)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1


def start_lines(
    argv: Sequence[str], *, cwd: str, env: Mapping[str, str], stdin: bytes, logs: tuple[str, str]
) -> Lines | CouldNotStart:
    """Start a child and feed it `stdin`; `logs` are new files for its standard output and its standard error."""
    child_in, write = os.pipe()
    out, child_out = pipe()
    err, child_err = pipe()
    child = spawn(argv, cwd=cwd, env=env, stdin=child_in, stdout=child_out, stderr=child_err)
    for fd in (child_in, child_out, child_err):
        os.close(fd)
    if isinstance(child, CouldNotStart):
        for fd in (write, out, err):
            os.close(fd)
        return child
    os.set_blocking(write, False)
    return Lines(child, out, Output(err, logs[1]), (write, stdin), logs[0])


def _pidfd(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1
