"""Which live loop drives a checkout, so that no other session is gated on its half-done work."""

from __future__ import annotations

import os

from ralph_hooks import fastjson, files
from ralph_hooks.process import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.plan.locate import Project

FILE = "driver.json"


class Driver:
    """The process that drives a loop: `start` is what `table.start_time` tells of it, `run` marks its tree."""

    __slots__ = ("name", "pid", "run", "start")

    def __init__(self, pid: int, start: str, run: str, name: str) -> None:
        self.pid = pid
        self.start = start
        self.run = run
        self.name = name

    def alive(self) -> bool:
        """Whether that very process still runs."""
        return table.alive(self.pid, self.start)

    def as_dict(self) -> dict[str, object]:
        return {"pid": self.pid, "start": self.start, "run": self.run, "name": self.name}


def from_dict(value: object) -> Driver | None:
    """The driver that a state file names, or `None` when it names none."""
    if not isinstance(value, dict):
        return None
    pid, start, run, name = (value.get(key) for key in ("pid", "start", "run", "name"))
    if type(pid) is not int or not isinstance(start, str) or not isinstance(run, str) or not isinstance(name, str):
        return None
    return Driver(pid, start, run, name)


def of_round(data: bytes) -> Driver | None:
    """The driver that a round's state file names."""
    value = _value(data)
    return from_dict(value.get("driver")) if isinstance(value, dict) else None


def _value(data: bytes) -> object:
    try:
        return fastjson.loads(data.decode("utf-8", "replace"))
    except fastjson.JsonError:
        return None


def recorded(checkout: str) -> Driver | None:
    """The last driver of this checkout, dead or alive. `checkout` is the checkout's state directory."""
    data = files.read_bytes_or_none(os.path.join(checkout, FILE))
    return None if data is None else from_dict(_value(data))


def live_driver(project: Project) -> str | None:
    """The name of the loop that owns this checkout right now, or `None`."""
    driver = recorded(project.checkout)
    return driver.name if driver is not None and driver.alive() else None
