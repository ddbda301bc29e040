"""Signal numbers and handlers without the 4.5 ms that `import signal` spends on enums."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
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
    _wakeup.append(read)


def wakeup_end() -> int:
    """The descriptor that a signal makes readable, -1 before `wake_waits`."""
    return _wakeup[0] if _wakeup else -1


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
