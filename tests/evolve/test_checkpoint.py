"""E13: checkpoint commits; cases 41 to 43."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from ralph_hooks.evolve.call import as_json
from ralph_hooks.evolve.checkpoint import take, take_final
from ralph_hooks.evolve.commit import Tree, commit_all, is_secret
from ralph_hooks.evolve.order import Order
from ralph_hooks.evolve.qa import Outcome
from ralph_hooks.evolve.refusal import parse_call
from ralph_hooks.evolve.seed import parse_seed
from ralph_hooks.loop.git import GitError
from tests.support.project import TestProject, git, make_project

SEED = parse_seed("goal: do it\nacceptance_criteria: [one thing, another thing]\n")


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "repository").write("a.txt", "1\n").write("b c.txt", "1\n").commit()


def order(policy: str = "ac_checkpoint", **keys: Any) -> Order:
    call = as_json(parse_call({"lineage_id": "l", "commit_policy": policy, **keys}))
    return Order(
        lineage_id="l", job_id="job_0123456789ab", generation=2, run_id="r", execute=True, seconds=60, bound="",
        seed="", call=call, settings={}, attempted=list(call["checkpoint_attempted_ac_ids"]),
    )  # fmt: skip


def passed(*ids: str) -> list[Outcome]:
    return [Outcome(name=id, verdict="GREEN", criterion=True) for id in ids]


def shown(project: TestProject, what: str = "HEAD") -> list[str]:
    names = git(project.root, "show", "--name-only", "--format=", "-z", what)
    return sorted(name for name in names.split("\0") if name)


def state(project: TestProject) -> str:
    return git(project.root, "status", "--porcelain", "--untracked-files=all")


def test_case_41_two_criteria_that_pass_together_share_one_commit_that_names_both(project: TestProject) -> None:
    project.write("a.txt", "2\n")
    record, notes = take(
        order(execution_id="e1", auto_session_id="s1"), SEED, passed("AC-1", "AC-2"), str(project.root)
    )
    assert record is not None
    assert record["ac_ids"] == ["AC-1", "AC-2"]
    assert record["commit"] == git(project.root, "rev-parse", "HEAD").strip()
    assert notes == []
    text = git(project.root, "log", "-1", "--format=%B")
    assert text.startswith("AC-1, AC-2: do it\n\nAC-1: one thing\nAC-2: another thing\n")
    assert git(project.root, "log", "-1", "--format=%(trailers)").split("\n")[:5] == [
        "Execution-Id: e1",
        "Auto-Session-Id: s1",
        "Acceptance-Criterion: AC-1",
        "Acceptance-Criterion: AC-2",
        "Commit-Policy: ac_checkpoint",
    ]
    assert state(project) == ""


def test_criteria_that_an_earlier_checkpoint_took_are_left_alone(project: TestProject) -> None:
    project.write("a.txt", "2\n")
    record, _ = take(order(checkpoint_attempted_ac_ids=["AC-1"]), SEED, passed("AC-1"), str(project.root))
    assert record is None
    assert state(project) == " M a.txt\n"


@pytest.mark.parametrize("name", ["a.txt", "b c.txt", "neu\nline.txt", "ä.txt", "-x", ":(top)y", "*.md", "d/e f.txt"])
def test_case_42_any_path_is_committed_under_its_whole_name(project: TestProject, name: str) -> None:
    project.write(name, "2\n")
    made = commit_all(Tree(str(project.root)), "m\n")
    assert made.paths == [name]
    assert shown(project) == [name]
    assert state(project) == ""


def test_renames_are_committed_whole(project: TestProject) -> None:
    os.rename(project.root / "a.txt", project.root / "z.txt")
    assert sorted(commit_all(Tree(str(project.root)), "m\n").paths) == ["a.txt", "z.txt"]
    assert git(project.root, "ls-tree", "-r", "--name-only", "HEAD").split("\n")[:-1] == ["b c.txt", "z.txt"]
    assert state(project) == ""


def test_case_43_a_failing_commit_hook_leaves_nothing_staged_and_may_be_tried_again(project: TestProject) -> None:
    hook = project.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no way >&2\nexit 1\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    project.write("a.txt", "2\n").write("new.txt", "x")
    head = git(project.root, "rev-parse", "HEAD")
    record, notes = take(order(), SEED, passed("AC-1"), str(project.root))
    assert record is None
    assert notes == ["no checkpoint for AC-1: git commit: no way; it may be tried again"]
    assert git(project.root, "rev-parse", "HEAD") == head
    assert git(project.root, "diff", "--cached", "--name-only") == ""
    assert state(project) == " M a.txt\n?? new.txt\n"
    hook.unlink()
    again, _ = take(order(), SEED, passed("AC-1"), str(project.root))
    assert again is not None
    assert shown(project) == ["a.txt", "new.txt"]


def test_secrets_are_left_out_and_named(project: TestProject) -> None:
    project.write("config/client_Secret.json", "k").commit()
    for name in (".env", ".env.local", "aws-credentials", "my-secrets/x", "config/client_Secret.json", "code.py"):
        project.write(name, "new")
    record, notes = take(order(), SEED, passed("AC-1"), str(project.root))
    assert record is not None
    assert record["paths"] == ["code.py"]
    assert notes == [
        "left out of the checkpoint: .env, .env.local, aws-credentials, config/client_Secret.json, my-secrets/x"
    ]
    assert shown(project) == ["code.py"]
    assert " M config/client_Secret.json" in state(project)


@pytest.mark.parametrize("path", [b".env", b"a/.ENVRC", b"x/Credentials.yml", b"TopSecret", b"secret/a"])
def test_what_looks_like_a_secret(path: bytes) -> None:
    assert is_secret(path)
    assert not is_secret(b"environment.py")


def test_what_a_person_staged_or_stashed_stays(project: TestProject) -> None:
    project.write("a.txt", "stashed\n")
    git(project.root, "stash")
    (project.root / "sub").mkdir()
    project.write("b c.txt", "staged\n")
    git(project.root, "add", "b c.txt")
    project.write("sub/x.txt", "new")
    made = commit_all(Tree(str(project.root / "sub")), "m\n")
    assert made.paths == ["sub/x.txt"]
    assert state(project) == 'M  "b c.txt"\n'
    assert git(project.root, "stash", "list").startswith("stash@{0}")


def test_only_what_is_below_the_project_root_is_committed(project: TestProject) -> None:
    project.write("packages/api/x.py", "1").write("other/y.py", "1")
    assert commit_all(Tree(str(project.root / "packages" / "api")), "m\n").paths == ["packages/api/x.py"]
    assert state(project) == "?? other/y.py\n"


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    project = make_project(tmp_path / "fresh").write("x", "1")
    assert commit_all(Tree(str(project.root)), "m\n").paths == ["x"]
    assert state(project) == ""


def test_nothing_to_commit_makes_no_commit(project: TestProject) -> None:
    assert commit_all(Tree(str(project.root)), "m\n").commit == ""
    record, notes = take(order(), SEED, passed("AC-1"), str(project.root))
    assert record is None
    assert notes == ["no checkpoint for AC-1: there was nothing to commit"]


def test_a_commit_whose_record_was_lost_is_found_again(project: TestProject) -> None:
    project.write("a.txt", "2\n")
    first, _ = take(order(), SEED, passed("AC-1"), str(project.root))
    again, _ = take(order(), SEED, passed("AC-1"), str(project.root))
    assert first is not None
    assert again is not None
    assert again["commit"] == first["commit"]


def test_a_moved_head_makes_no_commit(project: TestProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("a.txt", "2\n")
    tree = Tree(str(project.root))
    heads = iter([tree.head(), "f" * 40])
    monkeypatch.setattr(tree, "head", lambda: next(heads))
    with pytest.raises(GitError, match="HEAD has moved meanwhile"):
        commit_all(tree, "m\n")
    assert state(project) == " M a.txt\n"


def test_final_only_commits_once_at_the_end(project: TestProject) -> None:
    project.write("a.txt", "2\n")
    assert take(order("final_only"), SEED, passed("AC-1"), str(project.root)) == (None, [])
    record, _ = take_final(order("final_only"), SEED, passed("AC-1"), str(project.root))
    assert record is not None
    assert "Commit-Policy: final_only" in git(project.root, "log", "-1", "--format=%B")
    assert take_final(order("none"), SEED, passed("AC-1"), str(project.root)) == (None, [])


def test_a_linked_worktree_works_too(project: TestProject, tmp_path: Path) -> None:
    other = tmp_path / "linked"
    git(project.root, "worktree", "add", "-q", "-b", "side", str(other))
    (other / "n.txt").write_text("x")
    assert commit_all(Tree(str(other)), "m\n").paths == ["n.txt"]
    assert git(other, "status", "--porcelain") == ""
    assert state(project) == ""


def test_a_merge_under_way_is_not_concluded(project: TestProject) -> None:
    (project.root / ".git" / "MERGE_HEAD").write_text(git(project.root, "rev-parse", "HEAD"))
    project.write("a.txt", "2\n")
    record, notes = take(order(), SEED, passed("AC-1"), str(project.root))
    assert record is None
    assert "in the middle of a merge or rebase" in notes[0]


def test_our_own_plan_is_committed_and_the_state_of_others_is_not(project: TestProject) -> None:
    project.write(".ralph/l/plan.md", "plan").write(".ralph/other/plan.md", "x").write("a.txt", "2\n")
    record, _ = take(order(), SEED, passed("AC-1"), str(project.root))
    assert record is not None
    assert sorted(record["paths"]) == [".ralph/l/plan.md", "a.txt"]
    assert state(project) == "?? .ralph/other/plan.md\n"
