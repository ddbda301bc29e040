"""The pre-push hook and the CI workflow, each run for real."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.project import REPOSITORY, TestProject, git, make_project


@pytest.fixture
def project(tmp_path: Path, installed: Path) -> TestProject:
    made = (
        make_project(tmp_path / "shop").write("ok", "").config("[[check]]\nname = 't'\nrun = 'test -e ok'\n").commit()
    )
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(made.root, "remote", "add", "origin", str(tmp_path / "remote.git"))
    return made


def push(project: TestProject) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "push", "-q", "origin", "HEAD"], cwd=project.root, capture_output=True, text=True, check=False
    )


def test_the_pre_push_hook_lets_only_proven_commits_out(project: TestProject) -> None:
    shutil.copy(REPOSITORY / "templates/pre-push", project.root / ".git/hooks/pre-push")
    done = push(project)
    assert done.returncode != 0 and "NOT proven" in done.stdout + done.stderr
    assert subprocess.run(["ralph-hooks", "check"], cwd=project.root, check=False, capture_output=True).returncode == 0
    done = push(project)
    assert done.returncode == 0, done


def test_the_workflow_proves_a_pull_request(project: TestProject, tmp_path: Path) -> None:
    text = (REPOSITORY / "templates/github-workflow.yml").read_text()
    assert "fetch-depth: 0" in text and "pull_request:" in text
    (command,) = re.findall(r"- run: (ralph-hooks .*)", text)
    assert push(project).returncode == 0
    git(project.root, "switch", "-q", "-c", "work")
    (project.root / "ok").unlink()
    project.config("[[check]]\nname = 't'\nrun = 'true'\n").commit()
    assert push(project).returncode == 0
    git(tmp_path, "clone", "-q", "-b", "work", str(tmp_path / "remote.git"), "ci")
    env = os.environ | {"GITHUB_BASE_REF": "main"}
    done = subprocess.run(command.split(), cwd=tmp_path / "ci", env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "verdict: RED" in done.stdout
