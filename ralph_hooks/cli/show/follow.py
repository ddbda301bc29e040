"""Wait for new lines of a ledger, through its rotation."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

from ralph_hooks import files
from ralph_hooks.ledger import ledger
from ralph_hooks.plan.locate import Project

PAUSE = 0.2


class Tail:
    """One file that grows; half a line waits for its end."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file_id: tuple[int, int] | None = None
        self._at = 0
        self._rest = b""

    def to_end(self) -> None:
        """Go past what is there already."""
        try:
            found = os.stat(self._path)
        except OSError:
            return
        self._file_id, self._at = (found.st_dev, found.st_ino), found.st_size

    def lines(self) -> list[bytes]:
        """The whole lines that came since."""
        try:
            with open(files.open_regular(self._path), "rb") as file:
                found = os.fstat(file.fileno())
                if (found.st_dev, found.st_ino) != self._file_id or found.st_size < self._at:
                    self._file_id, self._at, self._rest = (found.st_dev, found.st_ino), 0, b""
                file.seek(self._at)
                data = file.read()
        except OSError:
            return []
        self._at += len(data)
        *whole, self._rest = (self._rest + data).split(b"\n")
        return whole


def tails(project: Project) -> list[Tail]:
    """The project's ledger files, each at its end."""
    found = [Tail(os.path.join(directory, ledger.NAME)) for directory in ledger.places(project)]
    for tail in found:
        tail.to_end()
    return found


def follow(found: list[Tail]) -> Iterator[dict[str, Any]]:
    """New records for ever."""
    while True:
        for tail in found:
            for line in tail.lines():
                record = ledger.parse(line)
                if record is not None:
                    yield record
        time.sleep(PAUSE)
