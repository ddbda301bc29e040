"""`ralph-hooks status` (G15, G20): the last run, the budgets, a pause, and whether somebody left red behind."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ralph_hooks.check import identity
from ralph_hooks.cli import common
from ralph_hooks.cli.show.history import History, Session, checks_of, duration, epoch
from ralph_hooks.cli.show.loop_rows import loop_table
from ralph_hooks.cli.show.text import console, local_time, number, safe, seconds, tilde, word
from ralph_hooks.errors import RalphError
from ralph_hooks.gate import owner, sessions, skip
from ralph_hooks.ledger import ledger
from ralph_hooks.loop.status import loops
from ralph_hooks.plan import seal
from ralph_hooks.plan.locate import Project

SESSIONS_SHOWN = 10
EXIT_OPEN = 1


@click.command(help="Is it green, and what is left of the budgets. Exit 1 while a session was let go without green.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool) -> int:
    """0; 1 while a session's last word is RELEASED_RED or UNVERIFIED, or the config cannot be used; 2 no project."""
    facts = facts_of(common.project_here())
    if as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        show(console(), facts)
    return int(facts["exit"])


def facts_of(project: Project) -> dict[str, Any]:
    """Everything that `status` knows, as JSON data."""
    history = History(_records(project))
    facts: dict[str, Any] = {"root": project.root, "config": project.config_path, **_plan(project)}
    facts["last_run"] = history.last_run
    facts["running"] = _running(project)
    pause = skip.read_pause(project)
    facts["paused"] = {"until": pause[0], "reason": pause[1]} if pause else None
    facts["loop"] = owner.live_driver(project)
    facts["loops"] = loops(project)
    known = list(history.sessions.values())[::-1]
    facts["sessions"] = [_session(session, facts["max_blocks"]) for session in known]
    facts["left_open"] = [session.name for session in history.left_open]
    facts["state_error"] = (
        "" if ledger.writable(project) else f"neither {' nor '.join(ledger.places(project))} takes state"
    )
    facts["exit"] = EXIT_OPEN if facts["left_open"] or facts["config_error"] or facts["state_error"] else 0
    return facts


def _records(project: Project) -> list[dict[str, Any]]:
    """The project's ledger, with what its sessions met where no project could be made out."""
    own = list(ledger.read(project))
    known = {record.get("session") for record in own if record.get("session")}
    nowhere = [record for record in ledger.read(None) if record.get("session") in known]
    return sorted(own + nowhere, key=lambda record: str(record.get("at", ""))) if nowhere else own


def _plan(project: Project) -> dict[str, Any]:
    """What a stop of a new session would run."""
    try:
        found = seal.approved(project, "")
    except RalphError as error:
        return {
            "config_error": error.message,
            "plan": "",
            "checks": [],
            "max_blocks": None,
            "seal": seal.NONE,
            "changes": [],
        }
    checks = [check.name for check in found.plan.check]
    return {
        "config_error": "" if checks else "there is no `[[check]]`",
        "plan": found.plan.digest,
        "checks": checks,
        "max_blocks": found.plan.budget.max_blocks,
        "seal": found.source,
        "changes": found.changes,
    }


def _running(project: Project) -> int | None:
    return identity.owner(common.run_of(project.checkout))


def _session(session: Session, most: int | None) -> dict[str, Any]:
    state = sessions.peek(session.session, session.agent) or {}
    return {
        "session": session.session,
        "agent": session.agent,
        "at": session.last.get("at", ""),
        "decision": session.last.get("decision", ""),
        "reason": session.last.get("reason", ""),
        "charged": state.get("charged", 0),
        "blocks": state.get("blocks", 0),
        "max_blocks": most,
        "released": state.get("released", ""),
        "open": session.open,
    }


