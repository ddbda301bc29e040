"""A real repository with its digest, and proof that measuring leaves the person's git alone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from ralph_hooks import paths
from ralph_hooks.check.digest import TreeDigest
from ralph_hooks.check.digest.receipt import digest_of_rev, receipt_digest
from ralph_hooks.plan.locate import Project
from tests.support.project import TestProject, make_project


class Tree(TestProject):
    """A repository whose measurements never touch it: each one compares the whole git directory."""

    root: Path

    @property
    def project(self) -> Project:
        return Project(str(self.root), str(self.root), str(self.root / "ralph-hooks.toml"))

    def digest(self, *, ahead: bool = False) -> str:
        """The digest; `ahead` of the shadow's index where that is possible, which must come to the same."""
        with untouched(self.root):
            measured = TreeDigest.start(self.project, ahead=ahead)
            digest = measured.result()
            measured.settle()  # raises if the index says something else
            return digest

    def digest_from_scratch(self, state: Path) -> str:
        """What a checkout that was never looked at would say of the same files."""
        before = os.environ["XDG_STATE_HOME"]
        os.environ["XDG_STATE_HOME"] = str(state)
        try:
            return self.digest()
        finally:
            os.environ["XDG_STATE_HOME"] = before

    def receipt(self) -> str:
        with untouched(self.root):
            return receipt_digest(self.project)

    def receipt_of(self, rev: str = "HEAD") -> str:
        with untouched(self.root):
            return digest_of_rev(self.project, rev)

    def write(self, name: str, text: str | bytes) -> Tree:
        super().write(name, text)
        return self

    def git(self, *argv: str) -> str:
        done = subprocess.run(
            ["git", *argv], cwd=self.root, capture_output=True, text=True, errors="surrogateescape", check=False
        )
        assert done.returncode == 0, f"git {argv}: {done.stderr}"
        return done.stdout

    def path(self, name: str) -> Path:
        return self.root / name

    @property
    def shadow(self) -> Path:
        return Path(paths.checkout_dir(str(self.root))) / "tree"


def make_tree(root: Path, *, repository: bool = True) -> Tree:
    """A new repository with two committed files."""
    tree = Tree(make_project(root, repository=repository).root)
    tree.write("a.py", "one\n").write("src/b.py", "two\n")
    if repository:
        tree.commit("start")
    return tree


class untouched:  # noqa: N801 - reads as a statement
    """No file of any git directory below `root` is created, removed, written or touched meanwhile."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __enter__(self) -> None:
        self.before = dict(git_files(self.root))

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            after = dict(git_files(self.root))
            moved = [path for path in after.keys() | self.before if after.get(path) != self.before.get(path)]
            assert not moved


def git_files(root: Path) -> Iterator[tuple[str, object]]:
    """Every file of every git directory: its stat, and for an index its bytes."""
    worktree_config = root / ".git" / "config.worktree"
    sparse = worktree_config.exists() and "sparse = true" in worktree_config.read_text()
    for directory, _, names in os.walk(root):
        if "/.git" not in directory and "/git-dir" not in directory:
            continue
        for name in names:
            path = os.path.join(directory, name)
            found = os.lstat(path)
            text = sha256(Path(path).read_bytes()).hexdigest() if name == "index" else ""
            # git itself refreshes these times whenever anybody reads a split or a sparse index
            refreshed = name.startswith("sharedindex.") or (sparse and "/objects/" in directory)
            moment = 0 if refreshed else found.st_mtime_ns
            yield path, (found.st_ino, found.st_size, moment, found.st_mode, text)
        yield directory, os.stat(directory).st_mtime_ns
