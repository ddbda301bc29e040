"""Claude Code's dialect of a Stop hook's reply (G17)."""

from __future__ import annotations

from ralph_hooks import fastjson
from ralph_hooks.clients.reply import Reply
from ralph_hooks.gate.decision import BLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_hooks.gate.decision import Decision

# Without a line on stdout the client takes an exit 2 whose stderr says "no such file" for a missing hook script.
MARKER = "ralph-hooks: blocked, see standard error\n"


def reply(decision: Decision) -> Reply:
    """Exit 2 with the feedback on standard error, or exit 0 with what the person should see."""
    if decision.kind == BLOCK:
        return Reply(2, MARKER, decision.feedback + "\n")
    if decision.message:
        return Reply(0, fastjson.dumps({"systemMessage": decision.message}) + "\n")
    return Reply(0)
