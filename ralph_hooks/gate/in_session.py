"""What a person started for one session by typing at its prompt (T8): a loop on one prompt, one more check.

The loop: the stop is sent back with the same prompt until the last message holds the promised tag and the gate is
green, or until its limit. It is keyed by the session, so it never catches another one.
"""

from __future__ import annotations

import os

from ralph_hooks import fastjson, files, paths
from ralph_hooks.gate.decision import ALLOW, BLOCK, RELEASED_RED, SKIP, Decision
from ralph_hooks.gate.root import session_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.gate.event import Event

LOOP = ".loop"
GOAL = ".goal"
SHAPES = {LOOP: (("prompt", str), ("promise", str), ("max", int), ("n", int)), GOAL: (("run", str),)}
GREEN_SKIP = "already green"


def read(session: str, kind: str) -> dict[str, Any] | None:
    """The session's loop or goal, `None` when it has none or nobody can read it."""
    text = files.read_bytes_or_none(path_of(session, kind))
    if text is None:
        return None
    try:
        data = fastjson.loads(text.decode("utf-8", "replace"))
    except fastjson.JsonError:
        return None
    return data if isinstance(data, dict) and all(type(data.get(key)) is one for key, one in SHAPES[kind]) else None


def write(session: str, kind: str, data: dict[str, Any]) -> None:
    """Raises `OSError`."""
    files.write_state(path_of(session, kind), fastjson.dumps(data).encode())


def clear(session: str, kind: str) -> bool:
    """Whether there was one."""
    there = os.path.lexists(path_of(session, kind))
    files.remove(path_of(session, kind))
    return there


def path_of(session: str, kind: str) -> str:
    return os.path.join(paths.sessions_dir(), session_name(session) + kind)


def next_round(event: Event, decision: Decision) -> Decision:
    """The decision with the session's loop taken into account. A stop that was not judged is no iteration."""
    loop = read(event.session, LOOP) if event.name in ("Stop", "") and event.session else None
    if loop is None or not _judged(decision):
        return decision
    done, most = int(loop["n"]), int(loop["max"])
    if decision.kind == RELEASED_RED:
        return _ended(event, decision, f"the loop ended after {done} iterations: the gate handed back")
    green = decision.kind != BLOCK
    if green and loop["promise"] and has_promise(event.message, str(loop["promise"])):
        return _ended(event, decision, f"the loop is complete after {done} iterations: promise kept, gate green")
    if done >= most:
        state = "green" if green else "red"
        return _ended(event, decision, f"the loop reached its limit of {most} iterations; the gate is {state}")
    try:
        write(event.session, LOOP, {**loop, "n": done + 1})
    except OSError:
        return decision  # an iteration that cannot be counted is not started
    return _sent_back(decision, loop, done + 1)


def _judged(decision: Decision) -> bool:
    if decision.kind == SKIP:
        return decision.reason == GREEN_SKIP
    return decision.kind in (ALLOW, BLOCK, RELEASED_RED) and not decision.silent


def has_promise(message: str, promise: str) -> bool:
    """Whether the message holds the tag with exactly this text."""
    return f"<promise>{promise}</promise>" in message


def _ended(event: Event, decision: Decision, words: str) -> Decision:
    clear(event.session, LOOP)
    decision.record["loop"] = words
    if decision.kind != BLOCK:
        decision.message = "\n".join(filter(None, [decision.message, f"ralph-hooks: {words}."]))
    return decision


def _sent_back(decision: Decision, loop: dict[str, Any], n: int) -> Decision:
    head = f"ralph-hooks: iteration {n}/{loop['max']} of this session's loop. The prompt is the same as before:"
    way_out = "It ends at its limit."
    if loop["promise"]:
        tag = f"<promise>{loop['promise']}</promise>"
        way_out = f"It ends when {tag} is true and in your last message, and the gate is green."
    text = "\n\n".join(filter(None, [head, str(loop["prompt"]), way_out, decision.feedback]))
    sent = Decision(BLOCK, decision.reason if decision.kind == BLOCK else "loop", feedback=text)
    sent.record = {"charged": False, **decision.record, "loop": f"{n}/{loop['max']}"}
    return sent
