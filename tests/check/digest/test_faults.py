"""A shadow that is damaged, held, full or raced: right, or no digest at all; never an exception, never wrong."""

from __future__ import annotations

import fcntl
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph_hooks import paths
from ralph_hooks.check.digest import TreeDigest, digest_of_paths, known, shadow
from ralph_hooks.plan.locate import Project
from tests.check.digest.harness import Tree, make_tree
from tests.support.project import REPOSITORY

DIGEST = """
import sys
from ralph_hooks.check.digest import TreeDigest
from ralph_hooks.plan.locate import Project
print(TreeDigest.start(Project(sys.argv[1], sys.argv[1], "")).result())
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return make_tree(tmp_path / "tree")


def apart(tree: Tree, prepare: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """A digest in a process of its own, `prepare` called in it first."""
    return subprocess.Popen(
        [sys.executable, "-c", DIGEST, str(tree.root)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509 - limits are set in the child, and no thread runs
    )


def remove(name: str) -> Callable[[Path], None]:
    return lambda path: (path / name).unlink()


def fill(name: str, text: bytes) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        (path / name).write_bytes(text)

    return damage


def cut(name: str) -> Callable[[Path], None]:
    return lambda path: os.truncate(path / name, (path / name).stat().st_size // 2)


def replace_by_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("x")


def pipe(name: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        (path / name).unlink(missing_ok=True)
        os.mkfifo(path / name)

    return damage


def directory(name: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        (path / name).unlink(missing_ok=True)
        (path / name).mkdir()

    return damage


DAMAGES: dict[str, Callable[[Path], None]] = {
    "no index": remove("index"),
    "index is garbage": fill("index", b"DIRC garbage"),
    "index is empty": fill("index", b""),
    "index cut in half": cut("index"),
    "no memo": remove("memo"),
    "memo is garbage": fill("memo", b"\0" * 500),
    "memo cut in half": cut("memo"),
    "no config": remove("config"),
    "another config": fill("config", b"[core]\n\tautocrlf = true\n"),
    "no attributes": remove("info/attributes"),
    "no HEAD": remove("HEAD"),
    "no objects": lambda path: shutil.rmtree(path / "objects"),
    "a left-over lock": fill("index.lock", b""),
    "nothing": shutil.rmtree,
    "index is a pipe": pipe("index"),
    "index is a directory": directory("index"),
    "memo is a pipe": pipe("memo"),
    "listing is a directory": directory("listing"),
    "config is a pipe": pipe("config"),
    "the lock is a pipe": pipe("../tree.lock"),
    "the lock is a directory": directory("../tree.lock"),
    "a file": replace_by_file,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_shadow_is_rebuilt(tree: Tree, damage: str) -> None:
    tree.write("new.py", "new\n")
    before = tree.digest()
    DAMAGES[damage](tree.shadow)
    assert tree.digest() == before
    tree.write("a.py", "ONE\n")
    after = tree.digest()
    assert after not in ("", before)
    assert tree.digest() == after
    leftovers = [path.name for path in tree.shadow.parent.iterdir() if ".odd-" not in path.name]
    assert sorted(leftovers) == ["tree", "tree.lock"]


def test_no_repository(tmp_path: Path) -> None:
    plain = make_tree(tmp_path / "plain", repository=False)
    assert (plain.digest(), plain.receipt()) == ("", "")
    assert not known(plain.project)


def test_no_git(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    before, path = tree.digest(), os.environ["PATH"]
    monkeypatch.setenv("PATH", "/nonexistent")
    assert (tree.digest(), tree.receipt()) == ("", "")
    monkeypatch.setenv("PATH", path)
    assert tree.digest() == before


@pytest.mark.parametrize("text", [b"", b"DIRC", b"garbage" * 100], ids=["empty", "short", "garbage"])
def test_corrupt_index_of_the_person(tree: Tree, text: bytes) -> None:
    tree.digest()
    tree.path(".git/index").write_bytes(text)
    assert tree.digest() == ("" if text else tree.digest_from_scratch(tree.root.parent / "state"))
    tree.path(".git/index").unlink()
    tree.git("reset", "-q")
    assert len(tree.digest()) == 40


@pytest.mark.parametrize("text", ["gitdir: /nowhere", "nonsense", ""])
def test_git_file_that_leads_nowhere(tree: Tree, text: str) -> None:
    shutil.rmtree(tree.path(".git"))
    tree.path(".git").write_text(text)
    assert (tree.digest(), tree.receipt()) == ("", "")


def test_tree_that_is_gone(tree: Tree) -> None:
    project = tree.project
    tree.digest()
    shutil.rmtree(tree.root)
    assert TreeDigest.start(project).result() == ""


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null"])
def test_state_that_cannot_be_written(tree: Tree, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", place)
    assert (tree.digest(), tree.receipt()) == ("", "")


def test_shadow_that_can_no_longer_be_written(tree: Tree) -> None:
    before = tree.digest()
    (tree.shadow / "index.lock").mkdir()
    tree.write("a.py", "ONE\n")
    assert tree.digest() == ""
    (tree.shadow / "index.lock").rmdir()
    assert tree.digest() not in ("", before)


def test_full_disk(tree: Tree) -> None:
    """A limit on file sizes is what a full disk looks like from here."""
    for number in range(50):
        tree.write(f"many/{number}.py", f"{number}\n")
    before = tree.digest()
    for number in range(50, 100):
        tree.write(f"many/{number}.py", f"{number}\n")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    done = apart(tree, limit)
    assert (done.communicate()[0], done.returncode) == ("\n", 0)
    after = tree.digest()
    assert after not in ("", before)
    assert after == tree.digest_from_scratch(tree.root.parent / "state")


def test_held_by_a_stranger(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree.digest()
    monkeypatch.setattr(shadow, "LOCK_SECONDS", 0.2)
    with (tree.shadow.parent / "tree.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        begin = time.monotonic()
        assert tree.digest() == ""
        assert time.monotonic() - begin < 5
    assert tree.digest() == before


@pytest.mark.parametrize("first", [True, False], ids=["first look", "later look"])
def test_many_at_once(tree: Tree, first: bool) -> None:
    for number in range(300):
        tree.write(f"many/{number}.py", f"{number}\n")
    if not first:
        tree.digest()
        for number in range(0, 300, 3):
            tree.write(f"many/{number}.py", "changed\n")
    running = [apart(tree) for _ in range(6)]
    found = {process.communicate()[0].strip() for process in running}
    assert found == {tree.digest()} == {tree.digest_from_scratch(tree.root.parent / "state")}


def killed_at_random(tree: Tree, times: int) -> None:
    chance = random.Random(11)
    for turn in range(times):
        for number in range(0, 400, 1 + turn % 5):
            tree.write(f"many/{number}.py", f"{turn} {number}\n")
        process = apart(tree)
        time.sleep(chance.uniform(0.02, 0.2))
        process.kill()
        process.communicate()
        if turn % 3 == 0:
            tree.write("many/0.py", f"{turn} X\n")
        assert tree.digest() == tree.digest_from_scratch(tree.root.parent / f"state {turn}") != "", turn


def test_killed_at_random(tree: Tree) -> None:
    killed_at_random(tree, 6)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_at_random_often(tree: Tree) -> None:
    killed_at_random(tree, 100)


def test_killed_between_the_index_and_the_memo(tree: Tree) -> None:
    """What was hashed is then not known to be recent: everything is hashed again."""
    tree.digest()
    memo = (tree.shadow / "memo").read_bytes()
    tree.write("a.py", "ONE\n")
    tree.digest()
    (tree.shadow / "memo").write_bytes(memo)
    stat = tree.path("a.py").stat()
    tree.path("a.py").write_text("TWO\n")
    os.utime(tree.path("a.py"), ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert tree.digest() == tree.digest_from_scratch(tree.root.parent / "state")


def test_hostile_settings_of_the_user(tree: Tree) -> None:
    before = tree.digest()
    hooks = tree.root.parent / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").write_text(f"#!/bin/sh\ntouch {hooks}/ran\n")
    (hooks / "post-index-change").chmod(0o755)
    settings = {
        "core.hooksPath": str(hooks), "core.bigFileThreshold": "1", "feature.manyFiles": "true",
        "core.autocrlf": "true", "core.fileMode": "false", "core.symlinks": "false", "core.ignoreStat": "true",
        "core.splitIndex": "true", "core.checkStat": "minimal", "index.version": "4", "core.safecrlf": "true",
        "diff.ignoreSubmodules": "all", "diff.orderFile": "/nowhere", "core.quotePath": "false",
        "core.preloadIndex": "false", "core.sparseCheckout": "true", "diff.noprefix": "true", "core.pager": "false",
    }  # fmt: skip
    for name, value in settings.items():
        tree.git("config", "--global", name, value)
    (hooks / "ran").unlink(missing_ok=True)
    assert tree.digest() == before
    tree.write("new.py", "one\r\n").write("a.py", "ONE\r\n")
    after = tree.digest()
    assert after == tree.digest_from_scratch(tree.root.parent / "state") != before
    assert not (hooks / "ran").exists()


@pytest.mark.parametrize("variable", ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM"])
def test_unset_variables(tree: Tree, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    before = tree.digest()
    monkeypatch.delenv(variable)
    assert tree.digest() == before


def test_linked_worktree_has_its_own_digest(tree: Tree, tmp_path: Path) -> None:
    tree.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = Tree(tmp_path / "linked")
    tree.write(".git/info/exclude", "*.log\n")
    assert linked.digest() == tree.digest() != ""
    linked.write("x.log", "x\n")
    assert linked.digest() == tree.digest()
    linked.write("a.py", "another\n")
    assert linked.digest() not in ("", tree.digest())
    assert linked.shadow != tree.shadow


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [500, 600])
def test_large_untracked_file_is_hashed_once_and_never_copied(tree: Tree, megabytes: int) -> None:
    with tree.path("big.bin").open("wb") as file:
        file.truncate(megabytes << 20)
    first = tree.digest()
    assert len(first) == 40
    state = Path(paths.checkout_dir(str(tree.root)))
    assert sum(path.stat().st_size for path in state.rglob("*")) < 1 << 20
    time.sleep(0.1)
    tree.digest()
    begin = time.monotonic()
    assert tree.digest() == first
    quick = time.monotonic() - begin
    with tree.path("big.bin").open("r+b") as file:
        file.seek(300 << 20)
        file.write(b"x")
    begin = time.monotonic()
    assert tree.digest() not in ("", first)
    assert quick < (time.monotonic() - begin) + 1
    assert sum(path.stat().st_size for path in state.rglob("*")) < 1 << 20


def test_measuring_a_project_below_the_top(tree: Tree) -> None:
    inner = str(tree.path("src"))
    project = Project(inner, str(tree.root), "")
    before = TreeDigest.start(project).result()
    assert before == tree.digest()
    tree.write("a.py", "another\n")
    assert TreeDigest.start(project).result() not in ("", before)


def test_nobody_waits_for_a_killed_git(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    from ralph_hooks.check.digest import repository

    slow = tree.root.parent / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
    monkeypatch.setattr(repository, "GIT_SECONDS", 0.3)
    begin = time.monotonic()
    assert tree.digest() == ""
    assert time.monotonic() - begin < 20


def test_shadows_of_trees_that_are_gone_are_discarded(tree: Tree, tmp_path: Path) -> None:
    gone, young = make_tree(tmp_path / "gone"), make_tree(tmp_path / "young")
    for one in (tree, gone, young):
        one.digest()
    for one in (tree, gone):
        os.utime(one.shadow, (0, time.time() - shadow.UNUSED_SECONDS - 60))
    for one in (gone, young):
        shutil.rmtree(one.root)
    make_tree(tmp_path / "new").digest()
    assert [one.shadow.exists() for one in (tree, gone, young)] == [True, False, True]


@pytest.mark.parametrize(
    "name", [b"sp ace", b"new\nline", b"caf\xe9 \xff", b"-q", b":(top)", b"'$(x)\"", b"\xf0\x9f\x98\x80"]
)
def test_any_name_of_the_top(tmp_path: Path, name: bytes) -> None:
    tree = make_tree(tmp_path / os.fsdecode(name))
    before = tree.digest()
    assert tree.receipt() == tree.receipt_of("HEAD")
    tree.write("a.py", "another\n")
    assert tree.digest() not in ("", before)
    assert digest_of_paths(tree.project, ["src"]) != ""


@pytest.mark.parametrize("place", ["{top}/.venv/bin", ".venv/bin", ""])
def test_the_tree_does_not_bring_its_own_git(tree: Tree, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    tree.write(".gitignore", ".venv\n/git\n")
    for name in (".venv/bin/git", "git"):
        tree.write(name, "#!/bin/sh\nexit 0\n").path(name).chmod(0o755)
    before = tree.digest()
    monkeypatch.setenv("PATH", f"{place.format(top=tree.root)}:{os.environ['PATH']}")
    tree.write("a.py", "another\n")
    assert tree.digest() not in ("", before)
