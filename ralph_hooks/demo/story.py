"""The story on the terminal: what the agent does, what it says, what the gate answers."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from ralph_hooks.demo import project
from ralph_hooks.errors import RalphError
from ralph_hooks.process import tree
from ralph_hooks.process.capture import capture
from ralph_hooks.process.lines import Lines, start_lines
from ralph_hooks.process.spawn import CouldNotStart, which
from ralph_hooks.scripted import MessagesServer, Script, Step, say, shell
from ralph_hooks.scripted.surroundings import claude_env

Tell = Callable[[str, str], None]
CLAIM = "All 12 tests pass. Done!"
SECONDS = 60.0


class Outcome:
    """How the demo went: blocked stops, and whether the last one was let go on green."""

    def __init__(self) -> None:
        self.blocked = 0
        self.green = False


def play(tell: Tell, *, client: str | None = None) -> Outcome:
    """Play the story in a scratch directory; `client` is the path of Claude Code, `None` for the protocol alone."""
    with tempfile.TemporaryDirectory(prefix="ralph-hooks-demo-", ignore_cleanup_errors=True) as place:
        try:
            return _play(place, client, tell)
        finally:
            tree.kill_descendants()  # a child that still writes would keep the directory


def _play(place: str, client: str | None, tell: Tell) -> Outcome:
    root, home = os.path.join(place, "shop"), os.path.join(place, "home")
    os.makedirs(home)
    os.makedirs(root)
    project.make(root)
    tell("note", f"a scratch repository, 15 tests, 3 of them red ({'Claude Code' if client else 'no agent on PATH'})")
    return _with_client(client, root, home, tell) if client else _protocol_alone(root, home, tell)


def find_client() -> str | None:
    """Claude Code on PATH, or `None`."""
    return which("claude", os.getcwd(), os.environ.get("PATH", os.defpath))


def _script() -> list[Step]:
    """What the scripted model says: one look at the wrong file, then one fix for every block."""
    steps: list[Step] = [shell(project.ONE_FILE), say(CLAIM)]
    for fix in project.FIXES:
        steps += [shell(fix.command()), say(f"Fixed {fix.file}. All tests pass now.")]
    return steps


def _with_client(client: str, root: str, home: str, tell: Tell) -> Outcome:
    with MessagesServer(Script(_script())) as server:
        argv = [client, "-p", "Add a label to the cart.", "--output-format", "stream-json", "--verbose"]
        argv += ["--include-hook-events", "--allowedTools", "Bash", "--settings", json.dumps(_settings())]
        env = {**_environment(home), **claude_env(server.url, home)}
        logs = (os.path.join(home, "out"), os.path.join(home, "err"))
        lines = start_lines(argv, cwd=root, env=env, stdin=b"", logs=logs)
        if isinstance(lines, CouldNotStart):
            raise RalphError(f"Claude Code did not start: {lines.words}", "ralph-hooks demo --protocol")
        try:
            return _narrate(_events(lines), tell)
        finally:
            tree.kill_tree(lines.child, "", grace=1.0)
            lines.close()


def _settings() -> dict[str, object]:
    hook = {
        "type": "command",
        "command": sys.executable,
        "args": ["-m", "ralph_hooks", "hook", "claude", "--within", "120"],
    }
    return {"hooks": {"Stop": [{"hooks": [hook | {"timeout": 120}]}]}}


def _environment(home: str) -> dict[str, str]:
    """Our own package must be importable by the hook's interpreter from the scratch directory."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    state = {"XDG_STATE_HOME": os.path.join(home, "state"), "PYTHONPATH": os.pathsep.join(paths)}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "ANTHROPIC", "RALPH_"))}
    return {**kept, "HOME": home, **state}


def _events(lines: Lines) -> Iterator[dict[str, object]]:
    deadline = time.monotonic() + SECONDS
    while not lines.over and time.monotonic() < deadline:
        for line in lines.poll(0.5):
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event


def _narrate(events: Iterator[dict[str, object]], tell: Tell) -> Outcome:
    outcome = Outcome()
    for event in events:
        if event.get("type") == "assistant":
            for kind, text in _said(event):
                tell(kind, text)
        elif event.get("subtype") == "hook_response" and event.get("hook_event") == "Stop":
            blocked = event.get("exit_code") == 2
            _tell_stop(tell, outcome, str(event.get("stderr") or "") if blocked else "")
        elif event.get("type") == "result":
            break
    return outcome


def _said(event: dict[str, object]) -> Iterator[tuple[str, str]]:
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else []:
        if block.get("type") == "text":
            yield "agent", str(block["text"])
        elif block.get("type") == "tool_use":
            yield "runs", _short_command(str(block["input"].get("command", "")))


def _short_command(command: str) -> str:
    for fix in project.FIXES:
        if fix.file in command:
            return f"edit {fix.file}"
    return command


def _tell_stop(tell: Tell, outcome: Outcome, feedback: str) -> None:
    outcome.green = not feedback
    if not feedback:
        tell("green", "the whole suite is green: the turn may end")
        return
    outcome.blocked += 1
    lines = [line.strip() for line in feedback.splitlines()]
    tell("red", lines[0].removeprefix("ralph-hooks: "))
    failed = [line for line in lines if line.startswith("- ")]
    for line in failed[:3]:
        tell("fails", line[2:])


def _protocol_alone(root: str, home: str, tell: Tell) -> Outcome:
    """The same events, sent to the hook by hand."""
    outcome = Outcome()
    env = {**_environment(home), "CLAUDE_PROJECT_DIR": root}
    tell("runs", project.ONE_FILE)
    tell("agent", CLAIM)
    for fix in [*project.FIXES, None]:
        event = {"session_id": "demo", "cwd": root, "hook_event_name": "Stop", "stop_hook_active": outcome.blocked > 0}
        argv = [sys.executable, "-m", "ralph_hooks", "hook", "claude", "--within", "120"]
        done = capture(argv, cwd=root, env=env, stdin=json.dumps(event).encode(), timeout=SECONDS)
        _tell_stop(tell, outcome, done.err.decode("utf-8", "replace") if done.code == 2 else "")
        if outcome.green or fix is None:
            break
        tell("runs", f"edit {fix.file}")
        fix.apply(root)
        tell("agent", f"Fixed {fix.file}. All tests pass now.")
    return outcome
