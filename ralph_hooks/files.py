"""Writing files so that a crash at any instant leaves the old text or the new one, never a part of it."""

from __future__ import annotations

import os
import time

PRIVATE = 0o600
PRIVATE_DIR = 0o700
EINVAL = 22
KIND, REGULAR, DIRECTORY = 0o170000, 0o100000, 0o040000  # of a stat's mode; `import stat` costs the hot path too much


def read_bytes(path: str) -> bytes:
    """The whole file. Raises `OSError`, as `open` does. A named pipe or a device is empty: neither need ever end."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        found = os.fstat(fd)
        if found.st_mode & KIND not in (REGULAR, DIRECTORY):
            return b""
        size = found.st_size
        parts = []
        while part := os.read(fd, max(size, 65536)):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


def read_bytes_or_none(path: str) -> bytes | None:
    """The whole file, or `None` when it cannot be read."""
    try:
        return read_bytes(path)
    except OSError:
        return None


def make_dirs(path: str) -> None:
    """Create a directory of ours and its missing parents, readable by this user alone (`os.makedirs` forgets those)."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent and parent != path:
        make_dirs(parent)
    try:
        os.mkdir(path, PRIVATE_DIR)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


def write_all(fd: int, data: bytes | memoryview) -> None:
    """Write every byte; `os.write` may take fewer than it was given."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_atomic(path: str, data: bytes, mode: int = PRIVATE) -> None:
    """Replace `path` by `data`: temporary name in the same directory, fsync, rename, fsync of the directory."""
    directory = os.path.dirname(path) or "."
    make_dirs(directory)
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            os.fchmod(fd, mode)
            write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except BaseException as error:
        remove(temporary)
        _name(error, path)
        raise
    sync_directory(directory)


def _name(error: BaseException, path: str) -> None:
    """A write that did not fit knows its descriptor only; whoever reads the error needs the file."""
    if isinstance(error, OSError) and error.filename is None:
        error.filename = path


def write_state(path: str, data: bytes) -> None:
    """`write_atomic` for a file of ours: a directory that stands in its place is moved aside."""
    try:
        write_atomic(path, data)
    except IsADirectoryError:
        if not make_way(path):
            raise
        write_atomic(path, data)


def open_state(path: str, flags: int) -> int:
    """Open a file of ours for writing, made where it is missing; its directory must exist. Raises `OSError`.

    What is no regular file is moved aside: a pipe would swallow what is written, and a link would send it into a file
    that may be somebody else's.
    """
    try:
        return open_regular(path, flags | os.O_CREAT)
    except OSError:
        if not make_way(path):
            raise
    return open_regular(path, flags | os.O_CREAT)


def open_regular(path: str, flags: int = os.O_RDONLY) -> int:
    """Open a regular file and nothing else. Raises `OSError`."""
    fd = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, PRIVATE)
    if os.fstat(fd).st_mode & KIND == REGULAR:
        return fd
    os.close(fd)
    raise OSError(EINVAL, "not a regular file", path)


def odd(path: str) -> bool:
    """Whether something stands there that is no regular file."""
    try:
        return os.lstat(path).st_mode & KIND != REGULAR
    except OSError:
        return False


def make_way(path: str) -> bool:
    """Move aside what stands at a path of ours and is no regular file; whether there was such a thing."""
    if not odd(path):
        return False
    try:
        os.replace(path, f"{path}.odd-{int(time.time())}-{os.urandom(2).hex()}")
    except OSError:
        return False
    return True


def write_cache(path: str, data: bytes) -> None:
    """Replace `path` by `data` without waiting for the disk: for what its reader checks, and can do without."""
    make_dirs(os.path.dirname(path) or ".")
    temporary = f"{path}.{os.getpid()}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, PRIVATE)
    try:
        try:
            write_all(fd, data)
        finally:
            os.close(fd)
        try:
            os.replace(temporary, path)
        except IsADirectoryError:
            make_way(path)
            os.replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise


def write_once(path: str, data: bytes) -> None:
    """Create `path` with `data`, whole or not at all. Raises `FileExistsError` when somebody was faster."""
    make_dirs(os.path.dirname(path) or ".")
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    write_atomic(temporary, data)
    try:
        os.link(temporary, path)
    finally:
        remove(temporary)


def append_line(path: str, line: bytes, *, durable: bool = False) -> None:
    """Append one line in a single write, so that lines of several processes never mix.

    A file that ends in half a line (a crash, a full disk) gets a newline first: the torn line stays apart.
    Raises `OSError`, also for what is no regular file: a pipe would swallow the line, a link lead it astray.
    """
    make_dirs(os.path.dirname(path) or ".")
    fd = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        size = os.fstat(fd).st_size
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        write_all(fd, (b"\n" if torn else b"") + line.rstrip(b"\n") + b"\n")
        if durable:
            os.fsync(fd)
    except OSError as error:
        _name(error, path)
        raise
    finally:
        os.close(fd)


def remove(path: str) -> None:
    """Remove a file if it is there."""
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        pass


def prune(directory: str, above: int, seconds: float) -> None:
    """Where a directory holds more than `above` files, remove those that nobody wrote to for so long."""
    try:
        names = os.listdir(directory)
    except OSError:
        return
    for name in names if len(names) > above else ():
        path = os.path.join(directory, name)
        try:
            if time.time() - os.lstat(path).st_mtime > seconds:
                os.unlink(path)
        except OSError:
            continue  # another process prunes too, or it is no file


def sync_directory(path: str) -> None:
    """Make a rename in `path` durable. Some file systems refuse to fsync a directory; that is theirs to decide."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)
