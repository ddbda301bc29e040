"""A loop whose agent is a real client, talking to a scripted model on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from ralph_hooks.scripted import MessagesServer, ResponsesServer
from ralph_hooks.scripted.surroundings import claude_env, codex_env
from tests.support.clients import BYPASS, program
from tests.support.looping import Looped
from tests.support.project import REPOSITORY, TestProject, make_project

SUITE = """
import unittest

class Shop(unittest.TestCase):
    def test_one(self): self.assertTrue(open("one").read())
    def test_two(self): self.assertTrue(open("two").read())
    def test_three(self): self.assertTrue(open("three").read())
"""
CHECK = "[[check]]\nname = 'tests'\nrun = ['python3', '-B', '-m', 'unittest', '-v', 'test_shop']\n"


def shop(tmp_path: Path, provider: str) -> TestProject:
    """A project with three failing tests, each made green by one file."""
    project = make_project(tmp_path / "shop").write("test_shop.py", SUITE)
    return project.config(f"{CHECK}[loop]\nprovider = '{provider}'\n").commit()


def report(state: str, *texts: str) -> str:
    """A final message; the texts are the next steps, the evidence or the blocker."""
    report = {
        "state": state,
        "next_steps": list(texts) if state == "continue" else [],
        "evidence": list(texts) if state == "complete" else [],
        "blocker": texts[0] if state == "blocked" else None,
    }
    return json.dumps(report)


def claude_loop(
    project: TestProject, server: MessagesServer, *words: str, mode: str = "", timeout: float = 120
) -> Looped:
    """A loop of Claude Code: allowed everything, or with this `--permission-mode`."""
    allow = ["--permission-mode", mode] if mode else [BYPASS]
    return _loop(project, "claude", claude_env(server.url, os.environ["HOME"]), [*words, "--", *allow], timeout)


def codex_loop(project: TestProject, server: ResponsesServer, *words: str, timeout: float = 120) -> Looped:
    """A loop of Codex, allowed everything; the project is trusted and so is the hook, by the person's own flag."""
    allow = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    own = codex_env(server.url, os.environ["HOME"], trusted=(str(project.root),))
    return _loop(project, "codex", own, [*words, "--", *allow], timeout)


def start_claude_loop(project: TestProject, server: MessagesServer, *words: str) -> subprocess.Popen[bytes]:
    """The same, without waiting for it."""
    _surround(project, "claude", claude_env(server.url, os.environ["HOME"]))
    return subprocess.Popen(
        [sys.executable, "-m", "ralph_hooks", "loop", *words, "--", BYPASS],
        cwd=project.root,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | project.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _loop(project: TestProject, name: str, own: dict[str, str], words: list[str], timeout: float) -> Looped:
    _surround(project, name, own)
    done = project.ralph("loop", *words, timeout=timeout)
    return Looped(done.code, done.out, done.err, project)


def _surround(project: TestProject, name: str, own: dict[str, str]) -> None:
    path = f"{os.path.dirname(program(name))}:{os.environ['PATH']}"
    project.env |= {**own, "PATH": path}
