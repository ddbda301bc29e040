"""Rows of loops and their rounds, for the live view and for `status`."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.table import Table

from ralph_hooks.cli.show.text import number, safe, seconds, word

TREND = 5


def table(*, head: str) -> Table:
    """A table for loops: one row that unfolds into its rounds."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column(head, no_wrap=True, max_width=24, overflow="ellipsis")
    made.add_column("state", no_wrap=True, min_width=9)
    made.add_column("verdict", no_wrap=True, min_width=7)
    made.add_column("failing", no_wrap=True)
    made.add_column("cost", justify="right", no_wrap=True, min_width=6)
    made.add_column("time", justify="right", no_wrap=True, min_width=9)
    return made


def add_loop(made: Table, row: dict[str, Any]) -> None:
    """The loop's own row: name, state, last verdict, the trend of its failures, what it has cost and taken."""
    told = cost(row), seconds(float(row["seconds"]))
    made.add_row(safe(row["name"]), row["state"], word(row["verdict"]), trend(row["failing"]), *told)


def add_round(made: Table, facts: dict[str, Any]) -> None:
    """One round below its loop."""
    state = facts["state"] or f"no report: {safe(facts['failure'])[:20]}"
    failing = number(facts["failing"]) if facts["verdict"] else ""
    told = cost(facts), seconds(float(facts["seconds"]))
    made.add_row(f"  {facts['round']}", state, word(facts["verdict"]), failing, *told, style="dim")


def trend(counts: list[int | None]) -> str:
    """Failing counts, oldest first: `9 → 4 → 0`."""
    known = [str(count) for count in counts if count is not None]
    return ("… " if len(known) > TREND else "") + " → ".join(known[-TREND:])


def cost(facts: dict[str, Any]) -> str:
    """Dollars, "" when nobody told."""
    return "" if facts.get("cost_usd") is None else f"${facts['cost_usd']:.2f}"


def loop_table(rows: list[dict[str, Any]]) -> Table:
    """All loops, each unfolded into its last rounds."""
    made = table(head="loop")
    for row in rows:
        add_loop(made, row)
        for facts in row["last"]:
            add_round(made, facts)
    return made
