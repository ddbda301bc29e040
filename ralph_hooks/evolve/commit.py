"""A commit made through a temporary index: the person's own index, stashes and untracked files are not touched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ralph_hooks.errors import RalphError
from ralph_hooks.plan.locate import git_top
from ralph_hooks.process.capture import Captured, capture

SECRETS = (".env*", "*secret*", "*credential*")
SECONDS = 600.0  # commit hooks run, and a hook may be a test suite
KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
IDENTITY = ("GIT_AUTHOR_", "GIT_COMMITTER_")


class CommitFailed(RalphError):
    """No commit was made and nothing is staged; it may be tried again."""


@dataclass(frozen=True, slots=True)
class Made:
    """A commit, or none when there was nothing to commit. `left_out` are secrets, relative to the top level."""

    commit: str = ""
    paths: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


class Tree:
    """The git repository around a root. Every call runs at its top level."""

    def __init__(self, root: str) -> None:
        top = git_top(root)
        if top is None:
            raise RalphError(f"`{root}` is in no git repository", hint="git init")
        self.top = top
        self.below = os.path.relpath(os.path.realpath(root), os.path.realpath(top))

    def git(self, *words: str, stdin: bytes | None = None, index: str = "") -> Captured:
        """One git call. `index` is another index than the person's."""
        inherited = os.environ.items()
        env = {n: v for n, v in inherited if not n.startswith("GIT_") or n in KEPT or n.startswith(IDENTITY)}
        if index:
            env["GIT_INDEX_FILE"] = index
        env |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"}
        return capture(["git", "--literal-pathspecs", *words], cwd=self.top, env=env, stdin=stdin, timeout=SECONDS)

    def out(self, *words: str, stdin: bytes | None = None, index: str = "") -> bytes:
        """What a git call printed. Raises `CommitFailed` with git's own words."""
        done = self.git(*words, stdin=stdin, index=index)
        if done.code != 0:
            said = (done.err or done.out).decode("utf-8", "replace").strip().splitlines()
            why = done.words or (said[-1] if said else f"exit code {done.code}")
            raise CommitFailed(f"`git {words[0]}` failed: {why}")
        return done.out

    def head(self) -> str:
        """The commit of HEAD, "" before the first."""
        done = self.git("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return done.out.decode().strip() if done.code == 0 else ""

    def dirty(self) -> list[str]:
        """Paths below the root that differ from HEAD or are new, `.ralph/` left out."""
        text = self.out("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", self.below)
        paths = [os.fsdecode(entry[3:]) for entry in text.split(b"\0") if entry]
        return [path for path in paths if ".ralph" not in path.split("/")]


def commit_all(tree: Tree, message: str) -> Made:
    """Commit everything below the root but secrets. Raises `CommitFailed`; then nothing has changed."""
    head = tree.head()
    with tempfile.TemporaryDirectory(prefix="ralph-index-") as folder:
        index = os.path.join(folder, "index")
        tree.out("read-tree", head, index=index) if head else tree.out("read-tree", "--empty", index=index)
        tree.out("add", "-A", "--", tree.below, index=index)
        changed = _changed(tree, index, head)
        secret = [path for path in changed if is_secret(path)]
        if secret:
            _restore(tree, index, head, secret)
        paths = [os.fsdecode(path) for path in changed if path not in secret]
        left_out = [os.fsdecode(path) for path in secret]
        if not paths:
            return Made(left_out=left_out)
        staged = set(_changed(tree, "", head))
        if tree.head() != head:
            raise CommitFailed("HEAD has moved meanwhile")
        tree.out("commit", "-q", "--cleanup=verbatim", "-F", "-", stdin=message.encode(), index=index)
    new = tree.head()
    _follow(tree, head, new, staged)
    return Made(new, paths, left_out)


def is_secret(path: bytes) -> bool:
    """Whether a part of the path looks like a secret's name."""
    parts = os.fsdecode(path).lower().split("/")
    return any(fnmatchcase(part, pattern) for part in parts for pattern in SECRETS)


def _changed(tree: Tree, index: str, head: str) -> list[bytes]:
    """Whole paths, NUL-separated by git, in which an index differs from HEAD; a rename is both of its names."""
    base = head or tree.out("hash-object", "-t", "tree", "--stdin", stdin=b"").decode().strip()
    text = tree.out("diff-index", "--cached", "--name-only", "--no-renames", "-z", base, index=index)
    return [path for path in text.split(b"\0") if path]


def _restore(tree: Tree, index: str, head: str, paths: Sequence[bytes]) -> None:
    """Put these paths of an index back to what HEAD has."""
    old = tree.out("ls-tree", "-r", "-z", "--full-tree", head) if head else b""
    rows = {row.partition(b"\t")[2]: row.partition(b"\t")[0].split() for row in old.split(b"\0") if row}
    lines = []
    for path in paths:
        mode, oid = (rows[path][0], rows[path][2]) if path in rows else (b"0", b"0" * 40)
        lines.append(mode + b" " + oid + b"\t" + path)
    tree.out("update-index", "-z", "--index-info", stdin=b"\0".join(lines) + b"\0", index=index)


def _follow(tree: Tree, old: str, new: str, staged: set[bytes]) -> None:
    """Entries of the person's index that equalled the old HEAD go on to the new one; what they staged stays."""
    base = old or tree.out("hash-object", "-t", "tree", "--stdin", stdin=b"").decode().strip()
    text = tree.out("diff-tree", "-r", "--name-only", "--no-renames", "-z", base, new)
    paths = [path for path in text.split(b"\0") if path and path not in staged]
    if paths:
        _restore(tree, "", new, paths)
