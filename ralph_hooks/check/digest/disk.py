"""What lies in the work tree right now, seen as git sees it."""

from __future__ import annotations

import os
from stat import S_ISLNK, S_ISREG


class Disk:
    """Stats of paths below the top. A path behind a symbolic link is not there."""

    def __init__(self, top: str) -> None:
        self._top = os.fsencode(top)
        self._links: dict[bytes, bool] = {b"": False}

    def find(self, path: bytes) -> os.stat_result | None:
        """The stat of a path's own entry, or `None`."""
        if self.behind_link(path):
            return None
        try:
            return os.lstat(os.path.join(self._top, path))
        except OSError:
            return None

    def behind_link(self, path: bytes) -> bool:
        """Whether a directory on the way to `path` is a symbolic link."""
        directory = path.rpartition(b"/")[0]
        known = self._links.get(directory)
        if known is None:
            known = os.path.islink(os.path.join(self._top, directory)) or self.behind_link(directory)
            self._links[directory] = known
        return known

    def is_repository(self, path: bytes) -> bool:
        """Whether a directory holds a repository of its own."""
        return os.path.lexists(os.path.join(self._top, path, b".git"))


def is_content(there: os.stat_result | None) -> bool:
    """Whether git would store this: a file or a symbolic link, not a directory, pipe or device."""
    return there is not None and (S_ISREG(there.st_mode) or S_ISLNK(there.st_mode))
