"""Git for the driver's commits: plain commands in one repository, errors in git's own words."""

from __future__ import annotations

import functools
import os
import re

from ralph_hooks.errors import RalphError
from ralph_hooks.process.capture import capture

SECONDS = 600.0
# What git sets for its own hooks and what would lead our calls to another repository, index or object store.
FOREIGN = frozenset((
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_REFLOG_ACTION", "GIT_NAMESPACE",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
))  # fmt: skip


@functools.cache
def _version(path: str) -> tuple[int, int]:
    done = capture(["git", "version"], cwd="/", timeout=SECONDS)
    numbers = re.match(rb"git version (\d+)\.(\d+)", done.out)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


class GitError(RalphError):
    """Git refused; the message holds what it said."""


class Git:
    """Commands in one checkout. `index` is an index file to use in place of the person's, "" for theirs."""

    def __init__(self, top: str, index: str = "") -> None:
        self.top = top
        self.env = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        self.env |= {"LC_ALL": "C", "GIT_EDITOR": ":", "GIT_TERMINAL_PROMPT": "0"}
        if index:
            self.env["GIT_INDEX_FILE"] = index

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor number of the git on the path; `(0, 0)` when it does not tell."""
        return _version(self.env.get("PATH", ""))

    def run(self, *words: str, stdin: bytes | None = None) -> bytes:
        """What the command prints. Raises `GitError`."""
        done = capture(["git", *words], cwd=self.top, env=self.env, stdin=stdin, timeout=SECONDS)
        if done.code != 0:
            said = (done.err or done.out).decode("utf-8", "replace").strip()
            raise GitError(f"git {words[0]}: {done.words or said[-2000:] or f'exit code {done.code}'}")
        return done.out

    def line(self, *words: str) -> str:
        """One line of output. Raises `GitError`."""
        return os.fsdecode(self.run(*words)).strip("\n")

    def ask(self, *words: str) -> str:
        """One line of output, "" when git leaves with anything but 0."""
        done = capture(["git", *words], cwd=self.top, env=self.env, timeout=SECONDS)
        return os.fsdecode(done.out).strip("\n") if done.code == 0 else ""

    def head(self) -> tuple[str, str]:
        """The branch that HEAD names ("HEAD" when detached) and its commit, "" when there is none yet."""
        return self.ask("symbolic-ref", "-q", "HEAD") or "HEAD", self.commit("HEAD")

    def commit(self, name: str) -> str:
        """The commit of that name, or ""."""
        return self.ask("rev-parse", "-q", "--verify", f"{name}^{{commit}}")
