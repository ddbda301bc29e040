"""The loops of a project as data: one row each, unfolding into its rounds (F22). For `status` and whoever else asks."""

from __future__ import annotations

import os
from typing import Any

from ralph_hooks.gate.owner import recorded
from ralph_hooks.loop.record import HOME, Record
from ralph_hooks.loop.todo import items_of
from ralph_hooks.plan.locate import Project

ROUND_KEYS = ("round", "at", "state", "verdict", "failing", "cost_usd", "seconds", "failure")


def loops(project: Project, rounds: int = 5) -> list[dict[str, Any]]:
    """Every loop on record below `.ralph/`, by name, each with its last `rounds` rounds; `pid` is of a live driver."""
    driver = recorded(project.checkout)
    live = driver if driver is not None and driver.alive() else None
    found = []
    for name in _names(project.root):
        pid = live.pid if live is not None and live.name == name else None
        found.append(_row(project.root, name, pid, rounds))
    return found


def _names(root: str) -> list[str]:
    try:
        return sorted(
            entry.name for entry in os.scandir(os.path.join(root, HOME)) if os.path.exists(f"{entry.path}/rounds.jsonl")
        )
    except OSError:
        return []


def _row(root: str, name: str, pid: int | None, rounds: int) -> dict[str, Any]:
    record = Record(root, name)
    past = record.last_run(1)
    lines = [line for line in record.lines() if past is not None and line["run"] == past.run and not line.get("amends")]
    items = items_of(os.path.join(record.directory, "plan.md"))
    return {
        "name": name,
        "objective": record.objective() or "",
        "pid": pid,
        "state": "running" if pid else "complete" if past and past.complete else "stopped",
        "rounds": past.rounds if past else 0,
        "verdict": past.verdict if past else "",
        "failing": [line.get("failing") for line in lines],
        "cost_usd": past.cost_usd if past else None,
        "tokens": past.tokens if past else None,
        "seconds": round(past.seconds, 3) if past else 0.0,
        "open": len(items.open),
        "done": items.done,
        "last": [{key: line.get(key) for key in ROUND_KEYS} for line in lines[-rounds:]] if rounds else [],
    }
