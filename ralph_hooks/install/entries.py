"""The entries that the clients get. A bare program name: the file is committed and must work for the whole team."""

from __future__ import annotations

from typing import Any

from ralph_hooks.install.surgery import ID, Entry

PROGRAM = "ralph-hooks"
GUARD_EVENTS = ("ConfigChange", "UserPromptSubmit")
GUARD_SECONDS = 30
EDIT_TOOLS = "Edit|MultiEdit|Write|NotebookEdit|Bash"
MARGIN = 60
MIN_TIMEOUT = 600


def timeout_for(run_seconds: float) -> int:
    """A check's `timeout_s` from how long it took: five times that, in whole minutes, at least ten."""
    return max(MIN_TIMEOUT, -int(-5 * run_seconds // 60) * 60)


def within(timeouts: list[float], *, parallel: bool = False) -> int:
    """The hook's own timeout in seconds: the checks' deadlines and a margin, rounded up to minutes.

    The gate stops 30 s before it, so the client's timeout, which lets the turn end, never comes first.
    """
    longest = max(timeouts, default=MIN_TIMEOUT) if parallel else sum(timeouts) or MIN_TIMEOUT
    return -int(-(longest + MARGIN) // 60) * 60


def claude(seconds: int, *, subagents: bool = False, guard: bool = False, edits: bool = False) -> list[Entry]:
    """Exec form: no shell in between, so no profile script can spoil stdout. `edits` adds the guard's PreToolUse."""
    stops = ["Stop", *(["SubagentStop"] if subagents else [])]
    found = [Entry(event, _claude_hook(seconds)) for event in stops]
    found += [Entry(event, _claude_hook(GUARD_SECONDS)) for event in GUARD_EVENTS if guard]
    return found + ([Entry("PreToolUse", _claude_hook(GUARD_SECONDS), EDIT_TOOLS)] if guard and edits else [])


def _claude_hook(seconds: int) -> dict[str, Any]:
    return {
        "type": "command",
        "command": PROGRAM,
        "args": ["hook", "claude", "--within", str(seconds)],
        "timeout": seconds,
        "_id": ID,
    }


def codex(seconds: int) -> list[Entry]:
    """One command string: Codex drops `args` without a word. It leaves `_id` alone and does not hash it."""
    command = f"{PROGRAM} hook codex --within {seconds}"
    return [Entry("Stop", {"type": "command", "command": command, "timeout": seconds, "_id": ID})]
