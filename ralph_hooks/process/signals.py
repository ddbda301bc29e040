"""Signal numbers and handlers without the 4.5 ms that `import signal` spends on enums."""

from __future__ import annotations

import os
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Protocol

    class Cancel(Protocol):
        """`ralph_hooks.check.watch.Cancel`: a handler that raises while it is armed, else remembers."""

        def __call__(self, number: int, frame: object) -> None: ...
        def arm(self) -> None: ...
        def disarm(self) -> None: ...
else:
    try:
        import _signal as signal
    except ImportError:
        import signal

TERM = int(signal.SIGTERM)
KILL = int(signal.SIGKILL)
INT = int(signal.SIGINT)
HUP = int(signal.SIGHUP)
QUIT = int(signal.SIGQUIT)

# What ends a program that has no handler for it, and may come from outside: a program's own faults are not meant.
DEADLY = tuple(
    int(getattr(signal, f"SIG{name}"))
    for name in (
        "TERM", "INT", "HUP", "QUIT", "ABRT", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "IO", "PWR", "STKFLT",
    )
    if hasattr(signal, f"SIG{name}")
)  # fmt: skip

# A shell that was started with one of these ignored hands that on; a test suite should not notice.
RESET_IN_CHILDREN = tuple(
    int(number)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
)


def keep_children() -> None:
    """A parent that ignores SIGCHLD hands that on, and the kernel then forgets how our children ended."""
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def unwind() -> None:
    """From here TERM and HUP end the program as Ctrl-C does, so that scratch directories go too; exit 128 + number."""
    wake_waits()
    for number in (TERM, HUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # `nohup` has it ignored, and that stays so
            signal.signal(number, _leave)


def _leave(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def on(number: int, handler: object) -> None:
    """Install a handler, called as `handler(number, frame)` between two byte codes of the main thread."""
    signal.signal(number, handler)  # type: ignore[arg-type]


def ignored(number: int) -> bool:
    """Whether this process was told to ignore the signal, as `nohup` does."""
    return signal.getsignal(number) == signal.SIG_IGN


def replace(number: int, handler: object) -> object:
    """The same; the handler that was there before."""
    return signal.signal(number, handler)  # type: ignore[arg-type]


class Waiting:
    """`with signals.waiting:` marks a wait that a signal may cut short, once `answer` was called; main thread only."""

    def __init__(self) -> None:
        self._cancel: Cancel | None = None
        self._thread = 0

    def answer(self, cancel: Cancel) -> None:
        """From here every deadly signal goes to `cancel`, and the waits in `process/` end with what it raises.

        What this process was told to ignore stays ignored (`nohup`), but for TERM and INT: a shell's `&` ignores INT.
        """
        wake_waits()
        self._cancel, self._thread = cancel, get_ident()
        for number in DEADLY:
            if number in (TERM, INT) or not ignored(number):
                on(number, cancel)

    def leave(self) -> None:
        """The signals end the process again."""
        if self._cancel is not None:
            for number in DEADLY:
                if signal.getsignal(number) is self._cancel:
                    on(number, signal.SIG_DFL)
            self._cancel = None

    def __enter__(self) -> None:
        if self._cancel is not None and get_ident() == self._thread:
            self._cancel.arm()

    def __exit__(self, *_: object) -> None:
        if self._cancel is not None and get_ident() == self._thread:
            self._cancel.disarm()


waiting = Waiting()
_wakeup: list[int] = []


def wake_waits() -> None:
    """From here a signal wakes every wait for a child, so that its handler runs at once.

    Without it, a signal between Python's own check and the system call would be noticed only when the call returns.
    """
    if _wakeup:
        return
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    _wakeup[:] = [read, get_ident()]


def wakeup_end() -> int:
    """The descriptor that a signal makes readable, -1 before `wake_waits` and in other threads: handlers run in one."""
    return _wakeup[0] if _wakeup and get_ident() == _wakeup[1] else -1


def drain() -> None:
    """Take what signals wrote."""
    try:
        while os.read(_wakeup[0], 512):
            pass
    except OSError:
        pass  # empty


def name(number: int) -> str:
    """`SIGSEGV` for 11; `signal 77` for what has no name here."""
    for key in dir(signal):
        if key.startswith("SIG") and not key.startswith("SIG_") and getattr(signal, key) == number:
            return key
    return f"signal {number}"
