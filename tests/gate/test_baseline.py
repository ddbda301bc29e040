"""T5: what fails at the merge-base already, and what is new."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.gate import lines, stop
from tests.support.project import REPOSITORY, TestProject, git, make_project

SUITE = """
import unittest
class Suite(unittest.TestCase):
    def test_old(self): self.assertTrue({old})
    def test_new(self): self.assertTrue({new})
"""


def write(project: TestProject, *, old: bool, new: bool) -> TestProject:
    return project.write("test_suite.py", SUITE.format(old=old, new=new))


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    """`main` has one failing test; the work happens on a branch."""
    made = make_project(tmp_path / "shop").write(".gitignore", ".venv/\nnode_modules/\n__pycache__/\n")
    run = "run = ['python3', '-m', 'unittest', '-v', 'test_suite']"
    made.config(f"[[check]]\nname = 't'\n{run}\n[guard]\nbaseline = 'new-only'\n")
    write(made, old=False, new=True).commit()
    git(made.root, "switch", "-q", "-c", "work")
    return made


def test_what_the_base_fails_does_not_block_and_is_listed_every_time(project: TestProject) -> None:
    for n in range(2):
        project.write("note", str(n))
        done = stop(project).lets_go("ALLOW", "baseline", says="fails at the merge-base")
        assert "test_old" in done.out and done.line["verdict"] == "RED"
    assert "no run" in project.ralph("verify").out or project.ralph("verify").code == 1


def test_a_new_failure_blocks_and_says_which_are_old(project: TestProject) -> None:
    write(project, old=False, new=False)
    stop(project).blocks("baseline: 1 of these fail there too", "test_new")


def test_strict_is_the_default(project: TestProject) -> None:
    text = (project.root / "ralph-hooks.toml").read_text().split("[guard]")[0]
    project.config(text)
    stop(project).blocks("test_old")


def test_an_editable_install_makes_the_baseline_unknown(project: TestProject) -> None:
    site = project.root / ".venv/lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (site / "__editable__.shop.pth").write_text(f"{project.root}\n")
    stop(project).blocks("baseline: unknown", "leads back into the checkout")


def test_a_linked_workspace_makes_the_baseline_unknown(project: TestProject) -> None:
    (project.root / "node_modules").mkdir()
    (project.root / "packages/a").mkdir(parents=True)
    os.symlink("../packages/a", project.root / "node_modules/a")
    stop(project).blocks("baseline: unknown")


def test_a_setup_of_ones_own_makes_it_known_again(project: TestProject) -> None:
    site = project.root / ".venv/lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (site / "__editable__.shop.pth").write_text(f"{project.root}\n")
    config = project.root / "ralph-hooks.toml"
    config.write_text(config.read_text() + "baseline_setup = ['true']\n")
    stop(project).lets_go("ALLOW", "baseline", says="fails at the merge-base")
    config.write_text(config.read_text().replace("['true']", "['false']"))
    stop(project, session_id="b").blocks("`baseline_setup` failed")


def test_a_failure_without_ids_is_never_excused(project: TestProject) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'exit 1'\n[guard]\nbaseline = 'new-only'\n").commit()
    git(project.root, "branch", "-f", "main")
    stop(project).blocks("names no failing test")


def test_the_checkout_is_left_alone(project: TestProject) -> None:
    def look() -> list[str]:
        return [git(project.root, *words) for words in (("status", "-s"), ("worktree", "list"), ("for-each-ref",))]

    before = look()
    stop(project)
    assert look() == before and lines(project)[-1]["reason"] == "baseline"


@pytest.fixture
def elsewhere(tmp_path: Path) -> TestProject:
    """A package that every interpreter finds in the checkout, as after an editable install somewhere else."""
    made = make_project(tmp_path / "shop").write(".gitignore", "__pycache__/\n").write("src/shop.py", "X = 1\nY = 0\n")
    test = "import unittest, shop\nclass S(unittest.TestCase):\n    def test_{0}(self): self.assertEqual(shop.{1}, 1)\n"
    made.write("tests/test_x.py", test.format("x", "X")).write("tests/test_y.py", test.format("y", "Y"))
    run = "run = ['python3', '-m', 'unittest', 'discover', '-v', '-s', 'tests']"
    made.config(f"[[check]]\nname = 't'\n{run}\n[guard]\nbaseline = 'new-only'\n").commit()
    git(made.root, "switch", "-q", "-c", "work")
    made.env["PYTHONPATH"] = f"{REPOSITORY}:{made.root / 'src'}"
    return made


def test_a_module_that_resolves_elsewhere_makes_the_baseline_unknown(elsewhere: TestProject) -> None:
    """The clone's tests would run the checkout's own code, fail alike, and excuse what was broken just now."""
    elsewhere.write("src/shop.py", "X = 0\nY = 0\n")
    stop(elsewhere).blocks("baseline: unknown", "`src/shop.py`", "test another copy")


def test_code_that_is_as_it_was_may_resolve_anywhere(elsewhere: TestProject) -> None:
    elsewhere.write("note", "")
    stop(elsewhere).lets_go("ALLOW", "baseline", says="fails at the merge-base")


def test_changed_code_that_resolves_inside_is_excused(elsewhere: TestProject) -> None:
    elsewhere.env["PYTHONPATH"] = f"{REPOSITORY}:src"
    elsewhere.write("src/shop.py", "X = 1\nY = 0\nZ = 1\n").write("docs/conf.py", "")
    stop(elsewhere).lets_go("ALLOW", "baseline", says="fails at the merge-base")
    elsewhere.write("src/shop.py", "X = 0\nY = 0\n")
    stop(elsewhere).blocks("baseline: 1 of these fail there too", "test_x")
