"""One event from a client: read from standard input, checked field by field (G1)."""

from __future__ import annotations

import os
import time

from ralph_hooks import fastjson
from ralph_hooks.process import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

READ_SECONDS = 5.0
MOST_BYTES = 64 * 1024 * 1024

# Used fields and what they must be; anything else in the event is the client's own business.
FIELDS: dict[str, tuple[type, ...]] = {
    "session_id": (str,),
    "cwd": (str,),
    "hook_event_name": (str,),
    "stop_hook_active": (bool,),
    "background_tasks": (list, type(None)),
    "permission_mode": (str, type(None)),
    "prompt_id": (str, type(None)),
    "agent_id": (str, type(None)),
    "last_assistant_message": (str, type(None)),
}
NAMES = {str: "a string", bool: "true or false", list: "a list", type(None): "null"}


class BadEventError(Exception):
    """The event cannot be used; the message is a sentence for the person."""


class Event:
    """The used fields of one event, with the raw bytes beside them."""

    __slots__ = (
        "active", "agent", "background", "cwd", "data", "host", "message", "mode", "name", "prompt", "raw", "session",
    )  # fmt: skip

    def __init__(self, data: dict[str, Any], raw: bytes) -> None:
        self.data = data
        self.raw = raw
        self.session: str = data.get("session_id") or ""
        self.cwd: str = data.get("cwd") or ""
        self.name: str = data.get("hook_event_name") or ""
        self.active: bool = data.get("stop_hook_active") or False
        self.background: list[dict[str, Any]] = data.get("background_tasks") or []
        self.mode: str = data.get("permission_mode") or ""
        self.prompt: str = data.get("prompt_id") or ""
        self.agent: str = data.get("agent_id") or ""
        self.message: str = data.get("last_assistant_message") or ""
        self.host = ""


def read_event(fd: int = 0, seconds: float = READ_SECONDS) -> bytes:
    """The bytes of one JSON object: until its end or the end of input, at most `seconds`.

    Some parents never close the pipe, so a whole object ends the reading too. Raises `BadEventError`, and `Cancelled`
    when a signal comes.
    """
    import select

    poller = select.poll()
    for end in (fd, signals.wakeup_end()):
        if end >= 0:
            poller.register(end, select.POLLIN)
    deadline = time.monotonic() + seconds
    data = bytearray()
    while True:
        # poll before each read: a plain read on an open, empty pipe would wait for ever
        with signals.waiting:
            ready = poller.poll(max(0.0, deadline - time.monotonic()) * 1000)
        if not ready or time.monotonic() > deadline:
            raise BadEventError(f"no complete event came on standard input within {seconds:g} s")
        if all(end != fd for end, _ in ready):
            signals.drain()
            continue
        try:
            part = os.read(fd, 1 << 20)
        except OSError as error:
            raise BadEventError(f"standard input cannot be read: {error.strerror}") from None
        data += part
        # an object ends where nothing more lies ready; asked after every part, a long one would be parsed each time
        if not part or (part.rstrip().endswith(b"}") and not poller.poll(0) and _whole(data)):
            return bytes(data)
        if len(data) > MOST_BYTES:
            raise BadEventError(f"the event on standard input is larger than {MOST_BYTES >> 20} MiB")


def _whole(data: bytearray) -> bool:
    try:
        fastjson.loads(data.decode("utf-8"))
    except (fastjson.JsonError, UnicodeDecodeError):
        return False
    return True


def parse_event(raw: bytes) -> Event:
    """The event in these bytes. Raises `BadEventError` that names the field."""
    try:
        data = fastjson.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadEventError(f"the event on standard input is not UTF-8 at byte {error.start}") from None
    except fastjson.JsonError as error:
        what = f"not one JSON object ({error})" if raw.strip() else "empty"
        raise BadEventError(f"the event on standard input is {what}") from None
    if not isinstance(data, dict):
        raise BadEventError("the event on standard input is JSON but not an object")
    data = _common_names(data)
    for name, types in FIELDS.items():
        if name in data and type(data[name]) not in types:
            wanted = " or ".join(NAMES[kind] for kind in types)
            raise BadEventError(f"the event's field `{name}` must be {wanted}, not {fastjson.dumps(data[name])[:60]}")
    if any(not isinstance(task, dict) for task in data.get("background_tasks") or []):
        raise BadEventError("the event's field `background_tasks` must be a list of objects")
    return Event(data, raw)


def _common_names(data: dict[str, Any]) -> dict[str, Any]:
    """Some hosts that read the same settings file send camelCase names; ours win where both are there."""
    for theirs, ours in (
        ("sessionId", "session_id"), ("conversation_id", "session_id"), ("hookEventName", "hook_event_name"),
        ("stopHookActive", "stop_hook_active"),
    ):  # fmt: skip
        if theirs in data and ours not in data:
            data[ours] = data[theirs]
    return data
