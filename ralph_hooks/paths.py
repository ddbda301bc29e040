"""Where things live: state outside the repository, one directory per project root and one per checkout."""

from __future__ import annotations

import os

from ralph_hooks import fasthash

STATE_MODE_NOTE = "directories 0700, files 0600"


def home() -> str:
    """The user's home; the password database answers when HOME is unset, a temporary directory when nothing does."""
    found = os.environ.get("HOME") or os.path.expanduser("~")
    if os.path.isabs(found):
        return found
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"ralph-hooks-{os.getuid()}")  # noqa: S108


def xdg(variable: str, below_home: str) -> str:
    """An XDG base directory; relative values are ignored, as the XDG specification asks."""
    value = os.environ.get(variable, "")
    return value if os.path.isabs(value) else os.path.join(home(), below_home)


def state_dir() -> str:
    """`$XDG_STATE_HOME/ralph-hooks`."""
    return os.path.join(xdg("XDG_STATE_HOME", ".local/state"), "ralph-hooks")


def spare_state_dir() -> str:
    """The second place, for when the first cannot be written (G16)."""
    base = os.environ.get("XDG_RUNTIME_DIR") or os.environ.get("TMPDIR") or "/tmp"  # noqa: S108
    path = os.path.join(base, f"ralph-hooks-{os.getuid()}")
    try:
        found = os.lstat(path)
    except OSError:
        return path
    # somebody else's directory under our name in a place that all may write to
    return path if found.st_uid == os.getuid() and not os.path.islink(path) else path + "-taken"


def identity(path: str) -> str:
    """A directory name for a path: readable, and distinct for distinct real paths."""
    real = os.path.realpath(path)
    label = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in os.path.basename(real))
    return f"{label[:40] or 'root'}-{fasthash.blake2(os.fsencode(real), 8)}"


def project_dir(root: str) -> str:
    """State of one project root (the directory that holds the config)."""
    return os.path.join(state_dir(), "projects", identity(root))


def checkout_dir(top: str) -> str:
    """State of one checkout (the git top level, or the project root without git)."""
    return os.path.join(state_dir(), "checkouts", identity(top))


def sessions_dir() -> str:
    """Budgets, one file per session."""
    return os.path.join(state_dir(), "sessions")
