"""`verify --run` tells what the branch did to the gate itself, and asks only questions that can be asked."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.project import TestProject, git, make_project, ralph

PLAN = "[[check]]\nname = 't'\nrun = ['python3', '-m', 'unittest']\n"
SUITE = "import unittest\nclass Cart(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): pass\n"
NOTHING = """import unittest
class Nothing(unittest.TestCase):
    def test_one(self): self.assertTrue(True)
    def test_two(self): self.assertTrue(True)
"""
HOOK = {"_id": "ralph-hooks", "type": "command", "command": "ralph-hooks hook claude", "timeout": 660}
SETTINGS = {"hooks": {"Stop": [{"hooks": [HOOK]}]}}


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    made = make_project(tmp_path / "shop").write("test_cart.py", SUITE).write("shop.py", "X = 1\n").config(PLAN)
    made.write(".gitignore", "__pycache__/\n").write(".claude/settings.json", json.dumps(SETTINGS)).commit()
    git(made.root, "switch", "-q", "-c", "work")
    return made


def verify(project: TestProject, *words: str, code: int = 0) -> str:
    done = project.ralph("verify", *words)
    assert done.code == code, done
    return done.out + done.err


def test_an_ordinary_refactoring_is_not_told(project: TestProject) -> None:
    git(project.root, "mv", "shop.py", "store.py")
    git(project.root, "mv", "test_cart.py", "test_basket.py")
    project.commit()
    assert verify(project, "--run").splitlines()[-3:] == ["plan: `main`", "verdict: GREEN", "proven"]


def test_an_edited_config_is_told_with_what_ran_instead(project: TestProject) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'true'\nmin_tests = 0\n").commit()
    out = verify(project, "--run")
    assert "`ralph-hooks.toml` is not what it is in `main`: the plan of `main` ran" in out


def test_a_config_that_only_has_another_comment_is_not_told(project: TestProject) -> None:
    project.config("# why\n" + PLAN).commit()
    assert "is not what it is" not in verify(project, "--run")


def test_a_config_that_cannot_be_read_is_told(project: TestProject) -> None:
    project.config("[[[").commit()
    assert "`ralph-hooks.toml` is not what it is in `main`" in verify(project, "--run")


@pytest.mark.parametrize("below", [".", "deep/er"])
def test_a_config_that_the_branch_deleted_still_says_what_runs(project: TestProject, below: str) -> None:
    (project.root / "ralph-hooks.toml").unlink()
    project.write("deep/er/x", "1").write("test_cart.py", SUITE.replace("pass", "self.fail()")).commit()
    done = ralph("verify", "--run", cwd=project.root / below)
    assert done.code == 1, done
    assert "plan: `main`" in done.out and "verdict: RED" in done.out
    assert "`ralph-hooks.toml` is not what it is in `main`" in done.out


def test_no_config_in_the_base_either_is_no_project(project: TestProject) -> None:
    git(project.root, "rm", "-q", "ralph-hooks.toml")
    project.commit()
    git(project.root, "branch", "-qf", "main", "HEAD")
    assert "no `ralph-hooks.toml`" in verify(project, "--run", code=2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (json.dumps(SETTINGS | {"disableAllHooks": True}), "`.claude/settings.json` sets `disableAllHooks`"),
        ("{}", "`.claude/settings.json` lacks our Stop hook, which `main` has"),
        (None, "`.claude/settings.json` lacks our Stop hook, which `main` has"),
        ("{// no", "`.claude/settings.json` lacks our Stop hook, which `main` has"),
    ],
    ids=["off", "empty", "gone", "unreadable"],
)
def test_a_disabled_hook_is_told(project: TestProject, settings: str | None, words: str) -> None:
    path = project.root / ".claude" / "settings.json"
    path.unlink() if settings is None else path.write_text(settings)
    project.commit()
    assert words in verify(project, "--run")


def test_a_deleted_test_file_is_told_where_only_the_count_could_be_compared(project: TestProject) -> None:
    (project.root / "test_cart.py").unlink()
    project.write("test_other.py", NOTHING)
    project.commit()
    out = verify(project, "--run")
    assert "`test_cart.py` is deleted, and the check `t` names no tests: only their number was compared" in out


def test_a_branch_without_a_common_commit_is_compared_with_the_base_itself(project: TestProject) -> None:
    git(project.root, "checkout", "-q", "--orphan", "alone")
    project.write("test_cart.py", SUITE.replace("    def test_b(self): pass\n", "")).commit()
    out = verify(project, "--run", code=1)
    assert "1 fewer tests were run than at the base" in out
    assert "no commit of `main` is in this branch's history here, so `main` itself was compared" in out


def test_in_a_shallow_clone_too(project: TestProject, tmp_path: Path) -> None:
    project.write("shop.py", "X = 2\n").commit()
    project.write("test_cart.py", SUITE.replace("    def test_b(self): pass\n", "")).commit()
    words = ["git", "clone", "-q", "--depth", "1", "--no-single-branch", "-b", "work"]
    subprocess.run([*words, f"file://{project.root}", str(tmp_path / "ci")], check=True)
    clone = TestProject(tmp_path / "ci", {"GITHUB_BASE_REF": "main"})
    out = verify(clone, "--run", code=1)
    assert "1 fewer tests were run than at the base" in out and "`git fetch --unshallow`" in out


def test_a_base_that_is_not_here_and_the_command_that_brings_it(project: TestProject, tmp_path: Path) -> None:
    words = ["git", "clone", "-q", "--depth", "1", "-b", "work", f"file://{project.root}", str(tmp_path / "ci")]
    subprocess.run(words, check=True)
    clone = TestProject(tmp_path / "ci", {"GITHUB_BASE_REF": "main"})
    told = verify(clone, "--run", code=2)
    assert "the base `origin/main` is not in this clone" in told
    command = told.split("hint: `", 1)[1].split("`", 1)[0]
    subprocess.run(command.split(), cwd=clone.root, check=True, capture_output=True)
    verify(clone, "--run")


@pytest.mark.parametrize("words", [(), ("--run",), ("--run", "--base", "main")], ids=" ".join)
def test_without_git_the_question_cannot_be_asked(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "plain").mkdir()
    plain = TestProject(tmp_path / "plain")
    plain.config(PLAN)
    assert "is no git repository" in verify(plain, *words, code=2)


def test_a_repository_of_somebody_else_is_said_with_gits_own_way_out(project: TestProject) -> None:
    project.env = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    told = verify(project, "--run", code=2)
    assert f"git refuses `{project.root}`: detected dubious ownership" in told
    subprocess.run(told.split("hint: ", 1)[1].splitlines()[0].split(), check=True)
    verify(project, "--run")


def test_a_broken_chain_says_what_begins_a_new_one(project: TestProject) -> None:
    project.ralph("check")
    project.write("shop.py", "X = 3\n").commit().ralph("check")
    (path,) = project_chain()
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0].replace("GREEN", "RED"), *lines[1:]]) + "\n")
    out = verify(project, code=1)
    command = out.split("begins a new one: `", 1)[1].split("`", 1)[0]
    subprocess.run(command, shell=True, check=True)
    project.ralph("check", "--force")
    verify(project)


def project_chain() -> list[Path]:
    return list(Path(os.environ["XDG_STATE_HOME"]).rglob("receipts.jsonl"))
