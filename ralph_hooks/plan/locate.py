"""Which project a directory belongs to (G2). On the hot path: a few `stat` calls, no parsing."""

from __future__ import annotations

import os

from ralph_hooks import fastjson, files, paths

CONFIG = "ralph-hooks.toml"
PYPROJECT = "pyproject.toml"
NAME = b"ralph-hooks"
HEADS = (b"[tool.ralph-hooks]", b"[tool.ralph-hooks.", b"[[tool.ralph-hooks]", b"[[tool.ralph-hooks.")
KEYS = (b"ralph-hooks.", b"ralph-hooks=", b"tool.ralph-hooks.", b"tool.ralph-hooks=")
REQUIRED = b"ralph-hooks=="  # a dependency
BOM = b"\xef\xbb\xbf"
PLAN = "plan.json"


class Project:
    """A project root and the places that belong to it.

    `root` holds the config; `top` is the git top level, or `root` without git; `state` and `checkout` are
    directories of ours outside the repository.
    """

    __slots__ = ("checkout", "config_path", "root", "state", "top")

    def __init__(self, root: str, top: str, config_path: str) -> None:
        self.root = root
        self.top = top
        self.config_path = config_path
        self.state = paths.project_dir(root)
        self.checkout = paths.checkout_dir(top)


def git_top(start: str) -> str | None:
    """The nearest directory at or above `start` that holds `.git` (a directory, or a file in a linked worktree)."""
    current = start
    while True:
        if os.path.exists(os.path.join(current, ".git")):
            return current
        parent = os.path.dirname(current)
        if parent == current:
            return None
        current = parent


def config_in(directory: str) -> str | None:
    """The config file of this very directory, or `None`."""
    own = os.path.join(directory, CONFIG)
    if os.path.lexists(own):
        return own
    shared = os.path.join(directory, PYPROJECT)
    text = files.read_bytes_or_none(shared)
    return shared if text is not None and NAME in text and _has_table(text.removeprefix(BOM), shared) else None


def _has_table(text: bytes, path: str) -> bool:
    """Whether this `pyproject.toml` holds our table; `[tool.ralph-hooks-other]` is somebody else's.

    The lines only raise the question. A bare header that no multi-line string can surround answers it; else that was
    answered when the plan was compiled, or the TOML reader has to.
    """
    asked = False
    for number, line in enumerate(lines := text.splitlines(keepends=True)):
        if NAME not in line:
            continue
        bare = line.translate(None, b" \t")
        if bare.startswith(HEADS):
            before = b"".join(lines[:number])
            if b'"""' not in before and b"'''" not in before:
                return True
        unquoted = bare.translate(None, b"\"'")
        asked = asked or (unquoted.startswith((*HEADS, *KEYS)) and not unquoted.startswith(REQUIRED))
    return asked and (_compiled(text, path) or _read_it(text))


def _compiled(text: bytes, path: str) -> bool:
    stored = files.read_bytes_or_none(os.path.join(paths.project_dir(os.path.dirname(path)), PLAN))
    try:
        packed = fastjson.loads((stored or b"").decode())
        return bool(packed["path"] == path and packed["text"].removeprefix("\ufeff") == text.decode())
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def _read_it(text: bytes) -> bool:
    """What is no TOML is ours where a line looks like our header: then the compiler says what is wrong."""
    from ralph_hooks.plan import pyproject

    found = pyproject.has_table(text)
    if found is None:
        return any(line.translate(None, b" \t\"'").startswith(HEADS) for line in text.splitlines())
    return found


def find_project(start: str, session: str = "") -> Project | None:
    """The project of a directory; `None` when there is none.

    That is the nearest root that is known (sealed, or pinned for this session), else the nearest config not above the
    git top level: a config planted nearer changes nothing, and neither does a `git init` in a subdirectory. A known
    root counts although its config is gone. Raises `OSError` when `start` cannot be entered.
    """
    current = os.path.realpath(start)
    os.stat(os.path.join(current, "."))
    top = git_top(current)
    below = True
    nearest: Project | None = None
    while True:
        found = config_in(current) if below else None
        if is_known(current, session, sealed=below):
            known_top = top if below else git_top(current)
            return Project(current, known_top or current, found or _config_path(current))
        if found and nearest is None:
            nearest = Project(current, top or current, found)
        below = below and current != top
        parent = os.path.dirname(current)
        if parent == current:
            return nearest
        current = parent


def is_known(root: str, session: str, *, sealed: bool = True) -> bool:
    """Whether this root was sealed by a person, or pinned for this session (a file name)."""
    state = paths.project_dir(root)
    return (sealed and os.path.exists(os.path.join(state, "seal.json"))) or (
        bool(session) and os.path.exists(os.path.join(state, "pins", session))
    )


def _config_path(root: str) -> str:
    return config_in(root) or os.path.join(root, CONFIG)
