"""`ralph-hooks hook <client>`: read one event, send it down its line, answer in the client's dialect.

Whatever goes wrong in here leaves with 0 and a message, never with 2 and never with a traceback: an exit of 2 is a
block, any other code would end the turn without a word.
"""

from __future__ import annotations

import os

from ralph_hooks.check.watch import Cancel, Cancelled
from ralph_hooks.clients import hosts
from ralph_hooks.clients.reply import Reply
from ralph_hooks.gate import stop as gate
from ralph_hooks.gate.event import BadEventError, Event, parse_event, read_event
from ralph_hooks.gate.finish import finish
from ralph_hooks.process import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ralph_hooks.gate.decision import Decision

CLIENTS = ("claude", "codex")
STOPS = ("Stop", "SubagentStop", "stop", "agentStop", "subagentStop", "")
USAGE = "usage: ralph-hooks hook claude|codex [--within SECONDS]"


def main(words: list[str]) -> int:
    """Run the hook and leave: this does not return but for `--help`."""
    if words and words[0] in ("-h", "--help"):
        os.write(1, (USAGE + "\n").encode())
        return 0
    _leave(answer(words))
    return None


def answer(words: list[str]) -> Reply:
    """The reply to the event on standard input."""
    client, within, problem = read_words(words)
    if problem:
        return hosts.reply("claude", finish(_nowhere(client), gate.unverified("usage", f"{problem}; {USAGE}")))
    cancel = Cancel()
    signals.waiting.answer(cancel)
    try:
        event = parse_event(read_event())
    except BadEventError as error:
        return hosts.reply(client, finish(_nowhere(client), gate.unverified("bad event", str(error))))
    except Cancelled:
        return hosts.reply(client, finish(_nowhere(client), gate.cancelled()))
    event.host = hosts.host_of(event.data, client)
    try:
        return _dispatch(event, client, within, cancel)
    except Exception as error:
        return hosts.reply(event.host, _bug(event, client, error))


def read_words(words: list[str]) -> tuple[str, float, str]:
    """Client, the client's own timeout in seconds, and what is wrong with the words."""
    client = words[0] if words else ""
    if client not in CLIENTS:
        return "claude", gate.DEFAULT_WITHIN, f"unknown client `{client}`"
    rest = [part for word in words[1:] for part in word.split("=", 1)]
    if not rest:
        return client, gate.DEFAULT_WITHIN, ""
    try:
        within = float(rest[1]) if rest[0] == "--within" and len(rest) == 2 else -1.0
    except ValueError:
        within = -1.0
    if not 0 < within < 1e9:
        return client, gate.DEFAULT_WITHIN, f"`{' '.join(words[1:])}` is not `--within SECONDS`"
    return client, within, ""


def _dispatch(event: Event, client: str, within: float, cancel: Cancel) -> Reply:
    if event.name not in STOPS:
        from ralph_hooks.guard.events import answer as guarded

        signals.waiting.leave()
        return guarded(event, client)
    signals.keep_children()
    stop = gate.Stop(event, client, within, cancel)
    return hosts.reply(event.host, finish(stop, gate.decide(stop)))


def _nowhere(client: str) -> gate.Stop:
    """A stop without an event, for the ledger line of one that could not be read."""
    from ralph_hooks.plan.locate import find_project

    stop = gate.Stop(Event({}, b""), client, gate.DEFAULT_WITHIN, Cancel())
    try:
        stop.project = find_project(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())
    except OSError:
        pass  # the line goes to the ledger of the state directory
    return stop


def _bug(event: Event, client: str, error: Exception) -> Decision:
    from ralph_hooks.bugs import write_report

    where = write_report(error)
    stop = _nowhere(client)
    stop.event = event
    return finish(stop, gate.unverified("bug", f"{type(error).__name__}: {error}; the report is at `{where}`"))


def _leave(reply: Reply) -> NoReturn:
    """Write and end without the interpreter's own teardown, which costs a fifth of its start."""
    for fd, text in ((1, reply.out), (2, reply.err)):
        data = text.encode("utf-8", "replace")
        while data:
            try:
                data = data[os.write(fd, data) :]
            except OSError:
                break  # the client has gone; the code is still what it reads
    os._exit(reply.code)
