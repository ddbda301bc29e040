"""`ralph-hooks schema`: the JSON schema of the config, for editors."""

from __future__ import annotations

import json

import click


@click.command(help="Print the JSON schema (draft 2020-12) of ralph-hooks.toml.")
def command() -> int:
    """Exit 0."""
    from ralph_hooks.plan.schema import schema

    click.echo(json.dumps(schema(), indent=2))
    return 0
