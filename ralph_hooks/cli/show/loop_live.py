"""A running loop on a terminal (F22): one row that unfolds into its rounds, the plan, the agent's action, the budgets.

A view is an `Events`: it is told what happens and draws it several times a second from its own thread.
"""

from __future__ import annotations

import os
import time
from threading import Lock
from types import TracebackType
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ralph_hooks.cli.show.loop_rows import add_loop, add_round, cost, table
from ralph_hooks.cli.show.text import labelled, safe, seconds
from ralph_hooks.loop import events
from ralph_hooks.loop.call import Bounds
from ralph_hooks.loop.todo import Items, items_of

LINES_BESIDE = 14
PLAN_SECONDS = 1.0
BAR = 24


class LiveLoop:
    """Draws one loop. `bounds` are the budgets that are shown as bars."""

    def __init__(self, console: Console, bounds: Bounds) -> None:
        self._console = console
        self._bounds = bounds
        self._lock = Lock()
        self._about: dict[str, Any] = {}
        self._rounds: list[dict[str, Any]] = []
        self._now: dict[str, Any] = {}
        self._notes: list[str] = []
        self._begin = time.monotonic()
        self._round_begin = self._begin
        self._plan = (0.0, Items())
        self._ended: dict[str, Any] | None = None
        self._live = Live(
            console=console,
            get_renderable=self.render,
            refresh_per_second=4,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> LiveLoop:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, kind: str, /, **facts: Any) -> None:
        with self._lock:
            if kind == events.STARTED:
                self._about = facts
            elif kind == events.ROUND:
                self._round_begin = time.monotonic()
                self._now = {"round": facts["round"], "state": "running"}
            elif kind == events.ACTION:
                self._now |= {"action": facts["text"], "cost_usd": facts["cost_usd"], "tokens": facts["tokens"]}
            elif kind == events.CHECKING:
                self._now |= {"state": "checking", "action": "the checks run"}
            elif kind == events.WAITING:
                self._now |= {"state": "waiting", "action": f"{facts['why']}, waits {seconds(facts['seconds'])}"}
            elif kind == events.FINISHED:
                self._rounds.append(facts)
                self._now = {}
            elif kind == events.NOTE:
                self._notes.append(facts["text"])
            elif kind == events.ENDED:
                self._ended = facts
                self._now = {}

    def render(self) -> RenderableType:
        """The picture as it is now."""
        with self._lock:
            parts: list[RenderableType] = [self._heading(), self._table(), *self._below()]
        return Group(*parts)

    def _heading(self) -> Text:
        return Text("ralph  ", style="bold").append(safe(self._about.get("objective", "")), style="not bold")[:2000]

    def _table(self) -> Table:
        made = table(head="round")
        add_loop(made, self._loop_facts())
        room = max(3, self._console.height - LINES_BESIDE)
        if len(self._rounds) > room:
            made.add_row(f"  +{len(self._rounds) - room} earlier", style="dim")
        for facts in self._rounds[-room:]:
            add_round(made, facts)
        if self._now:
            took = seconds(time.monotonic() - self._round_begin)
            made.add_row(f"  {self._now['round']}", self._now["state"], "", "", cost(self._now), took, style="bold")
        return made

    def _loop_facts(self) -> dict[str, Any]:
        return {
            "name": self._about.get("name", ""),
            "state": self._ended["status"] if self._ended else "running",
            "verdict": self._rounds[-1]["verdict"] if self._rounds else "",
            "failing": [facts["failing"] for facts in self._rounds],
            "cost_usd": self._cost(),
            "seconds": time.monotonic() - self._begin,
        }

    def _below(self) -> list[RenderableType]:
        lines: list[RenderableType] = [Text("")]
        if self._about and not self._ended:
            lines.append(labelled("plan", plan_words(self._items())))
            lines.append(labelled("agent", Text(safe(self._now.get("action", "")) or "…")))
        lines += [labelled("note", Text(safe(note), style="yellow")) for note in self._notes[-2:]]
        bars = self._bars()
        if bars.row_count:
            lines.append(bars)
        if not self._ended:
            lines.append(Text("^C ends the loop after this round, twice ends it now", style="dim"))
        return lines

    def _items(self) -> Items:
        read_at, items = self._plan
        if time.monotonic() - read_at > PLAN_SECONDS:
            items = items_of(os.path.join(self._about["root"], self._about["place"], "plan.md"))
            self._plan = (time.monotonic(), items)
        return items

    def _bars(self) -> Table:
        """Rounds, and every total that binds."""
        bars = Table.grid(padding=(0, 2, 0, 0))
        bounds, rounds = self._bounds, self._about.get("after", 0) + len(self._rounds)
        spent = time.monotonic() - self._begin
        tokens = self._sum("tokens")
        for label, used, most, words in (
            ("rounds", rounds, self._about.get("max_rounds", 0), f"{rounds} of {self._about.get('max_rounds', 0)}"),
            ("time", spent, bounds.max_seconds, f"{seconds(spent)} of {seconds(bounds.max_seconds)}"),
            ("cost", self._cost() or 0, bounds.max_cost_usd, f"${self._cost() or 0:.2f} of ${bounds.max_cost_usd:.2f}"),
            ("tokens", tokens or 0, bounds.max_tokens, f"{int(tokens or 0)} of {bounds.max_tokens}"),
        ):
            if most:
                bars.add_row(
                    Text(label, style="dim"), ProgressBar(total=most, completed=min(used, most), width=BAR), words
                )
        return bars

    def _cost(self) -> float | None:
        return self._sum("cost_usd")

    def _sum(self, key: str) -> float | None:
        told = [facts[key] for facts in (*self._rounds, self._now) if facts.get(key) is not None]
        return sum(told) if told else None


def plan_words(items: Items) -> Text:
    """How much is open and done, and what comes first."""
    if not items.open and not items.done:
        return Text("nothing is planned yet", style="dim")
    first = f", first: {safe(items.open[0])}" if items.open else ""
    return Text(f"{len(items.open)} open, {items.done} done{first}")
