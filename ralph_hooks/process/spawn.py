"""Start one child: own session and group, no terminal, only the descriptors it is given.

`os.posix_spawn` is used because `import subprocess` costs as much as a bare interpreter start.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock

from ralph_hooks.process import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# posix_spawn has no working directory of its own, so ours moves for the moment of the spawn.
_here = allocate_lock()
living: set[int] = set()


class CouldNotStart:
    """A child that never ran: `words` say why, `missing` names the program or interpreter that is not there."""

    __slots__ = ("missing", "words")

    def __init__(self, words: str, missing: str = "") -> None:
        self.words = words
        self.missing = missing


class Child:
    """A running child, leader of its own session. `status` is what `waitpid` gave, once it is over."""

    __slots__ = ("argv", "pid", "started", "status")

    def __init__(self, pid: int, argv: Sequence[str]) -> None:
        self.pid = pid
        self.argv = list(argv)
        self.started = time.monotonic()
        self.status: int | None = None

    @property
    def exit_code(self) -> int | None:
        """0 to 255 after a normal exit, else `None`."""
        return os.WEXITSTATUS(self.status) if self.status is not None and os.WIFEXITED(self.status) else None

    @property
    def signal(self) -> int | None:
        """The signal that ended the child, else `None`."""
        return os.WTERMSIG(self.status) if self.status is not None and os.WIFSIGNALED(self.status) else None

    def poll(self) -> bool:
        """Whether the child is over; reaps it."""
        if self.status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else reaped it: its fate is unknown, and unknown is not success
                pid, status = self.pid, signals.KILL
            if pid:
                self.status = status
                living.discard(self.pid)
        return self.status is not None

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, at most `seconds` (`None` = for ever); whether it came."""
        return wait_any([self], seconds)


def wait_any(children: Sequence[Child], seconds: float | None = None) -> bool:
    """Wait until one of several children is over, at most `seconds`; whether one is. Signal handlers run meanwhile."""
    deadline = None if seconds is None else time.monotonic() + seconds
    if any(child.poll() for child in children):
        return True
    pidfds = [_pidfd(child.pid) for child in children]
    try:
        if None in pidfds:
            return _wait_by_polling(children, deadline)
        _readable([fd for fd in pidfds if fd is not None], deadline)
    finally:
        for fd in pidfds:
            if fd is not None:
                os.close(fd)
    return any(child.poll() for child in children)


def _wait_by_polling(children: Sequence[Child], deadline: float | None) -> bool:
    pause = 0.001
    while not any(child.poll() for child in children):
        if deadline is not None and time.monotonic() >= deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
    return True


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _readable(fds: list[int], deadline: float | None) -> None:
    import select

    poller = select.poll()
    wakeup = signals.wakeup_end()
    for fd in (*fds, wakeup) if wakeup >= 0 else fds:
        poller.register(fd, select.POLLIN)
    while True:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        # rounded up: a poll that returns a little early would spin until the deadline
        ready = [fd for fd, _ in poller.poll(None if left is None else left * 1000 + 1)]
        if wakeup in ready:
            signals.drain()
        if any(fd != wakeup for fd in ready) or left == 0.0:
            return


def which(program: str, cwd: str, path: str) -> str | None:
    """The executable that a shell with this PATH would run from `cwd`, or `None`."""
    if "/" in program:
        found = os.path.join(cwd, program)
        return found if _executable(found) else None
    for entry in path.split(":"):
        found = os.path.join(cwd, entry, program)
        if _executable(found):
            return found
    return None


def _executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def spawn(
    argv: Sequence[str], *, cwd: str, env: Mapping[str, str], stdin: int | None = None, stdout: int, stderr: int
) -> Child | CouldNotStart:
    """Start `argv` in a new session. `stdin=None` is /dev/null; the descriptors stay open here, theirs to close."""
    program = which(argv[0], cwd, env.get("PATH", os.defpath))
    if program is None:
        return CouldNotStart(f"`{argv[0]}` was not found", argv[0])
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0) if stdin is None else (os.POSIX_SPAWN_DUP2, stdin, 0),
        (os.POSIX_SPAWN_DUP2, stdout, 1),
        (os.POSIX_SPAWN_DUP2, stderr, 2),
    ]
    _close_on_exec()
    with _here:
        try:
            back = os.getcwd()
        except OSError:
            back = "/"
        try:
            os.chdir(cwd)
        except OSError as error:
            return CouldNotStart(f"the directory `{cwd}` cannot be entered: {error.strerror}")
        try:
            return _start(program, argv, env, actions)
        finally:
            os.chdir(back)


def _start(
    program: str,
    argv: Sequence[str],
    env: Mapping[str, str],
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]],
) -> Child | CouldNotStart:
    try:
        pid = _posix_spawn(program, argv, env, actions)
    except FileNotFoundError:
        return CouldNotStart(f"`{program}` names an interpreter that does not exist", program)
    except OSError as error:
        return CouldNotStart(f"`{program}` could not be started: {error.strerror}")
    except ValueError as error:
        return CouldNotStart(f"`{argv[0]}` could not be started: {error}")
    living.add(pid)
    return Child(pid, argv)


def _posix_spawn(
    program: str,
    argv: Sequence[str],
    env: Mapping[str, str],
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]],
) -> int:
    def go(path: str, words: list[str]) -> int:
        return os.posix_spawn(
            path,
            words,
            env,
            file_actions=actions,
            setsid=True,
            setsigdef=signals.RESET_IN_CHILDREN,
            setsigmask=(),
        )

    try:
        return go(program, list(argv))
    except OSError as error:
        if error.errno != 8:  # ENOEXEC: a script without a shebang, which a shell would run itself
            raise
        return go("/bin/sh", ["/bin/sh", program, *argv[1:]])


def _close_on_exec() -> None:
    """Descriptors that our own parent leaked to us stop here."""
    listing = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    for name in os.listdir(listing):
        if name.isdigit() and int(name) > 2:
            try:
                os.set_inheritable(int(name), False)
            except OSError:
                pass  # the listing's own descriptor is gone by now
