"""`ralph-hooks evolve`: start a job and stay with it until it ends."""

from __future__ import annotations

from typing import Any

import click

from ralph_hooks.cli.call_options import call_options, read_call
from ralph_hooks.cli.job import AS_JSON, EPILOG, dump, follow_to_the_end


@click.command(epilog=EPILOG)
@call_options
@click.option("--rewind", type=int, metavar="N", help="Go on after generation N of the lineage; 0 = from the start.")
@click.option("--example", is_flag=True, help="Print a seed to start from, and stop.")
@AS_JSON
def command(as_json: bool, example: bool, rewind: int | None, **options: Any) -> int:
    """Run generations until the checks pass, nothing moves any more, or a bound is reached.

    The work goes on in the background when this command is killed; Ctrl-C cancels it.
    """
    if example:
        from ralph_hooks.evolve.seed import EXAMPLE

        click.echo(EXAMPLE, nl=False)
        return 0
    from ralph_hooks.jobs.start import reading, start

    begun = start(read_call(options), rewind=rewind)
    for warning in begun.warnings:
        click.echo(warning, err=True)
    if begun.job_id is None:
        click.echo(dump(begun.to_json()))
        return 0
    if not as_json:
        click.echo(begun.job_id)
    with reading() as store:
        try:
            return follow_to_the_end(store, begun.job_id, as_json)
        except KeyboardInterrupt:
            return _cancelled(store, begun.job_id, as_json)


def _cancelled(store: Any, job: str, as_json: bool) -> int:
    from ralph_hooks.jobs.cancel import cancel

    click.echo(f"cancelling {job}; once more leaves it running in the background", err=True)
    cancel(store, job)
    return follow_to_the_end(store, job, as_json)
