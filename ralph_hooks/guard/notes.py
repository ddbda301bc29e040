"""The optional carrier of receipts (T6): a git note below `refs/notes/ralph-hooks`, ours alone.

A note is a claim of the machine that wrote it; anybody who can push can write one. It travels, but it proves nothing.
"""

from __future__ import annotations

import json
from typing import Any

from ralph_hooks.plan.locate import Project
from ralph_hooks.process.capture import capture

REF = "refs/notes/ralph-hooks"
CARRIED = ("at", "verdict", "digest", "plan", "by", "hash")


def carry(project: Project, rev: str, record: dict[str, Any]) -> list[str]:
    """Attach the receipt to the commit; a sentence about how that went."""
    text = json.dumps({key: record[key] for key in CARRIED if key in record}, sort_keys=True)
    words = ["git", "notes", f"--ref={REF}", "add", "--force", "-F", "-", rev]
    done = capture(words, cwd=project.top, stdin=text.encode())
    if done.code != 0:
        return [f"the note could not be written: {done.err.decode('utf-8', 'replace').strip()[:200]}"]
    return [f"noted below `{REF}`"]


def claims(project: Project, rev: str) -> list[str]:
    """What a note on this commit says, as a sentence; none without one."""
    done = capture(["git", "notes", f"--ref={REF}", "show", rev], cwd=project.top)
    try:
        note = json.loads(done.out) if done.code == 0 else {}
        verdict = str(note["verdict"])[:20]
    except (ValueError, KeyError, TypeError):
        return []
    return [f"a note claims that it was {verdict} on another machine, which is no proof here"]
