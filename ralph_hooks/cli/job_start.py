"""`ralph-hooks job start`."""

from __future__ import annotations

from typing import Any

import click

from ralph_hooks.cli.call_options import call_options, read_call
from ralph_hooks.cli.job import AS_JSON, EPILOG, dump


@click.command("start", epilog=EPILOG)
@call_options
@click.option("--rewind", type=int, metavar="N", help="Go on after generation N of the lineage; 0 = from the start.")
@click.option("--no-worker", is_flag=True, help="Queue only; a worker elsewhere will take it.")
@AS_JSON
def command(as_json: bool, no_worker: bool, rewind: int | None, **options: Any) -> int:
    """Queue a job and return at once with its id."""
    from ralph_hooks.jobs.start import start as begin

    begun = begin(read_call(options), rewind=rewind, run_worker=not no_worker)
    for warning in begun.warnings:
        click.echo(warning, err=True)
    click.echo(dump(begun.to_json()) if as_json or begun.job_id is None else begun.job_id)
    return 0
