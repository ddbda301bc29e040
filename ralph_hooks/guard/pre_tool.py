"""PreToolUse (T3, opt-in): edits of what was sealed are denied, shell writes too where they are plain to see."""

from __future__ import annotations

import os
import re

from ralph_hooks.clients.reply import Reply
from ralph_hooks.errors import RalphError
from ralph_hooks.gate.event import Event
from ralph_hooks.gate.root import session_name
from ralph_hooks.install import settings
from ralph_hooks.plan.locate import Project
from ralph_hooks.plan.seal import approved

EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch")
WRITES = re.compile(
    r">|\btee\b|\bsed\b[^|;]*\s-i|\brm\b|\bmv\b|\bcp\b|\bln\b|\btruncate\b|\bdd\b|\bpython|\bperl\b|\bnode\b|\bchmod\b"
)
REASON = "ralph-hooks: `{path}` is sealed; only a person can change it and accept the change with `ralph-hooks seal`.\n"


def judge(event: Event, project: Project) -> Reply | None:
    """Deny (exit 2 with the reason) or say nothing."""
    try:
        plan = approved(project, session_name(event.session)).plan
    except RalphError:
        return None
    if not plan.guard.pre_tool_use:
        return None
    tool, given = str(event.data.get("tool_name")), event.data.get("tool_input")
    if not isinstance(given, dict):
        return None
    touched = touched_path(tool, given, sealed_files(project), event.cwd)
    return Reply(2, "ralph-hooks: denied, see standard error\n", REASON.format(path=touched)) if touched else None


def sealed_files(project: Project) -> list[str]:
    """The config and the settings files with our entry."""
    layers = settings.layers("claude", project.root) + settings.layers("codex", project.root)
    return [project.config_path, *(layer.path for layer in layers)]


def touched_path(tool: str, given: dict[str, object], sealed: list[str], cwd: str) -> str:
    """The sealed file that this call would change, or ""."""
    if tool in EDITS:
        target = str(given.get("file_path") or given.get("notebook_path") or "")
        real = os.path.realpath(os.path.join(cwd, target))
        return next((path for path in sealed if target and os.path.realpath(path) == real), "")
    command = str(given.get("command") or "")
    if tool != "Bash" or not WRITES.search(command):
        return ""
    return next((path for path in sealed if _names(command, path)), "")


def _names(command: str, path: str) -> bool:
    tail = os.path.join(os.path.basename(os.path.dirname(path)), os.path.basename(path))
    name = os.path.basename(path) if os.path.basename(path) == "ralph-hooks.toml" else tail
    return name in command
