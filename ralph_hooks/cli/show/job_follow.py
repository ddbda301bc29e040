"""Follow a job to its end: a live view on a terminal, a line per event elsewhere, JSON where it is asked for."""

from __future__ import annotations

import sys
from typing import Any

import click

from ralph_hooks.cli.job import EXIT_UNFINISHED, EXITS, dump
from ralph_hooks.cli.show.loop_lines import one_line
from ralph_hooks.evolve.lineage import Event
from ralph_hooks.jobs import follow
from ralph_hooks.jobs.states import ENDED, INTERRUPTED, next_step, state
from ralph_hooks.jobs.store import Store

LOOK_SECONDS = 0.5
SHOWN = 2
MOST_CHARS = 200


def follow_to_the_end(store: Store, job: str, as_json: bool, *, plain: bool, keys: str) -> int:
    """Until the job has ended or lost its worker; the exit code says how. `keys` says what Ctrl-C does."""
    follow.find(store, job)
    if as_json or plain or not sys.stdout.isatty():
        return _lines(store, job, as_json)
    return _live(store, job, keys)


def _lines(store: Store, job: str, as_json: bool) -> int:
    for one in follow.watch(store, job):
        if isinstance(one, Event):
            click.echo(dump(one.to_json()) if as_json else line(one))
        else:
            if not as_json:
                click.echo(f"{state(one)}: {next_step(one)}")
            return EXITS[state(one)]
    return EXIT_UNFINISHED


def _live(store: Store, job: str, keys: str) -> int:
    from ralph_hooks.cli.show.job_live import LiveJob, closing
    from ralph_hooks.cli.show.text import console

    cursor, row = 0, follow.find(store, job)
    out = console()
    with LiveJob(out, row, keys) as view:
        while True:
            row, events = follow.wait(store, job, cursor, LOOK_SECONDS)
            view.add(row, events)
            cursor = events[-1].seq if events else cursor
            if not events and state(row) in (*ENDED, INTERRUPTED):
                break
    out.print(closing(row), soft_wrap=True)
    return EXITS[state(row)]


def line(event: Any) -> str:
    """One event as one line."""
    body = event.body
    words = {
        "job_started": lambda: f"first generation {body['first_generation']}",
        "generation_started": lambda: f"generation {body['generation']}" + ("" if body["execute"] else " (planning)"),
        "generation_finished": lambda: _iteration(body["iteration"]),
        "worker_lost": lambda: f"generation {body['generation']}, after {body['seconds']:.1f} s",
        "generation_lost": lambda: f"generation {body['generation']}, its worker died; it starts again",
        "killed": lambda: f"generation {body['generation']}: {body['reason']}",
        "job_ended": lambda: _ending(body["result"]),
        "rewound": lambda: f"to generation {body['to']}",
    }.get(event.kind, lambda: "")()
    return f"{event.seq:>4}  {event.kind:<20} {words}".rstrip()


def _iteration(one: dict[str, Any]) -> str:
    qa = one["qa"]
    verdict = f", qa {qa['verdict']}" if qa else ""
    failing = f", {len(one['failing'])} failing" if one["failing"] else ""
    trouble = ", " + ": ".join(part for part in (one["trouble"], one["detail"]) if part)
    head = f"generation {one['generation']}: {one['action']}{verdict}{failing}{trouble.rstrip(', ')}"
    return f"{head}, {one['duration']:.1f} s{_differences(qa['differences'] if qa else [])}"


def _differences(found: list[str]) -> str:
    """What failed, by its name: the first of it, on one line."""
    if not found:
        return ""
    more = f" (+{len(found) - SHOWN} more)" if len(found) > SHOWN else ""
    return ": " + "; ".join(one_line(text, MOST_CHARS) for text in found[:SHOWN]) + more


def _ending(result: dict[str, Any]) -> str:
    words = f"{result['status']}: {result['stop_reason']}"
    return f"{words}, {one_line(result['detail'], MOST_CHARS)}" if result.get("detail") else words
