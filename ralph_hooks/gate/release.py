"""Handing back to a person (G15): the message, and the command that is told about it."""

from __future__ import annotations

import os
import sys

from ralph_hooks import fastjson, files
from ralph_hooks.process import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.check.verdict import Run
    from ralph_hooks.gate.budget import Ruling

SECONDS = 30.0
WORDS = {
    "budget": "{attempts} attempts used, handing back to a human",
    "stalled": "nothing changed over {same} stops in a row, handing back to a human",
    "timeout": "the check timed out again, handing back to a human",
    "cannot_run": "the check still cannot run, handing back to a human",
    "no_tests": "still no test is run, handing back to a human",
    "config_changed": "the checks differ from what a person approved and are red, handing back to a human",
    "as_found": "the suite was red before this prompt and nothing was changed",
    "declared": "the agent declared itself blocked, handing back to a human",
}


def message(ruling: Ruling, run: Run, state: dict[str, Any]) -> str:
    """The sentence for the person: with the failures the first time, one short line after that."""
    words = WORDS.get(ruling.reason, ruling.reason).format(attempts=state["charged"], same=state["same"])
    line = f"ralph-hooks: {words}; the suite is {run.verdict}."
    if not ruling.first:
        return line
    ids = run.failing_ids
    shown = "\n".join(f"  - {test[:200]}" for test in ids[:10]) + (
        f"\n  +{len(ids) - 10} more" if len(ids) > 10 else ""
    )
    logs = "\n".join(f"  log: {check.log}" for check in run.checks if check.log)
    return f"{line}\n{shown}\n{logs}\n`ralph-hooks status` stays non-zero until it is green."


def tell(argv: list[str], facts: dict[str, Any], root: str, state_dir: str) -> None:
    """Start `on_release` detached: it gets the facts as JSON on standard input and at most 30 seconds."""
    path = os.path.join(state_dir, "release.json")
    try:
        files.write_state(path, fastjson.dumps(facts).encode())
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from ralph_hooks.gate import release; release.serve()"
    env = dict(os.environ)
    spawn.spawn([sys.executable, "-c", code, here, path, *argv], cwd=root, env=env, stdout=null, stderr=null)
    os.close(null)


def serve() -> None:
    """The detached side of `tell`; its words are the path of the facts and the command."""
    from ralph_hooks.process.capture import capture

    path, *argv = sys.argv[1:]
    capture(argv, cwd=os.getcwd(), stdin=files.read_bytes(path), timeout=SECONDS)
