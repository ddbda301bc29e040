"""Hosts that run the hooks of `.claude/settings.json` beside Claude Code, and the JSON that each honours (G17)."""

from __future__ import annotations

import os

from ralph_hooks import fastjson
from ralph_hooks.clients import claude
from ralph_hooks.clients.reply import Reply
from ralph_hooks.gate.decision import BLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ralph_hooks.gate.decision import Decision


def host_of(data: dict[str, Any], client: str, env: Mapping[str, str] | None = None) -> str:
    """Who really sent this event. CLAUDE_PROJECT_DIR tells nothing: five hosts set it."""
    env = os.environ if env is None else env
    if client != "claude":
        return client
    if "conversation_id" in data and "loop_count" in data:
        return "cursor"
    if env.get("COPILOT_CLI") == "1":
        return "copilot"
    if env.get("CLAUDECODE") == "1" or "prompt_id" in data:
        return "claude"
    return "vscode" if "hookEventName" in data else "claude"


def reply(host: str, decision: Decision) -> Reply:
    """The reply in the host's own dialect."""
    if decision.kind != BLOCK or host in ("claude", "codex"):
        return claude.reply(decision)
    code = 2 if host == "copilot" else 0  # the others take exit 2 for a failure of the hook
    return Reply(code, fastjson.dumps(_block(host, decision.feedback)) + "\n", decision.feedback + "\n")


def _block(host: str, reason: str) -> dict[str, Any]:
    if host == "cursor":
        return {"followup_message": reason}
    if host == "vscode":
        return {"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": reason}}
    return {"decision": "block", "reason": reason}
