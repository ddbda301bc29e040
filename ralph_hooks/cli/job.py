"""`ralph-hooks job`: start, follow, cancel and resume background jobs."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from ralph_hooks.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, RalphError

EXIT_UNFINISHED = 3
EXIT_LOST = 4
TIMES = ("created_at", "ended_at")
EXITS = {"completed": 0, "failed": EXIT_FAILED, "cancelled": EXIT_INTERRUPTED, "interrupted": EXIT_LOST}
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
PLAIN = click.option("--plain", is_flag=True, help="A line per event even on a terminal.")
EPILOG = """Exit codes: 0 completed (or done), 1 failed, 2 usage, 3 not finished yet, 4 interrupted (its worker is
gone), 130 cancelled."""


class Verbs(click.Group):
    """`start` has an option per field of the call, and reading the model costs what the other verbs need not pay."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return ["start", *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "start":
            from ralph_hooks.cli.job_start import command as start

            return start
        return super().get_command(ctx, cmd_name)


@click.group(cls=Verbs, epilog=EPILOG)
def command() -> None:
    """Background jobs of generations."""


@command.command()
@click.argument("job")
@click.option("--view", type=click.Choice(["full", "summary", "compact"]), default="summary", show_default=True)
@AS_JSON
def status(job: str, view: str, as_json: bool) -> int:
    """The state of a job."""
    from ralph_hooks.jobs import follow
    from ralph_hooks.jobs.opening import reading

    with reading() as store:
        answer = follow.status(store, follow.find(store, job), view)
    click.echo(dump(answer) if as_json else render(answer))
    return 0


@command.command()
@click.argument("job")
@click.option("--cursor", type=click.IntRange(min=0), default=0, help="Only what came after this cursor.")
@click.option("--timeout", default="60", metavar="SECONDS", help="How long to wait. [default: 60]")
@AS_JSON
def wait(job: str, cursor: int, timeout: str, as_json: bool) -> int:
    """Wait for news of a job; prints the events behind the cursor."""
    from ralph_hooks.jobs import follow
    from ralph_hooks.jobs.opening import reading
    from ralph_hooks.jobs.states import state

    limit = seconds(timeout, "--timeout")
    with reading() as store:
        follow.find(store, job)
        row, events = follow.wait(store, job, cursor, limit)
    if as_json:
        last = events[-1].seq if events else cursor
        answer = {"job_id": job, "status": state(row), "cursor": last, "events": [one.to_json() for one in events]}
        click.echo(dump(answer if events else answer | {"unchanged": True}))
    else:
        from ralph_hooks.cli.show.job_follow import line

        for event in events:
            click.echo(line(event))
        click.echo(f"{state(row)} cursor={events[-1].seq}" if events else f"unchanged cursor={cursor}")
    return EXITS.get(state(row), EXIT_UNFINISHED)


@command.command()
@click.argument("job")
@AS_JSON
def result(job: str, as_json: bool) -> int:
    """The result of an ended job; it never expires."""
    from ralph_hooks.jobs import follow
    from ralph_hooks.jobs.opening import reading
    from ralph_hooks.jobs.states import ENDED, next_step, state

    with reading() as store:
        row = follow.find(store, job)
    if state(row) not in ENDED:
        code = EXITS.get(state(row), EXIT_UNFINISHED)
        raise RalphError(f"job `{job}` is {state(row)} and has no result yet", next_step(row), code)
    answer = follow.result(row)
    click.echo(dump(answer) if as_json else render({k: v for k, v in answer.items() if k != "iterations"}))
    return EXITS[state(row)]


@command.command()
@click.argument("job")
@click.option("--cursor", type=click.IntRange(min=0), default=0, help="Only what came after this cursor.")
@AS_JSON
def events(job: str, cursor: int, as_json: bool) -> int:
    """What happened, oldest first."""
    from ralph_hooks.cli.show.job_follow import line
    from ralph_hooks.jobs import follow
    from ralph_hooks.jobs.opening import reading

    with reading() as store:
        follow.find(store, job)
        while page := store.job_events(job, cursor):
            for event in page:
                click.echo(dump(event.to_json()) if as_json else line(event))
            cursor = page[-1].seq
    return 0


@command.command()
@click.argument("job")
@PLAIN
@AS_JSON
def watch(job: str, plain: bool, as_json: bool) -> int:
    """Follow a job to its end: a live view on a terminal, else a line per event."""
    from ralph_hooks.cli.show.job_follow import follow_to_the_end
    from ralph_hooks.jobs.opening import reading

    with reading() as store:
        return follow_to_the_end(store, job, as_json, plain=plain, keys="^C stops watching; the job goes on")


@command.command()
@click.argument("job")
@AS_JSON
def cancel(job: str, as_json: bool) -> int:
    """Ask a job to end: its process tree is killed, its iterations are kept."""
    from ralph_hooks.jobs import cancel as cancelling
    from ralph_hooks.jobs.opening import reading
    from ralph_hooks.jobs.states import next_step, state

    with reading() as store:
        row = cancelling.cancel(store, job)
    answer = {"job_id": job, "status": state(row), "next_step": next_step(row)}
    click.echo(dump(answer) if as_json else f"{job} {state(row)}")
    return 0


@command.command()
@click.argument("job")
@click.option("--no-worker", is_flag=True, help="Queue only; a worker elsewhere will take it.")
@AS_JSON
def resume(job: str, no_worker: bool, as_json: bool) -> int:
    """Take up a job again whose worker is gone."""
    from ralph_hooks.jobs import cancel as cancelling
    from ralph_hooks.jobs.opening import reading
    from ralph_hooks.jobs.states import state

    with reading() as store:
        row = cancelling.resume(store, job, run_worker=not no_worker)
    click.echo(dump({"job_id": job, "status": state(row)}) if as_json else f"{job} {state(row)}")
    return 0


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@click.option("--before", type=click.IntRange(min=1), metavar="NUMBER", help="The page behind this job number.")
@click.option("--live", is_flag=True, help="Only jobs that have not ended.")
@AS_JSON
def listing(limit: int, before: int | None, live: bool, as_json: bool) -> int:
    """The newest jobs, one page."""
    from ralph_hooks.jobs import follow
    from ralph_hooks.jobs.opening import reading

    with reading() as store:
        page = follow.listing(store, limit, before, live=live)
    if as_json:
        click.echo(dump(page))
        return 0
    for row in page["jobs"]:
        words = f" ({row['stop_reason']})" if row["stop_reason"] else ""
        click.echo(f"{row['job_id']}  {row['status'] + words:<32}  {row['lineage_id']}")
    if page["next"]:
        click.echo(f"more: ralph-hooks job list --before {page['next']}")
    return 0


def seconds(text: str, option: str) -> float:
    """A finite number of seconds from 0 to a day. Raises `RalphError`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 86400:
        raise RalphError(f"`{option}` is {text!r}, but must be a number from 0 to 86400", exit_code=EXIT_USAGE)
    return value


def dump(value: object) -> str:
    """One line of JSON."""
    return json.dumps(value, ensure_ascii=False)


def render(answer: dict[str, Any]) -> str:
    """`name  value` lines; what is empty is left out, and a time is one of this place."""
    from ralph_hooks.cli.show.text import local_time

    times = {name: local_time(answer[name]) for name in TIMES if answer.get(name) is not None}
    rows = [(name, value) for name, value in (answer | times).items() if value not in (None, [], "")]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value if isinstance(value, str) else dump(value)}" for name, value in rows)
