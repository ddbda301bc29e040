"""`ralph-hooks pause`: let the gate rest for a while (G5). A person's verb; the reason is kept."""

from __future__ import annotations

import os
import time

import click

from ralph_hooks import fastjson, files
from ralph_hooks.cli import common
from ralph_hooks.cli.show.text import local_time, safe
from ralph_hooks.errors import RalphError
from ralph_hooks.gate.skip import PAUSE_FILE
from ralph_hooks.guard.durations import seconds_of


@click.command(help="Let every stop pass unchecked for DURATION (as in 30m or 1h30m; 1h when left out, 24h at most).")
@click.argument("duration", default="1h")
@click.option("--reason", default="", help="Why; kept in the ledger and shown at every skipped stop.")
def command(duration: str, reason: str) -> int:
    """Exit 0; 2 when DURATION is none, or where there is no project."""
    length = seconds_of(duration)
    common.require_person("pause")
    project = common.project_here()
    until = time.time() + length
    pause = {"until": until, "reason": safe(reason), "by": common.user()}
    try:
        files.write_state(os.path.join(project.state, PAUSE_FILE), fastjson.dumps(pause).encode())
    except OSError as error:
        sentence = f"the pause cannot be written to `{project.state}`: {error.strerror}"
        raise RalphError(sentence, "ralph-hooks doctor") from None
    common.note(project, "pause", until=until, by=pause["by"], reason=safe(reason) or "no reason given")
    click.echo(f"paused until {local_time(until)}; `ralph-hooks resume` ends it")
    return 0
