"""Small projects whose agent is a program of ours, and the processes of their jobs."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ralph_hooks.jobs import follow
from ralph_hooks.jobs.database import URL, Database, connect, locate
from ralph_hooks.jobs.states import ENDED, state
from ralph_hooks.jobs.store import Store
from tests.support.project import Done, TestProject, make_project

# The agent counts its rounds in `n.txt` and its whole life in `trace.txt` (outside the repository).
AGENT = """\
import os, pathlib, subprocess, sys, time
sys.stdin.read()
trace = pathlib.Path("../trace.txt")
def note(word):
    with trace.open("a") as file:
        file.write(f"{word} {os.getpid()}\\n")
note("begin")
path = pathlib.Path("n.txt")
told = pathlib.Path("../seconds.txt")
seconds = float(told.read_text()) if told.exists() else 0
helper = subprocess.Popen(["sleep", "300"], start_new_session=True) if seconds else None
time.sleep(seconds)
path.write_text(str(int(path.read_text() or 0) + 1))
if helper:
    helper.kill()
note("end")
"""
CHECK = """\
import pathlib, sys
n = int(pathlib.Path("n.txt").read_text() or 0)
print(f"FAILED reached-{n}") if n < {goal} else print("ok")
sys.exit(n < {goal})
"""
SEED = "goal: count up\n"


@dataclass
class JobProject:
    """A project with a counting agent; `env` is for every process of it."""

    project: TestProject
    trace: Path
    _store: Store | None = None

    @property
    def env(self) -> dict[str, str]:
        return self.project.env

    def job(self, *argv: str, timeout: float = 90) -> Done:
        return self.project.ralph("job", *argv, timeout=timeout)

    def json(self, *argv: str, timeout: float = 90) -> Any:
        done = self.job(*argv, "--json", timeout=timeout)
        assert done.out, f"{argv}: {done.code} {done.err}"
        return json.loads(done.out.splitlines()[-1])

    def start(self, lineage: str = "count", *argv: str) -> str:
        """Start a job; its id."""
        self.project.write("../seed.yaml", SEED)
        seed = str(self.project.root.parent / "seed.yaml")
        done = self.job(
            "start",
            "--lineage-id",
            lineage,
            "--seed",
            seed,
            "--max-total-seconds",
            "600",
            "--oscillation-window",
            "10",
            *argv,
        )
        assert done.code == 0, done.err
        return done.out.strip()

    def end(self, job: str, seconds: float = 90) -> dict[str, Any]:
        """The result, once the job has ended."""
        self.until(lambda: self.state(job) in ENDED, seconds, lambda: self.told(job))
        return follow.result(follow.find(self.store, job))

    @property
    def store(self) -> Store:
        """The jobs' database, read from this process."""
        if self._store is None:
            url = self.env.get(URL, "")
            database = locate() if not url else _postgres(url)
            self._store = Store(database, connect(database))
        return self._store

    def state(self, job: str) -> str:
        return state(follow.find(self.store, job))

    def kinds(self, job: str) -> list[tuple[str, int]]:
        """Kind and generation of every event."""
        found = []
        for event in self.store.job_events(job):
            number = event.body.get("generation") or event.body.get("iteration", {}).get("generation", 0)
            found.append((event.kind, number))
        return found

    def rounds(self, word: str) -> int:
        """How often the agent got to `begin` or to `end`."""
        return sum(line.startswith(word) for line in self.trace.read_text().splitlines()) if self.trace.exists() else 0

    def processes(self, *words: str) -> list[int]:
        """Living processes of this test's home whose command line holds all words."""
        home = os.environ["HOME"].encode()
        return [pid for pid, line, env in _processes() if all(w in line for w in words) and home in env]

    def workers(self) -> list[int]:
        return self.processes("ralph_hooks", "worker")

    def agents(self) -> list[int]:
        """The agent and what it started."""
        return [*self.processes("agent.py"), *self.processes("sleep", "300")]

    def until(self, true: Callable[[], object], seconds: float = 30, told: Callable[[], object] | None = None) -> None:
        """Wait until something holds; fails the test when it does not come."""
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, f"it did not come: {told() if told else ''}"
            time.sleep(0.05)

    def told(self, job: str) -> str:
        """What is known of a job, for the message of a test that waits in vain."""
        kinds = [f"{kind} {number}" for kind, number in self.kinds(job)[-8:]]
        return f"{job} is {self.state(job)}; workers {self.workers()}, agents {self.agents()}; {', '.join(kinds)}"

    def stop(self) -> None:
        """End every process of this test."""
        if self._store is not None:
            self._store.engine.dispose()
        for _ in range(50):
            left = [*self.workers(), *self.processes("ralph_hooks.evolve.child"), *self.agents()]
            if not left:
                return
            for pid in left:
                kill(pid)
            time.sleep(0.05)


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to a process that may be gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def make_job_project(root: Path, goal: int, *, agent_seconds: float = 0, agent: str = AGENT) -> JobProject:
    """A project whose check is red until the agent has run `goal` times."""
    project = make_project(root)
    python = sys.executable
    project.write("agent.py", agent).write("check.py", CHECK.replace("{goal}", str(goal))).write("n.txt", "0")
    project.config(
        f"[[check]]\nname = 'count'\nrun = ['{python}', 'check.py']\nformat = 'none'\n"
        f"[loop]\nprovider = 'command'\ncommand = ['{python}', 'agent.py']\n"
    )
    project.commit()
    project.write("../seconds.txt", str(agent_seconds))
    return JobProject(project, root.parent / "trace.txt")


def _postgres(url: str) -> Database:
    return Database(url.replace("postgresql://", "postgresql+psycopg://"), "postgresql", "")


def _processes() -> list[tuple[int, str, bytes]]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                line = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                found.append((int(name), line, Path(f"/proc/{name}/environ").read_bytes()))
            except OSError:
                continue
    return [one for one in found if one[1]]
