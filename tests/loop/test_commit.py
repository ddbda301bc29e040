"""`--commit green`: green rounds become commits, and nothing that a person has in their repository is touched (F20)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.looping import COMPLETE, CONTINUE, Agent, agent
from tests.support.project import TestProject, git, make_project

GREEN = f"touch ok; {CONTINUE}"
ARGS = ("Make it work", "--commit", "green")


def subjects(project: TestProject, ref: str = "HEAD") -> list[str]:
    return git(project.root, "log", "--format=%s", ref).splitlines()


def files(project: TestProject, ref: str = "HEAD") -> set[str]:
    return set(git(project.root, "ls-tree", "-r", "--name-only", ref).splitlines())


def hook(scripted: Agent, name: str, text: str) -> None:
    path = scripted.project.root / ".git/hooks" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_green_rounds_are_committed_and_red_ones_are_not(tmp_path: Path) -> None:
    steps = (f"echo 1 > a; {CONTINUE}", f"echo 2 > b; rm README; {GREEN}", f"echo 3 > 'ü ß'; {COMPLETE}")
    scripted = agent(tmp_path, *steps)
    scripted.loop(*ARGS).ends(0)
    project = scripted.project
    assert subjects(project) == ["ralph: make-it-work, round 3", "ralph: make-it-work, round 2", "work"]
    body = git(project.root, "log", "-1", "--format=%B")
    assert body.strip().endswith("Ralph-Loop: make-it-work\nRalph-Round: 3\nRalph-Verdict: GREEN")
    assert "- it works" in body
    state = {f".ralph/make-it-work/{name}" for name in ("handoff.json", "objective.md", "plan.md", "rounds.jsonl")}
    assert state | {"a", "b", "ok"} <= files(project)
    assert "README" not in files(project)
    assert git(project.root, "status", "--porcelain") == ""
    assert git(project.root, "show", "HEAD:.ralph/make-it-work/rounds.jsonl").count("\n") == 3


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"touch ok; {COMPLETE}", repository=False)
    git(scripted.project.root, "init", "-q", "-b", "main")
    scripted.loop(*ARGS).ends(2, "--commit would carry away changes that are here already: README, ralph-hooks.toml")
    (scripted.project.root / ".git/info/exclude").write_text("README\nralph-hooks.toml\n")
    scripted.loop(*ARGS).ends(0)
    assert subjects(scripted.project) == ["ralph: make-it-work, round 1"]
    assert git(scripted.project.root, "status", "--porcelain") == ""


@pytest.mark.parametrize("how", ["untracked", "modified", "staged", "deleted"])
def test_a_dirty_start_is_refused(tmp_path: Path, how: str) -> None:
    scripted = agent(tmp_path, GREEN)
    root = scripted.project.root
    if how == "deleted":
        (root / "README").unlink()
    else:
        (root / ("new" if how == "untracked" else "README")).write_text("mine\n")
    if how == "staged":
        git(root, "add", "README")
    before = git(root, "status", "--porcelain")
    scripted.loop(*ARGS).ends(2, "--commit would carry away changes that are here already", "--isolate")
    assert scripted.started == 0
    assert git(root, "status", "--porcelain") == before


@pytest.mark.parametrize("name", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge"])
def test_a_merge_under_way_is_refused(tmp_path: Path, name: str) -> None:
    scripted = agent(tmp_path, GREEN)
    (scripted.project.root / ".git" / name).write_text(git(scripted.project.root, "rev-parse", "HEAD"))
    scripted.loop(*ARGS).ends(2, "is in the middle of a merge or rebase")


@pytest.mark.parametrize("options", [("--no-verify",), ()])
def test_without_a_check_nothing_can_be_green(tmp_path: Path, options: tuple[str, ...]) -> None:
    scripted = agent(tmp_path, GREEN)
    if not options:
        text = (scripted.project.root / "ralph-hooks.toml").read_text()
        scripted.project.config(text[text.index("[loop]") :]).commit()
    scripted.loop(*ARGS, *options).ends(2, "--commit green needs a check that can be green")


def test_what_a_person_does_meanwhile_stays_theirs(tmp_path: Path) -> None:
    """Staged, stashed and untracked work that a person makes in the middle of a round."""
    person = """
        echo old > kept; git add kept; git stash -q
        echo staged > README; git add README; echo worktree > README
        echo later > later; git add -N later
        """
    scripted = agent(tmp_path, f"{person}\n{GREEN}", COMPLETE)
    scripted.loop(*ARGS).ends(0)
    root = scripted.project.root
    assert git(root, "stash", "list").count("\n") == 1
    assert git(root, "show", ":README") == "staged\n"
    assert (root / "README").read_text() == "worktree\n"
    assert git(root, "show", "HEAD:README") == "worktree\n"
    assert git(root, "diff", "--cached", "--name-only").splitlines() == ["README"]


def test_the_index_moves_with_the_branch_also_for_renames_modes_links_and_directories(tmp_path: Path) -> None:
    make = "mkdir -p d e; echo 1 > d/1; echo 2 > d/2; echo 3 > f; echo 4 > g; ln -s f l"
    change = "git mv d/1 d/one; rm -r d/2; mkdir d/2; echo x > d/2/x; rm f; mkdir f; echo y > f/y; "
    change += "chmod +x g; ln -sfn g l"
    scripted = agent(tmp_path, f"{make}; {GREEN}", f"{change}; {COMPLETE}")
    scripted.loop(*ARGS).ends(0)
    root = scripted.project.root
    assert git(root, "status", "--porcelain") == ""
    assert {"d/one", "d/2/x", "f/y", "g", "l"} <= files(scripted.project)
    assert "120000" in git(root, "ls-tree", "HEAD", "l")
    assert "100755" in git(root, "ls-tree", "HEAD", "g")


def test_a_head_that_moved_meanwhile_is_left_alone_and_named(tmp_path: Path) -> None:
    own, other = "git commit -q --allow-empty -m own", "git checkout -q -b other"
    scripted = agent(tmp_path, f"{own}; {GREEN}", f"{other}; {CONTINUE}", COMPLETE)
    moved = "was not committed: HEAD moved during the round, from main ("
    done = scripted.loop(*ARGS).ends(0, f"round 1 {moved}", f"round 2 {moved}")
    assert subjects(scripted.project) == ["ralph: make-it-work, round 3", "own", "work"]
    assert git(scripted.project.root, "branch", "--show-current") == "other\n"
    assert done.rounds[1]["amends"] is True
    assert "The round was not committed: HEAD moved" in scripted.prompt(2)


def test_another_branch_takes_the_commits_and_the_current_one_stays(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"echo 1 > a; {GREEN}", f"echo 2 > a; {COMPLETE}")
    scripted.loop(*ARGS, "--branch", "night/1").ends(0)
    project = scripted.project
    assert subjects(project, "night/1") == ["ralph: make-it-work, round 2", "ralph: make-it-work, round 1", "work"]
    assert subjects(project) == ["work"]
    assert git(project.root, "branch", "--show-current") == "main\n"
    # the work is here too, and on the branch: the next night may go on from it
    scripted.plays(f"echo 3 > a; {COMPLETE}").loop(*ARGS, "--branch", "night/1").ends(0)
    assert len(subjects(project, "night/1")) == 4
    (project.root / "mine").write_text("x")
    scripted.loop(*ARGS, "--branch", "night/1").ends(2, "changes that are here already: mine")


@pytest.mark.parametrize(
    ("branch", "says"),
    [("a..b", "cannot be a branch"), ("-x", "cannot be a branch"), ("there", "is checked out in another worktree")],
)
def test_branches_that_cannot_be(tmp_path: Path, branch: str, says: str) -> None:
    scripted = agent(tmp_path, GREEN)
    git(scripted.project.root, "worktree", "add", "-q", "-b", "there", str(tmp_path / "there"))
    scripted.loop(*ARGS, f"--branch={branch}").ends(2, says)
    assert scripted.started == 0


def test_a_hook_that_refuses_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    scripted = agent(tmp_path, GREEN, COMPLETE)
    hook(scripted, "pre-commit", "echo no secrets please >&2; exit 1")
    done = scripted.loop(*ARGS).ends(0, "round 1 was not committed: the pre-commit hook refused: no secrets please")
    assert subjects(scripted.project) == ["work"]
    assert git(scripted.project.root, "diff", "--cached", "--name-only") == ""
    assert "no secrets please" in scripted.prompt(2)
    assert done.rounds[-1]["verdict"] == "GREEN"


def test_hooks_see_what_is_committed_and_may_word_the_message(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"echo 1 > a; {GREEN}", COMPLETE)
    hook(scripted, "pre-commit", f"git diff --cached --name-only >> {tmp_path}/seen")
    hook(scripted, "commit-msg", "sed -i '1s/^/feat: /' \"$1\"")
    hook(scripted, "post-commit", f"git rev-parse HEAD >> {tmp_path}/post")
    scripted.loop(*ARGS).ends(0)
    assert "a\n" in (tmp_path / "seen").read_text()
    assert subjects(scripted.project)[0] == "feat: ralph: make-it-work, round 2"
    assert (tmp_path / "post").read_text().splitlines()[-1] == git(scripted.project.root, "rev-parse", "HEAD").strip()


def test_a_hook_that_changes_files_makes_the_gate_run_again(tmp_path: Path) -> None:
    checks = "[[check]]\nname = 'tests'\nrun = 'echo run >> ../runs; test -e ok && ! grep -q bad code'\n"
    scripted = agent(tmp_path, f"echo 'x  ' > code; {GREEN}", COMPLETE, checks=checks)
    hook(scripted, "pre-commit", "sed -i 's/ *$//' code")
    scripted.loop(*ARGS).ends(0)
    assert git(scripted.project.root, "show", "HEAD:code") == "x\n"
    assert git(scripted.project.root, "status", "--porcelain") == ""
    assert (tmp_path / "runs").read_text().count("run") == 3


def test_a_hook_that_makes_it_red_takes_the_completion_back(tmp_path: Path) -> None:
    checks = "[[check]]\nname = 'tests'\nrun = 'test -e ok && ! grep -q bad code'\n"
    scripted = agent(tmp_path, f"echo good > code; touch ok; {COMPLETE}", checks=checks)
    hook(scripted, "pre-commit", "echo bad > code")
    done = scripted.loop(*ARGS, "--max-rounds", "2").ends(4, "the gate is red", "then the checks said RED")
    assert subjects(scripted.project) == ["work"]
    assert done.rounds[-1]["verdict"] == "RED"


def test_a_repository_cloned_into_the_tree_is_left_out(tmp_path: Path) -> None:
    inner = "git init -q lib; git -C lib commit -q --allow-empty -m x"
    scripted = agent(tmp_path, f"{inner}; echo 1 > a; {GREEN}", COMPLETE)
    scripted.loop(*ARGS).ends(0)
    assert "a" in files(scripted.project)
    assert "lib" not in files(scripted.project)


def test_ignored_files_and_other_loops_stay_out(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"echo 1 > secret.env; {GREEN}", COMPLETE)
    scripted.project.write(".gitignore", "*.env\n").commit()
    scripted.project.write(".ralph/other/plan.md", "theirs")
    scripted.loop(*ARGS).ends(0)
    assert "secret.env" not in files(scripted.project)
    assert git(scripted.project.root, "status", "--porcelain", "-uall") == "?? .ralph/other/plan.md\n"


def test_an_ignored_record_is_not_forced_in(tmp_path: Path) -> None:
    scripted = agent(tmp_path, GREEN, COMPLETE)
    scripted.project.write(".gitignore", ".ralph/\n").commit()
    scripted.loop(*ARGS).ends(0)
    assert {"ok", "README"} <= files(scripted.project)
    assert not any(name.startswith(".ralph") for name in files(scripted.project))


def test_a_sparse_checkout_loses_nothing(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"echo 1 > in/a; {GREEN}", COMPLETE)
    root = scripted.project.root
    scripted.project.write("in/x", "1").write("out/y", "2").commit()
    git(root, "sparse-checkout", "set", "in")
    assert not (root / "out").exists()
    scripted.loop(*ARGS).ends(0)
    assert {"in/a", "in/x", "out/y", "ok"} <= files(scripted.project)
    assert git(root, "status", "--porcelain") == ""


def test_a_detached_head_moves_itself(tmp_path: Path) -> None:
    scripted = agent(tmp_path, GREEN, COMPLETE)
    git(scripted.project.root, "checkout", "-q", "--detach")
    scripted.loop(*ARGS).ends(0)
    assert len(subjects(scripted.project)) == 3
    assert subjects(scripted.project, "main") == ["work"]
    assert git(scripted.project.root, "status", "--porcelain") == ""


def test_a_project_below_the_top_level(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"echo 1 > a; {GREEN}", COMPLETE, repository=False)
    make_project(tmp_path)
    (tmp_path / ".gitignore").write_text("agent/\nhome*/\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "work")
    scripted.loop(*ARGS).ends(0)
    assert {"shop/a", "shop/ok", "shop/.ralph/make-it-work/rounds.jsonl"} <= files(scripted.project, "HEAD:./") | {
        f"shop/{name}" for name in git(tmp_path, "ls-tree", "-r", "--name-only", "HEAD:shop").splitlines()
    }
    assert git(tmp_path, "status", "--porcelain") == ""


def test_git_of_the_outside_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = make_project(tmp_path / "other").write("x", "1").commit()
    scripted = agent(tmp_path, GREEN, COMPLETE)
    before = git(other.root, "log", "--oneline")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere"))
    done = scripted.loop(*ARGS)
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    done.ends(0)
    assert git(other.root, "log", "--oneline") == before
    assert len(subjects(scripted.project)) == 3


def test_a_locked_index_is_said_and_the_commit_stands(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"touch .git/index.lock; {GREEN}", f"rm .git/index.lock; {COMPLETE}")
    scripted.loop(*ARGS, "--max-rounds", "1").ends(4, "the index still shows the state before the commit")
    assert len(subjects(scripted.project)) == 2


def test_isolated_rounds_work_beside_a_dirty_tree(tmp_path: Path) -> None:
    where = f"pwd > {tmp_path}/where"
    scripted = agent(tmp_path, f"{where}; echo 1 > a; {GREEN}", f"test -e node_modules/dep && {COMPLETE}")
    project = scripted.project
    project.write(".gitignore", "node_modules\n.venv/\n").commit()
    project.write("README", "mine\n").write("node_modules/dep", "").write(".venv/bin/x", "")
    project.write(".ralph/make-it-work/plan.md", "- [ ] mine\n")
    before = git(project.root, "status", "--porcelain")
    scripted.loop(*ARGS, "--isolate").ends(0, "works in the worktree")
    assert git(project.root, "status", "--porcelain") == before
    assert subjects(project) == ["work", "work"]
    assert subjects(project, "ralph/make-it-work")[0] == "ralph: make-it-work, round 2"
    worktree = Path((tmp_path / "where").read_text().strip())
    assert worktree != project.root
    assert (worktree / ".ralph/make-it-work/plan.md").read_text() == "- [ ] mine\n"
    assert ".venv" not in files(project, "ralph/make-it-work")
    assert os.path.islink(worktree / ".venv")
    again = scripted.plays(f"echo 2 > a; {COMPLETE}").loop(*ARGS, "--isolate")
    again.ends(0)
    assert len(subjects(project, "ralph/make-it-work")) == 5


def test_without_commit_the_ending_lists_the_files_of_the_loop(tmp_path: Path) -> None:
    agent(tmp_path, f"touch ok; {COMPLETE}").loop().ends(
        0, "not committed: .ralph/make-it-work/handoff.json, .ralph/make-it-work/objective.md, "
    )


def test_a_driver_killed_between_branch_and_index_puts_the_index_right_when_it_goes_on(tmp_path: Path) -> None:
    scripted = agent(tmp_path, f"echo 1 > a; {GREEN}", COMPLETE)
    # git's parent is the driver; the branch has just moved
    kill = '[ "$1" = committed ] || exit 0; kill -9 $(cut -d" " -f4 /proc/$PPID/stat)'
    hook(scripted, "reference-transaction", kill)
    assert scripted.loop(*ARGS).code == -9
    root = scripted.project.root
    assert len(subjects(scripted.project)) == 2
    assert "D  a" in git(root, "status", "--porcelain")
    (root / ".git/hooks/reference-transaction").unlink()
    scripted.loop("--resume", "--commit", "green").ends(0, "Ralph completed after 2 rounds.")
    assert git(root, "status", "--porcelain") == ""
    assert len(subjects(scripted.project)) == 3


def test_an_isolated_loop_goes_on_in_its_worktree(tmp_path: Path) -> None:
    scripted = agent(tmp_path, GREEN)
    scripted.loop(*ARGS, "--isolate", "--max-rounds", "1").ends(4)
    scripted.plays(f"echo 2 > a; {COMPLETE}")
    scripted.loop("--resume", "--isolate", "--commit", "green").ends(0, "Ralph completed after 2 rounds.")
    assert subjects(scripted.project, "ralph/make-it-work")[0] == "ralph: make-it-work, round 2"
    assert not (scripted.project.root / ".ralph").exists()
