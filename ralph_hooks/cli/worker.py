"""`ralph-hooks worker`: run background jobs on this machine."""

from __future__ import annotations

import click

from ralph_hooks.cli.job import seconds


@click.command()
@click.option(
    "--idle", default="10", metavar="SECONDS", help="Leave after so long without work; 0 = never. [default: 10]"
)
@click.option("--at-once", type=click.IntRange(1, 64), default=4, show_default=True, help="Jobs that run side by side.")
def command(idle: str, at_once: int) -> int:
    """Take jobs from the queue until there are none.

    `job start` does this by itself on this machine. On another machine, set RALPH_HOOKS_DATABASE_URL to the same
    PostgreSQL database and run it there.
    """
    from ralph_hooks.jobs.worker import Worker

    return Worker(idle_seconds=seconds(idle, "--idle"), at_once=at_once).run()
