"""What must change the digest and what must not: each scenario sets up, yields, and does one thing.

After the yield the harness has measured; what follows is the change.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.check.digest.harness import Tree
from tests.support.project import git

Steps = Callable[[Tree], Iterator[None]]


@dataclass(frozen=True)
class Scenario:
    """`differs`: whether the digest has to change. `remembers`: a checkout never seen before knows less."""

    name: str
    steps: Steps
    differs: bool
    remembers: bool = False


SCENARIOS: list[Scenario] = []


def changes(steps: Steps) -> Steps:
    """The second half changes the content."""
    SCENARIOS.append(Scenario(steps.__name__, steps, True))
    return steps


def keeps(steps: Steps) -> Steps:
    """The second half changes nothing that git would commit."""
    SCENARIOS.append(Scenario(steps.__name__, steps, False))
    return steps


def unseen(tree: Tree) -> None:
    """The trap works: git itself is fooled."""
    assert tree.git("status", "--porcelain") == ""


def rewrite(path: Path, text: str) -> None:
    """Same size, and the old time stamps put back."""
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def past(path: Path, seconds: float = 3600) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


# Edits


@changes
def edit_a_tracked_file(tree: Tree) -> Iterator[None]:
    yield
    tree.write("a.py", "another\n")


@changes
def second_edit_of_a_dirty_file(tree: Tree) -> Iterator[None]:
    tree.write("a.py", "dirty\n")
    yield
    tree.write("a.py", "DIRTY\n")


@changes
def same_size_in_the_same_second(tree: Tree) -> Iterator[None]:
    yield
    tree.write("a.py", "ONE\n")


@changes
def forged_mtime(tree: Tree) -> Iterator[None]:
    past(tree.path("a.py"))
    tree.git("add", "-A")
    yield
    rewrite(tree.path("a.py"), "ONE\n")


@changes
def forged_mtime_on_an_untracked_file(tree: Tree) -> Iterator[None]:
    tree.write("new.py", "new\n")
    past(tree.path("new.py"))
    yield
    rewrite(tree.path("new.py"), "NEW\n")


@changes
def forged_mtime_on_a_later_day(tree: Tree) -> Iterator[None]:
    past(tree.path("a.py"), 86400)
    yield
    time.sleep(1.1)
    rewrite(tree.path("a.py"), "ONE\n")


@changes
def replaced_by_rename_with_the_same_times(tree: Tree) -> Iterator[None]:
    yield
    tree.write("other", "ONE\n")
    before = tree.path("a.py").stat()
    os.utime(tree.path("other"), ns=(before.st_atime_ns, before.st_mtime_ns))
    tree.path("other").rename(tree.path("a.py"))


@changes
def written_through_a_memory_map(tree: Tree) -> Iterator[None]:
    import mmap

    yield
    with tree.path("a.py").open("r+b") as file, mmap.mmap(file.fileno(), 0) as view:
        view[0:3] = b"ONE"


@changes
def written_through_a_hard_link(tree: Tree) -> Iterator[None]:
    os.link(tree.path("a.py"), tree.root.parent / "outside")
    yield
    (tree.root.parent / "outside").write_text("ONE\n")


@keeps
def touched(tree: Tree) -> Iterator[None]:
    yield
    past(tree.path("a.py"))


@keeps
def edited_and_put_back(tree: Tree) -> Iterator[None]:
    yield
    tree.write("a.py", "another\n")
    tree.digest()
    tree.write("a.py", "one\n")


@keeps
def rewritten_with_the_same_content(tree: Tree) -> Iterator[None]:
    yield
    tree.path("a.py").unlink()
    tree.write("a.py", "one\n")


@changes
def emptied(tree: Tree) -> Iterator[None]:
    yield
    tree.write("a.py", "")


@changes
def line_endings_only(tree: Tree) -> Iterator[None]:
    yield
    tree.write("a.py", "one\r\n")


# New, gone, swapped


@changes
def new_untracked_file(tree: Tree) -> Iterator[None]:
    yield
    tree.write("deep/down/new.py", "new\n")


@changes
def edit_an_untracked_file(tree: Tree) -> Iterator[None]:
    tree.write("new.py", "new\n")
    yield
    tree.write("new.py", "NEW\n")


@changes
def empty_untracked_file(tree: Tree) -> Iterator[None]:
    yield
    tree.write("conftest.py", "")


@changes
def delete_a_tracked_file(tree: Tree) -> Iterator[None]:
    yield
    tree.path("a.py").unlink()


@changes
def delete_an_untracked_file(tree: Tree) -> Iterator[None]:
    tree.write("new.py", "new\n")
    yield
    tree.path("new.py").unlink()


@changes
def rename_a_file(tree: Tree) -> Iterator[None]:
    yield
    tree.path("a.py").rename(tree.path("c.py"))


@changes
def swap_two_files(tree: Tree) -> Iterator[None]:
    tree.write("c.py", "ONE\n")
    yield
    tree.path("a.py").rename(tree.path("tmp"))
    tree.path("c.py").rename(tree.path("a.py"))
    tree.path("tmp").rename(tree.path("c.py"))


@changes
def file_becomes_a_directory(tree: Tree) -> Iterator[None]:
    yield
    tree.path("a.py").unlink()
    tree.write("a.py/inner", "x\n")


@changes
def directory_becomes_a_file(tree: Tree) -> Iterator[None]:
    yield
    shutil.rmtree(tree.path("src"))
    tree.write("src", "x\n")


@changes
def directory_becomes_a_link_to_a_copy(tree: Tree) -> Iterator[None]:
    yield
    tree.path("src").rename(tree.root.parent / "elsewhere")
    tree.path("src").symlink_to(tree.root.parent / "elsewhere")


@changes
def link_becomes_a_directory(tree: Tree) -> Iterator[None]:
    (tree.root.parent / "elsewhere").mkdir()
    tree.path("lib").symlink_to(tree.root.parent / "elsewhere")
    yield
    tree.path("lib").unlink()
    tree.write("lib/x", "x\n")


@changes
def file_becomes_a_pipe(tree: Tree) -> Iterator[None]:
    yield
    tree.path("a.py").unlink()
    os.mkfifo(tree.path("a.py"))


@keeps
def pipes_and_sockets_are_no_content(tree: Tree) -> Iterator[None]:
    yield
    os.mkfifo(tree.path("pipe"))
    here = os.getcwd()
    os.chdir(tree.root)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
    finally:
        os.chdir(here)


@keeps
def empty_directories_are_no_content(tree: Tree) -> Iterator[None]:
    yield
    tree.path("empty/deep").mkdir(parents=True)


# Modes, links, names


@changes
def executable_bit(tree: Tree) -> Iterator[None]:
    yield
    tree.path("a.py").chmod(0o755)


@changes
def executable_bit_where_git_ignores_it(tree: Tree) -> Iterator[None]:
    tree.git("config", "core.fileMode", "false")
    yield
    tree.path("a.py").chmod(0o755)
    unseen(tree)


@keeps
def other_mode_bits(tree: Tree) -> Iterator[None]:
    yield
    tree.path("a.py").chmod(0o600)


@changes
def link_with_another_target(tree: Tree) -> Iterator[None]:
    tree.path("link").symlink_to("a.py")
    tree.commit()
    yield
    tree.path("link").unlink()
    tree.path("link").symlink_to("b.py")


@changes
def dangling_link(tree: Tree) -> Iterator[None]:
    yield
    tree.path("link").symlink_to("nowhere")


@changes
def link_to_a_directory(tree: Tree) -> Iterator[None]:
    yield
    tree.path("link").symlink_to("src")


@keeps
def what_a_link_points_to_outside(tree: Tree) -> Iterator[None]:
    (tree.root.parent / "outside").write_text("x")
    tree.path("link").symlink_to(tree.root.parent / "outside")
    yield
    (tree.root.parent / "outside").write_text("y")


@changes
def name_with_a_newline(tree: Tree) -> Iterator[None]:
    tree.write("new\nline 'quoted' \"twice\"\t.py", "x\n")
    yield
    tree.write("new\nline 'quoted' \"twice\"\t.py", "y\n")


@changes
def name_that_is_not_utf8(tree: Tree) -> Iterator[None]:
    name = os.fsdecode(b"caf\xe9 \xff.py")
    tree.write(name, "x\n").commit()
    yield
    tree.write(name, "y\n")


@changes
def names_that_look_like_options(tree: Tree) -> Iterator[None]:
    tree.write("--stdin", "x\n").write("-z", "x\n").write(":(glob)*", "x\n").write("back\\slash", "x\n")
    yield
    tree.write("back\\slash", "y\n")


@changes
def spaces_in_a_path(tree: Tree) -> Iterator[None]:
    tree.write("a folder/a file .py", "x\n")
    yield
    tree.write("a folder/a file .py", "y\n")


@changes
def case_of_a_name_where_git_folds_it(tree: Tree) -> Iterator[None]:
    tree.git("config", "core.ignoreCase", "true")
    yield
    tree.path("a.py").rename(tree.path("A.py"))


# What makes git believe instead of look


@changes
def assume_unchanged(tree: Tree) -> Iterator[None]:
    tree.git("update-index", "--assume-unchanged", "a.py")
    yield
    tree.write("a.py", "another\n")
    unseen(tree)


@changes
def skip_worktree(tree: Tree) -> Iterator[None]:
    tree.git("update-index", "--skip-worktree", "a.py")
    yield
    tree.write("a.py", "another\n")
    unseen(tree)


@changes
def ignore_stat(tree: Tree) -> Iterator[None]:
    tree.git("config", "core.ignoreStat", "true")
    tree.git("update-index", "--really-refresh")
    tree.git("add", "--renormalize", "a.py")
    yield
    tree.write("a.py", "another\n")
    unseen(tree)


@changes
def fsmonitor_that_lies(tree: Tree) -> Iterator[None]:
    tree.write(".git/lie", "#!/bin/sh\nprintf 'token\\0'\n")
    tree.path(".git/lie").chmod(0o755)
    tree.git("config", "core.fsmonitor", ".git/lie")
    tree.git("config", "core.fsmonitorHookVersion", "2")
    tree.git("update-index", "--fsmonitor")
    time.sleep(1.1)
    tree.git("status")
    tree.git("status")
    yield
    tree.write("a.py", "another\n")
    unseen(tree)


@changes
def work_tree_elsewhere(tree: Tree) -> Iterator[None]:
    (tree.root.parent / "elsewhere").mkdir()
    tree.git("config", "core.worktree", str(tree.root.parent / "elsewhere"))
    yield
    tree.write("a.py", "another\n")


@changes
def bare_by_config(tree: Tree) -> Iterator[None]:
    tree.git("config", "core.bare", "true")
    yield
    tree.write("a.py", "another\n")


@changes
def minimal_stat_check(tree: Tree) -> Iterator[None]:
    tree.git("config", "core.checkStat", "minimal")
    tree.git("config", "core.trustctime", "false")
    past(tree.path("a.py"))
    tree.git("add", "-A")
    yield
    rewrite(tree.path("a.py"), "ONE\n")
    unseen(tree)


@changes
def sparse_checkout(tree: Tree) -> Iterator[None]:
    tree.git("sparse-checkout", "set", "--no-cone", "/src/")
    assert not tree.path("a.py").exists()
    yield
    tree.write("a.py", "one\n")


@changes
def edit_outside_the_sparse_cone(tree: Tree) -> Iterator[None]:
    tree.git("sparse-checkout", "set", "--no-cone", "/src/")
    tree.write("a.py", "one\n")
    yield
    tree.write("a.py", "two\n")


@changes
def untracked_cache(tree: Tree) -> Iterator[None]:
    tree.git("config", "core.untrackedCache", "true")
    tree.git("update-index", "--force-untracked-cache")
    tree.git("status")
    yield
    tree.write("src/new.py", "x\n")


@changes
def split_index(tree: Tree) -> Iterator[None]:
    tree.git("update-index", "--split-index")
    yield
    tree.write("a.py", "another\n").git("add", "-A")


# Filters and line endings


@changes
def line_endings_under_text_auto(tree: Tree) -> Iterator[None]:
    tree.write(".gitattributes", "* text=auto\n").commit()
    yield
    tree.write("a.py", "one\r\n")


@changes
def line_endings_under_autocrlf(tree: Tree) -> Iterator[None]:
    tree.git("config", "core.autocrlf", "input")
    yield
    tree.write("a.py", "one\r\n")


def renormalize(tree: Tree) -> None:
    tree.git("add", "--renormalize", ".")
    tree.git("commit", "-aqm", "renormalized")
    assert tree.git("show", "HEAD:a.py") == "same\n"


@changes
def clean_filter_in_attributes(tree: Tree) -> Iterator[None]:
    tree.git("config", "filter.same.clean", "echo same")
    tree.write(".gitattributes", "*.py filter=same\n").git("add", "-A")
    renormalize(tree)
    yield
    tree.write("a.py", "ONE\n")
    unseen(tree)


@changes
def clean_filter_in_info_attributes(tree: Tree) -> Iterator[None]:
    tree.git("config", "filter.same.clean", "echo same")
    tree.write(".git/info/attributes", "*.py filter=same\n")
    renormalize(tree)
    yield
    tree.write("a.py", "ONE\n")
    unseen(tree)


@changes
def clean_filter_in_the_users_config(tree: Tree) -> Iterator[None]:
    tree.git("config", "--global", "filter.same.clean", "echo same")
    tree.git("config", "--global", "core.attributesFile", str(tree.root.parent / "attributes"))
    (tree.root.parent / "attributes").write_text("*.py filter=same\n")
    renormalize(tree)
    yield
    tree.write("a.py", "ONE\n")
    unseen(tree)


@changes
def filter_that_is_not_installed(tree: Tree) -> Iterator[None]:
    tree.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n").commit()
    tree.git("config", "filter.lfs.clean", "no-such-git-lfs clean -- %f")
    tree.git("config", "filter.lfs.required", "true")
    tree.write("big.bin", "x\n")
    yield
    tree.write("big.bin", "y\n")


@changes
def ident_and_encoding(tree: Tree) -> Iterator[None]:
    tree.write(".gitattributes", "*.py ident\n*.txt text working-tree-encoding=UTF-16\n").commit()
    tree.write("a.py", "$Id$\n")
    yield
    tree.write("a.py", "$Id: 1 $\n")


# Repositories in the tree


def embed(tree: Tree, name: str, *, commit: bool) -> Path:
    inner = tree.path(name)
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    (inner / "x.py").write_text("one\n")
    if commit:
        git(inner, "add", "-A")
        git(inner, "commit", "-qm", "inner")
    return inner


def submodule(tree: Tree, name: str = "sub") -> Path:
    origin = embed(tree, "../origin", commit=True)
    tree.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(origin), name)
    tree.commit("submodule")
    return tree.path(name)


@changes
def dirty_file_in_a_submodule(tree: Tree) -> Iterator[None]:
    inner = submodule(tree)
    yield
    (inner / "x.py").write_text("ONE\n")


@changes
def untracked_file_in_a_submodule(tree: Tree) -> Iterator[None]:
    inner = submodule(tree)
    yield
    (inner / "new.py").write_text("new\n")


@changes
def submodule_that_git_is_told_to_ignore(tree: Tree) -> Iterator[None]:
    inner = submodule(tree)
    tree.git("config", "submodule.sub.ignore", "all")
    tree.git("config", "diff.ignoreSubmodules", "all")
    yield
    (inner / "x.py").write_text("ONE\n")
    unseen(tree)


@changes
def submodule_in_an_ignored_place(tree: Tree) -> Iterator[None]:
    inner = submodule(tree)
    tree.write(".gitignore", "/sub\n").commit()
    yield
    (inner / "x.py").write_text("ONE\n")


@keeps
def submodule_without_init(tree: Tree) -> Iterator[None]:
    submodule(tree)
    tree.git("submodule", "-q", "deinit", "-f", "sub")
    yield
    tree.git("config", "x.y", "z")


@changes
def submodule_gets_filled(tree: Tree) -> Iterator[None]:
    submodule(tree)
    tree.git("submodule", "-q", "deinit", "-f", "sub")
    yield
    tree.git("-c", "protocol.file.allow=always", "submodule", "-q", "update", "--init")


@changes
def embedded_repository(tree: Tree) -> Iterator[None]:
    inner = embed(tree, "inner", commit=True)
    yield
    (inner / "x.py").write_text("ONE\n")


@changes
def embedded_repository_without_commits(tree: Tree) -> Iterator[None]:
    inner = embed(tree, "inner", commit=False)
    yield
    (inner / "x.py").write_text("ONE\n")


@changes
def embedded_in_embedded(tree: Tree) -> Iterator[None]:
    embed(tree, "inner", commit=True)
    inner = embed(tree, "inner/most", commit=False)
    yield
    (inner / "x.py").write_text("ONE\n")


@changes
def file_becomes_a_repository(tree: Tree) -> Iterator[None]:
    yield
    tree.path("a.py").unlink()
    embed(tree, "a.py", commit=True)
    tree.digest()
    tree.write("a.py/x.py", "ONE\n")


@changes
def folder_becomes_a_repository(tree: Tree) -> Iterator[None]:
    yield
    git(tree.path("src"), "init", "-q")
    tree.digest()
    tree.write("src/b.py", "TWO\n")


@changes
def worktree_inside_the_tree(tree: Tree) -> Iterator[None]:
    tree.git("worktree", "add", "-q", "--detach", "trees/one")
    yield
    tree.write("trees/one/a.py", "another\n")


@keeps
def commit_in_an_embedded_repository(tree: Tree) -> Iterator[None]:
    inner = embed(tree, "inner", commit=True)
    (inner / "x.py").write_text("ONE\n")
    yield
    git(inner, "commit", "-qam", "more")


# Ignore rules


@keeps
def ignored_files(tree: Tree) -> Iterator[None]:
    tree.write(".gitignore", "*.log\nbuild/\n").commit()
    yield
    tree.write("x.log", "x\n").write("build/x", "x\n")


@changes
def tracked_although_ignored(tree: Tree) -> Iterator[None]:
    tree.write(".gitignore", "*.log\n").write("x.log", "x\n")
    tree.git("add", "-f", "x.log")
    tree.commit()
    yield
    tree.write("x.log", "y\n")


@changes
def tracked_although_ignored_comes_back_changed(tree: Tree) -> Iterator[None]:
    tree.write(".gitignore", "*.log\n").write("x.log", "x\n")
    tree.git("add", "-f", "x.log")
    tree.commit()
    tree.digest()
    tree.path("x.log").unlink()
    yield
    tree.write("x.log", "y\n")


@changes
def tracked_although_ignored_was_missing_at_first(tree: Tree) -> Iterator[None]:
    tree.write(".gitignore", "*.log\n").write("x.log", "x\n")
    tree.git("add", "-f", "x.log")
    tree.commit()
    tree.path("x.log").unlink()
    yield
    tree.write("x.log", "x\n")


@changes
def ignored_file_gets_tracked(tree: Tree) -> Iterator[None]:
    tree.write(".gitignore", "*.log\n").write("x.log", "x\n").commit()
    yield
    tree.git("add", "-f", "x.log")


@changes
def ignore_rule_goes_away(tree: Tree) -> Iterator[None]:
    tree.write(".gitignore", "*.log\n").write("x.log", "x\n").commit()
    yield
    tree.path(".gitignore").unlink()


@changes
def ignore_rule_in_a_folder(tree: Tree) -> Iterator[None]:
    tree.write("src/x.log", "x\n")
    yield
    tree.write("src/.gitignore", "*.log\n")


@keeps
def newly_ignored_file_no_longer_counts(tree: Tree) -> Iterator[None]:
    tree.write("src/x.log", "x\n")
    tree.digest()
    tree.write("src/.gitignore", "*.log\n")
    yield
    tree.write("src/x.log", "y\n")


@changes
def ignoring_hides_no_tracked_file(tree: Tree) -> Iterator[None]:
    tree.write(".gitignore", "*.py\n")
    yield
    tree.write("a.py", "another\n")


@changes
def info_exclude_hides_no_tracked_file(tree: Tree) -> Iterator[None]:
    tree.write(".git/info/exclude", "*.py\n")
    yield
    tree.write("a.py", "another\n")


def info_exclude_hides_no_file_that_was_seen(tree: Tree) -> Iterator[None]:
    tree.write("test_new.py", "x\n")
    tree.digest()
    tree.write(".git/info/exclude", "test_new.py\n")
    yield
    tree.write("test_new.py", "y\n")


SCENARIOS.append(Scenario("info_exclude_hides_no_seen_file", info_exclude_hides_no_file_that_was_seen, True, True))


@keeps
def info_exclude_keeps_new_files_out(tree: Tree) -> Iterator[None]:
    tree.write(".git/info/exclude", "*.log\n")
    yield
    tree.write("x.log", "x\n")


@keeps
def excludes_file_of_the_repository(tree: Tree) -> Iterator[None]:
    (tree.root.parent / "mine").write_text("*.log\n")
    tree.git("config", "core.excludesFile", str(tree.root.parent / "mine"))
    yield
    tree.write("x.log", "x\n")


@keeps
def excludes_file_of_the_user(tree: Tree) -> Iterator[None]:
    ignore = Path(os.environ["XDG_CONFIG_HOME"]) / "git" / "ignore"
    ignore.parent.mkdir(parents=True)
    ignore.write_text("*.log\n")
    yield
    tree.write("x.log", "x\n")


@keeps
def notes_of_the_loop(tree: Tree) -> Iterator[None]:
    tree.write(".ralph/plan.md", "x\n").write("packages/a/.ralph/plan.md", "x\n").commit()
    yield
    tree.write(".ralph/plan.md", "y\n").write(".ralph/new.md", "y\n").write("packages/a/.ralph/plan.md", "y\n")


@changes
def names_like_the_notes(tree: Tree) -> Iterator[None]:
    yield
    tree.write("x.ralph/new.md", "y\n")


# What git does without changing a file


@keeps
def staging(tree: Tree) -> Iterator[None]:
    tree.write("a.py", "another\n").write("new.py", "x\n")
    yield
    tree.git("add", "-A")


@keeps
def committing(tree: Tree) -> Iterator[None]:
    tree.write("a.py", "another\n").write("new.py", "x\n")
    yield
    tree.commit()


@keeps
def unstaging_and_removing_from_the_index(tree: Tree) -> Iterator[None]:
    tree.write("a.py", "another\n").git("add", "-A")
    yield
    tree.git("reset", "-q")
    tree.git("rm", "-q", "--cached", "src/b.py")


@keeps
def intent_to_add(tree: Tree) -> Iterator[None]:
    tree.write("new.py", "x\n")
    yield
    tree.git("add", "-N", "new.py")


@keeps
def detached_head_branches_tags_packing(tree: Tree) -> Iterator[None]:
    yield
    tree.git("switch", "-q", "--detach")
    tree.git("tag", "v1")
    tree.git("gc", "-q")


@keeps
def amending_and_soft_reset(tree: Tree) -> Iterator[None]:
    tree.write("a.py", "another\n").commit("second")
    yield
    tree.git("commit", "-q", "--amend", "-m", "reworded")
    tree.git("reset", "-q", "--soft", "HEAD~1")


@changes
def stashing(tree: Tree) -> Iterator[None]:
    tree.write("a.py", "another\n")
    yield
    tree.git("stash", "-q")


@changes
def switching_the_branch(tree: Tree) -> Iterator[None]:
    tree.git("switch", "-q", "-c", "other")
    tree.write("a.py", "another\n").commit("other")
    yield
    tree.git("switch", "-q", "main")


@keeps
def switching_away_and_back(tree: Tree) -> Iterator[None]:
    tree.git("switch", "-q", "-c", "other")
    tree.write("a.py", "another\n").write("c.py", "c\n").commit("other")
    yield
    tree.git("switch", "-q", "main")
    tree.digest()
    tree.git("switch", "-q", "other")


@changes
def merge_conflict(tree: Tree) -> Iterator[None]:
    tree.git("switch", "-q", "-c", "other")
    tree.write("a.py", "theirs\n").commit("other")
    tree.git("switch", "-q", "main")
    tree.write("a.py", "ours\n").commit("ours")
    yield
    try:
        tree.git("merge", "-q", "other")
    except AssertionError:
        assert "<<<<<<<" in tree.path("a.py").read_text()


@changes
def edit_during_a_merge_conflict(tree: Tree) -> Iterator[None]:
    steps = merge_conflict(tree)
    next(steps)
    assert next(steps, "over") == "over"
    yield
    tree.write("a.py", "solved\n")


@changes
def without_commits(tree: Tree) -> Iterator[None]:
    shutil.rmtree(tree.path(".git"))
    tree.git("init", "-q")
    yield
    tree.write("a.py", "another\n")


@keeps
def first_commit(tree: Tree) -> Iterator[None]:
    shutil.rmtree(tree.path(".git"))
    tree.git("init", "-q")
    yield
    tree.commit()


@changes
def sha256_repository(tree: Tree) -> Iterator[None]:
    shutil.rmtree(tree.path(".git"))
    tree.git("init", "-q", "--object-format=sha256")
    tree.commit()
    yield
    tree.write("a.py", "another\n")


@changes
def git_directory_apart(tree: Tree) -> Iterator[None]:
    tree.git("init", "-q", "--separate-git-dir", str(tree.root.parent / "git-dir"))
    yield
    tree.write("a.py", "another\n")


@changes
def inherited_git_variables(tree: Tree) -> Iterator[None]:
    other = tree.root.parent / "other"
    other.mkdir()
    git(other, "init", "-q")
    hostile = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": "/nowhere/index",
        "GIT_OBJECT_DIRECTORY": "/nowhere/objects",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.excludesFile",
        "GIT_CONFIG_VALUE_0": "/dev/stdin",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_PREFIX": "src/",
    }
    os.environ.update(hostile)
    yield
    tree.write("a.py", "another\n")
