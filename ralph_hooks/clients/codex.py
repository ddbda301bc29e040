"""Codex's dialect: with exit 2 it ignores stdout and needs a non-blank stderr; else stdout is JSON of known keys.

That is what Claude Code understands too, so the two share one reply.
"""

from __future__ import annotations

from ralph_hooks.clients.claude import reply

__all__ = ["reply"]
