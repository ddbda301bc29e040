"""A throw-away copy of a checkout: what git would commit, plus uncommitted files, with its dependencies linked.

It is a clone that borrows the objects of the original, so that `git describe` and the like work in it; nothing is
written to the original, not even a worktree entry.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ralph_hooks.check.dependencies import link_dependencies
from ralph_hooks.process.capture import Captured, capture

MOST_FILES = 200_000
MOST_BYTES = 4 << 30
SKIPPED = frozenset((".git", "__pycache__", "node_modules", ".venv", "venv", "target", "build", "dist"))


@contextmanager
def scratch(top: str) -> Iterator[str]:
    """The copy's directory, gone afterwards. Raises `OSError`, also where there is too much to copy."""
    names = _small_enough(top, _names(top))
    base = tempfile.mkdtemp(prefix="ralph-hooks-canary-")
    copy = os.path.join(base, os.path.basename(os.path.realpath(top)) or "project")
    try:
        _clone(top, copy)
        for name in names:
            _copy(os.path.join(top, name), os.path.join(copy, name))
        link_dependencies(top, copy, names)
        yield copy
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _names(top: str) -> Iterable[str]:
    """Every file that git would commit; without git everything but dependencies and build output."""
    argv = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = _git(argv, top)
    if listed.code == 0:
        return sorted({os.fsdecode(name) for name in listed.out.split(b"\0") if name})
    return _walk(top)


def _small_enough(top: str, names: Iterable[str]) -> list[str]:
    """The names as a list; without git this may be a whole home directory."""
    kept: list[str] = []
    size = 0
    for name in names:
        kept.append(name)
        try:
            size += os.lstat(os.path.join(top, name)).st_size
        except OSError:
            continue  # deleted, and not yet committed so
        if len(kept) > MOST_FILES or size > MOST_BYTES:
            raise OSError(errno.EFBIG, f"more than {MOST_FILES} files or {MOST_BYTES >> 30} GiB would be copied")
    return kept


def _walk(top: str) -> Iterator[str]:
    for directory, below, names in os.walk(top):
        below[:] = [name for name in below if name not in SKIPPED]
        yield from (os.path.relpath(os.path.join(directory, name), top) for name in names)


def _clone(top: str, copy: str) -> None:
    """Without a repository, or one that cannot be cloned (no commit yet), a plain directory does."""
    if _git(["git", "clone", "--quiet", "--shared", "--no-checkout", top, copy], top).code == 0:
        _git(["git", "reset", "--quiet"], copy)
    os.makedirs(copy, exist_ok=True)


def _git(argv: list[str], cwd: str) -> Captured:
    """What git sets for its own hooks would send this call to another repository."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return capture(argv, cwd=cwd, env={**env, "GIT_NO_LAZY_FETCH": "1"}, timeout=120)


def _copy(source: str, target: str) -> None:
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.islink(source):
            os.symlink(os.readlink(source), target)
        elif os.path.isfile(source):
            shutil.copy2(source, target)
        elif os.path.isdir(source):  # a submodule or another repository inside this one
            os.symlink(source, target)
    except FileNotFoundError:
        pass  # deleted, and not yet committed so
    except FileExistsError:
        pass
