"""`ralph-hooks log` (G20): what happened, stop by stop, from the ledger."""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ralph_hooks.cli import common
from ralph_hooks.cli.show.follow import follow, tails
from ralph_hooks.cli.show.history import checks_of, epoch
from ralph_hooks.cli.show.text import console, safe, seconds, word
from ralph_hooks.ledger import ledger

SHOWN = 20
SESSION_CHARS = 8
COLUMNS = (("time", 14), ("event", 12), ("session", SESSION_CHARS), ("decision", 12))


@click.command(help="What happened, stop by stop: the last lines of the ledger.")
@click.option("-n", "count", type=click.IntRange(min=0), default=SHOWN, show_default=True, help="How many lines.")
@click.option("-f", "--follow", "following", is_flag=True, help="Go on with new lines as they come.")
@click.option("--json", "as_json", is_flag=True, help="Print the lines as they are: one JSON object each.")
def command(count: int, following: bool, as_json: bool) -> int:
    """Exit 0; 2 when there is no project."""
    project = common.project_here()
    new = tails(project) if following else []
    last = deque(ledger.read(project), maxlen=min(count, sys.maxsize))
    show = _json_lines if as_json else _table
    out = console()
    if not last and not following and not as_json:
        click.echo("nothing happened yet", err=True)
    if last or following:
        show(out, last, head=True)
    for record in follow(new) if following else ():
        show(out, [record], head=False)
    return 0


def _json_lines(out: Console, records: Iterable[dict[str, Any]], *, head: bool) -> None:
    for record in records:
        sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _table(out: Console, records: Iterable[dict[str, Any]], *, head: bool) -> None:
    """Rows of fixed widths, so that those that come later stand below the first ones."""
    made = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_header=head, expand=True, header_style="bold")
    for name, width in COLUMNS:
        made.add_column(name, width=width, no_wrap=True, overflow="ellipsis")
    made.add_column("what", ratio=1, overflow="fold")
    for record in records:
        made.add_row(*row(record))
    out.print(made)


def row(record: dict[str, Any]) -> tuple[str, str, str, Text, Text]:
    """One ledger line as the cells of a table."""
    return (
        time.strftime("%m-%d %H:%M:%S", time.localtime(epoch(record))),
        safe(record.get("event", "")),
        safe(record.get("session") or "")[:SESSION_CHARS],
        word(record.get("decision") or record.get("verdict") or ""),
        Text(_what(record)),
    )


def _what(record: dict[str, Any]) -> str:
    parts = [safe(record["reason"])] if record.get("reason") else []
    if record.get("attempt") is not None and record.get("max_blocks"):
        free = "" if record.get("charged") else ", not charged"
        parts.append(f"attempt {record['attempt']}/{record['max_blocks']}{free}")
    parts += [_check(check) for check in checks_of(record)]
    took = record.get("took_s") or record.get("duration_s")
    if isinstance(took, (int, float)):
        parts.append(f"took {seconds(took)}")
    return "; ".join(parts)


def _check(check: dict[str, Any]) -> str:
    text = f"{safe(check.get('name', ''))} {safe(check.get('verdict', ''))}"
    if check.get("failed"):
        text += f" ({check['failed']} failed, {check.get('passed') if check.get('passed') is not None else '?'} passed)"
    elif check.get("passed") is not None:
        text += f" ({check['passed']} passed)"
    return text + (" remembered" if check.get("remembered") else "")
