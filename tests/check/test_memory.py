"""Remembered green (G6): when a check is run again and when it is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph_hooks.check import memory
from ralph_hooks.check.once import judge
from ralph_hooks.check.verdict import Run
from ralph_hooks.plan.compiled import plan_for
from ralph_hooks.plan.locate import Project, find_project
from tests.support.gate import stop
from tests.support.project import REPOSITORY, TestProject, git, make_project


class Suite(TestProject):
    """A project whose checks count their runs outside the tree."""

    def write(self, name: str, text: str | bytes) -> Suite:
        super().write(name, text)
        return self

    @property
    def counter(self) -> Path:
        return self.root.parent / "runs"

    @property
    def project(self) -> Project:
        found = find_project(str(self.root))
        assert found is not None
        return found

    @property
    def memory_file(self) -> Path:
        return Path(self.project.state) / "memory.json"

    def judge(self, *, force: bool = False) -> Run:
        return judge(self.project, plan_for(self.project), force=force)

    def runs(self) -> int:
        """How many checks a judgement starts now."""
        before = len(self.counter.read_text().splitlines()) if self.counter.exists() else 0
        run = self.judge()
        ran = len(self.counter.read_text().splitlines()) - before if self.counter.exists() else 0
        assert ran == len([check for check in run.checks if not check.remembered])
        return ran

    def setting(self, body: str = "true", more: str = "", gate: str = "") -> Suite:
        line = f"echo run >> {self.counter}; {body}"
        self.config(f"[[check]]\nname = 'tests'\nrun = ['sh', '-c', '''{line}''']\n{more}\n[gate]\n{gate}\n")
        return self


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    made = Suite(make_project(tmp_path / "repo").root)
    made.write("a.py", "one\n").write(".gitignore", ".env\n.venv/\nnode_modules/\n*.log\n")
    made.setting().commit()
    return made


def test_second_judgement_runs_nothing(suite: Suite) -> None:
    first = suite.judge()
    assert (first.verdict, first.digest_before) == ("GREEN", first.digest_after)
    second = suite.judge()
    assert second.verdict == "GREEN"
    assert [check.remembered for check in second.checks] == [True]
    assert (second.digest_before, second.receipt_digest) == (first.digest_before, first.receipt_digest)
    assert len(first.receipt_digest) == 40
    assert suite.counter.read_text() == "run\n"


def write(name: str, text: str) -> Callable[[Suite], object]:
    return lambda suite: suite.write(name, text)


CHANGES: dict[str, Callable[[Suite], object]] = {
    "an edit": write("a.py", "two\n"),
    "a new file": write("new.py", "x\n"),
    "the check's definition": lambda suite: suite.setting("true"),
    "a key of the check": lambda suite: suite.setting("true", "timeout_s = 5"),
    "a secret in .env": write(".env", "TOKEN=2\n"),
    "npm's lock marker": write("node_modules/.package-lock.json", "{ }"),
    "a package that npm removed": lambda suite: (suite.root / "node_modules/left-pad/x.js").rename(suite.root / "x.js"),
    "a new venv": write(".venv/pyvenv.cfg", "version = 3.12\n"),
    "a package in the venv": write(".venv/lib/python3.11/site-packages/new.py", "x"),
    "an editable install": write(".venv/lib/python3.11/site-packages/new.pth", "/x"),
}
HARMLESS: dict[str, Callable[[Suite], object]] = {
    "nothing": lambda suite: None,
    "a touch": lambda suite: os.utime(suite.root / "a.py"),
    "an ignored file": write("x.log", "x\n"),
    "a commit": lambda suite: suite.commit(),
    "a cache of npm tools": write("node_modules/.cache/x", "x"),
    "byte code in the venv": write(".venv/lib/python3.11/site-packages/__pycache__/x.pyc", "x"),
    "the same .env again": write(".env", "TOKEN=1\n"),
}


@pytest.mark.parametrize("name", [*CHANGES, *HARMLESS])
def test_what_counts_as_a_change(suite: Suite, name: str) -> None:
    suite.write(".env", "TOKEN=1\n").write("node_modules/left-pad/x.js", "x").write("node_modules/.bin/x", "x")
    suite.write("node_modules/.package-lock.json", "{}").write(".venv/pyvenv.cfg", "version = 3.11\n")
    suite.write(".venv/lib/python3.11/site-packages/dep.py", "x")
    suite.setting("true ")
    assert (suite.runs(), suite.runs()) == (1, 0)
    (CHANGES | HARMLESS)[name](suite)
    assert suite.runs() == (1 if name in CHANGES else 0)
    assert suite.runs() == 0


@pytest.mark.parametrize(
    ("wanted", "change", "ran"),
    [
        ("data/set.bin", "data/set.bin", 1),
        ("data", "data/new.bin", 1),
        ("data/*.bin", "data/other.bin", 1),
        ("data/*.bin", "data/notes.txt", 0),
        ("later.log", "later.log", 1),
    ],
)
def test_named_inputs(suite: Suite, wanted: str, change: str, ran: int) -> None:
    suite.write(".gitignore", "data/\n*.log\n").write("data/set.bin", "1").setting(gate=f"memory_inputs = ['{wanted}']")
    assert (suite.runs(), suite.runs()) == (1, 0)
    suite.write(change, "2")
    assert suite.runs() == ran


def test_red_is_run_again_every_time(suite: Suite) -> None:
    suite.setting("false")
    assert [suite.runs() for _ in range(3)] == [1, 1, 1]


def test_green_after_red_on_the_same_content(suite: Suite) -> None:
    flag = suite.root.parent / "flag"
    suite.setting(f"test -e {flag}")
    assert suite.runs() == 1
    flag.touch()
    assert (suite.runs(), suite.runs()) == (1, 0)


def test_force_looks_nothing_up_and_still_remembers(suite: Suite) -> None:
    suite.runs()
    suite.judge(force=True)
    assert suite.counter.read_text() == "run\nrun\n"
    assert suite.runs() == 0


def test_memory_switched_off(suite: Suite) -> None:
    suite.setting(gate="memory = false")
    assert (suite.runs(), suite.runs()) == (1, 1)
    assert not suite.memory_file.exists()


def test_a_check_that_writes_into_the_tree_is_not_remembered(suite: Suite) -> None:
    suite.setting("date +%s%N > stamp.txt")
    assert [suite.runs() for _ in range(3)] == [1, 1, 1]
    assert suite.judge().receipt_digest == ""


def test_an_edit_while_the_check_runs_is_not_remembered(suite: Suite) -> None:
    suite.setting("sleep 0.5")
    suite.judge()
    suite.write("a.py", "two\n")
    editor = threading.Timer(0.2, lambda: suite.write("a.py", "three\n"))
    editor.start()
    run = suite.judge()
    editor.join()
    assert run.digest_before != run.digest_after
    assert (suite.runs(), suite.runs()) == (1, 0)


def test_an_edit_while_the_very_first_digest_is_made_is_not_remembered(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "SMALL_INDEX", 0)
    suite.setting("echo two > a.py; sleep 0.3")
    run = suite.judge()
    assert len(run.digest_after) == 40
    suite.setting("echo two > a.py; sleep 0.3; ")
    assert suite.runs() == 1


def test_a_first_digest_of_a_large_tree_is_made_while_the_check_runs(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "SMALL_INDEX", 0)
    time.sleep(0.1)
    first = suite.judge()
    assert first.digest_before == first.digest_after != ""
    assert len(first.receipt_digest) == 40
    assert suite.runs() == 0


def test_parts_of_a_tree_are_remembered_apart(suite: Suite) -> None:
    line = f"echo run >> {suite.counter}"
    suite.config(
        "".join(
            f"[[check]]\nname = '{part}'\nrun = '{line}; : {part}'\npaths = ['{part}']\n" for part in ("front", "back")
        )
    )
    suite.write("front/x", "1").write("back/x", "1").commit()
    assert (suite.runs(), suite.runs()) == (2, 0)
    suite.write("front/x", "2")
    assert (suite.runs(), suite.runs()) == (1, 0)
    suite.write("other/x", "2")
    run = suite.judge()
    assert [check.remembered for check in run.checks] == [True, True]
    assert len(run.receipt_digest) == 40


def test_paths_that_match_nothing_are_never_remembered(suite: Suite) -> None:
    suite.setting(more="paths = ['scr']")
    assert (suite.runs(), suite.runs()) == (1, 1)


def test_branches_are_remembered_side_by_side(suite: Suite) -> None:
    suite.runs()
    git(suite.root, "switch", "-q", "-c", "other")
    suite.write("a.py", "two\n").commit()
    assert suite.runs() == 1
    git(suite.root, "switch", "-q", "main")
    assert suite.runs() == 0
    git(suite.root, "switch", "-q", "other")
    assert suite.runs() == 0


def test_without_git_nothing_is_remembered(tmp_path: Path) -> None:
    plain = Suite(make_project(tmp_path / "plain", repository=False).root).setting()
    assert (plain.runs(), plain.runs()) == (1, 1)
    assert plain.judge().digest_before == ""


def test_a_corrupt_index_of_the_person_means_no_memory(suite: Suite) -> None:
    suite.runs()
    (suite.root / ".git/index").write_bytes(b"DIRC garbage")
    assert (suite.runs(), suite.runs()) == (1, 1)
    (suite.root / ".git/index").unlink()
    git(suite.root, "reset", "-q")
    assert suite.runs() == 0


def test_too_old_and_from_the_future(suite: Suite) -> None:
    suite.setting(gate="memory_max_age_s = 100")
    for moved in (-101.0, +3600.0):
        suite.runs()
        assert suite.runs() == 0
        data = json.loads(suite.memory_file.read_text())
        for entry in data["green"]:
            entry["at"] += moved
        suite.memory_file.write_text(json.dumps(data))
        assert suite.runs() == 1, moved
    suite.setting(gate="memory_max_age_s = 0")
    assert (suite.runs(), suite.runs()) == (1, 1)


DAMAGED = {
    "empty": b"",
    "half": b'{"format": 2, "green": [{"key": "x"',
    "garbage": b"\xff\x00\xfe",
    "a list": b"[]",
    "nulls": b'{"format": 2, "green": [null, 3, {"key": 1}, {}]}',
    "no list": b'{"format": 2, "green": 7}',
    "another format": b'{"format": 99, "green": []}',
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_memory_is_ignored_and_replaced(suite: Suite, damage: str) -> None:
    suite.runs()
    suite.memory_file.write_bytes(DAMAGED[damage])
    assert (suite.runs(), suite.runs()) == (1, 0)
    assert json.loads(suite.memory_file.read_text())["format"] == memory.FORMAT


def test_memory_stays_small(suite: Suite) -> None:
    project, plan = suite.project, plan_for(suite.project)
    for number in range(200):
        entry = {"key": f"{number}", "name": "tests", "at": time.time() - 1, "digest": "d", "receipt": "r"}
        memory.remember(project, plan, [entry])
    assert len(json.loads(suite.memory_file.read_text())["green"]) == memory.KEPT
    assert memory.recall(project, plan, {"tests": "199"})
    assert not memory.recall(project, plan, {"tests": "1"})


def test_state_that_cannot_be_written_is_no_error(suite: Suite) -> None:
    suite.runs()
    shutil.rmtree(suite.project.state)
    Path(suite.project.state).write_text("in the way")
    assert (suite.runs(), suite.runs()) == (1, 1)


def test_a_directory_in_the_place_of_the_memory_is_moved_aside(suite: Suite) -> None:
    suite.runs()
    memory = Path(suite.project.state, "memory.json")
    memory.unlink()
    memory.mkdir()
    assert (suite.runs(), suite.runs()) == (1, 0)


def test_the_program_itself_counts(suite: Suite) -> None:
    tool = suite.root / ".venv/bin/tool"
    suite.write(".venv/bin/tool", f"#!/bin/sh\necho run >> {suite.counter}\n")
    tool.chmod(0o755)
    suite.config("[[check]]\nrun = ['tool']\n")
    assert (suite.runs(), suite.runs()) == (1, 0)
    suite.write(".venv/bin/tool", f"#!/bin/sh\necho run >> {suite.counter} \n")
    assert (suite.runs(), suite.runs()) == (1, 0)


def wheel(directory: Path, name: str, version: str = "1.0") -> Path:
    path = directory / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(f"{name}.py", f"VERSION = {version!r}\n")
        made.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("inside", [True, False], ids=["in the project", "elsewhere, named by PATH"])
def test_pip_uninstall_of_a_dependency(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: bool
) -> None:
    place = suite.root / ".venv" if inside else tmp_path / "elsewhere"
    venv.create(place, with_pip=True, symlinks=True)
    if not inside:
        monkeypatch.setenv("PATH", f"{place}/bin:{os.environ['PATH']}")
    pip = [str(place / "bin/python"), "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "install", "--no-index", str(wheel(tmp_path, "dep"))], check=True)
    script = f"open({str(suite.counter)!r}, 'a').write('run\\n'); import dep"
    suite.write("check.py", script).config("[[check]]\nrun = ['python', 'check.py']\n")
    assert suite.judge().verdict == "GREEN"
    assert suite.runs() == 0
    subprocess.run([*pip, "uninstall", "-y", "dep"], check=True)
    run = suite.judge()
    assert (run.verdict, run.checks[0].remembered) == ("RED", False)
    subprocess.run([*pip, "install", "--no-index", str(wheel(tmp_path, "dep", "1.1"))], check=True)
    assert (suite.runs(), suite.runs()) == (1, 0)


def test_environment_of_a_locale_without_unicode(suite: Suite) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    suite.write(name, "x\n").write("naïve.py", "x\n")
    before = suite.judge().digest_before
    done = subprocess.run(
        [sys.executable, "-c", DIGEST, str(suite.root)],
        env=os.environ | {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [before, "True"]


DIGEST = """
import sys
from ralph_hooks.check.memory import Recall
from ralph_hooks.plan.compiled import plan_for
from ralph_hooks.plan.locate import find_project
project = find_project(sys.argv[1])
recall = Recall(project, plan_for(project))
print(recall.digest, recall.whole)
"""


def test_second_stop_runs_nothing_and_is_silent(suite: Suite) -> None:
    suite.setting("test ! -e red")
    stop(suite).lets_go("ALLOW")
    stop(suite).lets_go("SKIP", "already green")
    suite.commit()
    stop(suite, prompt_id="p2").lets_go("SKIP", "already green")
    assert suite.counter.read_text() == "run\n"
    suite.write("red", "")
    stop(suite).blocks("attempt 1/")
    stop(suite).blocks("attempt 2/")
    (suite.root / "red").unlink()
    stop(suite).lets_go("SKIP", "already green")


def test_killed_in_mid_run_nothing_is_remembered(suite: Suite) -> None:
    marker = suite.root.parent / "started"
    suite.setting(f"touch {marker}; sleep 30")
    code = "import sys; from tests.check.digest.test_cost import judged; judged(sys.argv[1])"
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    running = subprocess.Popen([sys.executable, "-c", code, str(suite.root)], env=env)
    while not marker.exists():
        time.sleep(0.01)
    running.kill()
    running.wait()
    suite.setting(f"touch {marker}; test ! -e {suite.root}/red")
    assert (suite.runs(), suite.runs()) == (1, 0)
    suite.write("red", "")
    assert suite.judge().verdict == "RED"


def test_a_digest_that_takes_too_long_costs_neither_the_run_nor_the_deadline(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p").config("[[check]]\nrun = 'exit 1'\n").commit()
    with open(project.root / "large", "wb") as file:
        file.truncate(8 << 30)
    begin = time.monotonic()
    stop(project, within="6").blocks("it exited 1")
    assert time.monotonic() - begin < 6
