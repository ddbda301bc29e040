"""Digests of parts of a tree, for checks that name their `paths`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ralph_hooks.check.digest import TreeDigest, digest_of_paths
from ralph_hooks.plan.locate import Project
from tests.check.digest.harness import Tree, make_tree, untouched
from tests.check.digest.scenarios import embed


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = make_tree(tmp_path / "tree")
    for name in ("app/src/x.py", "app/src/deep/y.py", "app/test/x.py", "app/[odd]/x", "lib/x.py", "lib/x.js"):
        made.write(name, "1\n")
    return made


def part(tree: Tree, *wanted: str, root: str = "") -> str:
    with untouched(tree.root):
        return digest_of_paths(Project(str(tree.path(root)), str(tree.root), ""), list(wanted))


@pytest.mark.parametrize(
    ("root", "wanted", "edit", "moves"),
    [
        ("", ["app"], "app/src/deep/y.py", True),
        ("", ["app"], "lib/x.py", False),
        ("", ["app/"], "app/test/x.py", True),
        ("", ["app", "lib"], "lib/x.py", True),
        ("", ["lib/x.py"], "lib/x.py", True),
        ("", ["lib/x.py"], "lib/x.js", False),
        ("", ["**/*.py"], "app/src/deep/y.py", True),
        ("", ["**/*.py"], "lib/x.js", False),
        ("", ["*/src"], "app/src/deep/y.py", True),
        ("", ["*/src"], "app/test/x.py", False),
        ("", ["*.py"], "a.py", True),
        ("", ["*.py"], "lib/x.py", False),
        ("", ["."], "lib/x.py", True),
        ("app", ["src"], "app/src/x.py", True),
        ("app", ["src"], "app/test/x.py", False),
        ("app", ["src", "../lib"], "lib/x.py", True),
        ("app", ["."], "lib/x.py", False),
        ("app", [], "lib/x.py", True),
        ("", ["app/new"], "app/new/x.py", True),
    ],
)
def test_which_files_count(tree: Tree, root: str, wanted: list[str], edit: str, moves: bool) -> None:
    before = part(tree, *wanted, root=root)
    assert part(tree, *wanted, root=root) == before
    tree.write(edit, "2\n")
    after = part(tree, *wanted, root=root)
    assert (after != before) is moves


@pytest.mark.parametrize("wanted", ["typo", "typo/**", "../outside", "/etc", ":(bad)x"])
def test_paths_without_files_have_no_digest(tree: Tree, wanted: str) -> None:
    assert part(tree, wanted) == ""


def test_a_part_is_listed_once_per_content(tree: Tree) -> None:
    first = TreeDigest.start(tree.project)
    digest = first.of(["app"])
    again = TreeDigest.start(tree.project)
    again.result()
    assert list(again.memo.by_paths) == [".\0app"]
    assert again.of(["app"]) == digest
    tree.write("lib/x.py", "2\n")
    later = TreeDigest.start(tree.project)
    later.result()
    assert later.memo.by_paths == {}
    assert later.of(["app"]) == digest


def test_a_tree_that_was_measured_again_meanwhile(tree: Tree) -> None:
    old = TreeDigest.start(tree.project)
    assert len(old.result()) == 40
    tree.write("app/src/x.py", "2\n")
    tree.digest()
    assert old.of(["app"]) == ""


@pytest.mark.parametrize(
    ("wanted", "moves"),
    [("inner", True), ("inner/x.py", True), ("in*", True), ("**/x.py", True), ("lib", False), ("app", False)],
)
def test_repositories_in_the_tree(tree: Tree, wanted: str, moves: bool) -> None:
    inner = embed(tree, "inner", commit=True)
    before = part(tree, wanted)
    assert len(before) == 40
    (inner / "x.py").write_text("ONE\n")
    assert (part(tree, wanted) != before) is moves


def test_no_repository(tmp_path: Path) -> None:
    assert part(make_tree(tmp_path / "plain", repository=False), "src") == ""
