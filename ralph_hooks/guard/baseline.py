"""How the settings stood before the agent could touch them: from the seal, else from the session's first event."""

from __future__ import annotations

import os
from typing import Any

from ralph_hooks import fastjson, files
from ralph_hooks.install.approve import settings_now
from ralph_hooks.plan import seal
from ralph_hooks.plan.locate import Project


def settings_before(project: Project, session: str) -> dict[str, dict[str, Any]]:
    """Path of each settings file -> facts (see `approve.facts_of`); `{}` when nothing was noted."""
    for path in (seal.seal_path(project), _path(project, session)):
        note = _read(path)
        if note and isinstance(note.get("settings"), dict) and note.get("pending") is not True:
            return dict(note["settings"])
    return {}


def note_settings(project: Project, session: str) -> None:
    """Note the settings of a session that no seal covers; the first note stays."""
    path = _path(project, session)
    if os.path.exists(path) or os.path.exists(seal.seal_path(project)):
        return
    try:
        files.write_state(path, fastjson.dumps({"settings": settings_now(project.root)}).encode())
    except OSError:
        pass  # without the note an unknown past is taken for empty


def _path(project: Project, session: str) -> str:
    return os.path.join(project.state, seal.PINS, f"{session}.settings")


def _read(path: str) -> dict[str, Any] | None:
    try:
        note = fastjson.loads((files.read_bytes_or_none(path) or b"").decode("utf-8", "replace"))
    except fastjson.JsonError:
        return None
    return note if isinstance(note, dict) else None
