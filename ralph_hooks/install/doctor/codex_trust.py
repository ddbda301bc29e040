"""Codex skips a hook that no person has reviewed, without a word; its own app server says which it would run."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Iterator
from typing import Any

from ralph_hooks.install.doctor.finding import Finding, Patient
from ralph_hooks.process import tree
from ralph_hooks.process.spawn import CouldNotStart, spawn, which

SECONDS = 20.0
REVIEW = "start `codex` here, trust the project, type /hooks and approve the hook"


def trusted(patient: Patient) -> Iterator[Finding]:
    """Our hook is among those that Codex would run, and reviewed."""
    if "codex" not in patient.clients() or which("codex", patient.cwd, patient.env.get("PATH", os.defpath)) is None:
        return
    listed = hooks(patient.cwd, patient.env)
    if listed is None:
        yield Finding("codex-unknown", "Codex did not say which hooks it would run", REVIEW, note=True)
        return
    for error in listed.get("errors", []):
        words = error.get("message", error) if isinstance(error, dict) else error
        yield Finding("codex-error", f"Codex: {words}", "correct that file")
    ours = [
        hook for hook in listed.get("hooks", []) if str(hook.get("command", "")).startswith("ralph-hooks hook codex")
    ]
    if not ours:
        what = "Codex does not load our hook: it does not trust this project, or hooks are off"
        yield Finding("codex-untrusted-project", what, REVIEW)
    for hook in ours:
        if hook.get("trustStatus") in ("untrusted", "modified"):
            what = f"Codex skips our hook without a word: it is {hook['trustStatus']}"
            yield Finding("codex-untrusted-hook", what, REVIEW)
        elif not hook.get("enabled", True):
            yield Finding("codex-disabled", "our hook is switched off in Codex", REVIEW)


def hooks(cwd: str, env: dict[str, str]) -> dict[str, Any] | None:
    """What `hooks/list` answers for this directory, `None` when it does not answer."""
    ask = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "ralph-hooks", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [cwd]}},
    ]
    words = "".join(json.dumps(each) + "\n" for each in ask).encode()
    child_in, write = os.pipe()
    read, child_out = os.pipe()
    quiet = os.open(os.devnull, os.O_WRONLY)
    server = spawn(["codex", "app-server"], cwd=cwd, env=env, stdin=child_in, stdout=child_out, stderr=quiet)
    for fd in (child_in, child_out, quiet):
        os.close(fd)
    try:
        if isinstance(server, CouldNotStart):
            return None
        os.write(write, words)  # and left open: at the end of its input the server leaves without an answer
        return _answer(read)
    finally:
        if not isinstance(server, CouldNotStart):
            tree.kill_tree(server, "", grace=0.5, strays=False)
        os.close(write)
        os.close(read)


def _answer(fd: int) -> dict[str, Any] | None:
    deadline = time.monotonic() + SECONDS
    text = b""
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(fd, 1 << 16)
        *lines, text = (text + part).split(b"\n")
        for line in lines:
            message = _message(line)
            if message.get("id") == 2:
                data = (message.get("result") or {}).get("data") or []
                return data[0] if data and isinstance(data[0], dict) else None
        if not part:
            break
    return None


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}
