"""Edits that come faster than git's clock: none is missed, whatever is done to the time stamps."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph_hooks.check.digest import TreeDigest, memo
from tests.check.digest.harness import Tree, make_tree


def race(tree: Tree, edits: int) -> int:
    """Same-size edits, most of them with the time stamps put back; how many the digest missed."""
    chance = random.Random(7)
    names = ["a.py", "src/b.py", "untracked.py"]
    for name in names:
        tree.write(name, f"{0:08}\n")
    tree.git("add", "a.py", "src/b.py")
    missed = 0
    before = tree.digest()
    for number in range(1, edits + 1):
        path = tree.path(chance.choice(names))
        stat = path.stat()
        path.write_text(f"{number:08}\n")
        if number % 3:
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        after = tree.digest()
        missed += after == before
        before = after
    return missed


def test_rapid_edits(tmp_path: Path) -> None:
    assert race(make_tree(tmp_path / "tree"), 60) == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_six_hundred_rapid_edits(tmp_path: Path) -> None:
    assert race(make_tree(tmp_path / "tree"), 600) == 0


def test_edits_while_the_tree_is_measured(tmp_path: Path) -> None:
    """Whatever was measured in between, the digest of the end is the one a first look would give."""
    tree = make_tree(tmp_path / "tree")
    for number in range(40):
        tree.write(f"many/{number}.py", f"{0:08}\n")
    over = threading.Event()

    def edit() -> None:
        chance = random.Random(3)
        while not over.is_set():
            path = tree.path(f"many/{chance.randrange(40)}.py")
            stat = path.stat()
            path.write_text(f"{chance.randrange(10**8):08}\n")
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    for turn in range(5):
        over.clear()
        editor = threading.Thread(target=edit)
        editor.start()
        found = [tree.digest() for _ in range(4)]
        assert {len(digest) for digest in found} <= {0, 40}  # git may find a file cut short while it reads
        over.set()
        editor.join()
        assert tree.digest() == tree.digest_from_scratch(tmp_path / f"state {turn}")


def test_files_that_vanish_while_the_tree_is_measured(tmp_path: Path) -> None:
    """A look may fail then, never with an exception; the next quiet one is right."""
    tree = make_tree(tmp_path / "tree")
    over = threading.Event()

    def churn() -> None:
        number = 0
        while not over.is_set():
            number += 1
            path = tree.path(f"churn/{number % 20}/x.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(number))
            if number % 2:
                path.unlink()
                path.parent.rmdir()
                path.parent.write_text("a file now")
                path.parent.unlink()

    churning = threading.Thread(target=churn)
    churning.start()
    found = [tree.digest() for _ in range(15)]
    over.set()
    churning.join()
    assert {len(digest) for digest in found} <= {0, 40}
    assert tree.digest() == tree.digest_from_scratch(tmp_path / "state") != ""


def test_a_file_is_trusted_again_once_its_second_is_over(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.digest()
    tree.write("a.py", "ONE\n")
    before = tree.digest()
    time.sleep(3.2)
    assert tree.digest() == before
    memo = tree.shadow / "memo"
    stamp = memo.stat().st_mtime_ns
    assert tree.digest() == before
    assert memo.stat().st_mtime_ns == stamp, "nothing is written when nothing changed"


def test_a_stamp_put_back_between_listing_and_hashing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git lists the file by its mtime, and would not hash it once the mtime is that of the last hash again."""
    tree = make_tree(tmp_path / "tree")
    for turn in range(3):
        time.sleep(1.02 - time.time() % 1)  # all of it within one second, which is what git compares
        tree.write("a.py", f"old {turn}\n")
        os.utime(tree.path("a.py"), (1_700_000_000, 1_700_000_000))  # long ago: git's own racy rule does not help
        old = tree.digest()
        stat = tree.path("a.py").stat()
        tree.write("a.py", f"new {turn}\n")
        os.utime(tree.path("a.py"), ns=(stat.st_atime_ns, stat.st_mtime_ns - 5_000_000_000))
        real = memo.now_ns

        def put_back(stat: os.stat_result = stat, real: Callable[[], int] = real) -> int:
            os.utime(tree.path("a.py"), ns=(stat.st_atime_ns, stat.st_mtime_ns))
            return real()

        monkeypatch.setattr(memo, "now_ns", put_back)
        assert TreeDigest.start(tree.project).result() != old
        monkeypatch.setattr(memo, "now_ns", real)
        assert tree.digest() == tree.digest_from_scratch(tmp_path / f"state {turn}")


def test_a_directory_in_the_place_of_a_new_file_is_forgotten(tmp_path: Path) -> None:
    """What is no longer in the index must not come back from the list of recent files, past the ignore rules."""
    tree = make_tree(tmp_path / "tree")
    tree.write(".gitignore", "/a\n")
    ignored = tree.digest()
    tree.write(".gitignore", "").write("a", "1\n")
    tree.digest()
    tree.path("a").unlink()
    tree.write("a/b", "2\n")
    tree.digest()
    tree.write(".gitignore", "/a\n")
    assert tree.digest() == ignored
    tree.path("a/b").unlink()
    tree.path("a").rmdir()
    tree.write("a", "3\n")
    assert tree.digest() == ignored
