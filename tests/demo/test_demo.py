"""The first thing a newcomer sees."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.clients import program
from tests.support.project import REPOSITORY, ralph


def check_story(out: str) -> None:
    assert "All 12 tests pass" in out
    assert out.count("still failing") == 3
    assert "3 stops were blocked, and the turn ended green." in out
    for test in ("number_of_an_order", "nineteen_percent", "last_one_may_be_taken"):
        assert test in out


def test_the_story_without_a_client(tmp_path: Path) -> None:
    done = ralph("demo", "--protocol", cwd=tmp_path)
    assert done.code == 0, done
    assert "the hook protocol alone" in done.out
    check_story(done.out)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_story_that_is_told_to_end_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    env = os.environ | {"PYTHONPATH": str(REPOSITORY), "TMPDIR": str(tmp_path)}
    demo = subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "demo", "--protocol"], env=env, stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob("ralph-hooks-demo-*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    demo.send_signal(number)
    assert demo.wait(20) == 128 + number
    assert not list(tmp_path.glob("ralph-hooks-demo-*"))


@pytest.mark.client
def test_the_story_with_the_real_client(tmp_path: Path) -> None:
    path = f"{Path(program('claude')).parent}:/usr/bin:/bin"
    done = ralph("demo", cwd=tmp_path, env={"PATH": path})
    assert done.code == 0, done
    assert "with the real Claude Code" in done.out
    check_story(done.out)
