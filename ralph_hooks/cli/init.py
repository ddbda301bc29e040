"""`ralph-hooks init`: lay out what a loop reads, and print what cron, CI and the config want."""

from __future__ import annotations

import os
import shlex

import click

from ralph_hooks.cli.common import here
from ralph_hooks.errors import RalphError
from ralph_hooks.loop.call import checked_name
from ralph_hooks.loop.ground import project_at
from ralph_hooks.loop.record import HOME
from ralph_hooks.resources import resource

PRINTED = {"config": "config.toml", "cron": "crontab", "ci": "github-workflow.yml"}


@click.command()
@click.argument("name", default="night")
@click.option("--print", "printed", type=click.Choice(sorted(PRINTED)), help="Print a template instead.")
def command(name: str, printed: str | None) -> int:
    """Lay out PROMPT.md and .ralph/NAME/ for a loop; what is there already stays as it is."""
    root = project_at(here()).root
    checked_name(name)
    if printed:
        click.echo(filled(PRINTED[printed], root, name), nl=False)
        return 0
    place = os.path.join(HOME, name)
    for path, template in (
        ("PROMPT.md", "PROMPT.md"),
        (os.path.join(place, "plan.md"), "plan.md"),
        (os.path.join(place, "specs", "README.md"), "specs.md"),
    ):
        made = write_new(os.path.join(root, path), filled(template, root, name))
        click.echo(f"{'made' if made else 'kept'} {path}")
    if not project_at(root).config_path:
        click.echo("no checks yet: `ralph-hooks install` finds them; without one the agent's word decides")
    click.echo(f"next: write PROMPT.md, then `ralph-hooks loop --file PROMPT.md --name {name} --max-rounds 3`")
    return 0


def filled(name: str, root: str, loop: str) -> str:
    """A template with this project's own words in it."""
    with open(os.path.join(resource("templates"), "loop", name), encoding="utf-8") as file:
        text = file.read()
    log = os.path.join(os.path.expanduser("~"), f"ralph-{loop}.log")
    words = {
        "@NAME@": loop,
        "@ROOT@": shlex.quote(root),
        "@LOG@": shlex.quote(log),
        "@PATH@": os.environ.get("PATH", ""),
    }
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def write_new(path: str, text: str) -> bool:
    """Write a file that is not there yet; whether it was written. Raises `RalphError`."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        if os.path.isfile(path):
            return False
        raise RalphError(f"`{path}` is there and is no file") from None
    except OSError as error:
        raise RalphError(f"`{path}` cannot be written: {error.strerror}") from None
    return True
