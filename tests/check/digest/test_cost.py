"""What a look at an unchanged tree may cost: two git calls, and no module that the hot path cannot afford."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ralph_hooks.check.digest import repository, shadow
from tests.check.digest.harness import Tree, make_tree
from tests.support.project import REPOSITORY

HEAVY = {
    "json", "re", "dataclasses", "typing", "subprocess", "pathlib", "threading", "tempfile", "logging", "contextlib",
    "collections", "enum", "signal", "hashlib", "shutil", "glob", "functools", "json.decoder", "filelock", "ctypes",
}  # fmt: skip

RECALL = """
import sys
before = set(sys.modules)
from ralph_hooks.check.memory import Recall
from ralph_hooks.plan.compiled import plan_for
from ralph_hooks.plan.locate import find_project
project = find_project(sys.argv[1])
recall = Recall(project, plan_for(project))
print(recall.whole, *sorted(set(sys.modules) - before))
"""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []
    real = repository.start

    def counting(words: list[str], *rest: object) -> object:
        made.append(next(word for word in words if not word.startswith("-") and "=" not in word))
        return real(words, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(shadow, "start", counting)
    monkeypatch.setattr(repository, "start", counting)
    return made


def settled(tree: Tree) -> None:
    """Files older than a timer tick, so that a stat says all about them."""
    time.sleep(0.1)
    tree.digest()


def test_unchanged_tree_costs_two_calls(tmp_path: Path, calls: list[str]) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.write("untracked.py", "x\n")
    settled(tree)
    calls.clear()
    tree.digest()
    assert sorted(calls) == ["diff-files", "ls-files"]


def test_changed_file_costs_two_more(tmp_path: Path, calls: list[str]) -> None:
    tree = make_tree(tmp_path / "tree")
    settled(tree)
    tree.write("a.py", "another\n")
    calls.clear()
    tree.digest()
    # one more where the file was hashed within the seconds that git cannot tell apart
    assert sorted(calls) in (["diff-files", "ls-files", "ls-files", *["update-index"] * n] for n in (1, 2))


def test_commit_costs_one_comparison(tmp_path: Path, calls: list[str]) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.write("a.py", "another\n")
    settled(tree)
    tree.commit()
    calls.clear()
    tree.digest()
    assert sorted(calls) == ["diff-files", "ls-files", "ls-files", "ls-files"]
    calls.clear()
    tree.digest()
    assert len(calls) == 2


def test_remembered_green_imports_nothing_heavy(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    tree.config("[[check]]\nrun = ['true']\n").commit()
    code = "import sys; from tests.check.digest.test_cost import judged; judged(sys.argv[1])"
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    subprocess.run([sys.executable, "-c", code, str(tree.root)], env=env, check=True)
    told = subprocess.run(
        [sys.executable, "-S", "-c", RECALL, str(tree.root)], env=env, check=True, capture_output=True, text=True
    )
    whole, *modules = told.stdout.split()
    assert whole == "True"
    assert not HEAVY & set(modules)
    assert len([name for name in modules if name.startswith("ralph_hooks.check")]) <= 14


def judged(root: str) -> None:
    """One real run in a process of its own."""
    from ralph_hooks.check.once import judge
    from ralph_hooks.plan.compiled import plan_for
    from ralph_hooks.plan.locate import find_project

    project = find_project(root)
    assert project is not None
    assert judge(project, plan_for(project)).verdict == "GREEN"
