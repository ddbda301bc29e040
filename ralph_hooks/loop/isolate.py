"""`--isolate` (F20): the loop works in a worktree of its own, beside whatever the person has going on."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass

from ralph_hooks.errors import RalphError
from ralph_hooks.loop.call import Call, RefusedError
from ralph_hooks.loop.git import Git
from ralph_hooks.loop.record import HOME
from ralph_hooks.plan.locate import Project, find_project

# Ignored directories that a suite needs and that installing anew takes long; linked, and never committed.
WORKTREES = "worktrees"
DEPENDENCIES = ("node_modules", ".venv", "venv", "vendor", ".tox", ".nox", ".bundle")


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolated:
    """The worktree: its project, its branch, and the links in it (relative to its top level)."""

    project: Project
    branch: str
    linked: tuple[str, ...]


def isolate(call: Call, project: Project) -> Isolated:
    """Make the worktree of this loop, or take the one that is there. Raises `RalphError`."""
    git = Git(project.top)
    if not git.commit("HEAD"):
        raise RefusedError(f"`{project.top}` has no commit yet, which --isolate needs")
    branch = call.branch or f"ralph/{call.name}"
    top = worktree(project, call.name)
    if not os.path.isdir(top):
        os.makedirs(os.path.dirname(top), exist_ok=True)
        new = [] if git.commit(f"refs/heads/{branch}") else ["-b"]
        git.run("worktree", "add", "--quiet", *([*new, branch, top] if new else [top, branch]))
    elif os.path.realpath(Git(top).ask("rev-parse", "--show-toplevel")) != os.path.realpath(top):
        raise RalphError(f"`{top}` is there but is no worktree", "move it away and `git worktree prune`")
    else:
        branch = Git(top).head()[0].removeprefix("refs/heads/")
    root = record_root(project, call.name)
    os.makedirs(root, exist_ok=True)
    _bring_state(project.root, root, call.name)
    links = _link(project.top, top) + (_link(project.root, root, top) if root != top else [])
    # a link is no directory: a pattern such as `.venv/` does not ignore it
    linked = tuple(name for name in links if not Git(top).ask("check-ignore", "--", name))
    found = find_project(root)
    # a config that is not committed is not in the worktree; the person's own counts then
    place = found if found and found.root == os.path.realpath(root) else Project(root, top, project.config_path)
    return Isolated(project=place, branch=branch, linked=linked)


def worktree(project: Project, name: str) -> str:
    """Where the worktree of this loop is, or would be."""
    return os.path.join(project.state, WORKTREES, name)


def record_root(project: Project, name: str) -> str:
    """The project's root in that worktree: below it lies the loop's record."""
    return os.path.normpath(os.path.join(worktree(project, name), os.path.relpath(project.root, project.top)))


def _bring_state(source: str, target: str, name: str) -> None:
    """The loop's own files, where they are not committed yet."""
    here, there = os.path.join(source, HOME, name), os.path.join(target, HOME, name)
    if os.path.isdir(here) and not os.path.exists(there):
        shutil.copytree(here, there, symlinks=True)


def _link(source: str, target: str, top: str = "") -> list[str]:
    """Link the dependency directories that are there and not in the worktree; all links, relative to its top."""
    found = []
    for name in DEPENDENCIES:
        here, there = os.path.join(source, name), os.path.join(target, name)
        if os.path.isdir(here) and not os.path.lexists(there):
            os.symlink(here, there)
        if os.path.islink(there) and os.readlink(there) == here:
            found.append(os.path.relpath(there, top or target))
    return found
