"""What a person approved, kept outside the repository (T1).

The seal holds the config's text with its compiled plan, and the inputs of each check. Without a seal (a fresh clone, a
teammate, CI) the config as found is pinned for the session at its first event. Either way an edit of the config does
not change what runs; it is reported until a person accepts it with `ralph-hooks seal`.
"""

from __future__ import annotations

import os

from ralph_hooks import fastjson, files
from ralph_hooks.errors import RalphError
from ralph_hooks.plan import compiled
from ralph_hooks.plan.locate import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.plan.compiled import Plan

SEAL = "seal.json"
PINS = "pins"
CONFIG_CHANGED = "the config differs from what was {how}: the {how} one was used"
CONFIG_GONE = "the config `{path}` is gone: the {how} one was used"
SEAL_BROKEN = "the seal `{path}` cannot be read, so nobody knows what was approved"
SEALED, PINNED, NONE = "sealed", "pinned", "none"


class Approved:
    """The plan to run, where it comes from (`sealed`, `pinned`, `none`), and how the config of today differs from it.

    `inputs` are the digests of each check's inputs as approved, `None` when nobody noted them.
    """

    __slots__ = ("changes", "inputs", "plan", "source")

    def __init__(self, plan: Plan, source: str) -> None:
        self.plan = plan
        self.source = source
        self.changes: list[str] = []
        self.inputs: dict[str, dict[str, str]] | None = None


def approved(project: Project, session: str) -> Approved:
    """The plan for this session (its file name, see `session_name`). Raises `ConfigError` when nothing is approved."""
    note, source = read_note(project, session)
    if note is None:
        found = Approved(compiled.plan_for(project), NONE)
    else:
        found = Approved(_plan_of(note["packed"]), source)
        found.inputs = note.get("inputs")
        if _digest_today(project) != found.plan.digest:
            words = CONFIG_CHANGED if os.path.lexists(project.config_path) else CONFIG_GONE
            found.changes.append(words.format(how=source, path=project.config_path))
    if source != SEALED and os.path.lexists(path := seal_path(project)) and _parsed(path) is None:
        found.changes.append(SEAL_BROKEN.format(path=path))
    return found


def _digest_today(project: Project) -> str:
    """The digest of the plan that the config makes now: a comment, or a table of another tool, is no change."""
    try:
        return compiled.plan_for(project).digest
    except RalphError:
        return ""


def read_note(project: Project, session: str) -> tuple[dict[str, Any] | None, str]:
    """The seal, or the session's pin, and which of the two it is."""
    for path, source in ((seal_path(project), SEALED), (pin_path(project, session), PINNED)):
        note = _read(path)
        if note is not None:
            return note, source
    return None, NONE


def seal_path(project: Project) -> str:
    return os.path.join(project.state, SEAL)


def pin_path(project: Project, session: str) -> str:
    return os.path.join(project.state, PINS, session)


def _read(path: str) -> dict[str, Any] | None:
    note = _parsed(path)
    return None if note is None or note.get("pending") is True else note


def _parsed(path: str) -> dict[str, Any] | None:
    text = files.read_bytes_or_none(path)
    if text is None:
        return None
    try:
        note = fastjson.loads(text.decode("utf-8", "replace"))
        compiled.build(note["packed"])
    except (fastjson.JsonError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return note if isinstance(note.get("inputs"), dict | None) else None


def _plan_of(packed: dict[str, str]) -> Plan:
    """The plan of an approved text; compiled anew when another version wrote it."""
    if packed.get("format") == compiled.FORMAT:
        return compiled.build(packed)
    from ralph_hooks.plan import compile as compiler

    return compiled.build(compiler.compile_text(packed["text"], packed["path"], compiled.FORMAT))


def pin(project: Project, session: str, plan: Plan, inputs: dict[str, dict[str, str]] | None) -> None:
    """Note the plan of a session that no seal covers; the first note stays."""
    path = pin_path(project, session)
    if os.path.exists(path):
        return
    stored = files.read_bytes_or_none(os.path.join(project.state, compiled.FILE))
    try:
        packed = fastjson.loads((stored or b"").decode("utf-8", "replace"))
        if packed["text"] != plan.text:
            return
        files.write_state(path, fastjson.dumps({"packed": packed, "inputs": inputs}).encode())
    except (fastjson.JsonError, KeyError, TypeError, OSError):
        pass  # a state that cannot be written costs the pin, not the verdict
