"""T6: receipts and proof."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ralph_hooks.check.verdict import CheckResult, Run
from ralph_hooks.ledger import receipts
from ralph_hooks.plan.locate import find_project
from tests.support.gate import stop
from tests.support.project import REPOSITORY, Done, TestProject, git, make_project


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    made = make_project(tmp_path / "shop").write("ok", "").config("[[check]]\nname = 't'\nrun = 'test -e ok'\n")
    return made.write("src.txt", "1").commit()


def chain_path() -> Path:
    return next(Path(os.environ["XDG_STATE_HOME"]).rglob("receipts.jsonl"))


def verify(project: TestProject, *words: str, code: int) -> Done:
    done = project.ralph("verify", *words)
    assert done.code == code, done
    return done


def test_a_commit_is_proven_by_the_stop_before_it(project: TestProject) -> None:
    assert "no run on this machine" in verify(project, code=1).out
    project.write("src.txt", "2").write("new.txt", "x")
    stop(project).lets_go("ALLOW")
    assert "no run on this machine" in verify(project, code=1).out
    project.commit()
    assert "was GREEN" in verify(project, code=0).out
    verify(project, "HEAD~1", code=1)
    project.ralph("check", "--force")
    verify(project, "HEAD", code=0)


def test_a_record_names_the_tools_that_the_checks_ran_with(project: TestProject) -> None:
    def tools() -> object:
        project.ralph("check", "--force")
        return json.loads(chain_path().read_text().splitlines()[-1])["tools"]

    project.config("[[check]]\nname = 't'\nrun = ['.venv/bin/tool']\n").write(".gitignore", ".venv\n").commit()
    project.write(".venv/bin/tool", "#!/bin/sh\n").root.joinpath(".venv/bin/tool").chmod(0o755)
    before = tools()
    assert isinstance(before, dict) and list(before) == ["t"] and tools() == before
    project.write(".venv/bin/tool", "#!/bin/sh\n# another\n")
    assert tools() != before


def test_red_proves_nothing_and_the_newest_record_counts(project: TestProject) -> None:
    project.ralph("check")
    verify(project, code=0)
    project.config("[[check]]\nname = 't'\nrun = 'test -e ok && test -e /nonexistent'\n").commit()
    project.ralph("check")
    assert "was RED" in verify(project, code=1).out


def test_green_under_another_plan_is_no_proof(project: TestProject) -> None:
    project.ralph("check")
    assert project.ralph("seal").code == 0
    verify(project, code=0)
    project.config("[[check]]\nname = 't'\nrun = 'true'\n").ralph("seal")
    project.config("[[check]]\nname = 't'\nrun = 'test -e ok'\n")
    assert "under another plan" in verify(project, code=1).out


def test_green_with_untracked_files_beside_it_is_said(project: TestProject) -> None:
    project.write("scratch.txt", "x")
    stop(project).lets_go("ALLOW")
    assert "untracked files beside it" in verify(project, code=1).out
    project.write(".gitignore", "scratch.txt\n").commit()
    stop(project).lets_go("ALLOW")
    verify(project, code=0)


@pytest.mark.parametrize("damage", ["change", "remove", "insert", "garbage"])
def test_a_broken_chain_is_named(project: TestProject, damage: str) -> None:
    for n in range(3):
        project.write("src.txt", str(n)).ralph("check")
    project.commit()
    verify(project, code=0)
    lines = chain_path().read_text().splitlines()
    broken = {
        "change": [lines[0].replace("GREEN", "RED"), *lines[1:]],
        "remove": [lines[0], *lines[2:]],
        "insert": [lines[0], lines[0], *lines[1:]],
        "garbage": [lines[0], "xx", *lines[1:]],
    }
    chain_path().write_text("\n".join(broken[damage]) + "\n")
    assert "chain of receipts is broken: line" in verify(project, code=1).out


def test_the_chain_survives_pruning_by_a_checkpoint(project: TestProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipts, "PRUNE_ABOVE", 10)
    monkeypatch.setattr(receipts, "KEEP", 4)
    found = find_project(str(project.root))
    assert found is not None
    for n in range(30):
        run = Run(f"r{n}", 0.0)
        run.checks = [CheckResult("t", "GREEN")]
        run.digest_before = run.digest_after = "same"
        run.receipt_digest = f"d{n}"
        assert receipts.add(found, "plan", run)
    records = list(receipts.read(found))
    assert 4 < len(records) <= 10 and records[0]["checkpoint"] is True
    assert receipts.find(found, "d29", "plan") is not None


def test_nothing_is_noted_for_a_content_that_moved_or_is_unknown(project: TestProject) -> None:
    found = find_project(str(project.root))
    assert found is not None
    run = Run("r", 0.0)
    run.checks = [CheckResult("t", "GREEN")]
    assert not receipts.add(found, "plan", run)
    run.receipt_digest, run.digest_before, run.digest_after = "d", "a", "b"
    assert not receipts.add(found, "plan", run)


def branch(project: TestProject) -> TestProject:
    git(project.root, "switch", "-q", "-c", "work")
    return project


def test_ci_runs_the_plan_of_the_base_branch(project: TestProject) -> None:
    branch(project)
    verify(project, "--run", code=0)
    project.config("[[check]]\nname = 't'\nrun = 'true'\n")
    (project.root / "ok").unlink()
    project.commit()
    assert "verdict: RED" in verify(project, "--run", code=1).out
    assert json.loads(verify(project, "--run", "--json", code=1).out)["run"]["verdict"] == "RED"


def test_ci_names_scripts_that_are_not_the_bases(tmp_path: Path) -> None:
    project = make_project(tmp_path / "web").write("package.json", '{"scripts": {"test": "test -e ok"}}')
    project.config("[[check]]\nname = 't'\nrun = ['npm', 'test']\n").commit()
    branch(project).write("package.json", '{"scripts": {"test": "true"}}').commit()
    out = verify(project, "--run", code=1).out
    assert "verdict: GREEN" in out and "scripts.test of the check `t` is not what was approved" in out
    verify(project, "--run", "--accept-changes", code=0)


def test_questions_that_cannot_be_asked(project: TestProject, tmp_path: Path) -> None:
    assert "names no commit" in verify(project, "nosuch", code=2).err
    git(project.root, "branch", "-m", "odd")
    assert "no base branch is in this clone" in verify(project, "--run", code=2).err
    project.env = {"GITHUB_BASE_REF": "develop"}
    assert "`origin/develop` is" in verify(project, "--run", code=2).err
    assert "go with `--run`" in verify(project, "--base", "x", code=2).err


def test_a_shallow_clone_of_a_pull_request(project: TestProject, tmp_path: Path) -> None:
    branch(project).write("src.txt", "2").commit()
    url = f"file://{project.root}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", "-b", "work", url, str(tmp_path / "ci")], check=True)
    clone = TestProject(tmp_path / "ci", {"GITHUB_BASE_REF": "main"})
    assert "fetch-depth: 0" in verify(clone, "--run", code=2).err
    git(clone.root, "fetch", "-q", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    verify(clone, "--run", code=0)


def test_a_run_that_is_told_to_end_takes_its_suite_with_it(project: TestProject) -> None:
    pid = project.root.parent / "pid"
    project.config(f"[[check]]\nname = 't'\nrun = 'echo $$ > {pid}; exec sleep 600'\n").commit()
    running = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "verify", "--run"],
        cwd=project.root, env=os.environ | {"PYTHONPATH": str(REPOSITORY)}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not (pid.exists() and pid.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    running.send_signal(signal.SIGTERM)
    assert running.wait(10) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_note_travels_and_proves_nothing(project: TestProject, tmp_path: Path) -> None:
    project.config("[[check]]\nname = 't'\nrun = 'test -e ok'\n[guard]\nnotes = true\n").commit()
    project.ralph("check")
    before = git(project.root, "log", "--format=%H", "--all", "--not", "--glob=refs/notes/*")
    assert "noted below `refs/notes/ralph-hooks`" in verify(project, code=0).out
    assert git(project.root, "log", "--format=%H", "--all", "--not", "--glob=refs/notes/*") == before
    git(tmp_path, "clone", "-q", str(project.root), "other")
    other = TestProject(tmp_path / "other")
    git(other.root, "fetch", "-q", "origin", "refs/notes/ralph-hooks:refs/notes/ralph-hooks")
    assert "a note claims that it was GREEN" in verify(other, code=1).out
