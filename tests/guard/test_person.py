"""T11: a person's verbs are refused by the process tree, and the tests' own way out of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.person import DETACH, detach
from tests.support.project import REPOSITORY, TestProject, make_project

OURS = [sys.executable, "-m", "ralph_hooks"]


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """A program named `claude` that runs its arguments and waits."""
    path = tmp_path / "bin" / "claude"
    path.parent.mkdir()
    path.write_text('#!/bin/sh\n"$@"; exit $?\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def project(tmp_path: Path) -> TestProject:
    return make_project(tmp_path / "shop").check("true", min_tests=0).commit()


@pytest.mark.parametrize("verb", [["pause", "5m"], ["seal"], ["uninstall"], ["budget", "reset", "--all"]])
def test_refused_below_an_agent_and_not_beside_it(project: TestProject, agent: str, verb: list[str]) -> None:
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)}

    def run(*before: str) -> subprocess.CompletedProcess[str]:
        argv = [*before, *OURS, *verb]
        return subprocess.run(argv, cwd=project.root, env=env, capture_output=True, text=True, check=False)

    refused = run(agent)
    assert refused.returncode == 2 and "runs inside an agent (process" in refused.stderr
    typed = {"pause": "pause 30m", "seal": "seal", "budget": "budget-reset"}.get(verb[0])
    assert (f"or type `/ralph-hooks:{typed}` at" in refused.stderr) if typed else "or type" not in refused.stderr
    assert run(agent, *DETACH).returncode == 0


def detached(code: str) -> subprocess.Popen[str]:
    argv = [*detach(), sys.executable, "-c", code]
    return subprocess.Popen(argv, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_detached_command_is_nobodys_child_with_our_streams() -> None:
    code = f"""import sys; sys.path.insert(0, {str(REPOSITORY)!r})
from ralph_hooks.guard.person import ancestors
print({os.getpid()} in ancestors(), sys.stdin.read()); sys.stderr.write("aside"); sys.exit(7)"""
    child = detached(code)
    out, err = child.communicate("hello", timeout=30)
    assert (out, err, child.returncode) == ("False hello\n", "aside", 7)


def test_a_detached_command_hears_signals_and_dies_with_its_stand_in() -> None:
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    child = detached(code)
    assert child.stdout is not None and child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=30)
    assert child.returncode == -signal.SIGTERM
    child = detached(code)
    assert child.stdout is not None
    pid = int(child.stdout.readline())
    child.kill()
    child.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


def test_a_test_below_an_agent_plays_a_person_even_after_it_adopted_orphans(project: TestProject, agent: str) -> None:
    code = f"""import pathlib
from ralph_hooks.process.tree import adopt_orphans
from tests.support.project import ralph
adopt_orphans()
print(ralph("pause", "5m", cwd=pathlib.Path({str(project.root)!r})))"""
    argv = [agent, sys.executable, "-c", code]
    done = subprocess.run(argv, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Done(code=0, out='paused until"), done
