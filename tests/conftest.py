"""Every test gets its own home and state; a test that would write to the real ones fails."""

from __future__ import annotations

import os
import pwd
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installed import installed, installed_bin

__all__ = ["installed", "installed_bin"]  # fixtures

REAL_HOME = pwd.getpwuid(os.getuid()).pw_dir
FORBIDDEN = tuple(
    os.path.join(REAL_HOME, name)
    for name in (".claude", ".claude.json", ".codex", ".local/state/ralph-hooks", ".ralph")
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
DROPPED = ("CLAUDE", "CODEX", "ANTHROPIC", "OPENAI", "RALPH_HOOKS", "GIT_", "XDG_", "AI_AGENT")

touched: list[str] = []


def _watch(event: str, args: tuple[object, ...]) -> None:
    if event == "open" and isinstance(args[0], str) and isinstance(args[2], int) and args[2] & WRITES:
        path = os.path.abspath(args[0])
        if path.startswith(FORBIDDEN):
            touched.append(path)
            raise PermissionError(f"a test tried to write to the real home: {path}")


def pytest_configure() -> None:
    sys.addaudithook(_watch)
    _hear_signals()


def _hear_signals() -> None:
    """A suite that a shell started with `&` ignores INT and QUIT, and so would every program under test."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A fresh HOME with XDG directories and a git identity, and none of the outer agent's variables."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(DROPPED) and name not in KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    for variable, below in (
        ("STATE", ".local/state"),
        ("CONFIG", ".config"),
        ("CACHE", ".cache"),
        ("DATA", ".local/share"),
    ):
        monkeypatch.setenv(f"XDG_{variable}_HOME", str(home / below))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home / "run"))  # the second place for state; else it is shared in /tmp
    (home / "run").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home / "run"))  # the spare state
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@localhost")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    touched.clear()
    yield home
    assert not touched, f"written to the real home: {touched}"


KEPT = ("RALPH_HOOKS_TEST_DATABASE_URL", "RALPH_HOOKS_TEST_CLIENTS")
