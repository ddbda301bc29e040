"""`ralph-hooks evolve`: start a job and stay with it until it ends."""

from __future__ import annotations

from typing import Any

import click

from ralph_hooks.cli.call_options import call_options, read_call
from ralph_hooks.cli.job import AS_JSON, EPILOG, PLAIN, dump


@click.group(epilog=EPILOG, invoke_without_command=True)
@call_options
@click.option("--rewind", type=int, metavar="N", help="Go on after generation N of the lineage; 0 = from the start.")
@click.option("--example", is_flag=True, help="Print a seed to start from, and stop.")
@PLAIN
@AS_JSON
@click.pass_context
def command(
    context: click.Context, /, as_json: bool, plain: bool, example: bool, rewind: int | None, **options: Any
) -> int:
    """Run generations until the checks pass, nothing moves any more, or a bound is reached.

    The work goes on in the background when this command is killed; Ctrl-C cancels it.
    """
    if context.invoked_subcommand is not None:
        return 0
    if example:
        from ralph_hooks.evolve.seed import EXAMPLE

        click.echo(EXAMPLE, nl=False)
        return 0
    from ralph_hooks.jobs.opening import reading
    from ralph_hooks.jobs.start import start

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
            return _followed(store, begun.job_id, as_json, plain)
        except KeyboardInterrupt:
            return _cancelled(store, begun.job_id, as_json, plain)


def _followed(store: Any, job: str, as_json: bool, plain: bool) -> int:
    from ralph_hooks.cli.show.job_follow import follow_to_the_end

    return follow_to_the_end(store, job, as_json, plain=plain, keys="^C cancels the job")


def _cancelled(store: Any, job: str, as_json: bool, plain: bool) -> int:
    from ralph_hooks.jobs.cancel import cancel

    click.echo(f"cancelling {job}; once more leaves it running in the background", err=True)
    cancel(store, job)
    return _followed(store, job, as_json, plain)


@command.command()
@click.option("--decision-id", required=True, help="A name for the decision.")
@click.option("--predecessor", required=True, help="The execution that is to be corrected.")
@click.option("--directive", required=True, metavar="JSON", help="The directive: an object of at most 2000 bytes.")
@AS_JSON
def decide(decision_id: str, predecessor: str, directive: str, as_json: bool) -> int:
    """Store a conductor's decision, which one corrective generation may then be started with."""
    from ralph_hooks.cli.call_options import json_or_text
    from ralph_hooks.evolve.conductor import check_directive
    from ralph_hooks.evolve.refusal import parse_call
    from ralph_hooks.jobs.decisions import keep
    from ralph_hooks.jobs.opening import reading

    call = parse_call(
        {
            "lineage_id": "decide",
            "max_generations": 1,
            "conductor_directive": json_or_text(directive),
            "conductor_decision_id": decision_id,
            "predecessor_execution_id": predecessor,
        }
    )
    assert call.conductor_directive is not None
    check_directive(call.conductor_directive)
    with reading() as store:
        made = keep(store, decision_id, predecessor, call.conductor_directive)
    click.echo(dump({"decision_id": decision_id, "digest": made}) if as_json else f"{decision_id} {made}")
    return 0
