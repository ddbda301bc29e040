"""Proof that red stops the agent here: the written command gets a recorded Stop event, as is and with a failing test.

It runs in a scratch copy, with a state directory of its own: the person's tree, budget and ledger see nothing of it.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ralph_hooks import files
from ralph_hooks.check.verdict import PASSES, RED
from ralph_hooks.install.entries import PROGRAM
from ralph_hooks.install.place import Place
from ralph_hooks.install.plants import NAME, Plant, plants
from ralph_hooks.install.scratch import scratch
from ralph_hooks.ledger import ledger
from ralph_hooks.plan.locate import CONFIG
from ralph_hooks.process.capture import Captured, capture
from ralph_hooks.process.spawn import which


@dataclass(frozen=True, slots=True)
class Seen:
    """What one Stop event led to: the hook's exit code, and by check name what its ledger line says."""

    code: int | None
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)
    words: str = ""

    def verdict(self, name: str) -> str:
        return str(self.checks.get(name, {}).get("verdict", ""))


@dataclass(frozen=True, slots=True)
class Proof:
    """The canary's result for one check: `proven`, or the sentence that says why not; `masked` refuses."""

    check: str
    proven: bool
    why: str
    as_is: str = ""
    planted: str = ""
    masked: bool = False


def prove(
    root: str, top: str, config: str | None, checks: Sequence[tuple[str, str]], hook: tuple[str, int]
) -> list[Proof]:
    """Try the gate in a scratch copy of `top`, with this config text or the config that is there.

    `checks` are (name, cwd), `hook` is (client, the client's timeout in seconds).
    Takes two runs of the checks. Never raises for what the project does.
    """
    try:
        with scratch(top) as copy:
            return _prove(os.path.join(copy, os.path.relpath(root, top)), config, checks, hook)
    except OSError as error:
        return [Proof(name, False, f"no scratch copy could be made: {error.strerror}") for name, _ in checks]


def _prove(root: str, config: str | None, checks: Sequence[tuple[str, str]], hook: tuple[str, int]) -> list[Proof]:
    if config is not None:
        files.write_atomic(os.path.join(root, CONFIG), config.encode(), 0o644)
    as_is = stop(root, *hook)
    planted = {cwd: plants(Place(root, cwd)) for _, cwd in checks}
    for cwd, found in planted.items():
        for plant in found:
            _plant(os.path.join(root, cwd), plant)
    red = stop(root, *hook) if any(planted.values()) else Seen(None)
    return [_judge(name, bool(planted[cwd]), as_is, red) for name, cwd in checks]


def _plant(directory: str, plant: Plant) -> None:
    path = os.path.join(directory, plant.path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a" if plant.append else "w", encoding="utf-8") as file:
        file.write(plant.text)


def _judge(name: str, known: bool, as_is: Seen, planted: Seen) -> Proof:
    before, after = as_is.verdict(name), planted.verdict(name)
    if not before:
        return Proof(name, False, f"the hook did not run this check: {as_is.words or 'no ledger line'}")
    if not known:
        return Proof(name, False, "no failing test is known for this kind of project", before)
    codes = [seen.checks.get(name, {}).get("exit") for seen in (as_is, planted)]
    named = _names_canary(planted.checks.get(name, {}))
    if after == RED and (named or codes[0] != codes[1]):
        blocked = planted.code == 2
        why = (
            "a planted failing test blocked the stop"
            if blocked
            else "the planted test was red, yet nothing was blocked"
        )
        return Proof(name, blocked, why, before, after)
    if named and after in PASSES:
        why = "the planted test failed, and the command still left with exit code 0: its exit code is masked"
        return Proof(name, False, why, before, after, masked=True)
    if after in PASSES:
        return Proof(name, False, "the planted failing test was not picked up", before, after)
    return Proof(name, False, f"it is {before} with the planted test and without", before, after)


def _names_canary(check: dict[str, Any]) -> bool:
    return bool(check.get("planted") or NAME.search(" ".join(map(str, check.get("failing_ids", [])))))


def stop(root: str, client: str, seconds: int) -> Seen:
    """Send one recorded Stop event to the hook command, as this client would."""
    with tempfile.TemporaryDirectory(prefix="ralph-hooks-state-") as state:
        env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CLAUDE", "CODEX", "RALPH_HOOKS_"))
        }
        env |= {"XDG_STATE_HOME": state, **({"CLAUDE_PROJECT_DIR": root} if client == "claude" else {})}
        argv = [*program(env), "hook", client, "--within", str(seconds)]
        done = capture(argv, cwd=root, env=env, stdin=event(root, client), timeout=seconds + 60)
        line = _last_line(state)
        checks = {check["name"]: _with_log(check) for check in line.get("checks", [])}
        return Seen(done.code, checks, line.get("message", "") or _words(done))


def event(root: str, client: str) -> bytes:
    """A Stop event as this client sends it, for a session of its own."""
    session = f"canary-{os.urandom(8).hex()}"
    own: dict[str, object] = {"turn_id": session, "model": "canary"}
    if client == "claude":
        own = {"prompt_id": session, "background_tasks": [], "session_crons": []}
    common = {
        "session_id": session,
        "transcript_path": os.path.join(root, "transcript.jsonl"),
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "last_assistant_message": "All tests pass. Done.",
    }
    return json.dumps({**common, **own}).encode()


def program(env: dict[str, str]) -> list[str]:
    """The command that was written, when it is on PATH, else this very program."""
    if which(PROGRAM, ".", env.get("PATH", os.defpath)):
        return [PROGRAM]
    return [sys.executable, "-m", "ralph_hooks"]


def _last_line(state: str) -> dict[str, Any]:
    """The newest record of the only project in this state directory."""
    newest: dict[str, Any] = {}
    for directory, _, names in os.walk(state):
        if ledger.NAME in names:
            for record in ledger.read_file(os.path.join(directory, ledger.NAME)):
                newest = record
    return newest


def _with_log(check: dict[str, Any]) -> dict[str, Any]:
    """The log goes with the state directory, so what is asked of it later is asked now."""
    text = files.read_bytes_or_none(str(check.get("log") or "")) or b""
    return {**check, "planted": b"planted by ralph-hooks" in text or bool(NAME.search(text.decode("utf-8", "replace")))}


def _words(done: Captured) -> str:
    return done.words or done.err.decode("utf-8", "replace").strip()[-300:]
