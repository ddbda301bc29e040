"""What the last look at the tree found: with it, an unchanged tree costs two git calls and nothing else.

Git compares whole seconds. A file that was hashed in the second of its last change may change again unseen when its
mtime is put back, so such *recent* files keep their nanosecond stat here until their second has passed.
"""

from __future__ import annotations

import marshal
import os
import sys
import time

from ralph_hooks import fasthash, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    Stamp = tuple[int, ...]

# Clocks of file systems run behind ours: a timer tick on local ones, more on those of another machine.
SLACK_SECONDS = 2.0
# Two changes within one tick of the kernel (1 to 10 ms) get the same time stamp: so close to the present, a stat proves
# nothing.
TICK_NS = 12_000_000
COARSE_TICK_NS = 2_500_000_000
CLOCK_REALTIME_COARSE = 5


class Memo:
    """`base` is the digest of the shadow's index ("" = unknown); the stamps say of which files that holds.

    `recent` maps paths to their stat before they were hashed, `None` where that proves nothing. `watched` are paths
    that git would not list if they appeared, `nested` repositories that it does not list. `by_paths` holds digests of
    parts of the tree, all of them of this `base`.
    """

    __slots__ = ("base", "by_paths", "index", "nested", "person", "recent", "watched")

    def __init__(self) -> None:
        self.base = ""
        self.index: Stamp | None = None
        self.person: tuple[object, ...] = ()
        self.recent: dict[bytes, Stamp | None] = {}
        self.watched: list[bytes] = []
        self.nested: list[bytes] = []
        self.by_paths: dict[str, str] = {}

    def save(self, path: str) -> None:
        """Write it beside the index; it names the index it belongs to, and carries a checksum."""
        body = marshal.dumps(tuple(getattr(self, name) for name in self.__slots__), 2)
        files.write_cache(path, _checksum(body) + body)

    def moved(self, top: bytes) -> list[bytes]:
        """Recent files whose stat moved, or cannot be trusted, since they were hashed."""
        return [path for path, then in self.recent.items() if then is None or stamp(os.path.join(top, path)) != then]

    def forget_old(self, started: float) -> bool:
        """Drop recent files whose second is over: from now on git sees their changes itself. Whether any was."""
        oldest = int(started - SLACK_SECONDS)
        kept = {path: then for path, then in self.recent.items() if then is None or is_recent(then, oldest)}
        old = len(kept) < len(self.recent)
        self.recent = kept
        return old


def load(path: str) -> Memo:
    """The stored memo; an empty one when there is none or it is damaged."""
    memo = Memo()
    text = files.read_bytes_or_none(path) or b""
    body = text[16:]
    if body and text[:16] == _checksum(body):
        try:
            values = marshal.loads(body)  # noqa: S302 - our own file, and whole
            for name, value in zip(Memo.__slots__, values, strict=True):
                setattr(memo, name, value)
        except (ValueError, EOFError, TypeError):
            return Memo()
    return memo


def stamp(path: str | bytes) -> Stamp | None:
    """All that tells one state of a file from another without reading it; `None` when it is not there."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return stamp_of(found)


def stamp_of(found: os.stat_result) -> Stamp:
    """The stamp in a stat result: mode, inode, size, mtime and ctime in nanoseconds."""
    return (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def is_recent(then: Stamp, oldest: int) -> bool:
    """Whether git's whole seconds may hide the next change of a file with this stamp."""
    return then[4] // 1_000_000_000 >= oldest


def proves(then: Stamp, now_ns: int) -> bool:
    """Whether a stamp taken at or after `now_ns` is bound to differ after the next change."""
    tick = COARSE_TICK_NS if then[4] % 1_000_000_000 == 0 else TICK_NS
    return now_ns - then[4] > tick or then[4] - now_ns > COARSE_TICK_NS


def now_ns() -> int:
    """The clock that file systems stamp with; on Linux it stands still between two ticks."""
    try:
        return time.clock_gettime_ns(CLOCK_REALTIME_COARSE) if sys.platform == "linux" else time.time_ns()
    except OSError:
        return time.time_ns()


def digest_of(text: bytes) -> str:
    """BLAKE2b with 160 bits, as hex."""
    return fasthash.blake2(text)


def _checksum(body: bytes) -> bytes:
    return bytes.fromhex(fasthash.blake2(body, 16))
