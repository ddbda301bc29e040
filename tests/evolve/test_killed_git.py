"""A git of ours that is killed in the middle: what it left is put right, or is not in the way (E10, E11, E13)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ralph_hooks.evolve import clone
from ralph_hooks.evolve.call import as_json
from ralph_hooks.evolve.commit import Tree, commit_all, keep_promise
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.refusal import parse_call
from ralph_hooks.loop.git import GitError
from tests.support.project import REPOSITORY, TestProject, git, make_project

# Dies in `git clone` when the directory is half made.
DYING = """\
#!/bin/bash
for last in "$@"; do :; done
if [ "$1" = clone ]; then mkdir -p "$last/.git"; kill -9 $$; fi
exec {real} "$@"
"""


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "repository").write("a.txt", "1\n").write("gone.txt", "1\n").commit()


def order(remote: Path) -> Order:
    call = as_json(parse_call({"lineage_id": "far", "git_remote": str(remote)}))
    return Order(
        lineage_id="far", job_id="job_0123456789ab", generation=1, run_id="r", execute=True, seconds=60, bound="",
        seed="", call=call, settings={"inside": ".", "config_path": ""},
    )  # fmt: skip


def test_a_clone_that_was_cut_is_made_anew(
    project: TestProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(DYING.format(real=shutil.which("git")))
    fake.chmod(0o755)
    wanted = order(project.root)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
        with pytest.raises(GitError, match="git clone"):
            clone.prepare(wanted)
    for _ in range(2):
        root = Path(clone.prepare(wanted).settings["root"])
        assert (root / "a.txt").read_text() == "1\n"
        (root / ".git" / "index.lock").touch()  # and so dies a `git add`


KILLED = """\
import os, sys
from ralph_hooks.evolve import commit
from ralph_hooks.loop import index
index.keep_promise = lambda git, scratch: "" if not git.ask("log", "-1", "--grep=ours") else os.kill(os.getpid(), 9)
commit.commit_all(commit.Tree(sys.argv[1]), "ours\\n")
"""


def test_a_maker_killed_between_commit_and_index_stages_no_reversal(project: TestProject) -> None:
    root = project.root
    project.write("a.txt", "2\n").write("new.txt", "x\n").write("staged.txt", "mine\n")
    (root / "gone.txt").unlink()
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([sys.executable, "-c", KILLED, str(root)], env=env, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert git(root, "log", "--format=%s").splitlines() == ["ours", "work"]
    assert git(root, "diff", "--cached", "--name-only") != ""
    keep_promise(Tree(str(root)))
    assert git(root, "status", "--porcelain") == ""
    keep_promise(Tree(str(root)))


def test_a_commit_that_a_hook_refused_leaves_no_promise(project: TestProject) -> None:
    hook = project.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    project.write("a.txt", "2\n")
    with pytest.raises(GitError):
        commit_all(Tree(str(project.root)), "ours\n")
    hook.unlink()
    git(project.root, "commit", "-qam", "mine")
    project.write("a.txt", "1\n")
    git(project.root, "add", "a.txt")  # a reversal that the person wants
    keep_promise(Tree(str(project.root)))
    assert git(project.root, "diff", "--cached", "--name-only") == "a.txt\n"
