"""One run of the checks for a person: what failed first, then the table, then the verdict."""

from __future__ import annotations

import os

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ralph_hooks.check.evidence.text import clean, cut
from ralph_hooks.check.verdict import PASSES, CheckResult, Run
from ralph_hooks.cli.show.text import number, safe, seconds, tilde, word

IDS_SHOWN = 20


def show_run(console: Console, run: Run, tail_lines: int) -> None:
    """Print everything about a run."""
    for check in run.checks:
        if check.verdict not in PASSES:
            _show_failure(console, check, tail_lines)
    console.print(table(run))
    logs = sorted({os.path.dirname(check.log) for check in run.checks if check.log})
    logs = [directory for directory in logs if os.path.isdir(directory)]  # the state may be unwritable
    for directory in logs:
        console.print(Text(f"logs in {tilde(directory)}", style="dim"), soft_wrap=True)
    console.print(verdict_line(run))


def table(run: Run) -> Table:
    """One row for each check."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column("check", overflow="fold", max_width=40)
    made.add_column("verdict", no_wrap=True)
    for name in ("passed", "failed", "skipped", "time"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("log", overflow="fold", style="dim")
    for check in run.checks:
        made.add_row(safe(check.name), word(check.verdict), *_counts(check), _time(check), os.path.basename(check.log))
    return made


def verdict_line(run: Run) -> Text:
    """The last line: the verdict of the run and how long it took."""
    if run.checks and all(check.remembered for check in run.checks):
        return word(run.verdict).append(": already green on this very content (--force runs it again)")
    failing = f", {run.failing_count} failing" if run.failing_count else ""
    return word(run.verdict).append(f" in {seconds(run.duration)}{failing}")


def _counts(check: CheckResult) -> tuple[str, str, str]:
    evidence = check.evidence
    if evidence is None:
        return "–", "–", "–"
    return number(evidence.passed), number(evidence.failing), number(evidence.skipped)


def _time(check: CheckResult) -> str:
    return "remembered" if check.remembered else seconds(check.duration)


def _show_failure(console: Console, check: CheckResult, tail_lines: int) -> None:
    head = Text("━━ ", style="dim").append_text(Text(safe(check.name), style="bold")).append(" ")
    parts = [head.append_text(word(check.verdict)).append(f": {safe(check.why)}" if check.why else "")]
    failures = check.evidence.failures if check.evidence else []
    parts += [Text(f"  - {safe(failure.id)}", style="red") for failure in failures[:IDS_SHOWN]]
    if len(failures) > IDS_SHOWN:
        parts.append(Text(f"  +{len(failures) - IDS_SHOWN} more", style="red"))
    if failures and failures[0].text.strip():
        parts.append(Text(f"first failure, {safe(failures[0].id)}:", style="bold"))
        parts.append(Text(cut(clean(failures[0].text.encode("utf-8", "replace")))))
    lines = clean(check.tail).rstrip("\n").split("\n")
    if tail_lines and lines != [""]:
        parts.append(Text(f"last {min(tail_lines, len(lines))} of its lines:", style="bold"))
        parts.append(Text("\n".join(lines[-tail_lines:])))
    console.print(Group(*parts), soft_wrap=True)
