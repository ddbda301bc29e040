"""Small real projects: files, git, a config."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.person import by_a_person

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Done:
    """How a command of ours ended."""

    code: int
    out: str
    err: str


def ralph(
    *argv: str, cwd: Path, stdin: str | bytes = "", env: dict[str, str] | None = None, timeout: float = 60
) -> Done:
    """Run `ralph-hooks` from this tree, as a separate process that a person started, if it is no hook."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [*(by_a_person() if argv[:1] != ("hook",) else []), sys.executable, "-m", "ralph_hooks", *argv],
        cwd=cwd,
        input=data,
        capture_output=True,
        timeout=timeout,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | (env or {}),
        check=False,
    )
    return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def git(cwd: Path, *argv: str) -> str:
    """Run git; its output. Fails the test when git fails."""
    done = subprocess.run(["git", *argv], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {argv}: {done.stderr}"
    return done.stdout


@dataclass
class TestProject:
    """A directory with a git repository in it."""

    __test__ = False
    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, text: str | bytes) -> TestProject:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return self

    def config(self, text: str) -> TestProject:
        return self.write("ralph-hooks.toml", text)

    def check(self, *run: str, **keys: object) -> TestProject:
        """A config with one check that runs this argv."""
        lines = [f"run = {list(run)!r}", *(f"{key} = {_toml(value)}" for key, value in keys.items())]
        return self.config("[[check]]\n" + "\n".join(lines) + "\n")

    def commit(self, message: str = "work") -> TestProject:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", message)
        return self

    def ralph(self, *argv: str, stdin: str | bytes = "", timeout: float = 60) -> Done:
        return ralph(*argv, cwd=self.root, stdin=stdin, env=self.env, timeout=timeout)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def make_project(root: Path, *, repository: bool = True) -> TestProject:
    """A new project directory, with `git init` unless told otherwise."""
    root.mkdir(parents=True, exist_ok=True)
    if repository:
        git(root, "init", "-q", "-b", "main")
    return TestProject(root)
