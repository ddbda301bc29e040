"""`ralph-hooks uninstall`: our entries out of the settings files, every other byte as it was."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import click

from ralph_hooks.cli import common
from ralph_hooks.install import settings
from ralph_hooks.install.removal import Removal, remove
from ralph_hooks.install.setup import relative


@click.command(help="Take our entries out of the settings files again, byte for byte.")
@click.option(
    "--client", type=click.Choice([*settings.CLIENTS, "all"]), default="all", show_default=True, help="Whose."
)
@click.option(
    "--scope",
    type=click.Choice(settings.SCOPES),
    multiple=True,
    help="Which settings file; default: project and local.",
)
@click.option("--purge", is_flag=True, help="Remove the config and what was kept about this project too.")
@click.option("--dry-run", is_flag=True, help="Show the changes, write nothing.")
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
def command(*, client: str, scope: tuple[str, ...], purge: bool, dry_run: bool, as_json: bool) -> int:
    """Exit 0; 1 when a file could not be changed; 2 inside an agent."""
    common.require_person("uninstall")
    clients = list(settings.CLIENTS) if client == "all" else [client]
    done = remove(common.here(), clients, scope or ("project", "local"), everything=purge, dry_run=dry_run)
    if as_json:
        click.echo(json.dumps(_data(done), indent=2))
        return 0
    for layer, change in done.changes:
        if dry_run:
            click.echo(settings.diff(change), nl=False)
        elif change.any:
            click.echo(f"{'removed' if change.after is None else 'restored':<9}{relative(layer.path)}")
    for line in _removed(done.removed):
        click.echo(f"{'would remove ' if dry_run else 'removed  '}{line}")
    if not any(change.any for _, change in done.changes):
        click.echo("nothing of ours was registered here")
    for line in done.stays:
        click.echo(f"stays    {line}")
    return 0


def _removed(paths: list[str]) -> Iterator[str]:
    """A line for each, but the many small files of sessions and locks are counted."""
    small = [path for path in paths if os.path.basename(os.path.dirname(path)) in ("sessions", "locks")]
    yield from (relative(path) for path in paths if path not in small)
    if small:
        yield f"{len(small)} small files of its sessions and locks"


def _data(done: Removal) -> dict[str, object]:
    return {
        "root": done.site.root,
        "settings": [
            {
                "client": layer.client,
                "scope": layer.scope,
                "path": layer.path,
                "changed": change.any,
                "gone": change.after is None,
            }
            for layer, change in done.changes
        ],
        "removed": done.removed,
        "stays": done.stays,
    }
