"""What a running generation is doing, in a file of its folder, for whoever watches on this machine."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass

from ralph_hooks import files

NAME = "phase.json"
LOOK = "reads the tree"
AGENT = "agent"
CRITERIA = "criteria"
CHECKPOINT = "commits"
CHECKS = "checks"
EVERY = 1.0


@dataclass(frozen=True, slots=True)
class Phase:
    """`since` is seconds since the epoch; `detail` is what the agent said or did last."""

    phase: str
    since: float
    detail: str = ""


class Teller:
    """Writes the file; an action of the agent at most every second. Trouble with it stops nothing."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, NAME)
        self._now = Phase("", 0.0)
        self._next = 0.0

    def enter(self, phase: str) -> None:
        """A new phase begins."""
        self._write(Phase(phase, time.time()))
        self._next = 0.0

    def act(self, detail: str) -> None:
        """The agent is at something else."""
        if detail != self._now.detail and time.monotonic() >= self._next:
            self._write(Phase(self._now.phase, self._now.since, detail))

    def _write(self, phase: Phase) -> None:
        self._now, self._next = phase, time.monotonic() + EVERY
        with suppress(OSError):
            files.write_atomic(self._path, json.dumps(asdict(phase)).encode())


def told(folder: str) -> Phase | None:
    """The phase that is on file, `None` where there is none: another machine, or too early."""
    data = files.read_bytes_or_none(os.path.join(folder, NAME))
    try:
        return None if data is None else Phase(**json.loads(data))
    except (ValueError, TypeError):
        return None
