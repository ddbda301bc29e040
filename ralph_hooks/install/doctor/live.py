"""The installed client itself, against a scripted model on loopback: red blocks, green lets go. No key, no network."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from ralph_hooks.install import entries, settings
from ralph_hooks.install.canary import program
from ralph_hooks.install.doctor.finding import Finding, Patient
from ralph_hooks.install.entries import PROGRAM
from ralph_hooks.install.surgery import Entry
from ralph_hooks.process.capture import capture
from ralph_hooks.process.spawn import which
from ralph_hooks.scripted import MessagesServer, ResponsesServer, Script, say, shell
from ralph_hooks.scripted.surroundings import claude_env, codex_env

SECONDS = 90
CONFIG = '[[check]]\nname = "live"\nrun = ["test", "-e", "green"]\n'
ARGV = {
    "claude": ["claude", "-p", "Make it green.", "--output-format", "json", "--dangerously-skip-permissions"],
    "codex": [
        *("codex", "exec", "--json", "--dangerously-bypass-approvals-and-sandbox"),
        *("--dangerously-bypass-hook-trust", "Make it green."),
    ],
}
ASK = "the suite is still failing"


@dataclass(frozen=True, slots=True)
class Live:
    """How it went for one client; `words` say what went wrong, "" when nothing did."""

    client: str
    words: str


def try_all(patient: Patient) -> list[Live]:
    """Every client with our hook, else every client on PATH."""
    path = patient.env.get("PATH", os.defpath)
    present = [client for client in settings.CLIENTS if which(client, patient.cwd, path)]
    wanted = [client for client in present if client in patient.clients()] or present
    return [_try(client) for client in wanted]


def findings(results: list[Live]) -> Iterator[Finding]:
    """A finding for each client in which the gate did not work, and one when there was none to try."""
    if not results:
        yield Finding(
            "live", "neither Claude Code nor Codex is on PATH, so nothing could be tried", "install one of them"
        )
    for result in results:
        if result.words:
            what = f"in {settings.CLIENTS[result.client]} the gate does not work: {result.words}"
            yield Finding("live", what, f"{result.client} --version; see docs/troubleshooting.md")


def _try(client: str) -> Live:
    with tempfile.TemporaryDirectory(prefix="ralph-hooks-live-") as base:
        root, home = (os.path.join(os.path.realpath(base), name) for name in ("project", "home"))
        os.makedirs(root)
        os.makedirs(home)
        with open(os.path.join(root, "ralph-hooks.toml"), "w", encoding="utf-8") as file:
            file.write(CONFIG)
        capture(["git", "init", "-q"], cwd=root)
        settings.install(settings.layer(client, "project", root), [_here(entry) for entry in _entries(client)])
        return Live(client, _play(client, root, home))


def _entries(client: str) -> list[Entry]:
    return entries.claude(60) if client == "claude" else entries.codex(60)


def _here(entry: Entry) -> Entry:
    """The entry as it is written, or with this very program in it where its name is not on PATH."""
    argv = program(dict(os.environ))
    if argv == [PROGRAM]:
        return entry
    hook = dict(entry.hook)
    if "args" in hook:
        hook |= {"command": sys.executable, "args": [*argv[1:], *hook["args"]]}
    else:
        hook["command"] = hook["command"].replace(PROGRAM, " ".join(argv), 1)
    return Entry(entry.event, hook)


def _play(client: str, root: str, home: str) -> str:
    """One turn: the agent says it is done, is blocked, makes it green, and is let go."""
    make = MessagesServer if client == "claude" else ResponsesServer
    with make(Script([say("Done."), shell("touch green"), say("Green now.")])) as server:
        own = claude_env(server.url, home) if client == "claude" else codex_env(server.url, home, trusted=(root,))
        ended = capture(ARGV[client], cwd=root, env={**_clean(home), **own}, stdin=b"", timeout=SECONDS)
    shown = [turn.shown for turn in server.turns]
    if ended.code != 0:
        return f"it left with {ended.code}: {ended.words or ended.err.decode('utf-8', 'replace').strip()[-300:]}"
    if not any(ASK in text for text in shown[1:2]):
        return "a stop on red was not blocked"
    if not os.path.exists(os.path.join(root, "green")):
        return "the agent was blocked, but never got to its fix"
    return "" if len(shown) == 3 else f"after the fix the turn did not end ({len(shown)} requests)"


def _clean(home: str) -> dict[str, str]:
    """Our own package must be importable from the scratch directory; nothing of an outer session may leak in."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    dropped = ("CLAUDE", "CODEX", "ANTHROPIC", "OPENAI", "RALPH_HOOKS_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    search = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), package])
    return {**kept, "XDG_STATE_HOME": os.path.join(home, "state"), "PYTHONPATH": search}
