"""The round runner of real generations."""

from __future__ import annotations

import os
import time

from ralph_hooks.evolve.rounds import RoundCall, RoundEnd
from ralph_hooks.process import signals, tree
from ralph_hooks.process.output import Output, pipe
from ralph_hooks.process.spawn import CouldNotStart, spawn

GRACE = 2.0


def run_round(call: RoundCall) -> RoundEnd:
    """One round of the configured provider."""
    read_in, write_in = os.pipe()
    read, write = pipe()
    env = {**os.environ, tree.RUN_ID: call.run_id}
    child = spawn(call.command, cwd=call.root, env=env, stdin=read_in, stdout=write, stderr=write)
    for fd in (read_in, write):
        os.close(fd)
    if isinstance(child, CouldNotStart):
        os.close(write_in)
        os.close(read)
        return RoundEnd(never_ran=True, infrastructure=True, words=child.words)
    output = Output(read, os.path.join(call.logs, "agent.log"))
    with os.fdopen(write_in, "wb") as pipe_in:
        try:
            pipe_in.write(call.prompt.encode())
        except BrokenPipeError:
            pass
    ended = child.wait(max(0.0, call.deadline - time.monotonic()))
    output.settle()
    tree.kill_tree(child, call.run_id, GRACE if not ended else 0.0)
    output.finish()
    if child.signal is not None:
        return RoundEnd(died=True, words=f"the agent was ended by {signals.name(child.signal)}")
    if child.exit_code:
        return RoundEnd(died=True, words=f"the agent ended with exit code {child.exit_code}")
    return RoundEnd()
