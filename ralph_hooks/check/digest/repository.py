"""The person's repository, which is only ever read: where its parts lie, and the git calls that read it."""

from __future__ import annotations

import os
import time

from ralph_hooks import files
from ralph_hooks.process.capture import Captured, Pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Everything else that starts with GIT_ would send our calls to another repository, index or object store.
KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
GIT_SECONDS = 60.0


class NoDigest(Exception):
    """Git could not say what the tree contains. Never a reason to fail: the checks run, nothing is remembered."""


class Repository:
    """The git directories behind a work tree. In a linked worktree `git_dir` and `common_dir` differ."""

    __slots__ = ("common_dir", "git_dir", "top")

    def __init__(self, top: str, git_dir: str, common_dir: str) -> None:
        self.top = top
        self.git_dir = git_dir
        self.common_dir = common_dir

    @property
    def index(self) -> str:
        """The person's index file."""
        return os.path.join(self.git_dir, "index")

    @property
    def exclude(self) -> str:
        """The ignore file that is shared by all worktrees."""
        return os.path.join(self.common_dir, "info", "exclude")

    def config(self) -> bytes:
        """The text of the repository's own config files."""
        places = (os.path.join(self.common_dir, "config"), os.path.join(self.git_dir, "config.worktree"))
        return b"\n".join(files.read_bytes_or_none(place) or b"" for place in places)

    def git(self, *words: str, stdin: bytes | None = None, **more: str) -> Pending:
        """Start a git that reads this repository; `more` are environment variables."""
        env = environment(self.git_dir, self.top) | more
        return start(["-c", "core.fsmonitor=false", *words], self.top, env, stdin)


def open_repository(top: str) -> Repository | None:
    """The repository whose work tree starts at `top`, or `None`."""
    dot_git = os.path.join(top, ".git")
    if os.path.isdir(dot_git):
        git_dir = dot_git
    else:
        text = files.read_bytes_or_none(dot_git) or b""
        if not text.startswith(b"gitdir:"):
            return None
        git_dir = os.path.join(top, os.fsdecode(text[len(b"gitdir:") :].strip()))
    common = files.read_bytes_or_none(os.path.join(git_dir, "commondir"))
    return Repository(top, git_dir, os.path.join(git_dir, os.fsdecode(common.strip())) if common else git_dir)


def environment(git_dir: str, top: str) -> dict[str, str]:
    """What git sees: this repository and this work tree, whatever was inherited.

    PATH loses what lies in the work tree, such as an active `.venv/bin`: the tree does not bring its own git.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in KEPT}
    path = [
        one
        for one in env.get("PATH", os.defpath).split(":")
        if one[:1] == "/" and not (one + "/").startswith(top + "/")
    ]
    own = {"GIT_DIR": git_dir, "GIT_WORK_TREE": top, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    return env | own | {"PATH": ":".join(path)}


class Limit:
    """Until when (monotonic clock) the gits of this process may run: a digest must not cost the gate its deadline."""

    until = float("inf")

    @classmethod
    def left(cls) -> float:
        """Seconds for the next git."""
        return min(GIT_SECONDS, max(0.05, cls.until - time.monotonic()))


def start(words: Sequence[str], cwd: str, env: dict[str, str], stdin: bytes | None = None) -> Pending:
    """Start `git WORDS`; `output` and `names` read its result."""
    return Pending(["git", *words], cwd=cwd, env=env, stdin=stdin, timeout=Limit.left())


def output(done: Captured, also: int = 0) -> bytes:
    """What git printed. Raises `NoDigest` unless it left with 0 or `also`."""
    if done.code is None or done.code not in (0, also):
        raise NoDigest(done.words or f"git left with {done.code}")
    return done.out


def names(text: bytes) -> list[bytes]:
    """The paths in NUL-ended output."""
    return text.split(b"\0")[:-1]


def joined(paths: Sequence[bytes]) -> bytes:
    """Paths as NUL-ended input."""
    return b"".join(path + b"\0" for path in paths)
