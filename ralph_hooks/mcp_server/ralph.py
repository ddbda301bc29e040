"""The tool `ralph`: a loop in the foreground of the calling turn (F23)."""

from __future__ import annotations

from ralph_hooks.mcp_server.tools import Tool


def ralph_tool(start: str) -> Tool | None:
    """Nothing to offer before the loop is there."""
    return None
