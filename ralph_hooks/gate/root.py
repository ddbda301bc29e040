"""Which project an event is about (G2): where the session began, not where the agent happens to stand."""

from __future__ import annotations

import os

from ralph_hooks import fasthash, files, paths
from ralph_hooks.gate.event import BadEventError, Event
from ralph_hooks.plan.locate import Project, find_project, git_top

SHOWN_CHARS = 300


def project_of(event: Event, client: str) -> Project | None:
    """The project, or `None` when there is none. Raises `BadEventError` when the place cannot be read."""
    start = os.environ.get("CLAUDE_PROJECT_DIR") if client != "codex" else ""
    start = start or event.cwd
    try:
        if client == "codex":
            start = first_cwd(event)
        start = start or os.getcwd()
        start = worktree_place(start, event.cwd) or start
        return find_project(start, session_name(event.session) if event.session else "")
    except (OSError, ValueError) as error:  # ValueError: a NUL or half a surrogate pair, which no path can hold
        shown = start.encode("utf-8", "replace").decode()
        shown = shown if len(shown) <= SHOWN_CHARS else f"{shown[:SHOWN_CHARS]}…"
        place = f"the directory `{shown}`" if start else "the working directory"
        raise BadEventError(f"{place} cannot be read: {getattr(error, 'strerror', '') or error}") from None


def worktree_place(start: str, cwd: str) -> str | None:
    """The place in a linked worktree that matches `start`, when `cwd` lies in one of the same repository.

    Any other `cwd` only says where the agent went with `cd`, and a gate must not follow it there.
    """
    if not os.path.isabs(cwd) or cwd == start or not os.path.isdir(cwd):
        return None
    start, cwd = os.path.realpath(start), os.path.realpath(cwd)
    here, there = git_top(start), git_top(cwd)
    if here is None or there is None or here == there or not linked(there) or common_dir(here) != common_dir(there):
        return None
    place = os.path.normpath(os.path.join(there, os.path.relpath(start, here)))
    return place if os.path.isdir(place) else there


def linked(top: str) -> bool:
    """Whether this checkout is a linked worktree (its git directory names a common one)."""
    directory = git_dir(top)
    return directory is not None and os.path.isfile(os.path.join(directory, "commondir"))


def git_dir(top: str) -> str | None:
    """The git directory of a checkout, followed through a `.git` file."""
    dot = os.path.join(top, ".git")
    if os.path.isdir(dot):
        return dot
    text = files.read_bytes_or_none(dot)
    if text is None or not text.startswith(b"gitdir: "):
        return None
    return os.path.normpath(os.path.join(top, os.fsdecode(text[8:].strip())))


def common_dir(top: str) -> str | None:
    """The real path of the git directory that all worktrees of a repository share."""
    directory = git_dir(top)
    if directory is None:
        return None
    text = files.read_bytes_or_none(os.path.join(directory, "commondir"))
    return os.path.realpath(directory if text is None else os.path.join(directory, os.fsdecode(text.strip())))


def first_cwd(event: Event) -> str:
    """Where a session of a client without a project variable was first seen; noted the first time."""
    if not event.session:
        return event.cwd
    path = os.path.join(paths.sessions_dir(), session_name(event.session) + ".start")
    noted = files.read_bytes_or_none(path)
    if noted and os.path.isdir(noted):
        return os.fsdecode(noted)
    if event.cwd:
        try:
            files.write_state(path, os.fsencode(event.cwd))
        except OSError:
            pass  # a state that cannot be written costs the fixed place, not the gate
    return event.cwd


def session_name(session: str, agent: str = "") -> str:
    """A file name for a session id: any length, any Unicode, never a path."""
    data = session.encode("utf-8", "surrogatepass") + b"\0" + agent.encode("utf-8", "surrogatepass")
    label = "".join(c for c in session[:20] if c.isascii() and (c.isalnum() or c == "-"))
    return f"{label}-{fasthash.blake2(data, 12)}"
