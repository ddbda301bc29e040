"""Between the engine and whatever runs a generation: what is launched, what it may ask, what is complained about."""

from __future__ import annotations

import sys
import time
from typing import Protocol

from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.order import Order
from ralph_hooks.jobs.database import DatabaseTrouble
from ralph_hooks.jobs.store import Store

COMPLAIN_SECONDS = 60.0


class Watch(Protocol):
    """What a launched generation asks while it runs."""

    def cancelled(self) -> bool:
        """Whether somebody asked for the end."""

    def beat(self) -> None:
        """Renew the lease. Raises `LeaseLost`."""


class Launcher(Protocol):
    """Runs one generation in a process tree of its own and gives what it left behind; never raises for its faults."""

    def __call__(self, order: Order, watch: Watch) -> Iteration: ...


class StoreWatch:
    """The watch of a generation whose lease is in the store."""

    def __init__(self, store: Store, order: Order, token: str) -> None:
        self._store = store
        self._order = order
        self._token = token

    def cancelled(self) -> bool:
        return self._store.cancel_requested(self._order.job_id)

    def beat(self) -> None:
        self._store.beat(self._order.lineage_id, self._token)


_complained: dict[str, float] = {}


def complain(trouble: DatabaseTrouble) -> None:
    """Into the worker's log; the same words once a minute, so that a long outage does not fill the disk."""
    now = time.monotonic()
    if now < _complained.get(trouble.message, 0.0) + COMPLAIN_SECONDS:
        return
    if len(_complained) > 100:
        _complained.clear()
    _complained[trouble.message] = now
    print(f"{time.strftime('%F %T')} {trouble.message}; trying again", file=sys.stderr, flush=True)  # noqa: T201
