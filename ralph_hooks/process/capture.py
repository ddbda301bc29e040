"""Run a short helper program such as git and take its whole output."""

from __future__ import annotations

import os
import time

from ralph_hooks.process import signals
from ralph_hooks.process.spawn import Child, CouldNotStart, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STEP = 0.5  # a signal that came just before a wait is noticed after it


class Captured:
    """How it ended. `code` is the exit code, minus the signal number, or `None` when it never started or was cut."""

    __slots__ = ("code", "err", "out", "words")

    def __init__(self, code: int | None, out: bytes, err: bytes, words: str = "") -> None:
        self.code = code
        self.out = out
        self.err = err
        self.words = words


class Pending:
    """A helper that runs while the caller does something else; `result()` waits for it."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout: float = 60.0,
        keep_err: bool = False,
    ) -> None:
        self._deadline = time.monotonic() + timeout
        self._timeout = timeout
        self._argv = list(argv)
        self._stdin = stdin
        self._fds = _Pipes(stdin is not None, keep_err)
        self._child = spawn(
            argv,
            cwd=cwd,
            env=dict(os.environ) if env is None else env,
            stdin=self._fds.child_in,
            stdout=self._fds.child_out,
            stderr=self._fds.child_err,
        )
        self._fds.close_child_ends()

    def result(self) -> Captured:
        """Wait for the end; a helper over its time is killed with its group."""
        child = self._child
        if isinstance(child, CouldNotStart):
            self._fds.close()
            return Captured(None, b"", b"", child.words)
        try:
            with signals.waiting:
                out, err, whole = self._fds.exchange(self._stdin or b"", self._deadline)
        except BaseException:  # ^C, TERM: the helper has a session of its own and would not hear it
            self._fds.close()
            self._kill(child, grace=2.0)
            raise
        self._fds.close()
        if not whole or not child.wait(max(0.0, self._deadline - time.monotonic())):
            self._kill(child, grace=0.0)
            return Captured(None, out, err, f"`{self._argv[0]}` took longer than {self._timeout:g} s")
        return Captured(_code(child), out, err)

    @staticmethod
    def _kill(child: Child, grace: float) -> None:
        from ralph_hooks.process import tree

        tree.kill_tree(child, "", grace=grace, strays=False)


def capture(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    timeout: float = 60.0,
    keep_err: bool = True,
) -> Captured:
    """Run to the end and take everything. Never raises for what the program does."""
    return Pending(argv, cwd=cwd, env=env, stdin=stdin, timeout=timeout, keep_err=keep_err).result()


def _code(child: Child) -> int | None:
    return child.exit_code if child.signal is None else -child.signal


class _Pipes:
    """Our ends and the child's ends of the pipes of one helper."""

    def __init__(self, with_stdin: bool, keep_err: bool) -> None:
        self.child_in: int | None = None
        self.write: int | None = None
        if with_stdin:
            self.child_in, self.write = os.pipe()
        self.read_out, self.child_out = os.pipe()
        self.read_err: int | None = None
        if keep_err:
            self.read_err, self.child_err = os.pipe()
        else:
            self.child_err = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)

    def close_child_ends(self) -> None:
        for fd in (self.child_in, self.child_out, self.child_err):
            if fd is not None:
                os.close(fd)

    def close(self) -> None:
        for fd in (self.write, self.read_out, self.read_err):
            if fd is not None:
                os.close(fd)
        self.write = self.read_err = None

    def exchange(self, data: bytes, deadline: float) -> tuple[bytes, bytes, bool]:
        """Feed stdin and drain both outputs without a deadlock; whether both came to their end in time."""
        if self.write is None and self.read_err is None:
            return self._drain_one(deadline)
        import select

        parts: dict[int, list[bytes]] = {fd: [] for fd in (self.read_out, self.read_err) if fd is not None}
        waiting = set(parts)
        view = memoryview(data)
        if self.write is not None:
            os.set_blocking(self.write, False)
        while waiting:
            left = deadline - time.monotonic()
            writers = [self.write] if self.write is not None else []
            ready, writable, _ = select.select(list(waiting), writers, [], max(0.0, min(left, STEP)))
            if not ready and not writable and left <= 0:
                break
            for fd in ready:
                part = os.read(fd, 1 << 16)
                parts[fd].append(part)
                if not part:
                    waiting.discard(fd)
            if writable:
                view = self._feed(view)
        return b"".join(parts[self.read_out]), b"".join(parts.get(self.read_err or -1, [])), not waiting

    def _feed(self, view: memoryview) -> memoryview:
        assert self.write is not None
        try:
            view = view[os.write(self.write, view) :] if view else view
        except BlockingIOError:
            return view
        except BrokenPipeError:
            view = view[:0]
        if not view:
            os.close(self.write)
            self.write = None
        return view

    def _drain_one(self, deadline: float) -> tuple[bytes, bytes, bool]:
        import select

        poller = select.poll()
        poller.register(self.read_out, select.POLLIN)
        parts: list[bytes] = []
        while True:
            left = deadline - time.monotonic()
            if not poller.poll(max(0.0, min(left, STEP)) * 1000):
                if left <= STEP:
                    return b"".join(parts), b"", False
                continue
            part = os.read(self.read_out, 1 << 20)
            if not part:
                return b"".join(parts), b"", True
            parts.append(part)
