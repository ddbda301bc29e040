"""The receipt digest (G6a): over what git would commit, so that one `git ls-tree` tells whether a revision is it.

The ids come from the shadow, which looked at every byte. Only where the repository has filters or line-ending rules
do committed ids differ from those on disk; git computes these few on a temporary index, and stores nothing.
"""

from __future__ import annotations

import os

from ralph_hooks.check.digest import listing
from ralph_hooks.check.digest.clean import clean_ids
from ralph_hooks.check.digest.listing import patched
from ralph_hooks.check.digest.look import left_out
from ralph_hooks.check.digest.memo import digest_of
from ralph_hooks.check.digest.person import Person
from ralph_hooks.check.digest.repository import NoDigest, Repository, joined, names, open_repository, output
from ralph_hooks.check.digest.rows import (
    FILE,
    LINK,
    REPOSITORY,
    Rows,
    digest_of_rows,
    row,
    rules_rows,
    staged_rows,
    tree_rows,
)
from ralph_hooks.check.digest.tree import TreeDigest, nested
from ralph_hooks.errors import RalphError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.plan.locate import Project

NEW = (FILE, b"")


def digest_of_rev(project: Project, rev: str) -> str:
    """The receipt digest of a commit or tree. Raises `RalphError` when there is no such revision here."""
    repository = open_repository(project.top)
    if repository is None:
        raise RalphError(f"`{project.top}` is no git repository", hint="git init")
    return digest_of_rows(_revision(repository, rev))


def _revision(repository: Repository, rev: str) -> Rows:
    words = ("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", f"{rev}^{{tree}}")
    try:
        return tree_rows(output(repository.git(*words).result()))
    except NoDigest:
        raise RalphError(f"`{rev}` names no commit in `{repository.top}`", hint="git log --oneline") from None


def receipt_digest(project: Project, tree: TreeDigest | None = None) -> str:
    """The receipt digest of what is on disk; "" when there is none.

    `tree` is a measurement that was just made; without it a new one is made.
    """
    return receipt_digests(project, tree)[0]


def receipt_digests(project: Project, tree: TreeDigest | None = None) -> tuple[str, str]:
    """The same, and beside it the digest of the tracked files alone; two "" when there is none."""
    tree = tree or TreeDigest.start(project)
    try:
        if not tree.result() or tree.shadow is None:
            return "", ""
        tree.settle()
        whole, tracked = _texts(tree, Person(tree.shadow.repository))
        return digest_of(whole), digest_of(tracked)
    except (NoDigest, OSError):
        return "", ""


def _texts(tree: TreeDigest, person: Person) -> tuple[bytes, bytes]:
    """What git would commit as a listing, and the tracked part of it.

    Most rows are those of the person's index; only the others are looked at one by one.
    """
    assert tree.shadow is not None
    text = _listing(tree)
    mine, theirs = _apart(text, person.text)
    hidden = person.ignored([path for path in mine if path not in theirs], theirs)
    seen = {path: facts for path, facts in mine.items() if path not in hidden}
    clean = clean_ids(tree.shadow, person, seen | rules_rows(text), theirs | rules_rows(person.text))
    rows = dict.fromkeys(hidden, b"")
    for path, (mode, name) in seen.items():
        rows[path] = row(path, _mode(person, theirs.get(path, NEW)[0], mode), clean.get(path, name))
    for path in [*person.skipped, *(path for path in theirs if _empty(tree, path, theirs[path][0]))]:
        if path not in mine and path in theirs and not left_out(path):
            rows[path] = row(path, *theirs[path])
    for path, _ in tree.nested:
        rows[path[:-1]] = row(path[:-1], REPOSITORY, _commit(tree.top, path))
    tracked = {path: one if path in theirs else b"" for path, one in rows.items()}
    whole = patched(text, rows)
    return whole, whole if tracked == rows else patched(text, tracked)


def _listing(tree: TreeDigest) -> bytes:
    """The text whose digest the measurement gave."""
    shadow = tree.shadow
    assert shadow is not None
    text = listing.load(shadow, tree.memo.base)
    if text is None:
        text = output(shadow.git("ls-files", "-s", "-z").result())
        if digest_of(text) != tree.memo.base:
            raise NoDigest("the tree was measured again meanwhile")
    return text


def _apart(one: bytes, other: bytes) -> tuple[Rows, Rows]:
    """The rows that only one of two listings has, for each of them."""
    if one == other:
        return {}, {}
    first, second = set(names(one)), set(names(other))
    return staged_rows(joined([*(first - second)])), staged_rows(joined([*(second - first)]))


def _mode(person: Person, theirs: bytes, mode: bytes) -> bytes:
    """The mode that git would commit where it is told that the file system cannot tell."""
    if mode == LINK:
        return mode
    if theirs == LINK:
        return mode if person.flag(b"core.symlinks") else LINK
    return mode if person.flag(b"core.filemode") or theirs == REPOSITORY else theirs


def _empty(tree: TreeDigest, path: bytes, mode: bytes) -> bool:
    """Whether a submodule was never filled: its directory is there, and git would keep its commit."""
    return mode == REPOSITORY and os.path.isdir(os.path.join(os.fsencode(tree.top), path))


def _commit(top: str, path: bytes) -> bytes:
    """The commit of a nested repository; where its files are not those of its commit, an id that no commit has."""
    inner = nested(top, path)
    repository = open_repository(inner.top)
    if repository is None or not inner.result():
        raise NoDigest("a nested repository has no digest")
    held = digest_of(_texts(inner, Person(repository))[0])
    head = repository.git("rev-parse", "--verify", "-q", "HEAD^{commit}").result().out.strip()
    same = head and digest_of_rows(_revision(repository, os.fsdecode(head))) == held
    return head if same else held.encode()
