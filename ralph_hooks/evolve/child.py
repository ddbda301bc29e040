"""The process of one generation: `python -m ralph_hooks.evolve.child ORDER ANSWER WORKER-PID`.

It is its tree's subreaper, so that whatever the agent or a check started is below it; TERM, or the death of the worker
that started it, ends all of that first.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time

from ralph_hooks import files
from ralph_hooks.errors import RalphError
from ralph_hooks.evolve.actions import FAILED
from ralph_hooks.evolve.generation import generate
from ralph_hooks.evolve.iteration import STEP_ERROR, Iteration
from ralph_hooks.evolve.order import Order
from ralph_hooks.process import signals, tree

STEP = 0.2
EXIT_ENDED = 143


def main(argv: list[str]) -> int:
    """Run the order, leave the answer; the exit code says only whether there is one."""
    request, answer, worker = argv[0], argv[1], int(argv[2])
    tree.adopt_orphans()
    signals.on(signals.TERM, lambda *_: end())
    threading.Thread(target=guard, args=(worker,), daemon=True).start()
    order = Order.from_json(json.loads(files.read_bytes(request)))
    found = work(order, os.path.dirname(answer))
    files.write_atomic(answer, json.dumps(found.to_json()).encode())
    tree.kill_descendants()
    return 0


def work(order: Order, logs: str) -> Iteration:
    """The generation, in a clone where the call asks for one."""
    from ralph_hooks.evolve import clone
    from ralph_hooks.evolve.agents import run_round

    if not order.call["git_remote"]:
        return generate(order, run_round, logs)
    try:
        order = clone.prepare(order)
    except RalphError as error:
        return Iteration(
            generation=order.generation,
            execute=order.execute,
            action=FAILED,
            trouble=STEP_ERROR,
            detail=error.message,
            infrastructure=True,
        )
    return clone.publish(order, generate(order, run_round, logs))


def guard(worker: int) -> None:
    """A generation without its worker has nobody to answer to."""
    while os.getppid() == worker:
        time.sleep(STEP)
    end()


def end() -> None:
    """End everything below, then this process, without another byte code of the generation."""
    tree.kill_descendants()
    os._exit(EXIT_ENDED)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
