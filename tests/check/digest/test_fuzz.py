"""Random work on a repository: the digest always follows the content, and never depends on how it came about."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from hashlib import sha1
from pathlib import Path

import pytest

from tests.check.digest.harness import Tree, make_tree
from tests.check.digest.scenarios import embed

NAMES = (
    "a",
    "b",
    "a/b",
    "a/c",
    "d/e/f",
    "d/e",
    "x.log",
    "d/x.log",
    "d/.gitignore",
    ".gitignore",
    "caf\udce9",
    "n\nl",
    "repo/x",
    "repo/a",
)
RULES = ("", "*.log\n", "/a\n", "d/\n", "!x.log\n*.log\n", "/d/e\n", "b\n")


class Worker:
    """Does one random thing at a time, as a person, an agent or a cheat would."""

    def __init__(self, tree: Tree, seed: int) -> None:
        self.tree = tree
        self.chance = random.Random(seed)
        self.deeds = [
            self.write, self.write, self.write, self.rewrite, self.rewrite, self.forge, self.remove, self.link,
            self.chmod, self.rename, self.touch, self.ignore, self.stage, self.commit, self.force, self.unstage,
            self.flag, self.switch, self.swap,
        ]  # fmt: skip

    def step(self) -> str:
        deed = self.chance.choice(self.deeds)
        path = self.tree.path(self.chance.choice(NAMES))
        try:
            deed(path)
        except (OSError, AssertionError):
            return f"{deed.__name__} {path.name!r} failed"
        return f"{deed.__name__} {path.relative_to(self.tree.root)}"

    def text(self) -> str:
        return f"{self.chance.randrange(4)}\n"

    def write(self, path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        for parent in [*path.parents][::-1]:
            if parent.is_file() or parent.is_symlink():
                parent.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(self.chance.choice(RULES) if path.name == ".gitignore" else self.text())

    def rewrite(self, path: Path) -> None:
        if path.name != ".gitignore" and path.is_file():
            path.write_text(self.text())

    def forge(self, path: Path) -> None:
        before = path.stat()
        self.rewrite(path)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def remove(self, path: Path) -> None:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def link(self, path: Path) -> None:
        self.remove(path)
        path.symlink_to(self.chance.choice(("a", "d", "nowhere", "../outside")))

    def chmod(self, path: Path) -> None:
        if path.is_file() and not path.is_symlink():
            path.chmod(self.chance.choice((0o644, 0o755, 0o600)))

    def rename(self, path: Path) -> None:
        path.rename(self.tree.path(self.chance.choice(NAMES)))

    def swap(self, path: Path) -> None:
        spare, other = self.tree.root.parent / "spare", self.tree.path(self.chance.choice(NAMES))
        path.rename(spare)
        other.rename(path)
        spare.rename(other)

    def touch(self, path: Path) -> None:
        moment = self.chance.choice((0, 10**9, 4 * 10**9))
        os.utime(path, (moment, moment), follow_symlinks=False)

    def ignore(self, path: Path) -> None:
        self.tree.path(".gitignore").write_text(self.chance.choice(RULES))

    def stage(self, path: Path) -> None:
        self.tree.git("add", "-A")

    def commit(self, path: Path) -> None:
        self.tree.git("commit", "-qam", "more")

    def force(self, path: Path) -> None:
        self.tree.git("add", "-f", str(path))

    def unstage(self, path: Path) -> None:
        self.tree.git("rm", "-q", "-r", "--cached", str(path))

    def flag(self, path: Path) -> None:
        if path.name == ".gitignore":
            raise OSError("git reads the rules of a skipped file from the index, where the shadow holds no text")
        flags = ("--assume-unchanged", "--skip-worktree", "--no-assume-unchanged", "--no-skip-worktree")
        self.tree.git("update-index", self.chance.choice(flags), str(path))

    def switch(self, path: Path) -> None:
        name = self.chance.choice(("one", "two"))
        self.tree.git("switch", "-q", "--discard-changes", name)


def content(root: Path, outer: bytes = b"") -> str:
    """What git lists, read byte by byte: slow, simple, and no stat believed."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "-z", "--exclude-standard"], cwd=root, capture_output=True, check=True
    ).stdout
    found: list[tuple[bytes, object, object]] = []
    for name in sorted({*listed.split(b"\0")} - {b""}):
        path = os.path.join(os.fsencode(root), name)
        if any(os.path.islink(parent) for parent in parents(os.fsencode(root), name)):
            continue
        if os.path.islink(path):
            found.append((name, "link", os.readlink(path)))
        elif os.path.isfile(path):
            executable = bool(os.stat(path).st_mode & 0o100)
            found.append((name, executable, sha1(Path(os.fsdecode(path)).read_bytes()).digest()))
        elif os.path.isdir(path) and os.path.exists(os.path.join(path, b".git")):
            found.append((name.rstrip(b"/"), "repository", content(Path(os.fsdecode(path)))))
    return repr(sorted(found, key=repr))


def parents(root: bytes, name: bytes) -> list[bytes]:
    parts = name.rstrip(b"/").split(b"/")[:-1]
    return [os.path.join(root, *parts[: end + 1]) for end in range(len(parts))]


def work(tmp_path: Path, seed: int, steps: int) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.git("branch", "one")
    tree.git("branch", "two")
    embed(tree, "repo", commit=True)
    worker = Worker(tree, seed)
    seen: dict[str, str] = {}
    given: dict[str, str] = {}
    story: list[str] = []
    for number in range(steps):
        story.append(worker.step())
        digest = tree.digest(ahead=worker.chance.random() < 0.5)
        now = content(tree.root)
        told = f"seed {seed}: {story[-12:]}\n{now}"
        assert len(digest) == 40, told
        assert seen.setdefault(digest, now) == now, f"a change was missed: {told}\nbefore: {seen[digest]}"
        assert given.setdefault(now, digest) == digest, f"two digests of one content: {told}"
        if number % 10 == 9:
            assert tree.digest_from_scratch(tmp_path / f"state {number}") == digest, told


@pytest.mark.parametrize("seed", range(3))
def test_random_work(tmp_path: Path, seed: int) -> None:
    work(tmp_path, seed, 40)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(100, 108))
def test_much_random_work(tmp_path: Path, seed: int) -> None:
    work(tmp_path, seed, 250)
