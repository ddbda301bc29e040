"""Run one generation in a process of its own, and end its whole tree when it must end (E2, E11, E12).

A process per generation keeps signals, working directory and orphans of one job away from every other.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace

from ralph_hooks import files
from ralph_hooks.evolve import actions, iteration
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.order import Order
from ralph_hooks.jobs.database import DatabaseTrouble
from ralph_hooks.jobs.folders import run_folder
from ralph_hooks.jobs.launching import Watch
from ralph_hooks.jobs.owner import BEAT_SECONDS, LEASE_SECONDS
from ralph_hooks.jobs.store import LeaseLost
from ralph_hooks.loop.providers.base import RUN_MARK
from ralph_hooks.process import signals, tree
from ralph_hooks.process.spawn import Child, CouldNotStart, spawn

STEP = 0.25
ASK_SECONDS = 0.5
GRACE = 2.0
# A worker that cannot reach the database must be silent before others may take its lease.
BLIND_SECONDS = LEASE_SECONDS / 2
TAIL = 2000


class Supervisor:
    """The launcher of real workers. `stopping` makes every generation end; its job is taken up again later."""

    def __init__(self) -> None:
        self.stopping = False

    def __call__(self, order: Order, watch: Watch) -> Iteration:
        folder = run_folder(order.job_id, order.generation, order.run_id)
        files.make_dirs(folder)
        request, answer = os.path.join(folder, "order.json"), os.path.join(folder, "iteration.json")
        files.write_atomic(request, json.dumps(order.to_json()).encode())
        child = _start(order, request, answer, os.path.join(folder, "log.txt"))
        if isinstance(child, CouldNotStart):
            return _trouble(order, iteration.STEP_ERROR, child.words)
        cut = self._attend(order, child, watch)
        survivors = tree.kill_tree(child, order.run_id, GRACE if cut else 0.0)
        tree.sweep(order.run_id, RUN_MARK)
        if survivors:
            cut = f"{cut}; still alive: {', '.join(survivors)}"
        if cut.startswith(iteration.CANCELLED):
            return replace(_trouble(order, iteration.CANCELLED, cut), action=actions.INTERRUPTED)
        if cut:
            return _trouble(order, order.bound, cut)
        return _answer(order, child, answer, os.path.join(folder, "log.txt"))

    def _attend(self, order: Order, child: Child, watch: Watch) -> str:
        """Wait for the end; why it was cut, or "" when the generation ended by itself."""
        clock = _Clock(order.seconds)
        while not child.wait(STEP):
            if self.stopping:
                self._abandon(order, child)
            if clock.over():
                words = "max_total_seconds" if order.bound == iteration.WALL_CLOCK else "per_iteration_timeout_seconds"
                return f"generation {order.generation} ran longer than the {order.seconds:g} s that {words} left it"
            try:
                if clock.ask_due():
                    if watch.cancelled():
                        return f"{iteration.CANCELLED} while generation {order.generation} ran"
                    clock.seen()
                if clock.beat_due():
                    watch.beat()
            except LeaseLost:
                tree.kill_tree(child, order.run_id, GRACE)
                raise
            except DatabaseTrouble:
                if clock.blind():
                    tree.kill_tree(child, order.run_id, GRACE)
                    raise
        return ""

    def _abandon(self, order: Order, child: Child) -> None:
        """The worker leaves: end the tree, and let this thread sleep until the process is gone."""
        tree.kill_tree(child, order.run_id, GRACE)
        while True:
            time.sleep(60)


class _Clock:
    """When what is due."""

    def __init__(self, seconds: float) -> None:
        now = time.monotonic()
        self._deadline = now + seconds
        self._ask = self._beat = self._seen = now

    def over(self) -> bool:
        return time.monotonic() >= self._deadline

    def ask_due(self) -> bool:
        if time.monotonic() < self._ask:
            return False
        self._ask = time.monotonic() + ASK_SECONDS
        return True

    def beat_due(self) -> bool:
        if time.monotonic() < self._beat:
            return False
        self._beat = time.monotonic() + BEAT_SECONDS
        return True

    def seen(self) -> None:
        """The database has answered."""
        self._seen = time.monotonic()

    def blind(self) -> bool:
        return time.monotonic() - self._seen > BLIND_SECONDS


def _start(order: Order, request: str, answer: str, log: str) -> Child | CouldNotStart:
    env = {**os.environ, tree.RUN_ID: order.run_id, "PYTHONUNBUFFERED": "1"}
    fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, files.PRIVATE)
    try:
        argv = [sys.executable, "-P", "-m", "ralph_hooks.evolve.child", request, answer, str(os.getpid())]
        return spawn(argv, cwd="/", env=env, stdout=fd, stderr=fd)
    finally:
        os.close(fd)


def _answer(order: Order, child: Child, answer: str, log: str) -> Iteration:
    text = files.read_bytes_or_none(answer)
    if text is not None:
        return Iteration.from_json(json.loads(text))
    how = f"exit code {child.exit_code}" if child.signal is None else signals.name(child.signal)
    tail = (files.read_bytes_or_none(log) or b"")[-TAIL:].decode("utf-8", "replace").strip()
    words = f"the process of generation {order.generation} ended with {how} before its result"
    found = _trouble(order, iteration.STEP_ERROR, words + (f": {tail.splitlines()[-1]}" if tail else ""))
    return replace(found, action=actions.FAILED, evidence=tail)


def _trouble(order: Order, trouble: str, detail: str) -> Iteration:
    return Iteration(generation=order.generation, execute=order.execute, trouble=trouble, detail=detail)
