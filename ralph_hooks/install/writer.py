"""Changing a file that others change too: a lock, a second look before the rename, old bytes or new ones, never a part.

The lock keeps two of ours apart; an editor or the client itself takes no lock, so the bytes are compared once more
right before they are replaced, and the change is made anew on what is there then.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from filelock import FileLock, Timeout

from ralph_hooks import files, paths
from ralph_hooks.errors import RalphError

LOCK_SECONDS = 10.0
TRIES = 10
BACKUP = ".ralph-hooks.orig"
TEMPORARY = ".ralph-hooks.tmp"

Edit = Callable[[bytes | None], bytes | None]


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after; `None` = there is no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def any(self) -> bool:
        """Whether the two differ."""
        return self.before != self.after


def plan(path: str, edit: Edit) -> Change:
    """What `rewrite` would do."""
    before = _read(path)
    return Change(path, before, edit(before))


def rewrite(path: str, edit: Edit, *, backup: bool = False) -> Change:
    """Replace the file by what `edit` makes of its bytes; `edit` may be called more than once.

    A symbolic link stays one, its target is replaced; mode and owner stay. `backup` keeps the bytes of before beside
    it as `*.ralph-hooks.orig`, unless such a file is there already. Raises `RalphError`.
    """
    with _locked(path), _in_words(path):
        for _ in range(TRIES):
            change = plan(path, edit)
            if not change.any:
                return change
            if backup and change.before is not None:
                create(path + BACKUP, change.before, 0o600)
            if _swap(os.path.realpath(path), change):
                return change
    raise RalphError(f"`{path}` changes faster than it can be edited", "close what writes to it, then try again")


def require_writable(path: str) -> None:
    """Raise `RalphError` where this file could not be written: said before anything is, not half way."""
    place = os.path.dirname(os.path.realpath(path))
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    if not os.access(place, os.W_OK | os.X_OK):
        raise RalphError(f"`{path}` cannot be changed: `{place}` is not writable", f"ls -ld {place}")


def create_file(path: str, data: bytes) -> bool:
    """`create`, with its errors in words. Raises `RalphError`."""
    with _in_words(path):
        return create(path, data)


def create(path: str, data: bytes, mode: int = 0o666) -> bool:
    """A new file with its directories; `False`, and nothing done, when something is there already. Raises `OSError`."""
    if os.path.lexists(path):
        return False
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = _temporary(path, data, mode & ~_umask())
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # no hard links on this file system
        os.replace(temporary, path)
    finally:
        files.remove(temporary)
    files.sync_directory(os.path.dirname(path))
    return True


def _read(path: str) -> bytes | None:
    """The bytes; `None` = no file. A device or pipe, `/dev/null` behind a link above all, is not to be replaced."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise RalphError(f"`{path}` is no regular file, so it is left alone", f"look at it: ls -lL {path}")
        return files.read_bytes(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RalphError(f"`{path}` cannot be read: {error.strerror}") from None


def _swap(path: str, change: Change) -> bool:
    """Put the new bytes in place, unless the old ones are no longer there."""
    if change.after is None:
        if _read(path) != change.before:
            return False
        os.unlink(path)
        files.sync_directory(os.path.dirname(path))
        return True
    if change.before is None:
        return create(path, change.after)
    return _replace(path, change.before, change.after)


def _replace(path: str, before: bytes, after: bytes) -> bool:
    was = os.stat(path)
    temporary = _temporary(path, after, stat.S_IMODE(was.st_mode))
    try:
        if (was.st_uid, was.st_gid) != (os.geteuid(), os.getegid()):
            _try_chown(temporary, was)
        if _read(path) != before:
            return False
        os.replace(temporary, path)
    finally:
        files.remove(temporary)
    files.sync_directory(os.path.dirname(path))
    return True


def _try_chown(path: str, like: os.stat_result) -> None:
    try:
        os.chown(path, like.st_uid, like.st_gid)
    except OSError:
        pass  # only root may give files away


def _temporary(path: str, data: bytes, mode: int) -> str:
    temporary = f"{path}.{os.urandom(4).hex()}{TEMPORARY}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            files.write_all(fd, data)
            os.fchmod(fd, mode)
            os.fsync(fd)
        finally:
            os.close(fd)
    except BaseException:
        files.remove(temporary)
        raise
    return temporary


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current


@contextmanager
def _locked(path: str) -> Iterator[None]:
    lock = FileLock(_lock_path(path), timeout=LOCK_SECONDS, mode=files.PRIVATE)
    try:
        lock.acquire()
    except Timeout:
        words = f"another `ralph-hooks` has been changing `{path}` for {LOCK_SECONDS:g} s"
        raise RalphError(words, "wait for it to end, then try again") from None
    try:
        _sweep(os.path.realpath(path))
        yield
    finally:
        lock.release()


def _lock_path(path: str) -> str:
    name = paths.identity(path) + ".lock"
    for base in (paths.state_dir(), paths.spare_state_dir()):
        directory = os.path.join(base, "locks")
        try:
            files.make_dirs(directory)
        except OSError:
            continue
        if os.access(directory, os.W_OK):
            return os.path.join(directory, name)
    raise RalphError(f"no state directory can be written, neither `{paths.state_dir()}` nor a temporary one")


def _sweep(path: str) -> None:
    """Temporary files of an install that was killed; nobody else writes them while we hold the lock."""
    directory, name = os.path.split(path)
    try:
        entries = os.listdir(directory)
    except OSError:
        return
    for entry in entries:
        if entry.startswith(name + ".") and entry.endswith(TEMPORARY):
            files.remove(os.path.join(directory, entry))


@contextmanager
def _in_words(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise RalphError(f"`{path}` cannot be changed: {error.strerror} (`{where}`)") from None