def show(console: Console, facts: dict[str, Any]) -> None:
    """Print the facts for a person."""
    for label, text in _lines(facts):
        console.print(Text(f"{label:<9}", style="dim").append_text(text), soft_wrap=True)
    if facts["last_run"]:
        console.print(_checks(facts["last_run"]))
    if facts["loops"]:
        console.print(loop_table(facts["loops"]))
    if facts["sessions"]:
        show_sessions(console, facts["sessions"])
    if facts["left_open"]:
        count = len(facts["left_open"])
        who = "1 session was" if count == 1 else f"{count} sessions were"
        console.print(Text(f"{who} let go without a green suite, and nothing was green since", style="bold red"))
        console.print(Text("hint: ralph-hooks check"))


def _lines(facts: dict[str, Any]) -> list[tuple[str, Text]]:
    lines = [("project", Text(tilde(facts["root"])))]
    if facts["state_error"]:
        lines.append(("state", Text(facts["state_error"], style="bold red")))
    if facts["config_error"]:
        lines.append(("config", Text(facts["config_error"], style="bold red")))
    else:
        checks = ", ".join(safe(name) for name in facts["checks"])
        lines.append(("config", Text(f"{os.path.basename(facts['config'])}: {checks}")))
    seal_words = {seal.NONE: "none: the config as a session finds it is what runs in it"}
    lines.append(("seal", Text("; ".join([seal_words.get(facts["seal"], facts["seal"]), *facts["changes"]]))))
    if facts["paused"]:
        until, reason = local_time(facts["paused"]["until"]), safe(facts["paused"]["reason"])
        lines.append(("paused", Text(f"until {until}: {reason}", style="yellow")))
    if facts["loop"]:
        lines.append(("loop", Text(f"{safe(facts['loop'])} is running here")))
    if facts["running"]:
        lines.append(("running", Text(f"the checks, by pid {facts['running']}")))
    run = facts["last_run"]
    if run is None:
        lines.append(("last run", Text("none yet")))
    else:
        who = f"{run.get('event', '')} {ago(epoch(run))}, took {seconds(duration(run))}"
        partly = f", only {', '.join(run['only'])}" if run.get("only") else ""
        lines.append(("last run", word(run.get("verdict", "")).append(f"  {safe(who + partly)}")))
    return lines


def _checks(run: dict[str, Any]) -> Table:
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column("check", overflow="fold", max_width=40)
    made.add_column("verdict", no_wrap=True)
    for name in ("passed", "failed", "skipped", "time"):
        made.add_column(name, justify="right", no_wrap=True)
    for check in checks_of(run):
        counts = [number(check.get(key)) for key in ("passed", "failed", "skipped")]
        took = "remembered" if check.get("remembered") else seconds(duration(check))
        made.add_row(safe(check.get("name", "")), word(check.get("verdict", "")), *counts, took)
    return made


def show_sessions(console: Console, known: list[dict[str, Any]]) -> None:
    """Print the newest sessions with what they have used of their budget."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column("session", overflow="ellipsis", no_wrap=True, max_width=40)
    made.add_column("last", no_wrap=True)
    made.add_column("decision", overflow="fold")
    made.add_column("blocks", justify="right", no_wrap=True)
    for session in known[:SESSIONS_SHOWN]:
        name = safe(session["session"]) or "(no id)"
        reason = f" {safe(session['reason'])}" if session["reason"] else ""
        most = "?" if session["max_blocks"] is None else session["max_blocks"]
        made.add_row(
            f"{name}/{safe(session['agent'])}" if session["agent"] else name,
            ago(epoch(session)),
            word(session["decision"], reason),
            f"{session['charged']}/{most}",
        )
    if len(known) > SESSIONS_SHOWN:
        made.caption = f"+{len(known) - SESSIONS_SHOWN} older sessions: ralph-hooks status --json"
    console.print(made)


def ago(when: float) -> str:
    """How long ago, in one unit: `5 s ago`, `3 h ago`."""
    if not when:
        return "?"
    passed = max(0, int(time.time() - when))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if passed >= size:
            return f"{passed // size} {unit} ago"
    return f"{passed} s ago"
