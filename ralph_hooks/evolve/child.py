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
from ralph_hooks.evolve.generation import generate
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
    from ralph_hooks.evolve.agents import run_round

    found = generate(order, run_round, os.path.dirname(answer))
    files.write_atomic(answer, json.dumps(found.to_json()).encode())
    tree.kill_descendants()
    return 0


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
