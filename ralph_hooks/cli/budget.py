"""`ralph-hooks budget`: what is left of each session's blocks, and a person's way to give them back."""

from __future__ import annotations

import click

from ralph_hooks.cli import common
from ralph_hooks.cli.show.history import History, Session
from ralph_hooks.cli.show.text import console, safe
from ralph_hooks.cli.status import facts_of, show_sessions
from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.gate import budget, sessions
from ralph_hooks.ledger import ledger
from ralph_hooks.plan.locate import Project


@click.group(help="Look at the sessions' block budgets, or reset one.", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> int:
    """Exit 0."""
    if ctx.invoked_subcommand is None:
        known = facts_of(common.project_here())["sessions"]
        if not known:
            click.echo("no session was gated here yet")
        else:
            show_sessions(console(), known)
    return 0


@command.command(help="Give a session its whole budget back. SESSION is an id or its beginning.")
@click.argument("session", required=False)
@click.option("--all", "every", is_flag=True, help="Every session of this project.")
def reset(session: str | None, every: bool) -> int:
    """Exit 0; 2 when it is not clear whose budget is meant."""
    common.require_person("budget reset")
    project = common.project_here()
    known = list(History(ledger.read(project)).sessions.values())
    chosen = [one for one in known if one.session] if every else [_chosen(known, session)]
    for one in chosen:
        _reset(project, one)
        click.echo(f"reset: {safe(one.name)}")
    if not chosen:
        click.echo("no session was gated here yet")
    return 0


def _chosen(known: list[Session], wanted: str | None) -> Session:
    if wanted is None:
        found = [one for one in known if _spent(one)]
        sentence = f"{len(found)} sessions have used some of their budget" if found else "no session has used any"
    else:
        found = [one for one in known if one.name == wanted] or [one for one in known if one.name.startswith(wanted)]
        sentence = f"{len(found)} sessions begin with `{wanted}`" if found else f"there is no session `{wanted}` here"
    if len(found) == 1:
        return found[0]
    raise RalphError(sentence, "ralph-hooks budget reset SESSION, or --all", EXIT_USAGE)


def _spent(one: Session) -> bool:
    state = sessions.peek(one.session, one.agent)
    return state is not None and not budget.is_fresh(state)


def _reset(project: Project, one: Session) -> None:
    try:
        with sessions.Session(one.session, one.agent, project) as held:
            held.save(budget.rule_green(held.state))
    except sessions.Unwritable as error:
        raise RalphError(str(error)) from None
    fields = {"session": one.session, "agent": one.agent, "decision": sessions.RESET, "by": common.user()}
    common.note(project, "budget reset", **fields)
