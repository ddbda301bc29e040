"""The JUnit reports that one run of a check wrote (G13): those that are not what they were before it."""

from __future__ import annotations

import glob
import os

from ralph_hooks import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64 * 1024 * 1024


class Reports:
    """Made before the check starts; no time stamp is compared with a clock."""

    def __init__(self, pattern: str, root: str) -> None:
        self._pattern = os.path.join(glob.escape(root), pattern)
        self._before = self._look()

    def _look(self) -> dict[str, tuple[int, int, int]]:
        found = {}
        for path in glob.iglob(self._pattern, recursive=True):
            try:
                stat = os.stat(path)
            except OSError:
                continue
            found[path] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        return found

    def fresh(self) -> Iterator[tuple[str, bytes]]:
        """Name and content of each report that was written since, at most `MOST_BYTES` together, one at a time."""
        left = MOST_BYTES
        for path, now in sorted(self._look().items()):
            left -= now[1]
            if self._before.get(path) == now or left < 0:
                continue
            try:
                yield path, files.read_bytes(path)
            except OSError:
                continue
