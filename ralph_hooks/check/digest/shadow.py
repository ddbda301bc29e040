"""The shadow git directory (G6a): an index of ours over the person's work tree, in the state directory.

Its own config and attributes switch off whatever lets git believe instead of look (assume-unchanged, fsmonitor,
sparse patterns, filters, line endings), so an id is that of the raw bytes on disk. It holds no objects: ids are
computed, never stored.
"""

from __future__ import annotations

import os
import sys
import time

from ralph_hooks import files
from ralph_hooks.check.digest.repository import NoDigest, Repository, environment, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.process.capture import Pending

LOCK_SECONDS = 10.0
UNUSED_SECONDS = 7 * 86400.0
WHERE = "where"
HEAD = b"ref: refs/heads/none\n"
ATTRIBUTES = b"* -text -ident -filter !eol !working-tree-encoding\n"
CONFIG = b"""[core]
	repositoryformatversion = %d
	bare = false
	fileMode = true
	symlinks = true
	trustctime = true
	checkStat = default
	preloadIndex = true
	fsmonitor = false
	untrackedCache = false
	splitIndex = false
	ignoreStat = false
	sparseCheckout = false
	ignoreCase = false
	precomposeUnicode = %s
	protectHFS = false
	protectNTFS = false
	autocrlf = false
	bigFileThreshold = 512m
	hooksPath = /dev/null
[index]
	version = 2
	sparse = false
	skipHash = false
[extensions]
	objectFormat = %s
"""


class Shadow:
    """The shadow of one checkout. `state` is the checkout's state directory."""

    __slots__ = ("path", "repository", "state", "wanted")

    def __init__(self, state: str, repository: Repository) -> None:
        self.state = state
        self.path = os.path.join(state, "tree")
        self.repository = repository
        self.wanted = _wanted(repository.config(), os.fsencode(repository.top))

    @property
    def index(self) -> str:
        """The shadow's index: what was on disk at the last look."""
        return os.path.join(self.path, "index")

    @property
    def memo(self) -> str:
        """What the last look found (`memo.Memo`)."""
        return os.path.join(self.path, "memo")

    def intact(self) -> bool:
        """Whether the shadow exists as we wrote it; a lost config or attributes file would let filters in."""
        if any(files.odd(path) for path in (self.index, self.memo)):  # git would wait for a pipe's other end
            return False
        return all(files.read_bytes_or_none(os.path.join(self.path, name)) == text for name, text in self.wanted)

    def build(self) -> None:
        """Make a new, empty shadow; a broken one is moved out of the way first. Raises `OSError`."""
        if os.path.lexists(self.path):
            _discard(self.path)
        for name in ("objects", "refs", "info"):
            files.make_dirs(os.path.join(self.path, name))
        for name, text in self.wanted:  # not synced: `intact` would tell
            path = os.path.join(self.path, name)
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, files.PRIVATE)
            try:
                files.write_all(fd, text)
            finally:
                os.close(fd)
        _prune(os.path.dirname(self.state))

    def git(self, *words: str, stdin: bytes | None = None) -> Pending:
        """Start a git on the shadow, in the top of the work tree."""
        top = self.repository.top
        return start(words, top, environment(self.path, top), stdin)

    def lock(self) -> int:
        """Take the shadow for this process; a left-over `index.lock` is stale then. Returns the descriptor."""
        files.make_dirs(self.state)
        fd = files.open_state(os.path.join(self.state, "tree.lock"), os.O_RDWR)
        try:
            _flock(fd)
            self._tidy()
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _tidy(self) -> None:
        try:
            os.unlink(os.path.join(self.path, "index.lock"))
        except (FileNotFoundError, NotADirectoryError):
            pass


def _wanted(config: bytes, place: bytes) -> list[tuple[str, bytes]]:
    """The shadow's files. SHA-256 repositories get SHA-256 ids, so that receipts compare."""
    sha256 = b"sha256" in config.lower()
    darwin = b"true" if sys.platform == "darwin" else b"false"
    text = CONFIG % (1 if sha256 else 0, darwin, b"sha256" if sha256 else b"sha1")
    if not sha256:
        text = text[: text.index(b"[extensions]")]
    return [("HEAD", HEAD), ("config", text), (os.path.join("info", "attributes"), ATTRIBUTES), (WHERE, place)]


def _flock(fd: int) -> None:
    import fcntl

    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise NoDigest("another process holds the shadow") from None
        time.sleep(0.003)


def _discard(path: str) -> None:
    import shutil

    if not os.path.isdir(path) or os.path.islink(path):
        return os.unlink(path)
    aside = f"{path}.{os.getpid()}.broken"
    os.replace(path, aside)
    return shutil.rmtree(aside, ignore_errors=True)


def _prune(checkouts: str) -> None:
    """Discard the shadows of work trees that are gone, such as an agent's own, and were not used for a week."""
    for name in os.listdir(checkouts):
        path = os.path.join(checkouts, name, "tree")
        place = files.read_bytes_or_none(os.path.join(path, WHERE))
        try:
            if place and not os.path.lexists(place) and os.stat(path).st_mtime < time.time() - UNUSED_SECONDS:
                _discard(path)
        except OSError:
            continue  # another process prunes too
