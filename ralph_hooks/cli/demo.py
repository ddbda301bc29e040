"""`ralph-hooks demo`: twenty seconds from "all tests pass" to a suite that is really green."""

from __future__ import annotations

import click

from ralph_hooks.demo import project, story
from ralph_hooks.process import signals

STYLES = {
    "note": ("      ", {"dim": True}),
    "runs": ("agent $ ", {"fg": "cyan"}),
    "agent": ("agent > ", {"bold": True}),
    "red": ("gate  ✗ ", {"fg": "red", "bold": True}),
    "fails": ("          ", {"fg": "red"}),
    "green": ("gate  ✓ ", {"fg": "green", "bold": True}),
}


@click.command(help="See an agent be stopped by a red suite. No key, no network, nothing outside a scratch directory.")
@click.option("--protocol", is_flag=True, help="Send the events by hand, although Claude Code is on PATH.")
def command(protocol: bool) -> int:
    """Exit 0 when the story ended green, 1 when it did not."""
    signals.unwind()
    client = None if protocol else story.find_client()
    how = f"the real Claude Code ({client})" if client else "the hook protocol alone (no `claude` on PATH)"
    if protocol:
        how = "the hook protocol alone"
    click.echo(f"ralph-hooks demo, with {how} and a scripted model\n")
    outcome = story.play(_tell, client=client)
    ended = "ended green" if outcome.green else "did not end green"
    click.echo(f"\n{outcome.blocked} stops were blocked, and the turn {ended}.")
    click.echo("Next: `ralph-hooks install` in your repository.")
    return 0 if outcome.green and outcome.blocked == len(project.FIXES) else 1


def _tell(kind: str, text: str) -> None:
    prefix, style = STYLES[kind]
    click.secho(prefix + text, **style)  # type: ignore[arg-type]
