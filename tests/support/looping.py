"""A loop whose agent is a shell script: one snippet a round, and what each round was told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.project import REPOSITORY, TestProject, make_project

CONTINUE = """report '{"state": "continue", "next_steps": ["more"]}'"""
COMPLETE = """report '{"state": "complete", "evidence": ["it works"]}'"""
BLOCKED = """report '{"state": "blocked", "blocker": "no key"}'"""

AGENT = """\
#!/bin/bash
here=$(cd "$(dirname "$0")" && pwd)
n=$(($(cat "$here/count" 2>/dev/null || echo 0) + 1))
echo $n > "$here/count"
cat > "$here/prompt-$n"
env > "$here/env-$n"
printf '%s\\n' "$@" > "$here/words-$n"
report() { printf '%s' "$1" > "$RALPH_HOOKS_REPORT"; }
step="$here/step-$n"
[ -e "$step" ] || step="$here/last"
. "$step"
"""


@dataclass
class Looped:
    """How the loop left, what it said, and its record."""

    code: int
    out: str
    err: str
    project: TestProject

    def ends(self, code: int, *words: str) -> Looped:
        said = f"{self.out[-2000:]}\n{self.err[-2000:]}"
        assert self.code == code, f"{self.code}:\n{said}"
        for word in words:
            assert word in self.out + self.err, f"{word!r} is not in:\n{said}"
        return self

    @property
    def rounds(self) -> list[dict[str, Any]]:
        return rounds_of(self.project)


@dataclass
class Agent:
    """The scripted agent, outside of the repository."""

    place: Path
    project: TestProject

    @property
    def started(self) -> int:
        """How many processes were started."""
        count = self.place / "count"
        return int(count.read_text()) if count.exists() else 0

    def prompt(self, number: int) -> str:
        return (self.place / f"prompt-{number}").read_text()

    def environment(self, number: int) -> str:
        return (self.place / f"env-{number}").read_text()

    def words(self, number: int) -> list[str]:
        return (self.place / f"words-{number}").read_text().splitlines()

    def plays(self, *steps: str) -> Agent:
        """From here on these snippets, the last for ever."""
        for old in self.place.glob("step-*"):
            old.unlink()
        for number, step in enumerate(steps[:-1], self.started + 1):
            (self.place / f"step-{number}").write_text(step)
        (self.place / "last").write_text(steps[-1])
        return self

    def loop(self, *words: str, stdin: str | bytes = "", timeout: float = 60) -> Looped:
        done = self.project.ralph("loop", *(words or ("Make it work",)), stdin=stdin, timeout=timeout)
        return Looped(done.code, done.out, done.err, self.project)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start the loop and do not wait for it."""
        return subprocess.Popen(
            [sys.executable, "-m", "ralph_hooks", "loop", *(words or ("Make it work",))],
            cwd=self.project.root,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def agent(tmp_path: Path, *steps: str, checks: str = "", loop: str = "", repository: bool = True) -> Agent:
    """A project whose check is green while `ok` exists, and an agent that plays these snippets."""
    project = make_project(tmp_path / "shop", repository=repository)
    place = tmp_path / "agent"
    place.mkdir()
    script = place / "agent.sh"
    script.write_text(AGENT)
    script.chmod(0o755)
    checks = checks or "[[check]]\nname = 'tests'\nrun = ['test', '-e', 'ok']\n"
    project.config(f"{checks}[loop]\nprovider = 'command'\ncommand = [{str(script)!r}]\n{loop}")
    project.write("README", "a shop\n")
    if repository:
        project.commit()
    return Agent(place, project).plays(*steps)


def rounds_of(project: TestProject) -> list[dict[str, Any]]:
    """The record of the project's only loop."""
    (path,) = (project.root / ".ralph").glob("*/rounds.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]
