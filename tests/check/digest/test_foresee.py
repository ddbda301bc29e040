"""Digests that are given before git has written the index down."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from ralph_hooks.check.digest import TreeDigest, foresee, listing
from ralph_hooks.check.digest.repository import NoDigest
from tests.check.digest.harness import Tree, make_tree


def git_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    from ralph_hooks.check.digest.shadow import Shadow

    calls: list[str] = []
    real = Shadow.git

    def git(self: Shadow, *words: str, stdin: bytes | None = None) -> object:
        calls.append(next(word for word in words if not word.startswith("-")))
        return real(self, *words, stdin=stdin)

    monkeypatch.setattr(Shadow, "git", git)
    return calls


def edit(tree: Tree) -> None:
    tree.write("a.py", "edited\n").write("new.py", "new\n").write("src/deep/er.py", b"\x00\xff")
    tree.path("src/b.py").chmod(0o755)
    tree.path("link").symlink_to("nowhere")


def test_edits_and_new_files_need_no_git_but_the_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = make_tree(tmp_path / "tree")
    before = tree.digest()
    edit(tree)
    calls = git_calls(monkeypatch)
    measured = TreeDigest.start(tree.project, ahead=True)
    digest = measured.result()
    assert calls == ["diff-files", "ls-files"]
    assert digest != before
    measured.settle()
    assert "update-index" in calls
    assert tree.digest() == digest == tree.digest_from_scratch(tmp_path / "state")


def test_without_settling_the_next_look_says_the_same(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.digest()
    edit(tree)
    first = TreeDigest.start(tree.project, ahead=True).result()
    assert TreeDigest.start(tree.project, ahead=True).result() == first
    assert tree.digest() == first


@pytest.mark.parametrize("odd", ["remove", "ignore", "directory", "large", "many", "stage", "sha256", "damaged"])
def test_what_is_left_to_git(odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresee, "MOST_BYTES", 1000)
    monkeypatch.setattr(foresee, "MOST_FILES", 5)
    tree = make_tree(tmp_path / "tree")
    if odd == "sha256":
        tree.git("update-index", "--refresh")
        (tree.root / ".git").rename(tmp_path / "old")
        tree.git("init", "-q", "--object-format=sha256")
        tree.git("add", "-A")
    tree.digest()
    tree.write("a.py", "edited\n")
    if odd == "remove":
        tree.path("src/b.py").unlink()
    elif odd == "ignore":
        tree.write(".gitignore", "*.log\n")
    elif odd == "directory":
        tree.path("a.py").unlink()
        tree.write("a.py/inside", "1\n")
    elif odd == "large":
        tree.write("large", "x" * 1001)
    elif odd == "many":
        for number in range(6):
            tree.write(f"new{number}", "1\n")
    elif odd == "stage":
        tree.git("add", "-A")
    elif odd == "damaged":
        (tree.shadow / "listing").write_bytes(b"100644 " + b"0" * 40 + b" 0\ta.py\0")
    calls = git_calls(monkeypatch)
    digest = TreeDigest.start(tree.project, ahead=True).result()
    assert "update-index" in calls
    assert tree.digest() == digest == tree.digest_from_scratch(tmp_path / "state")


def test_a_change_before_settling_is_told(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.digest()
    tree.write("a.py", "edited\n")
    measured = TreeDigest.start(tree.project, ahead=True)
    digest = measured.result()
    tree.write("a.py", "edited again\n")
    with pytest.raises(NoDigest, match="changed meanwhile"):
        measured.settle()
    assert tree.digest() != digest


def test_another_process_that_settles_first_is_no_harm(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.digest()
    tree.write("a.py", "edited\n")
    measured = TreeDigest.start(tree.project, ahead=True)
    digest = measured.result()
    assert tree.digest() == digest
    measured.settle()
    tree.write("a.py", "again\n")
    assert tree.digest(ahead=True) not in ("", digest)


@pytest.mark.parametrize("seed", range(20))
def test_patched_is_what_a_sorted_dictionary_says(seed: int) -> None:
    chance = random.Random(seed)

    def path() -> bytes:
        return bytes(chance.choice(b"ab/\xff\n\t 1") for _ in range(chance.randrange(1, 5)))

    def row(name: bytes) -> bytes:
        return b"100644 %d 0\t%s\0" % (chance.randrange(1000), name)

    rows = {name: row(name) for name in (path() for _ in range(chance.randrange(60)))}
    text = b"".join(rows[name] for name in sorted(rows))
    changes = {name: chance.choice((b"", row(name))) for name in (path() for _ in range(chance.randrange(40)))}
    after = {**rows, **changes}
    assert listing.patched(text, changes) == b"".join(after[name] for name in sorted(after))
    for name, own in rows.items():
        start, end = listing.find(text, name)
        assert text[start:end] == own


def test_the_kept_listing_is_private(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.digest()
    assert os.stat(tree.shadow / "listing").st_mode & 0o777 == 0o600
