"""Consoles, colours and the wording of times. Whatever comes from outside is stripped of control characters."""

from __future__ import annotations

import os
import time

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ralph_hooks.check.evidence.text import clean

PLAIN_WIDTH = 120
STYLES = {
    "GREEN": "green", "FLAKY": "yellow", "RED": "bold red", "NO_TESTS": "red", "CANNOT_RUN": "red", "TIMEOUT": "red",
    "ALLOW": "green", "BLOCK": "bold red", "SKIP": "dim", "RELEASED_RED": "bold yellow", "UNVERIFIED": "bold yellow",
}  # fmt: skip


def console(*, stderr: bool = False) -> Console:
    """A console; where nobody looks, it is wide enough for whole lines."""
    made = Console(stderr=stderr, highlight=False, emoji=False, markup=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PLAIN_WIDTH
    return made


def safe(text: object) -> str:
    """Text on one line, without anything that moves a cursor."""
    return " ".join(clean(str(text).encode("utf-8", "replace")).split())


def word(verdict: object, rest: str = "") -> Text:
    """A verdict or decision in its colour."""
    text = safe(verdict)
    return Text(text, style=STYLES.get(text, "")).append(rest, style="dim")


def seconds(value: float) -> str:
    """A duration: `0.42 s`, `12.3 s`, `3 m 05 s`, `2 h 10 m`."""
    if value < 10:
        return f"{value:.2f} s"
    if value < 100:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} m {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} m"


def number(value: object) -> str:
    """A count, or a dash where nobody counted."""
    return "–" if value is None else str(value)


def tilde(path: str) -> str:
    """A path below the home directory, short."""
    home = os.path.join(os.path.expanduser("~"), "")
    return "~/" + path[len(home) :] if path.startswith(home) else path


def local_time(epoch: float) -> str:
    """`14:03:22` today, `2026-01-31 14:03` on other days."""
    then, now = time.localtime(epoch), time.localtime()
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else "%Y-%m-%d %H:%M", then)


def labelled(label: str, text: Text) -> Table:
    """One line: a label, then text that is cut at the terminal's edge."""
    row = Table.grid(padding=(0, 2, 0, 0), expand=True)
    row.add_column(width=6, no_wrap=True)
    row.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    row.add_row(Text(label, style="dim"), text)
    return row
