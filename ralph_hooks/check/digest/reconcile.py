"""Compare the shadow's index with the person's, where the ignore rules or the person's index changed."""

from __future__ import annotations

from stat import S_ISDIR

from ralph_hooks.check.digest.disk import is_content
from ralph_hooks.check.digest.look import ignore_rules, left_out
from ralph_hooks.check.digest.repository import joined, names, output

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ralph_hooks.check.digest.disk import Disk
    from ralph_hooks.check.digest.look import Seen
    from ralph_hooks.check.digest.shadow import Shadow


class Difference:
    """`added`: tracked although ignored, so git does not list them as new; `dropped`: ignored now, and not tracked;
    `watched`: tracked, ignored and missing, so nobody would list them when they appear; `nested`: the same for
    repositories that are there.
    """

    __slots__ = ("added", "dropped", "nested", "watched")

    def __init__(self) -> None:
        self.added: dict[bytes, os.stat_result | None] = {}
        self.dropped: list[bytes] = []
        self.watched: list[bytes] = []
        self.nested: list[bytes] = []


def reconcile(shadow: Shadow, disk: Disk, seen: Seen, gone: list[bytes]) -> Difference:
    """What the person's index and the ignore rules say of the shadow's index. Raises `NoDigest`."""
    theirs = shadow.repository.git("ls-files", "-c", "-z")
    ours = shadow.git("ls-files", "-c", "-z")
    tracked, held = output(theirs.result()), output(ours.result())
    result = Difference()
    if tracked == held and not gone:
        return result
    known, missing = set(names(held)), set(gone)
    person = set(names(tracked))
    absent = [path for path in person & missing if not disk.behind_link(path)]
    for path in person - known - set(seen.others):
        if not left_out(path) and not disk.behind_link(path):
            _place(result, disk, path, absent)
    ignored = _ignored(shadow, [*absent, *(known - person - missing)])
    result.watched.extend(path for path in absent if path in ignored)
    result.dropped.extend(sorted(ignored - person))
    return result


def _place(result: Difference, disk: Disk, path: bytes, absent: list[bytes]) -> None:
    there = disk.find(path)
    if is_content(there):
        result.added[path] = there
    elif there is None or not S_ISDIR(there.st_mode):
        absent.append(path)
    elif disk.is_repository(path):
        result.nested.append(path + b"/")
    else:
        result.watched.append(path + b"/.git")


def _ignored(shadow: Shadow, paths: list[bytes]) -> set[bytes]:
    """Those that a `.gitignore` or the person's own ignore file hides.

    `info/exclude` is not asked: it may keep a new file out, but a file that was once seen stays seen.
    """
    if not paths:
        return set()
    words = (*ignore_rules(shadow.repository), "check-ignore", "-z", "--no-index", "--stdin")
    return set(names(output(shadow.git(*words, stdin=joined(paths)).result(), also=1)))
