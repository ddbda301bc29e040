"""A live loop driver owns its checkout; a dead or foreign process that looks like it does not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ralph_hooks import fastjson, files
from ralph_hooks.gate.owner import FILE, Driver, live_driver, recorded
from ralph_hooks.plan.locate import Project
from ralph_hooks.process import table, tree


def write(project: Project, driver: Driver) -> None:
    files.write_atomic(os.path.join(project.checkout, FILE), fastjson.dumps(driver.as_dict()).encode())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(str(tmp_path), str(tmp_path), "")


def test_nobody_owns_a_checkout_that_no_loop_ever_drove(project: Project) -> None:
    assert live_driver(project) is None


def test_a_living_driver_is_named(project: Project) -> None:
    write(project, Driver(os.getpid(), table.start_time(os.getpid()), "r1", "nightly"))
    assert live_driver(project) == "nightly"


def test_another_process_with_the_same_id_is_not_the_driver(project: Project) -> None:
    write(project, Driver(os.getpid(), "1", "r1", "nightly"))
    assert live_driver(project) is None
    driver = recorded(project.checkout)
    assert driver is not None
    assert driver.run == "r1"


def test_a_zombie_drives_nothing(project: Project) -> None:
    child = subprocess.Popen(["sleep", "60"])
    write(project, Driver(child.pid, table.start_time(child.pid), "r1", "nightly"))
    assert live_driver(project) == "nightly"
    os.kill(child.pid, 9)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert live_driver(project) is None
    child.wait()
    assert live_driver(project) is None


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"pid": true, "start": "", "run": "", "name": ""}', b"\xff\xfe"])
def test_a_damaged_file_owns_nothing(project: Project, text: bytes) -> None:
    files.write_atomic(os.path.join(project.checkout, FILE), text)
    assert live_driver(project) is None


def test_sweep_finds_a_tree_by_another_mark() -> None:
    child = subprocess.Popen(["sleep", "60"], env={"MARK": "abc", "PATH": os.environ["PATH"]}, start_new_session=True)
    start = table.start_time(child.pid)
    while not Path(f"/proc/{child.pid}/environ").read_bytes():
        pass  # right after its exec a process shows no environment for a moment
    assert tree.sweep("other", "MARK") == []
    assert tree.sweep("abc", "MARK") == [child.pid]
    assert not table.alive(child.pid, start)
    child.wait()
