"""The shadow's index as text, `mode id 0 TAB path NUL` sorted by path: kept beside it, and patched without git."""

from __future__ import annotations

import os

from ralph_hooks import files
from ralph_hooks.check.digest.memo import digest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph_hooks.check.digest.shadow import Shadow


def load(shadow: Shadow, base: str) -> bytes | None:
    """The kept text, if it is the one with this digest."""
    text = files.read_bytes_or_none(_path(shadow))
    return text if text is not None and base and digest_of(text) == base else None


def save(shadow: Shadow, text: bytes) -> None:
    """Keep the text; it is read only where its digest is the expected one."""
    files.write_cache(_path(shadow), text)


def _path(shadow: Shadow) -> str:
    return os.path.join(shadow.path, "listing")


def patched(text: bytes, rows: Mapping[bytes, bytes]) -> bytes:
    """The text with these rows (path -> row with its NUL, `b""` to leave it out) in their places."""
    parts: list[bytes | memoryview] = []
    at = 0
    view = memoryview(text)
    for path in sorted(rows):
        start, end = find(text, path, at)
        parts += [view[at:start], rows[path]]
        at = end
    parts.append(view[at:])
    return b"".join(parts)


def find(text: bytes, path: bytes, low: int = 0) -> tuple[int, int]:
    """Where the row of a path starts and ends; both where it would have to be inserted when there is none.

    `low` is the start of a row at or before it. A binary search: among 50,000 rows some sixteen of them are read.
    """
    high = len(text)
    while low < high:
        middle = (low + high) // 2
        start = text.rfind(b"\0", low, middle) + 1 or low
        end = text.index(b"\0", middle) + 1
        here = text[text.index(b"\t", start) + 1 : end - 1]
        if here == path:
            return start, end
        if here < path:
            low = end
        else:
            high = start
    return low, low
