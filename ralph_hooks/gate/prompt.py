"""What is known of a person's last prompt in a session: the content then, and a declaration of the agent since."""

from __future__ import annotations

import os
import time

from ralph_hooks import fastjson, files, paths
from ralph_hooks.gate.root import session_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.gate.event import Event
    from ralph_hooks.plan.compiled import Plan
    from ralph_hooks.plan.locate import Project

DIGEST_SECONDS = 20.0  # clients give this event 30


def note(project: Project, plan: Plan, event: Event) -> None:
    """Note a new prompt; the content's digest only where `when = "changed"` needs it."""
    digest = ""
    if plan.gate.when == "changed":
        from ralph_hooks.check.digest import TreeDigest
        from ralph_hooks.check.digest.repository import Limit

        Limit.until = time.monotonic() + DIGEST_SECONDS
        digest = TreeDigest.start(project).result()
    write(event.session, {"at": time.time(), "digest": digest, "declared": False, "root": project.root})


def read(session: str) -> dict[str, Any]:
    """The note of the last prompt, `{}` when there is none."""
    text = files.read_bytes_or_none(_path(session))
    try:
        data = fastjson.loads((text or b"").decode("utf-8", "replace"))
    except fastjson.JsonError:
        return {}
    return data if isinstance(data, dict) else {}


def write(session: str, data: dict[str, Any]) -> None:
    """Replace the note. A state that cannot be written leaves none: the strict rule applies."""
    try:
        files.write_state(_path(session), fastjson.dumps(data).encode())
    except OSError:
        pass


def _path(session: str) -> str:
    return os.path.join(paths.sessions_dir(), session_name(session) + ".prompt")
