"""Checks while they run: one row each, with the time and the last line of output."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ralph_hooks.check.evidence.text import clean
from ralph_hooks.check.run import Watch
from ralph_hooks.check.verdict import CheckResult
from ralph_hooks.cli.common import holder_of
from ralph_hooks.cli.show.text import safe, seconds, word

if TYPE_CHECKING:
    from ralph_hooks.plan.config import Check
    from ralph_hooks.process.output import Output

TAIL_BYTES = 4096


class Row:
    """One check; `output` and `result` come when it has got that far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.begin = 0.0
        self.output: Output | None = None
        self.result: CheckResult | None = None
        self._seen = -1
        self._line = ""

    def last_line(self) -> str:
        """The last line of output that says anything."""
        if self.output is not None and self.output.total != self._seen:
            self._seen = self.output.total
            lines = clean(self.output.tail()[-TAIL_BYTES:]).split("\n")
            self._line = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return self._line


class LiveWatch(Watch):
    """A watch that draws on a terminal, inside `with`."""

    def __init__(self, console: Console, names: list[str], checkout: str) -> None:
        self._rows = {name: Row(name) for name in names}
        self._begin = time.monotonic()
        self._spinner = Spinner("dots")
        self._checkout = checkout
        self._live = Live(console=console, get_renderable=self._draw, transient=True, refresh_per_second=8)

    def __enter__(self) -> LiveWatch:
        self._live.start()
        return self

    def __exit__(self, *about: object) -> None:
        self._live.stop()

    def started(self, check: Check, output: Output) -> None:
        row = self._rows[check.name]
        row.begin, row.output, row.result = time.monotonic(), output, None

    def finished(self, result: CheckResult) -> None:
        self._rows[result.name].result = result

    def _draw(self) -> Table:
        made = Table.grid(padding=(0, 1), expand=True)
        made.add_column(width=1)
        made.add_column(no_wrap=True, overflow="ellipsis", max_width=30)
        made.add_column(no_wrap=True, justify="right", min_width=8)
        made.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        for row in self._rows.values():
            made.add_row(*self._cells(row))
        return made

    def _cells(self, row: Row) -> tuple[RenderableType, Text, Text, Text]:
        name = Text(safe(row.name))
        if row.result is not None:
            return " ", name, Text(seconds(row.result.duration)), word(row.result.verdict)
        if row.begin:
            spin = self._spinner.render(time.monotonic())
            return spin, name, Text(seconds(time.monotonic() - row.begin)), Text(row.last_line(), style="dim")
        return " ", name, Text(""), Text(self._waiting(), style="dim")

    def _waiting(self) -> str:
        if any(row.begin for row in self._rows.values()) or time.monotonic() - self._begin < 0.5:
            return "waiting"
        holder = holder_of(self._checkout)
        return f"waiting for the run of pid {holder} in this checkout" if holder else "reading the tree"
