"""Who holds a lease: a process on a machine, told apart from another that got its pid later (E11)."""

from __future__ import annotations

import json
import os
import socket
import uuid
from dataclasses import asdict, dataclass

from ralph_hooks import files, paths
from ralph_hooks.process import table

LEASE_SECONDS = 30.0
BEAT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Owner:
    """`start` is the process's start time in ticks since boot, "" where the system does not tell."""

    host: str
    boot: str
    pid: int
    start: str

    def to_json(self) -> str:
        """One line for the lease's row."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Owner:
        """The inverse of `to_json`."""
        return cls(**json.loads(text))

    @property
    def here(self) -> bool:
        """Whether it is, or was, a process of this machine."""
        return self.host == machine()

    def alive(self, heartbeat_age: float) -> bool:
        """On this machine the process table answers; elsewhere only the age of the heartbeat in seconds can."""
        if not self.here:
            return heartbeat_age < LEASE_SECONDS
        if self.boot != boot():
            return False
        return table.alive(self.pid, self.start)

    def words(self) -> str:
        """For a person."""
        return f"pid {self.pid} on {self.host.rpartition('-')[0]}"


def me() -> Owner:
    """This process."""
    return Owner(machine(), boot(), os.getpid(), table.start_time(os.getpid()))


def machine() -> str:
    """Name of this machine: host name, and an id of our own, since containers share names and machine ids."""
    path = os.path.join(paths.state_dir(), "machine-id")
    found = (files.read_bytes_or_none(path) or b"").decode("ascii", "replace").strip()
    if not found:
        found = uuid.uuid4().hex[:12]
        try:
            files.write_once(path, found.encode())
        except FileExistsError:
            found = files.read_bytes(path).decode("ascii", "replace").strip()
    return f"{socket.gethostname()}-{found}"


def boot() -> str:
    """Changes with every boot; "" where the system does not tell."""
    text = files.read_bytes_or_none("/proc/sys/kernel/random/boot_id")
    return text.decode("ascii", "replace").strip() if text else ""
