"""`ralph-hooks seal`: accept the checks, their inputs and our settings entries as they are now (T1)."""

from __future__ import annotations

import json

import click

from ralph_hooks.cli import common
from ralph_hooks.install.approve import approve
from ralph_hooks.plan.compiled import build


@click.command(help="Accept config, check inputs and settings entries as they are now. A person's verb.")
@click.option("--json", "as_json", is_flag=True, help="What was sealed, as JSON.")
def command(as_json: bool) -> int:
    """Exit 0; 2 inside an agent, where there is no project, or for a config that cannot be read."""
    common.require_person("seal")
    project = common.project_here()
    note = approve(project, by=common.user())
    plan = build(note["packed"])
    common.note(project, "seal", by=note["by"], plan=plan.digest)
    if as_json:
        click.echo(json.dumps({"root": project.root, "plan": plan.digest, "inputs": note["inputs"]}))
        return 0
    click.echo(f"sealed `{project.config_path}`:")
    for check in plan.check:
        parts = ", ".join(note["inputs"][check.name]) or "no inputs beside its own line"
        click.echo(f"  {check.name}: {parts}")
    return 0
