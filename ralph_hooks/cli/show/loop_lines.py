"""A line per event, for pipes, logs and cron."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ralph_hooks.loop import events
from ralph_hooks.loop.endings import counted

SHOWN_IDS = 3


def line_for(kind: str, facts: dict[str, Any]) -> str:
    """The line of this event, "" for none."""
    words = WORDS.get(kind)
    return words(facts) if words else ""


def _started(facts: dict[str, Any]) -> str:
    after = f", after {facts['after']} finished" if facts["after"] else ""
    checks = ", ".join(facts["checks"]) or "none"
    first = one_line(facts["objective"], 200)
    return (
        f"ralph {facts['name']}: {first}\n"
        f"ralph {facts['name']}: at most {counted(facts['max_rounds'])}{after}, "
        f"agent {facts['provider']}, checks: {checks}"
    )


def _finished(facts: dict[str, Any]) -> str:
    parts = [facts["state"] or f"no report ({facts['failure']})", verdict_words(facts), f"{facts['seconds']:.0f} s"]
    if facts.get("cost_usd") is not None:
        parts.append(f"${facts['cost_usd']:.2f}")
    if facts.get("commit"):
        parts.append(f"commit {facts['commit'][:10]}")
    ids = facts.get("failing_ids") or []
    more = f" +{len(ids) - SHOWN_IDS}" if len(ids) > SHOWN_IDS else ""
    failing = f": {', '.join(one_line(test, 100) for test in ids[:SHOWN_IDS])}{more}" if ids else ""
    return f"round {facts['round']}: " + ", ".join(part for part in parts if part) + failing


def verdict_words(facts: dict[str, Any]) -> str:
    """`RED, 3 failing`."""
    failing = facts.get("failing")
    return f"{facts['verdict']}, {failing} failing" if facts["verdict"] and failing else facts["verdict"]


def _cost(facts: dict[str, Any]) -> str:
    return f" (${facts['cost_usd']:.2f})" if facts.get("cost_usd") is not None else ""


def one_line(text: str, most: int) -> str:
    """The first line with text in it, printable, at most `most` characters."""
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    line = "".join(c if c.isprintable() else " " for c in line)
    return line if len(line) <= most else line[: most - 1] + "…"


WORDS: dict[str, Callable[[dict[str, Any]], str]] = {
    events.STARTED: _started,
    events.NOTE: lambda facts: f"note: {facts['text']}",
    events.ROUND: lambda facts: f"round {facts['round']}: started, logs in {facts['logs']}",
    events.ACTION: lambda facts: f"round {facts['round']}: {facts['text']}{_cost(facts)}",
    events.CHECKING: lambda facts: f"round {facts['round']}: the checks run",
    events.WAITING: lambda facts: f"round {facts['round']}: waits {facts['seconds']:.0f} s, {facts['why']}",
    events.FINISHED: _finished,
}
