"""Random work on a repository: the receipt digest is that of what `git add -A` would store, step after step."""

from __future__ import annotations

import os
import shutil
import subprocess
from hashlib import sha1
from pathlib import Path

import pytest

from ralph_hooks.check.digest.rows import staged_rows
from tests.check.digest.harness import Tree, make_tree
from tests.check.digest.test_fuzz import Worker, parents

ATTRIBUTES = ("", "* text=auto\n", "*.log text eol=crlf\n", "/b -text\n* text=auto\n", "d/** eol=lf text\n")
TEXTS = ("1\n", "1\r\n", "1\r\n2\n", "\0\r\n", "")


class Committer(Worker):
    """Leaves the flags alone that make git commit something else than what is on disk."""

    def __init__(self, tree: Tree, seed: int) -> None:
        super().__init__(tree, seed)
        self.deeds.remove(self.flag)
        self.deeds += [self.attribute, self.convert]

    def text(self) -> str:
        return self.chance.choice(TEXTS)

    def attribute(self, path: Path) -> None:
        self.tree.write(".gitattributes", self.chance.choice(ATTRIBUTES))

    def convert(self, path: Path) -> None:
        self.tree.git("config", "core.autocrlf", self.chance.choice(("true", "input", "false")))


def would_store(tree: Tree, index: Path) -> str:
    """The tree that git would commit.

    Stat data is left out of the temporary index, so that git reads every file that differs from the person's index.
    The others stay as they are, as they do in life: git converts nothing again whose stat did not move.
    """
    env = {**os.environ, "GIT_INDEX_FILE": str(index)}

    def git(*argv: str, stdin: bytes | None = None) -> bytes:
        done = subprocess.run(["git", *argv], cwd=tree.root, env=env, input=stdin, capture_output=True, check=True)
        return done.stdout

    rows = staged_rows(git_listing(tree))
    index.unlink(missing_ok=True)
    git("update-index", "-z", "--index-info", stdin=git_listing(tree))
    same = [path for path, (mode, name) in rows.items() if on_disk(tree.root, path) == (mode, name)]
    git("update-index", "--assume-unchanged", "-z", "--stdin", stdin=b"".join(path + b"\0" for path in same))
    git("-c", "core.safecrlf=false", "add", "-A")
    return git("write-tree").decode().strip()


def on_disk(root: Path, path: bytes) -> tuple[bytes, bytes] | None:
    """Mode and id of the very bytes on disk."""
    place = os.path.join(os.fsencode(root), path)
    if any(os.path.islink(os.path.join(os.fsencode(root), parent)) for parent in parents(b"", path)):
        return None
    if os.path.islink(place):
        return b"120000", blob(os.readlink(place))
    if not os.path.isfile(place):
        return None
    mode = b"100755" if os.stat(place).st_mode & 0o100 else b"100644"
    return mode, blob(Path(os.fsdecode(place)).read_bytes())


def blob(text: bytes) -> bytes:
    return sha1(b"blob %d\0" % len(text) + text).hexdigest().encode()


def git_listing(tree: Tree) -> bytes:
    return subprocess.run(["git", "ls-files", "-s", "-z"], cwd=tree.root, capture_output=True, check=True).stdout


def work(tmp_path: Path, seed: int, steps: int) -> int:
    tree = make_tree(tmp_path / "tree")
    tree.git("branch", "one")
    tree.git("branch", "two")
    worker = Committer(tree, seed)
    story: list[str] = []
    compared = 0
    for _ in range(steps):
        story.append(worker.step())
        if (tree.root / "repo").exists():
            shutil.rmtree(tree.root / "repo")
        try:
            stored = would_store(tree, tmp_path / "index")
        except subprocess.CalledProcessError:
            continue  # git itself refuses, such as a rules file that is a directory
        compared += 1
        assert tree.receipt() == tree.receipt_of(stored), f"seed {seed}: {story[-12:]}"
    return compared


@pytest.mark.parametrize("seed", range(3))
def test_random_receipts(tmp_path: Path, seed: int) -> None:
    assert work(tmp_path, seed, 30) > 20


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(100, 106))
def test_many_random_receipts(tmp_path: Path, seed: int) -> None:
    assert work(tmp_path, seed, 200) > 150
