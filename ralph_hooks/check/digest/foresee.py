"""What git will say of a few changed files, before it has said it: hashed here, put into the kept listing.

The check need not wait until the index is written: `TreeDigest.settle` does that while it runs.
"""

from __future__ import annotations

import os

from ralph_hooks import fasthash, files
from ralph_hooks.check.digest import listing
from ralph_hooks.check.digest.disk import Disk, is_content
from ralph_hooks.check.digest.look import is_ignore_file
from ralph_hooks.check.digest.memo import digest_of
from ralph_hooks.check.digest.rows import FILE, LINK, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.digest.shadow import Shadow

EXECUTABLE = b"100755"
KIND, SYMLINK = 0o170000, 0o120000
# Beyond these git is faster, and need not hold a file in memory.
MOST_FILES = 2000
MOST_BYTES = 4 << 20


def foresee(shadow: Shadow, base: str, paths: list[bytes]) -> str:
    """The digest of the listing with these files as they are now; "" where only git can tell.

    `base` is the digest of the listing before. Known files and new ones alike; one that is gone, an ignore file or a
    large one is left to git.
    """
    if len(paths) > MOST_FILES or any(is_ignore_file(path) for path in paths):
        return ""
    text = listing.load(shadow, base)
    if not text or text.index(b" ", 7) != len(b"100644 ") + 40:  # ids of SHA-256 repositories are longer
        return ""
    disk, left = Disk(shadow.repository.top), MOST_BYTES
    rows = {}
    for path in paths:
        there = disk.find(path)
        if there is None or not is_content(there) or (left := left - there.st_size) < 0:
            return ""
        try:
            mode, content = _content(os.path.join(os.fsencode(shadow.repository.top), path), there.st_mode)
        except OSError:
            return ""
        name = fasthash.sha1(b"blob %d\0" % len(content) + content).encode()
        rows[path] = row(path, mode, name)
    return digest_of(listing.patched(text, rows))


def _content(path: bytes, mode: int) -> tuple[bytes, bytes]:
    if mode & KIND == SYMLINK:
        return LINK, os.readlink(path)
    return EXECUTABLE if mode & 0o100 else FILE, files.read_bytes(os.fsdecode(path))
