"""`verify --run` names tests that the branch took away (T4, T6, T12)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.support.project import TestProject, git, make_project

SUITE = """import unittest
class Cart(unittest.TestCase):
    def test_a(self): pass
    def test_b(self): pass
    def test_c(self): pass
"""
VERBOSE = "[[check]]\nname = 't'\nrun = ['python3', '-m', 'unittest', '-v']\n"


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    made = make_project(tmp_path / "shop").write("test_cart.py", SUITE).write("shop.py", "X = 1\n").config(VERBOSE)
    made.write(".gitignore", "__pycache__/\n").commit()
    git(made.root, "switch", "-q", "-c", "work")
    return made


def verify(project: TestProject, *words: str, code: int = 1) -> str:
    done = project.ralph("verify", "--run", *words)
    assert done.code == code, done
    return done.out


TAMPERED = [
    (SUITE.replace("    def test_b(self): pass\n", ""), "1 tests vanished since the base: test_cart.Cart.test_b"),
    (
        SUITE.replace("    def test_b", "    @unittest.skip('x')\n    def test_b"),
        "1 tests are skipped or expected to fail",
    ),
    (
        SUITE.replace("import unittest", "import os, unittest; os._exit(0)"),
        "the base counted 3 tests; now nobody counts",
    ),
]


@pytest.mark.parametrize(("text", "words"), TAMPERED, ids=["deleted", "skipped", "exit 0"])
def test_named_and_not_proven_until_a_person_accepts(project: TestProject, text: str, words: str) -> None:
    project.config(VERBOSE + "min_tests = 0\n").commit()
    git(project.root, "branch", "-f", "main")
    project.write("test_cart.py", text).commit()
    out = verify(project)
    assert "verdict: GREEN" in out and f"changed since `main`: check `t`: {words}" in out and "NOT proven" in out
    assert "proven" in verify(project, "--accept-changes", code=0)


def test_before_it_is_committed_too(project: TestProject) -> None:
    project.write("test_cart.py", TAMPERED[0][0])
    assert "1 tests vanished" in verify(project)


def test_renamed_and_moved_tests_and_new_ones_are_no_deletion(project: TestProject) -> None:
    git(project.root, "mv", "test_cart.py", "test_basket.py")
    project.write("test_more.py", SUITE.replace("Cart", "More").replace("test_", "test_more_")).commit()
    assert "changed since" not in verify(project, code=0)


def test_tests_that_only_the_base_has_since_are_not_missed(project: TestProject) -> None:
    git(project.root, "switch", "-q", "main")
    project.write("test_later.py", SUITE.replace("Cart", "Later")).commit()
    git(project.root, "switch", "-q", "work")
    project.write("test_own.py", SUITE.replace("Cart", "Own")).commit()
    assert "changed since" not in verify(project, code=0)


def test_counts_do_where_the_runner_names_no_ids(project: TestProject) -> None:
    project.config(VERBOSE.replace(", '-v'", "")).commit()
    git(project.root, "branch", "-f", "main")
    project.write("test_cart.py", TAMPERED[0][0]).commit()
    assert "1 fewer tests were run than at the base; which ones is unknown" in verify(project)


def test_a_base_that_cannot_be_run_is_said_and_deleted_files_still_count(project: TestProject) -> None:
    run = [sys.executable, "-c", "import os, sys; sys.exit(0 if os.path.exists('local') else 127)"]
    project.config(f"[[check]]\nname = 't'\nrun = {run!r}\nformat = 'none'\n").commit()
    git(project.root, "branch", "-f", "main")
    project.write(".gitignore", "local\n").write("local", "").write("tests/test_x.py", "X = 1\n").commit()
    git(project.root, "branch", "-f", "main")
    git(project.root, "mv", "test_cart.py", "test_basket.py")
    project.commit()
    out = verify(project, code=0)
    assert "which tests the base runs is unknown: the check `t` is CANNOT_RUN there" in out
    shutil.rmtree(project.root / "tests")
    project.commit()
    assert "the test files `tests/test_x.py` are deleted" in verify(project)


def test_the_base_is_run_only_where_the_tree_differs(project: TestProject, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    project.config(f"[[check]]\nname = 't'\nrun = 'echo run >> {runs}; python3 -m unittest -v'\n").commit()
    git(project.root, "branch", "-f", "main")
    verify(project, code=0)
    assert runs.read_text().count("run") == 1
    project.write("shop.py", "X = 2\n")
    verify(project, code=0)
    assert runs.read_text().count("run") == 3


def test_a_person_may_switch_it_off(project: TestProject) -> None:
    project.config(VERBOSE + "[guard]\nratchet = 'off'\n").commit()
    git(project.root, "branch", "-f", "main")
    project.write("test_cart.py", TAMPERED[0][0]).commit()
    assert "changed since" not in verify(project, code=0)
