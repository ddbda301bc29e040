"""The end of the server: running tools are told first, so that no loop of a client that is gone lives on."""

from __future__ import annotations

import os
import threading
import time

from ralph_hooks.mcp_server.tools import Meanwhile
from ralph_hooks.process import signals

STEP = 0.2
SECONDS = 10.0
EXIT_ENDED = 143
active: set[Meanwhile] = set()


def prepare() -> None:
    """Take TERM and HUP, and notice the death of whoever started us."""
    for number in (signals.TERM, signals.HUP):
        signals.on(number, lambda *_: threading.Thread(target=end, daemon=True).start())
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(STEP)
    end()


def end() -> None:
    """Stop what runs, wait for it, leave."""
    deadline = time.monotonic() + SECONDS
    while active and time.monotonic() < deadline:
        for one in list(active):
            one.stopped = True
        time.sleep(STEP / 4)
    os._exit(EXIT_ENDED)
