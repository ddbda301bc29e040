"""Stop events sent to the real hook process, and what came of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.support.project import TestProject


@dataclass
class Stopped:
    """How the hook left, and the ledger line that it wrote."""

    code: int
    out: str
    err: str
    line: dict[str, Any]

    def blocks(self, *words: str) -> Stopped:
        assert self.code == 2, self
        assert self.line["decision"] == "BLOCK", self
        assert self.out and not self.out.startswith("{"), self
        for word in words:
            assert word in self.err, f"{word!r} is not in:\n{self.err}"
        return self

    def lets_go(self, decision: str, reason: str = "", *, says: str = "") -> Stopped:
        assert self.code == 0, self
        assert (self.line["decision"], reason in self.line["reason"]) == (decision, True), self
        if says:
            assert says in json.loads(self.out)["systemMessage"], self
        else:
            assert self.out == "", self
        assert self.err == "", self
        return self


def event(project: TestProject, **fields: object) -> dict[str, object]:
    """A Stop event as Claude Code sends it; a field set to `...` is left out."""
    data: dict[str, object] = {
        "session_id": "5f0c2f1e-0000-4000-8000-000000000001",
        "transcript_path": "/home/dev/.claude/projects/x.jsonl",
        "cwd": str(project.root),
        "prompt_id": "p1",
        "permission_mode": "default",
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "last_assistant_message": "All tests pass. Done.",
        "background_tasks": [],
        "session_crons": [],
    }
    return {key: value for key, value in (data | fields).items() if value is not ...}


def stop(project: TestProject, client: str = "claude", within: str = "600", **fields: object) -> Stopped:
    """Send one Stop to the hook."""
    return raw_stop(project, json.dumps(event(project, **fields)), client, within)


def raw_stop(project: TestProject, text: str | bytes, client: str = "claude", within: str = "600") -> Stopped:
    """Send any bytes to the hook."""
    before = len(lines(project))
    done = project.ralph("hook", client, "--within", within, stdin=text)
    new = lines(project)[before:]
    assert len(new) <= 1, new
    return Stopped(done.code, done.out, done.err, new[0] if new else {})


def lines(project: TestProject) -> list[dict[str, Any]]:
    """The project's ledger, oldest first."""
    from ralph_hooks.ledger import ledger
    from ralph_hooks.plan.locate import Project, find_project

    root = str(project.root)
    found = find_project(root)
    return list(ledger.read(found or Project(root, root, ""))) + list(ledger.read(None))
