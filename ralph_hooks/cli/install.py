"""`ralph-hooks install`: find the test command, prove that red stops the agent, write config and hook."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from ralph_hooks.cli import common
from ralph_hooks.guard.person import agent_above
from ralph_hooks.install import mcp_entry, report, settings, survey
from ralph_hooks.install.approve import approve
from ralph_hooks.install.bytecode import compile_package
from ralph_hooks.install.detect import Found, Proposal
from ralph_hooks.install.setup import Outcome, set_up
from ralph_hooks.install.survey import Options
from ralph_hooks.plan.locate import find_project
from ralph_hooks.plan.seal import seal_path
from ralph_hooks.process import signals

CLIENTS = {"claude": ("claude",), "codex": ("codex",), "all": ("claude", "codex")}


@click.command(help="Find the test command, prove that red stops the agent, write the config and register the hook.")
@click.option("--client", type=click.Choice(list(CLIENTS)), default="claude", show_default=True, help="Whose hook.")
@click.option(
    "--scope", type=click.Choice(settings.SCOPES), default="project", show_default=True, help="Which settings file."
)
@click.option("--command", default="", metavar="LINE", help="The check, instead of the one that is found.")
@click.option(
    "--with", "kinds", type=click.Choice(["types", "lint"]), multiple=True, help="Add the type checker or linter."
)
@click.option("--all-tests", "every", is_flag=True, help="Take every test command that was found.")
@click.option("--per-package", "packages", is_flag=True, help="One check for each package of the workspace.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.IntRange(min=1),
    metavar="SECONDS",
    help="timeout_s, instead of what one run suggests.",
)
@click.option(
    "--config-only", is_flag=True, help="Register no hook: the plugin, or somebody else's settings, bring it."
)
@click.option("--mcp", "with_mcp", is_flag=True, help="Also register the MCP server in `.mcp.json`.")
@click.option("--guard/--no-guard", default=True, help="Also watch over settings changes and a person's prompts.")
@click.option("--prove/--no-prove", default=True, help="Try it in a scratch copy with a planted failing test.")
@click.option("--force", is_flag=True, help="Take what is refused: a command that cannot decide, a second hook.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing, take the first choice.")
@click.option("--dry-run", is_flag=True, help="Show the changes, write nothing.")
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
def command(*, yes: bool, dry_run: bool, as_json: bool, with_mcp: bool, **given: Any) -> int:
    """Exit 0 when the gate is in place, whatever the suite says today; 1 when it is not."""
    signals.unwind()
    compile_package()
    asked = not yes and not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    options = _options(dry_run=dry_run, by_agent=bool(agent_above()), **given)
    if with_mcp:
        mcp_entry.install(survey.site(common.here()).root, dry_run=True)  # what cannot be done is said before anything
    outcome = set_up(common.here(), options, _ask if asked else _first, _quiet if as_json else _tell)
    if with_mcp:
        root = outcome.site.root
        outcome.settings.append((mcp_entry.layer(root), mcp_entry.install(root, dry_run=dry_run)))
    if not dry_run:
        outcome.notes += _seal()
    _show(outcome, dry_run=dry_run, as_json=as_json)
    return 0


def _options(*, client: str, config_only: bool, **given: Any) -> Options:
    """The command line as `set_up` takes it; every other name is the same in both."""
    return Options(clients=() if config_only else CLIENTS[client], **given)


def _show(outcome: Outcome, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report.data(outcome), indent=2))
    elif dry_run:
        for change in (outcome.config, *(change for _, change in outcome.settings)):
            click.echo(settings.diff(change), nl=False)
    else:
        for line in (*report.lines(outcome), *(f"{'next':<9}{step}" for step in report.next_steps(outcome))):
            click.echo(line)


def _seal() -> list[str]:
    """A person's install is an approval. An agent's is not, and it never replaces one."""
    project = find_project(common.here())
    agent = agent_above()
    if project is None or (agent and os.path.exists(seal_path(project))):
        return []
    try:
        approve(project, by=common.user(), pending=bool(agent))
    except OSError as error:
        return [f"not sealed: `{error.filename}` cannot be written ({error.strerror})"]
    return ["run by an agent, so a person has yet to approve it: `ralph-hooks seal`"] if agent else []


def _first(found: Found) -> list[Proposal]:
    return found.choice


def _ask(found: Found) -> list[Proposal]:
    """One question for the test command; the type checker and linter with a plain yes or no."""
    chosen = found.choice
    if len(found.tests) > 1:
        for number, proposal in enumerate(found.tests, 1):
            click.echo(f"  {number}  {proposal.shown}   because {proposal.why}")
        picked = click.prompt("which one decides?", type=click.IntRange(1, len(found.tests)), default=1)
        chosen = [found.tests[picked - 1]]
    elif chosen and not click.confirm(f"{', '.join(each.shown for each in chosen)}: take it?", default=True):
        line = click.prompt("the command that decides")
        chosen = [Proposal(ecosystem="command", run=line, why="", name="tests")]
    extra = [each for each in found.extra if click.confirm(f"also {each.shown} ({each.why})?", default=False)]
    return [*chosen, *extra]


def _tell(words: str) -> None:
    click.echo(words, err=True)


def _quiet(words: str) -> None:
    """JSON stands alone."""
