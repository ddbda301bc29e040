"""Bring the shadow's index to what is on disk: hash what changed, add and drop what the ignore rules decide."""

from __future__ import annotations

from ralph_hooks.check.digest import listing
from ralph_hooks.check.digest import memo as memos
from ralph_hooks.check.digest.disk import Disk, is_content
from ralph_hooks.check.digest.look import is_ignore_file
from ralph_hooks.check.digest.memo import SLACK_SECONDS, digest_of, is_recent, proves, stamp_of
from ralph_hooks.check.digest.reconcile import Difference, reconcile
from ralph_hooks.check.digest.repository import NoDigest, joined, output

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ralph_hooks.check.digest.look import Seen
    from ralph_hooks.check.digest.memo import Memo
    from ralph_hooks.check.digest.shadow import Shadow

    Found = dict[bytes, os.stat_result | None]

GITLINK = b"160000 "


def update(shadow: Shadow, memo: Memo, seen: Seen, moved: list[bytes], *, stale: bool) -> bool:
    """Hash what changed; `memo` says afterwards what the index holds. Raises `NoDigest` or `OSError`.

    `moved` are files that git calls clean although their stat moved; `stale` asks for a comparison with the
    person's index and the ignore rules. Returns whether `seen.nested` changed by it, so that a new look is due.
    """
    disk = Disk(shadow.repository.top)
    # A recent file that git listed as changed may look clean to it again when it comes to hashing: its mtime was put
    # back between the two, within the second of its last hash.
    again = [path for path in seen.changed if path in memo.recent]
    moved = sorted(set(moved).difference(seen.changed))
    before = memos.now_ns()  # a stat taken later than this is what `recent` keeps, and git hashes later still
    found: Found = {path: disk.find(path) for path in (*seen.changed, *moved, *seen.others)}
    difference = Difference()
    gone = [path for path in (*seen.changed, *moved) if not is_content(found[path])]
    if stale or gone or any(is_ignore_file(path) for path in found):
        difference = reconcile(shadow, disk, seen, gone)
        found.update(difference.added)
        found.update(dict.fromkeys(difference.dropped))
        memo.watched, memo.nested = difference.watched, difference.nested
    hashable = [path for path, there in found.items() if is_content(there)]
    _write(shadow, [*gone, *moved, *again, *difference.dropped], hashable)
    _remember_recent(memo, found, int(seen.started - SLACK_SECONDS), before)
    memo.forget_old(seen.started)
    base = _digest_of_index(shadow) if found or not memo.base else memo.base
    memo.by_paths = memo.by_paths if base == memo.base else {}
    memo.base = base
    memo.index, memo.person = memos.stamp(shadow.index), seen.person
    memo.save(shadow.memo)
    return any(path.startswith(tuple(seen.nested)) for path in difference.added)


def _write(shadow: Shadow, removed: list[bytes], hashable: list[bytes]) -> None:
    """Update the index. What git calls clean is removed first, else git would not hash it again."""
    if removed:
        output(shadow.git("update-index", "--force-remove", "-z", "--stdin", stdin=joined(removed)).result())
    if hashable:
        words = ("update-index", "--add", "--remove", "--replace", "--info-only", "-z", "--stdin")
        output(shadow.git(*words, stdin=joined(hashable)).result())


def _remember_recent(memo: Memo, found: Found, oldest: int, before: int) -> None:
    for path, there in found.items():
        memo.recent.pop(path, None)
        if there is not None and is_content(there) and is_recent(then := stamp_of(there), oldest):
            memo.recent[path] = then if proves(then, before) else None


def _digest_of_index(shadow: Shadow) -> str:
    text = output(shadow.git("ls-files", "-s", "-z").result())
    if text.startswith(GITLINK) or b"\0" + GITLINK in text:
        raise NoDigest("a repository appeared in place of a file")  # the next look starts anew: no memo fits
    listing.save(shadow, text)
    return digest_of(text)
