"""What a caller sees of a run, and how it ends one early."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.verdict import CheckResult
    from ralph_hooks.plan.config import Check
    from ralph_hooks.process.output import Output


class Busy(Exception):
    """Another run held the checkout until there was too little time left for ours."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"another run ({holder}) holds this checkout")
        self.holder = holder


class Cancelled(BaseException):
    """TERM or INT came while a check was running."""


class Cancel:
    """A signal handler may only raise while somebody waits; elsewhere it leaves a note."""

    def __init__(self) -> None:
        self.requested = 0
        self._armed = False

    def __call__(self, number: int, frame: object) -> None:
        self.requested = number
        if self._armed:
            self._armed = False  # a second signal must not cut short what ends the tree
            raise Cancelled

    def arm(self) -> None:
        """From here to `disarm` the signal interrupts."""
        self._armed = True
        if self.requested:
            raise Cancelled

    def disarm(self) -> None:
        self._armed = False

    def sleep(self, seconds: float) -> None:
        """Sleep; the signal interrupts."""
        try:
            self.arm()
            time.sleep(seconds)
        finally:
            self.disarm()


class Watch:
    """What a caller may see of a run: subclass and override."""

    cancel: Cancel | None = None
    may_remember = True

    def meanwhile(self) -> None:
        """Called once, right after the first check was started: for work that every verdict needs."""

    def load(self) -> None:
        """Called once in a thread of its own, unless the checks are over first: for slow imports of some verdicts."""

    def started(self, check: Check, output: Output) -> None:
        """A check was started; `output` grows."""

    def finished(self, result: CheckResult) -> None:
        """A check is over."""

    def tick(self) -> None:
        """Called while waiting, when `tick_seconds` is set."""

    tick_seconds: float | None = None
