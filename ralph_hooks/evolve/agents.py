"""The rounds of real generations: one fresh process of the loop's providers. Its report is not asked for."""

from __future__ import annotations

import os
import time

from ralph_hooks.evolve.rounds import RoundCall, RoundEnd
from ralph_hooks.loop.providers import provider_for
from ralph_hooks.loop.providers.base import Heard, Order
from ralph_hooks.loop.round import CANCELLED, AgentRun, Limits, Watch, run_agent

REPORT_CHARS = 16384
# A process that has said its last word may linger this long (seconds); then it is ended and the round counts.
GRACE = 10.0


def run_round(call: RoundCall) -> RoundEnd:
    """One round of the configured provider, its whole tree gone afterwards."""
    scratch = os.path.join(call.logs, "round")
    os.makedirs(scratch, mode=0o700, exist_ok=True)
    order = Order(
        cwd=call.root,
        prompt=call.prompt,
        scratch=scratch,
        most_chars=REPORT_CHARS,
        arguments=tuple(call.arguments),
        command=tuple(call.command),
    )
    # a generation has its own bound and no other: an agent may be silent through a long build
    limits = Limits(round_timeout=0, idle_timeout=0, deadline=call.deadline)
    lingering = _Lingering(call)
    watch = Watch(stop=lingering.over, show=lingering.look)
    return _end(run_agent(provider_for(call.provider), order, limits, call.run_id, watch), lingering)


class _Lingering:
    """Passes on what the agent does, and notices one that does not leave after its final message."""

    def __init__(self, call: RoundCall) -> None:
        self._act = call.act
        self._since = 0.0

    def look(self, heard: Heard) -> None:
        self._act(heard.action)
        if heard.final is not None and not self._since:
            self._since = time.monotonic()

    def over(self) -> bool:
        return bool(self._since) and time.monotonic() - self._since >= GRACE


def _end(run: AgentRun, lingering: _Lingering) -> RoundEnd:
    cost = run.heard.cost_usd
    if run.fault is not None:
        return RoundEnd(never_ran=True, infrastructure=True, words=run.fault.sentence(), cost_usd=cost)
    if run.cut == CANCELLED and lingering.over():
        return RoundEnd(cost_usd=cost)
    if run.cut:
        return RoundEnd(died=True, words=f"the agent was ended: {run.cut}", cost_usd=cost)
    if run.died:
        return RoundEnd(died=True, words=f"the agent ended with {run.died}", cost_usd=cost)
    return RoundEnd(cost_usd=cost)
