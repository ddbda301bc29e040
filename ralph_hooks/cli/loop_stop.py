"""`ralph-hooks loop stop NAME`: ask a running loop to end, from any terminal."""

from __future__ import annotations

import os

import click

from ralph_hooks import paths
from ralph_hooks.errors import RalphError
from ralph_hooks.gate.owner import Driver, recorded
from ralph_hooks.loop.ground import project_at
from ralph_hooks.loop.owning import ask_to_stop


@click.command(name="stop")
@click.argument("name")
@click.option("--now", is_flag=True, help="End the running round too.")
def command(name: str, now: bool) -> int:
    """End the loop NAME after its round: the one of this checkout, or the only one of that name."""
    checkout, driver = find(name)
    ask_to_stop(checkout, driver, now=now)
    click.echo(f"`{name}` (pid {driver.pid}) ends {'now' if now else 'after this round'}")
    return 0


def find(name: str) -> tuple[str, Driver]:
    """The state directory and the driver of the live loop of that name. Raises `RalphError`."""
    live = live_drivers()
    here = project_at(os.getcwd()).checkout
    named = [(place, driver) for place, driver in live if driver.name == name]
    mine = [entry for entry in named if entry[0] == here] or named
    if len(mine) == 1:
        return mine[0]
    if mine:
        raise RalphError(f"{len(mine)} loops named `{name}` run", "say it in the directory of the one you mean")
    others = ", ".join(sorted(driver.name for _, driver in live)) or "none"
    raise RalphError(f"no loop `{name}` runs", f"running now: {others}")


def live_drivers() -> list[tuple[str, Driver]]:
    """Every live loop of this user, with the state directory of its checkout."""
    base = os.path.join(paths.state_dir(), "checkouts")
    try:
        places = [entry.path for entry in os.scandir(base)]
    except OSError:
        places = []
    found = [(place, recorded(place)) for place in sorted(places)]
    return [(place, driver) for place, driver in found if driver is not None and driver.alive()]


def main(words: list[str]) -> int:
    """Run the command on these words."""
    code = command.main(args=words, prog_name="ralph-hooks loop stop", standalone_mode=False)
    return code if isinstance(code, int) else 0
