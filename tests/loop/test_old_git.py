"""`--commit green` with a git that cannot run hooks itself, and with one that is too old."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.loop.test_commit import ARGS, GREEN, hook, subjects
from tests.support.looping import COMPLETE, Agent, agent
from tests.support.project import git

# Says an old version and refuses what came later.
OLD = """\
#!/bin/bash
for word in "$@"; do
  case $word in
    version|--version) echo "git version {version}.3 (a vendor's)"; exit 0;;
    hook) echo "git: 'hook' is not a git command. See 'git --help'." >&2; exit 1;;
    --sparse) echo "error: unknown option sparse" >&2; exit 129;;
  esac
done
exec {real} "$@"
"""


def with_git(scripted: Agent, version: str) -> Agent:
    place = scripted.place / "bin"
    place.mkdir()
    fake = place / "git"
    fake.write_text(OLD.format(version=version, real=shutil.which("git")))
    fake.chmod(0o755)
    scripted.project.env["PATH"] = f"{place}:/usr/local/bin:/usr/bin:/bin"
    return scripted


@pytest.mark.parametrize("place", ["", "hooks of ours"])
def test_hooks_run_all_the_same(tmp_path: Path, place: str) -> None:
    scripted = with_git(agent(tmp_path, f"echo 'x  ' > code; {GREEN}", COMPLETE), "2.25")
    hook(scripted, "pre-commit", f"sed -i 's/ *$//' code; git diff --cached --name-only >> {tmp_path}/seen")
    hook(scripted, "commit-msg", "sed -i '1s/^/feat: /' \"$1\"")
    hook(scripted, "post-commit", f"git rev-parse HEAD >> {tmp_path}/post")
    (scripted.project.root / ".git/hooks/prepare-commit-msg").write_text("#!/bin/sh\nexit 1\n")  # not executable
    if place:
        shutil.move(scripted.project.root / ".git/hooks", scripted.project.root / ".git" / place)
        git(scripted.project.root, "config", "core.hooksPath", f".git/{place}")
    scripted.loop(*ARGS).ends(0)
    assert git(scripted.project.root, "show", "HEAD:code") == "x\n"
    assert subjects(scripted.project)[0] == "feat: ralph: make-it-work, round 2"
    assert "code\n" in (tmp_path / "seen").read_text()
    assert (tmp_path / "post").read_text().splitlines()[-1] == git(scripted.project.root, "rev-parse", "HEAD").strip()
    assert git(scripted.project.root, "status", "--porcelain") == ""


def test_a_hook_that_refuses_is_named(tmp_path: Path) -> None:
    scripted = with_git(agent(tmp_path, GREEN, COMPLETE), "2.33")
    hook(scripted, "pre-commit", "echo no secrets please >&2; exit 1")
    scripted.loop(*ARGS).ends(0, "round 1 was not committed: the pre-commit hook refused: no secrets please")
    assert subjects(scripted.project) == ["work"]


def test_hooks_of_a_worktree(tmp_path: Path) -> None:
    scripted = with_git(agent(tmp_path, GREEN, COMPLETE), "2.30")
    hook(scripted, "commit-msg", "sed -i '1s/^/feat: /' \"$1\"")
    scripted.loop(*ARGS, "--isolate", "--name", "night").ends(0)
    assert subjects(scripted.project, "ralph/night")[0] == "feat: ralph: night, round 2"


def test_a_git_that_is_too_old_is_refused_before_anything_starts(tmp_path: Path) -> None:
    scripted = with_git(agent(tmp_path, GREEN), "2.17")
    done = scripted.loop(*ARGS).ends(2)
    assert done.err == (
        "error: --commit needs git 2.20 or newer, and this is git 2.17\nhint: upgrade git, or leave --commit out\n"
    )
    assert scripted.started == 0
    scripted.loop("Make it work", "--max-rounds", "1").ends(4)
