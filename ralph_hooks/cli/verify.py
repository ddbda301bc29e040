"""`ralph-hooks verify`: proof that a revision was green here, or a run of the base branch's checks for CI (T6)."""

from __future__ import annotations

import json

import click

from ralph_hooks.check import record
from ralph_hooks.cli import common
from ralph_hooks.cli.show.run import show_run
from ralph_hooks.cli.show.text import console
from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.guard import verify
from ralph_hooks.process import signals


@click.command(help="Was REV (default HEAD) green under this plan on this machine? With --run: is the tree green now?")
@click.argument("rev", default="HEAD")
@click.option("--run", "run_now", is_flag=True, help="Run the checks now, with the plan of the base branch: for CI.")
@click.option(
    "--base", default="", help="Whose plan counts with --run (default: the pull request's base, else origin/HEAD)."
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="A person has looked at changed scripts and runner settings, and at missing tests.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(rev: str, run_now: bool, base: str, accept_changes: bool, as_json: bool) -> int:
    """Exit 0 when proven, 1 when not, 2 when the question cannot be asked (no project, no such revision)."""
    signals.unwind()
    if not run_now and (base or accept_changes):
        raise RalphError("`--base` and `--accept-changes` go with `--run`", "ralph-hooks verify --run", EXIT_USAGE)
    if run_now:
        project = verify.without_config(common.here(), base) or common.project_here()
        proof = verify.by_run(project, verify.base_of(project, base), accept=accept_changes)
    else:
        proof = verify.by_receipt(common.project_here(), rev)
    _show(proof, as_json)
    return 0 if proof.ok else 1


def _show(proof: verify.Proof, as_json: bool) -> None:
    if as_json:
        facts = {"ok": proof.ok, "lines": proof.lines, "run": record.summary(proof.run) if proof.run else None}
        click.echo(json.dumps(facts))
        return
    if proof.run is not None:
        show_run(console(), proof.run, 40)
    for line in proof.lines:
        click.echo(line)
    click.echo("proven" if proof.ok else "NOT proven")
