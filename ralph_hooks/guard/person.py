"""Verbs that only a person may use (T11). Same user, same machine: this raises the price and leaves a trace."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.process.table import parent_of

MARKS = (
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "AI_AGENT",
)
AGENTS = ("claude", "codex", "gemini", "qwen", "copilot", "droid", "opencode", "cline", "amp", "cursor-agent")


# What the hook hears at the agent's prompt (`guard/prompts.py`), for the verbs that have it.
TYPED = {"pause": "pause 30m", "seal": "seal", "budget reset": "budget-reset"}


def require_person(verb: str) -> None:
    """Raise `RalphError` when this process runs inside an agent: by environment, or by an ancestor's name.

    The environment alone would not do: `env -i` clears it.
    """
    found = agent_above()
    if not found:
        return
    way_out = "type it in another terminal"
    if verb in TYPED:
        way_out += f", or type `/ralph-hooks:{TYPED[verb]}` at the agent's prompt"
    raise RalphError(
        f"`ralph-hooks {verb}` is a person's verb, and this runs inside an agent ({found})", way_out, EXIT_USAGE
    )


def agent_above() -> str:
    """What shows that an agent started this process, or ""."""
    for name in MARKS:
        if os.environ.get(name):
            return f"{name} is set"
    for pid in ancestors():
        name = agent_name(pid)
        if name:
            return f"process {pid} is `{name}`"
    return ""


def ancestors() -> Iterator[int]:
    """The ids of the parent, its parent, and so on."""
    pid = os.getppid()
    while pid > 1:
        yield pid
        pid = parent_of(pid)


def agent_name(pid: int) -> str:
    """The agent that this process is, or "": its program, or the script that node runs."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return ""
    for word in words[:2]:
        name = os.path.basename(word).removesuffix(".js").removesuffix(".exe")
        if name in AGENTS or (name == "cli" and "claude-code" in word):
            return name if name in AGENTS else "claude"
    return ""
