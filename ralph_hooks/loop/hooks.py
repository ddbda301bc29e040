"""The repository's own commit hooks, run as `git commit` would run them."""

from __future__ import annotations

import os

from ralph_hooks.loop.git import SECONDS, Git, GitError
from ralph_hooks.process.capture import capture

HAS_HOOK_RUN = (2, 36)
SAID = 500


def run_hook(git: Git, name: str, *words: str) -> str:
    """Run a hook, if there is one; why it refused, or "". Git before 2.36 cannot run one by itself."""
    try:
        if git.version >= HAS_HOOK_RUN:
            git.run("hook", "run", "--ignore-missing", name, *(["--", *words] if words else []))
        else:
            _run_file(git, name, *words)
    except GitError as error:
        return error.message.removeprefix("git hook: ")[-SAID:]
    return ""


def _run_file(git: Git, name: str, *words: str) -> None:
    """The program that `core.hooksPath` or the git directory has under that name, at the top of the work tree."""
    path = os.path.join(git.top, git.line("rev-parse", "--git-path", f"hooks/{name}"))
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return
    done = capture([path, *words], cwd=git.top, env=git.env, timeout=SECONDS)
    if done.code != 0:
        said = (done.err + done.out).decode("utf-8", "replace").strip()
        raise GitError(done.words or said or f"exit code {done.code}")
