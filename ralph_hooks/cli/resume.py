"""`ralph-hooks resume`: end a pause."""

from __future__ import annotations

import os

import click

from ralph_hooks import files
from ralph_hooks.cli import common
from ralph_hooks.errors import RalphError
from ralph_hooks.gate.skip import PAUSE_FILE, read_pause


@click.command(help="End a pause.")
def command() -> int:
    """Exit 0, paused or not; 2 where there is no project."""
    project = common.project_here()
    paused = read_pause(project)
    try:
        files.remove(os.path.join(project.state, PAUSE_FILE))
    except OSError as error:
        raise RalphError(f"the pause in `{project.state}` cannot be removed: {error.strerror}") from None
    if paused:
        common.note(project, "resume", by=common.user())
    click.echo("the gate is on again" if paused else "the gate was not paused")
    return 0
