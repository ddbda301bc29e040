"""A commit made through a temporary index: the person's own index, stashes and untracked files are not touched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ralph_hooks import paths as paths_of_state
from ralph_hooks.errors import RalphError
from ralph_hooks.loop import index as persons_index
from ralph_hooks.loop.commit import UNDER_WAY
from ralph_hooks.loop.git import Git, GitError
from ralph_hooks.plan.locate import git_top

SECRETS = (".env*", "*secret*", "*credential*")
STATE = ".ralph"


@dataclass(frozen=True, slots=True)
class Made:
    """A commit, or none when there was nothing to commit. `left_out` are secrets, relative to the top level."""

    commit: str = ""
    paths: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    note: str = ""


class Tree:
    """The git repository around a root; every call runs at its top level. `own` is our place, relative to the root."""

    def __init__(self, root: str, own: str = "") -> None:
        top = git_top(root)
        if top is None:
            raise RalphError(f"`{root}` is in no git repository", hint="git init")
        self.top = top
        self.git = Git(top)
        self.below = os.path.relpath(os.path.realpath(root), os.path.realpath(top))
        self.own = os.path.normpath(os.path.join(self.below, own)) if own else ""

    def head(self) -> str:
        """The commit of HEAD, "" before the first."""
        return self.git.commit("HEAD")

    def dirty(self) -> list[str]:
        """Paths below the root that differ from HEAD or are new, `.ralph/` left out."""
        words = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
        text = self.git.run("--literal-pathspecs", *words, "--", self.below)
        paths = [os.fsdecode(entry[3:]) for entry in text.split(b"\0") if entry]
        return [path for path in paths if STATE not in path.split("/")]

    def foreign(self, path: bytes) -> bool:
        """Whether it is state of somebody else's loop or lineage."""
        text = os.fsdecode(path)
        return STATE in text.split("/") and not (self.own and text.startswith(f"{self.own}/"))


def commit_all(tree: Tree, message: str) -> Made:
    """Commit everything below the root but secrets. Raises `GitError`; then nothing has changed or is staged."""
    for name in UNDER_WAY:
        if os.path.exists(os.path.join(tree.top, tree.git.line("rev-parse", "--git-path", name))):
            raise GitError(f"`{tree.top}` is in the middle of a merge or rebase ({name})")
    scratch = _scratch(tree)
    persons_index.keep_promise(tree.git, scratch)
    head = tree.head()
    with tempfile.TemporaryDirectory(prefix="ralph-index-") as folder:
        staged = Git(tree.top, os.path.join(folder, "index"))
        staged.run("read-tree", *([head] if head else ["--empty"]))
        staged.run("--literal-pathspecs", "add", "-A", "--", tree.below)
        changed = _changed(staged, head)
        secret = [path for path in changed if is_secret(path)]
        left = [path for path in changed if path in secret or tree.foreign(path)]
        if left:
            _restore(staged, head, left)
        paths = [os.fsdecode(path) for path in changed if path not in left]
        left_out = [os.fsdecode(path) for path in secret]
        if not paths:
            return Made(left_out=left_out)
        if tree.head() != head:
            raise GitError("HEAD has moved meanwhile")
        persons_index.promise(scratch, head, "")
        try:
            staged.run("commit", "-q", "--cleanup=verbatim", "-F", "-", stdin=message.encode())
        finally:
            note = persons_index.keep_promise(tree.git, scratch)
    return Made(tree.head(), paths, left_out, note)


def _scratch(tree: Tree) -> str:
    return os.path.join(paths_of_state.checkout_dir(tree.top), "evolve")


def keep_promise(tree: Tree) -> None:
    """Move the person's index after a commit whose maker was killed before it could."""
    persons_index.keep_promise(tree.git, _scratch(tree))


def is_secret(path: bytes) -> bool:
    """Whether a part of the path looks like a secret's name."""
    parts = os.fsdecode(path).lower().split("/")
    return any(fnmatchcase(part, pattern) for part in parts for pattern in SECRETS)


def _changed(git: Git, head: str) -> list[bytes]:
    """Whole paths, NUL-separated by git, in which an index differs from HEAD; a rename is both of its names."""
    base = head or git.run("hash-object", "-t", "tree", "--stdin", stdin=b"").decode().strip()
    text = git.run("diff-index", "--cached", "--name-only", "--no-renames", "-z", base)
    return [path for path in text.split(b"\0") if path]


def _restore(git: Git, head: str, paths: Sequence[bytes]) -> None:
    """Put these paths of an index back to what HEAD has."""
    old = git.run("ls-tree", "-r", "-z", "--full-tree", head) if head else b""
    rows = {row.partition(b"\t")[2]: row.partition(b"\t")[0].split() for row in old.split(b"\0") if row}
    lines = []
    for path in paths:
        mode, oid = (rows[path][0], rows[path][2]) if path in rows else (b"0", b"0" * 40)
        lines.append(mode + b" " + oid + b"\t" + path)
    git.run("update-index", "-z", "--index-info", stdin=b"\0".join(lines) + b"\0")
