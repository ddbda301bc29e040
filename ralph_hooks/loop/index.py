"""Keep the person's index true when a branch moves under it (F20).

Entries that equalled the old commit are moved to the new one; otherwise the round would stand staged as its own
reversal. Everything else in the index is the person's own and stays as it is.
"""

from __future__ import annotations

import os
import time

from ralph_hooks import fastjson, files
from ralph_hooks.loop.git import Git, GitError

Entry = tuple[bytes, bytes]
NONE: Entry = (b"000000", b"")
# The empty blob: what `git add -N` leaves is no content of a person's.
EMPTY = (
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
TRIES = 20
PROMISE = "promise.json"


def move(git: Git, old: str, new: str) -> str:
    """Move the entries; why that was not possible, or ""."""
    lines = changes(git, old, new)
    if not lines:
        return ""
    problem = ""
    for _ in range(TRIES):
        try:
            git.run("update-index", "-z", "--index-info", stdin=b"".join(lines))
        except GitError as error:
            problem = error.message
            if "index.lock" not in problem:
                break
            time.sleep(0.1)
        else:
            git.ask("update-index", "-q", "--refresh")  # leaves with 1 where the person has changes of their own
            return ""
    return f"the index still shows the state before the commit ({problem})"


def promise(scratch: str, old: str, new: str) -> None:
    """Note that the index has to follow, before the branch moves: a driver that dies in between leaves the note.

    `new` is "" where the commit is not made yet; it is the child of `old` then.
    """
    files.write_atomic(os.path.join(scratch, PROMISE), fastjson.dumps({"old": old, "new": new}).encode())


def keep_promise(git: Git, scratch: str) -> str:
    """Move what was promised, if the branch has moved; why that was not possible, or ""."""
    path = os.path.join(scratch, PROMISE)
    data = files.read_bytes_or_none(path)
    if data is None:
        return ""
    files.remove(path)
    try:
        noted = fastjson.loads(data.decode("utf-8", "replace"))
        old, new = str(noted["old"]), str(noted["new"])
    except (fastjson.JsonError, KeyError, TypeError):
        return ""
    head = git.commit("HEAD")
    if not new and head and head != old and git.commit("HEAD^") == old:
        new = head
    return move(git, old, new) if new and head == new else ""


def changes(git: Git, old: str, new: str) -> list[bytes]:
    """Lines for `update-index --index-info`, removals first."""
    staged = entries(git)
    removals, others = [], []
    for path, before, after in pairs(git, old, new):
        if staged.get(path, NONE) != before and not (before == NONE and staged[path][1] in EMPTY):
            continue
        mode, oid = after
        if after == NONE:
            removals.append(b"0 " + b"0" * len(before[1]) + b"\t" + path + b"\0")
        else:
            others.append(mode + b" " + oid + b"\t" + path + b"\0")
    return removals + others


def pairs(git: Git, old: str, new: str) -> list[tuple[bytes, Entry, Entry]]:
    """Of every path that differs: its entry in the old commit and in the new one. `old` is "" before the first."""
    if old:
        text = git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new)
    else:
        text = git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--root", "--no-commit-id", new)
    parts = text.split(b"\0")
    found = []
    for head, path in zip(parts[::2], parts[1::2], strict=False):
        old_mode, new_mode, old_oid, new_oid, _ = head.lstrip(b":").split(b" ")
        found.append((path, _entry(old_mode, old_oid), _entry(new_mode, new_oid)))
    return found


def entries(git: Git) -> dict[bytes, Entry]:
    """The person's index; a path in conflict has an entry that equals none."""
    found: dict[bytes, Entry] = {}
    for row in git.run("ls-files", "-s", "-z").split(b"\0"):
        head, tab, path = row.partition(b"\t")
        if tab:
            mode, oid, stage = head.split(b" ")
            found[path] = (mode, oid) if stage == b"0" else (b"conflict", oid)
    return found


def _entry(mode: bytes, oid: bytes) -> Entry:
    return NONE if mode == NONE[0] else (mode, oid)
