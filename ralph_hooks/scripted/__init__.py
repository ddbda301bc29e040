"""Scripted models on loopback: a real coding agent talks to them, no key and no network needed.

with MessagesServer([shell("make test"), say("All tests pass.")]) as server:
    ...  # run Claude Code with ANTHROPIC_BASE_URL=server.url
assert "2 failed" in server.turns[1].shown
"""

from ralph_hooks.scripted.messages import MessagesServer
from ralph_hooks.scripted.request import Request
from ralph_hooks.scripted.responses import ResponsesServer
from ralph_hooks.scripted.script import Script, Step, call, close, error, hang, say, shell

__all__ = [
    "MessagesServer",
    "Request",
    "ResponsesServer",
    "Script",
    "Step",
    "call",
    "close",
    "error",
    "hang",
    "say",
    "shell",
]
