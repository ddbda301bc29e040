"""The receipt digest (G6a): over what git would commit, so that one `git ls-tree` tells whether a revision is it.

The ids come from the shadow, which looked at every byte. Only where the repository has filters or line-ending rules
do committed ids differ from those on disk; git computes these few on a temporary index, and stores nothing.
"""

from __future__ import annotations

import os

from ralph_hooks.check.digest.clean import clean_ids
from ralph_hooks.check.digest.memo import digest_of
from ralph_hooks.check.digest.person import Person
from ralph_hooks.check.digest.repository import NoDigest, Repository, open_repository, output
from ralph_hooks.check.digest.rows import FILE, LINK, REPOSITORY, Rows, digest_of_rows, staged_rows, tree_rows
from ralph_hooks.check.digest.tree import TreeDigest, nested
from ralph_hooks.errors import RalphError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.plan.locate import Project


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
        person = Person(tree.shadow.repository)
        rows = _rows(tree, person)
        tracked = {path: row for path, row in rows.items() if path in person.rows}
        return digest_of_rows(rows), digest_of_rows(tracked)
    except (NoDigest, OSError):
        return "", ""


def _rows(tree: TreeDigest, person: Person) -> Rows:
    shadow = tree.shadow
    assert shadow is not None
    text = output(shadow.git("ls-files", "-s", "-z").result())
    if digest_of(text) != tree.memo.base:
        raise NoDigest("the tree was measured again meanwhile")
    rows = staged_rows(text)
    hidden = person.ignored([path for path in rows if path not in person.rows])
    rows = {path: row for path, row in rows.items() if path not in hidden}
    clean = clean_ids(shadow, person, rows)
    rows = {path: (_mode(person, path, mode), clean.get(path, name)) for path, (mode, name) in rows.items()}
    rows.update({path: person.rows[path] for path in person.skipped if path not in rows})
    rows.update({path: row for path, row in person.rows.items() if row[0] == REPOSITORY and _empty(tree, path, rows)})
    rows.update({path[:-1]: (REPOSITORY, _commit(tree.top, path)) for path, _ in tree.nested})
    return rows


def _mode(person: Person, path: bytes, mode: bytes) -> bytes:
    """The mode that git would commit where it is told that the file system cannot tell."""
    theirs = person.rows.get(path, (FILE, b""))[0]
    if mode == LINK:
        return mode
    if theirs == LINK:
        return mode if person.flag(b"core.symlinks") else LINK
    return mode if person.flag(b"core.filemode") or theirs == REPOSITORY else theirs


def _empty(tree: TreeDigest, path: bytes, rows: Rows) -> bool:
    """Whether a submodule was never filled: its directory is there, and git would keep its commit."""
    return path not in rows and os.path.isdir(os.path.join(os.fsencode(tree.top), path))


def _commit(top: str, path: bytes) -> bytes:
    """The commit of a nested repository; where its files are not those of its commit, an id that no commit has."""
    inner = nested(top, path)
    repository = open_repository(inner.top)
    if repository is None or not inner.result():
        raise NoDigest("a nested repository has no digest")
    held = digest_of_rows(_rows(inner, Person(repository)))
    head = repository.git("rev-parse", "--verify", "-q", "HEAD^{commit}").result().out.strip()
    same = head and digest_of_rows(_revision(repository, os.fsdecode(head))) == held
    return head if same else held.encode()
