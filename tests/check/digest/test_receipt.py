"""The receipt digest: what is on disk now is what `ls-tree` says of the commit, and of no other."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph_hooks.check.digest.receipt import digest_of_rev
from ralph_hooks.errors import RalphError
from tests.check.digest.harness import Tree, make_tree
from tests.check.digest.scenarios import embed, submodule
from tests.support.project import git


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return make_tree(tmp_path / "tree")


def plain(tree: Tree) -> None:
    tree.write("new.py", "x\n").write("a.py", "y\n").path("src/b.py").unlink()


def odd_names(tree: Tree) -> None:
    tree.write("new\nline.py", "x").write(os.fsdecode(b"\xe9.py"), "x").write("a-b/c", "x").write("a/b", "x")
    tree.write("a.b", "x")


def modes(tree: Tree) -> None:
    tree.path("a.py").chmod(0o755)
    tree.path("link").symlink_to("a.py")


def file_mode_ignored(tree: Tree) -> None:
    tree.git("config", "core.fileMode", "false")
    tree.write("new.py", "x\n")
    tree.path("a.py").chmod(0o755)
    tree.path("new.py").chmod(0o755)


def links_as_files(tree: Tree) -> None:
    tree.path("link").symlink_to("a.py")
    tree.commit()
    tree.git("config", "core.symlinks", "false")
    tree.path("link").unlink()
    tree.write("link", "a.py")


def text_auto(tree: Tree) -> None:
    tree.write(".gitattributes", "* text=auto\n").write("a.py", "one\r\n").write("new.py", "x\r\ny\n")
    tree.write("bin", b"\0\r\n")


def text_auto_with_crlf_committed_before(tree: Tree) -> None:
    tree.write("crlf.py", "x\r\n").commit()
    tree.write(".gitattributes", "* text=auto\n").write("crlf.py", "y\r\nz\r\n")


def autocrlf(tree: Tree) -> None:
    tree.git("config", "--global", "core.autocrlf", "true")
    tree.write("new.py", "x\r\n")


def crlf_in_the_work_tree(tree: Tree) -> None:
    tree.write(".gitattributes", "*.py text eol=crlf\n").commit()
    tree.path("a.py").unlink()
    tree.git("checkout", "-q", "a.py")
    assert tree.path("a.py").read_bytes() == b"one\r\n"
    tree.write("src/b.py", "changed\r\n")


def clean_filter(tree: Tree) -> None:
    tree.git("config", "filter.upper.clean", "tr a-z A-Z")
    tree.write(".gitattributes", "/*.py filter=upper\n").write("a.py", "two\n").write("new.py", "x\n")


def filter_in_a_folder(tree: Tree) -> None:
    tree.git("config", "filter.upper.clean", "tr a-z A-Z")
    tree.write("src/.gitattributes", "new.py filter=upper\n").write("src/new.py", "x\n").write("new.py", "x\n")


def filter_process_like_lfs(tree: Tree) -> None:
    tree.git("config", "filter.pointer.clean", "sha256sum")
    tree.git("config", "filter.pointer.required", "true")
    tree.write(".git/info/attributes", "*.bin filter=pointer\n").write("big.bin", "x" * 100000)
    tree.commit()
    tree.write("other.bin", "y" * 100000)


def filter_that_is_not_installed(tree: Tree) -> None:
    tree.write(".gitattributes", "*.bin filter=lfs\n").write("x.bin", "x\n")


def ident_and_encoding(tree: Tree) -> None:
    tree.write(".gitattributes", "*.py ident\n*.txt text working-tree-encoding=UTF-16LE\n")
    tree.write("a.py", "$Id: 1 $\n").write("x.txt", "text\n".encode("utf-16le"))


def tracked_although_ignored(tree: Tree) -> None:
    tree.write(".gitignore", "*.log\n").write("x.log", "x\n").write("y.log", "x\n")
    tree.git("add", "-f", "x.log")


def hidden_after_it_was_seen(tree: Tree) -> None:
    tree.write("scratch.txt", "x\n")
    tree.digest()
    tree.write(".git/info/exclude", "scratch.txt\n")


def notes_of_the_loop(tree: Tree) -> None:
    tree.write(".ralph/plan.md", "x\n").write("deep/.ralph/plan.md", "x\n").commit()
    tree.write(".ralph/plan.md", "y\n")


def clean_submodule(tree: Tree) -> None:
    inner = submodule(tree)
    (inner / "x.py").write_text("two\n")
    git(inner, "commit", "-qam", "two")


def submodule_without_init(tree: Tree) -> None:
    submodule(tree)
    tree.git("submodule", "-q", "deinit", "-f", "sub")


def submodule_removed(tree: Tree) -> None:
    submodule(tree)
    shutil.rmtree(tree.path("sub"))


def embedded_repository(tree: Tree) -> None:
    embed(tree, "inner", commit=True)


def sparse_checkout(tree: Tree) -> None:
    tree.git("sparse-checkout", "set", "--no-cone", "/src/")
    tree.write("src/b.py", "changed\n")


def sparse_cone_index(tree: Tree) -> None:
    tree.write("lib/deep/x", "x\n").commit()
    tree.git("sparse-checkout", "set", "--cone", "--sparse-index", "src")
    tree.write("src/b.py", "changed\n")


def solved_conflict(tree: Tree) -> None:
    tree.git("switch", "-q", "-c", "other")
    tree.write("a.py", "theirs\n").commit("other")
    tree.git("switch", "-q", "main")
    tree.write("a.py", "ours\n").commit("ours")
    with pytest.raises(AssertionError):
        tree.git("merge", "-q", "other")
    tree.write("a.py", "both\n")


def intent_to_add(tree: Tree) -> None:
    tree.write("new.py", "x\n").git("add", "-N", "new.py")


def without_commits(tree: Tree) -> None:
    shutil.rmtree(tree.path(".git"))
    tree.git("init", "-q")


def sha256(tree: Tree) -> None:
    shutil.rmtree(tree.path(".git"))
    tree.git("init", "-q", "--object-format=sha256")
    tree.write(".gitattributes", "* text=auto\n").write("crlf.py", "x\r\n")


def split_index(tree: Tree) -> None:
    tree.git("update-index", "--split-index")
    tree.write("a.py", "x\n")


SAME: list[Callable[[Tree], None]] = [
    plain, odd_names, modes, file_mode_ignored, links_as_files, text_auto, text_auto_with_crlf_committed_before,
    autocrlf, crlf_in_the_work_tree, clean_filter, filter_in_a_folder, filter_process_like_lfs,
    filter_that_is_not_installed, ident_and_encoding, tracked_although_ignored, hidden_after_it_was_seen,
    notes_of_the_loop, clean_submodule, submodule_without_init, submodule_removed, embedded_repository,
    sparse_checkout, sparse_cone_index, solved_conflict, intent_to_add, without_commits, sha256, split_index,
]  # fmt: skip


@pytest.mark.parametrize("prepare", SAME, ids=lambda prepare: prepare.__name__)
def test_what_is_on_disk_is_what_gets_committed(tree: Tree, prepare: Callable[[Tree], None]) -> None:
    prepare(tree)
    before = tree.receipt()
    assert len(before) == 40
    assert tree.receipt() == before
    tree.commit()
    assert tree.receipt_of("HEAD") == before
    assert tree.receipt() == before


def uncommitted_edit(tree: Tree) -> None:
    tree.write("a.py", "x\n")


def untracked_file(tree: Tree) -> None:
    tree.write("new.py", "x\n")


def deleted_file(tree: Tree) -> None:
    tree.path("a.py").unlink()


def edit_that_git_is_told_to_overlook(tree: Tree) -> None:
    tree.git("update-index", "--assume-unchanged", "a.py")
    tree.write("a.py", "x\n").commit()


def edit_outside_the_sparse_cone(tree: Tree) -> None:
    tree.git("update-index", "--skip-worktree", "a.py")
    tree.write("a.py", "x\n").commit()


def dirty_submodule(tree: Tree) -> None:
    (submodule(tree) / "x.py").write_text("dirty\n")
    tree.commit()


def untracked_file_in_a_submodule(tree: Tree) -> None:
    (submodule(tree) / "new.py").write_text("new\n")
    tree.commit()


def repository_without_commits(tree: Tree) -> None:
    embed(tree, "inner", commit=False)


def staged_but_not_on_disk(tree: Tree) -> None:
    tree.write("a.py", "staged\n").git("add", "a.py")
    tree.write("a.py", "on disk\n").git("commit", "-qm", "half")


def edit_below_a_filter(tree: Tree) -> None:
    clean_filter(tree)
    tree.commit()
    tree.write("a.py", "other\n")


OTHER: list[Callable[[Tree], None]] = [
    uncommitted_edit, untracked_file, deleted_file, edit_that_git_is_told_to_overlook, edit_outside_the_sparse_cone,
    dirty_submodule, untracked_file_in_a_submodule, repository_without_commits, staged_but_not_on_disk,
    edit_below_a_filter,
]  # fmt: skip


@pytest.mark.parametrize("prepare", OTHER, ids=lambda prepare: prepare.__name__)
def test_what_was_tested_is_not_what_is_committed(tree: Tree, prepare: Callable[[Tree], None]) -> None:
    prepare(tree)
    receipt = tree.receipt()
    assert len(receipt) == 40
    assert tree.receipt_of("HEAD") != receipt


def test_edit_below_a_filter_that_hides_it(tree: Tree) -> None:
    """Two contents, one committed id: the memory tells them apart, a receipt need not."""
    tree.git("config", "filter.same.clean", "echo same")
    tree.write(".gitattributes", "*.py filter=same\n").git("add", "-A")
    tree.git("add", "--renormalize", ".")
    tree.commit()
    digest, receipt = tree.digest(), tree.receipt()
    assert receipt == tree.receipt_of("HEAD")
    tree.write("a.py", "another\n")
    assert (tree.digest() == digest, tree.receipt() == receipt) == (False, True)


def test_a_changed_filter_is_asked_again(tree: Tree) -> None:
    tree.git("config", "filter.mine.clean", "tr a-z A-Z")
    tree.write(".gitattributes", "/a.py filter=mine\n").write("a.py", "words\n")
    first = tree.receipt()
    assert first == tree.receipt()
    tree.git("config", "filter.mine.clean", "tr a-z b-za")
    second = tree.receipt()
    assert second != first
    tree.commit()
    assert tree.receipt_of("HEAD") == second


def test_filters_run_only_for_what_is_new(tree: Tree) -> None:
    log = tree.root.parent / "filtered"
    tree.git("config", "filter.mine.clean", f"echo %f >> {log}; tr a-z A-Z")
    tree.write(".gitattributes", "*.py filter=mine\n").commit()
    tree.receipt()
    log.write_text("")
    tree.receipt()
    assert log.read_text() == ""
    tree.write("src/b.py", "three\n")
    tree.receipt()
    assert log.read_text() == "src/b.py\n"


def test_required_filter_that_is_missing_gives_no_receipt(tree: Tree) -> None:
    tree.git("config", "filter.lfs.clean", "no-such-program")
    tree.git("config", "filter.lfs.required", "true")
    tree.write(".gitattributes", "*.bin filter=lfs\n").write("x.bin", "x\n")
    assert (len(tree.digest()), tree.receipt()) == (40, "")


def test_damaged_cache_of_converted_ids(tree: Tree) -> None:
    text_auto(tree)
    before = tree.receipt()
    for text in (b"", b"garbage", b"\n", b"0" * 200):
        (tree.shadow.parent / "clean").write_bytes(text)
        assert tree.receipt() == before
    assert sorted(path.name for path in tree.shadow.parent.iterdir()) == ["clean", "tree", "tree.lock"]


@pytest.mark.parametrize("rev", ["main", "HEAD^{tree}", "v1", "@"])
def test_names_of_revisions(tree: Tree, rev: str) -> None:
    tree.git("tag", "-a", "v1", "-m", "one")
    assert tree.receipt_of(rev) == tree.receipt()


@pytest.mark.parametrize("rev", ["nowhere", "", "--help", "HEAD:a.py", "HEAD\n", "-z"])
def test_a_revision_that_does_not_exist(tree: Tree, rev: str) -> None:
    with pytest.raises(RalphError, match="names no commit"):
        tree.receipt_of(rev)


def test_no_repository(tmp_path: Path) -> None:
    plain_tree = make_tree(tmp_path / "plain", repository=False)
    assert plain_tree.receipt() == ""
    with pytest.raises(RalphError, match="is no git repository"):
        digest_of_rev(plain_tree.project, "HEAD")


def test_shallow_clone_agrees(tree: Tree, tmp_path: Path) -> None:
    tree.write("new.py", "x\n").commit()
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{tree.root}", "clone")
    clone = Tree(tmp_path / "clone")
    assert clone.receipt() == clone.receipt_of("HEAD") == tree.receipt()
