"""The ids that git would commit where filters or line-ending rules apply, computed without storing an object."""

from __future__ import annotations

import marshal
import os

from ralph_hooks import files
from ralph_hooks.check.digest.memo import digest_of
from ralph_hooks.check.digest.repository import joined, output
from ralph_hooks.check.digest.rows import LINK, REPOSITORY, Rows, is_rules, row, staged_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.check.digest.person import Person
    from ralph_hooks.check.digest.repository import Repository
    from ralph_hooks.check.digest.shadow import Shadow

    # path -> (id on disk, id in the person's index, id that git would commit)
    Known = dict[bytes, tuple[bytes, bytes, bytes]]

NONE = (b"", b"")
OVERRIDES = (
    *("-c", "core.safecrlf=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.ignoreStat=false"),
    *("-c", "core.splitIndex=false"),
    *("-c", "core.sparseCheckout=false"),
)


def clean_ids(shadow: Shadow, person: Person, ours: Rows, theirs: Rows) -> dict[bytes, bytes]:
    """Of the paths whose committed id may differ from the one on disk: the committed id. Raises `NoDigest`.

    `ours` and `theirs` are the rows that differ between the disk and the person's index, and all `.gitattributes`.
    """
    rules = person.conversion({path: ours[path] for path in ours if is_rules(path)})
    if not rules:
        return {}
    # What lies on disk exactly as it is in the index is not converted again.
    asked = {
        path: (name, theirs.get(path, NONE)[1])
        for path, (mode, name) in ours.items()
        if mode not in (LINK, REPOSITORY) and theirs.get(path, NONE)[1] != name
    }
    store = os.path.join(shadow.state, "clean")
    known = {path: ids for path, ids in _load(store, rules).items() if asked.get(path) == ids[:2]}
    fresh = [path for path in asked if path not in known]
    if fresh:
        found = _ask(shadow, person.repository, theirs, fresh)
        known.update({path: (*asked[path], found[path][1]) for path in fresh if path in found})
        _save(store, rules, known)
    return {path: ids[2] for path, ids in known.items()}


def _ask(shadow: Shadow, repository: Repository, theirs: Rows, paths: list[bytes]) -> Rows:
    """A temporary index with the person's rows and no stats: git has to read and convert every file."""
    index = os.path.join(shadow.state, f"clean.{os.getpid()}.index")
    wanted = {*paths, *(path for path in theirs if is_rules(path))}
    before = b"".join(row(path, *theirs[path]) for path in wanted if theirs.get(path, NONE)[1])

    def git(*words: str, stdin: bytes | None = None) -> bytes:
        return output(repository.git(*OVERRIDES, *words, stdin=stdin, GIT_INDEX_FILE=index).result())

    try:
        git("update-index", "-z", "--index-info", stdin=before)
        git("update-index", "--add", "--remove", "--replace", "--info-only", "-z", "--stdin", stdin=joined(paths))
        return staged_rows(git("ls-files", "-s", "-z"))
    finally:
        files.remove(index)
        files.remove(index + ".lock")


def _load(path: str, rules: str) -> Known:
    text = files.read_bytes_or_none(path) or b""
    head, _, body = text.partition(b"\n")
    if head != f"{rules} {digest_of(body)}".encode():
        return {}
    known: Known = marshal.loads(body)  # noqa: S302 - our own file, and whole
    return known


def _save(path: str, rules: str, known: Known) -> None:
    body = marshal.dumps(known, 2)
    files.write_atomic(path, f"{rules} {digest_of(body)}\n".encode() + body)
