"""One fresh agent process from its start to its end: followed, bounded, and its whole tree gone afterwards."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ralph_hooks.gate.report import Report, ReportError, parse
from ralph_hooks.loop import infra
from ralph_hooks.loop.providers.base import (
    REPORT_FILE,
    Heard,
    Launch,
    Listener,
    Order,
    Provider,
    action,
    agent_environment,
)
from ralph_hooks.process import signals, tree
from ralph_hooks.process.lines import Lines, start_lines
from ralph_hooks.process.spawn import Child, CouldNotStart

TICK = 0.25
KILL_GRACE = 2.0
CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a running round is cut. Seconds and tokens, 0 = no limit; `deadline` is on the monotonic clock.

    `grace` is how long the process may linger, silent, after a whole report.
    """

    round_timeout: float = 3600.0
    idle_timeout: float = 900.0
    deadline: float = 0.0
    tokens_left: int = 0
    grace: float = 10.0


@dataclass(slots=True, kw_only=True)
class AgentRun:
    """How one agent process ended.

    `cut` names the limit that ended it, "" when none did; `malformed` says why its final message is no report;
    `died` says how it ended when that was not exit code 0; `survivors` are processes that could not be killed.
    """

    heard: Heard = field(default_factory=Heard)
    report: Report | None = None
    malformed: str = ""
    cut: str = ""
    died: str = ""
    fault: infra.Fault | None = None
    seconds: float = 0.0
    survivors: list[str] = field(default_factory=list)

    @property
    def denied(self) -> list[str]:
        """The tools it was denied, if it was denied every one that it asked for."""
        names = self.heard.denied
        return sorted(set(names)) if names and len(names) >= self.heard.tools else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What the caller does meanwhile: `stop` says whether to end the process now, `show` sees what was heard."""

    stop: Callable[[], bool] = lambda: False
    show: Callable[[Heard], None] = lambda heard: None


def run_agent(provider: Provider, order: Order, limits: Limits, run_id: str, watch: Watch) -> AgentRun:
    """Start, follow, end. Never raises for what the agent does. `run_id` marks every process of the tree."""
    begin = time.monotonic()
    launch = provider.launch(order)
    lines = start_lines(
        launch.argv,
        cwd=order.cwd,
        env=agent_environment(launch, run_id),
        stdin=launch.stdin,
        logs=(os.path.join(order.scratch, "agent.out"), os.path.join(order.scratch, "agent.err")),
    )
    if isinstance(lines, CouldNotStart):
        return AgentRun(fault=infra.missing(lines.words), died=lines.words)
    listener = provider.listen(launch)
    run = AgentRun(heard=listener.heard)
    try:
        tree.adopt_orphans()
        run.cut = _follow(lines, listener, order.most_chars, limits, watch)
    finally:
        run.survivors = tree.kill_tree(lines.child, "", KILL_GRACE)
        lines.close()
    run.seconds = time.monotonic() - begin
    listener.look()
    _conclude(run, provider, launch, lines, order.most_chars)
    return run


def _follow(lines: Lines, listener: Listener, most_chars: int, limits: Limits, watch: Watch) -> str:
    """Until the process is over, has lingered after its report, or is over a limit; the limit's name."""
    whole_at = 0.0
    while not lines.over:
        for line in lines.poll(TICK):
            listener.hear(line)
        listener.look()
        watch.show(listener.heard)
        if watch.stop():
            return CANCELLED
        now = time.monotonic()
        whole_at = (whole_at or now) if _whole(listener.heard, most_chars) else 0.0
        if whole_at and now - max(whole_at, lines.last_at) >= limits.grace:
            return ""
        reason = _over(lines, listener.heard, limits, now)
        if reason:
            return "" if whole_at else reason
    return ""


def _over(lines: Lines, heard: Heard, limits: Limits, now: float) -> str:
    begin = lines.child.started
    if limits.deadline and now >= limits.deadline:
        return "max_seconds"
    if limits.tokens_left and (heard.tokens or 0) >= limits.tokens_left:
        return "max_tokens"
    if limits.round_timeout and now - begin >= limits.round_timeout:
        return "round_timeout"
    last = max(begin, lines.last_at, lines.err.last_at)
    if limits.idle_timeout and now - last >= limits.idle_timeout:
        return "idle_timeout"
    return ""


def _whole(heard: Heard, most_chars: int) -> bool:
    if heard.final is None:
        return False
    try:
        parse(heard.final, most_chars)
    except ReportError:
        return False
    return True


def _conclude(run: AgentRun, provider: Provider, launch: Launch, lines: Lines, most_chars: int) -> None:
    heard, child = run.heard, lines.child
    run.fault = heard.fault
    if heard.final is not None:
        try:
            run.report = parse(heard.final, most_chars)
        except ReportError as error:
            run.malformed = str(error)
    elif child.exit_code == 0 and not run.cut:
        where = f" in the file that {REPORT_FILE} names" if provider.capabilities.report_file else ""
        run.malformed = f"the agent ended without a final message{where}"
    if run.report is not None:
        run.fault = None
        return
    if heard.over_cost and not run.cut:
        run.cut = "max_cost_usd"
    if child.exit_code != 0:
        words = heard.failure or last_line(lines.err.tail()) or last_line(lines.tail())
        run.died = how(child) + (f": {words}" if words else "")
        if not heard.events and not provider.capabilities.report_file and not run.cut:
            # The client never began to speak its protocol: what it printed instead are its own words.
            own = (lines.err.tail() + lines.tail()).decode("utf-8", "replace")
            run.fault = run.fault or infra.from_text(own)


def how(child: Child) -> str:
    """How a child ended, in words."""
    return f"exit code {child.exit_code}" if child.signal is None else f"killed by {signals.name(child.signal)}"


def last_line(output: bytes) -> str:
    """The last line with text in it, as one printable line."""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return action(lines[-1]) if lines else ""
