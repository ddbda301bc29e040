"""A job on a terminal: its generations, what the running one does, time and budget left."""

from __future__ import annotations

import time
from threading import Lock
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ralph_hooks.cli.show.text import labelled, safe, seconds, word
from ralph_hooks.evolve import lineage, phase
from ralph_hooks.evolve.iteration import Iteration
from ralph_hooks.evolve.lineage import Event, JobState, LineageState, apply
from ralph_hooks.jobs.folders import run_folder
from ralph_hooks.jobs.row import JobRow
from ralph_hooks.jobs.states import ENDED, INTERRUPTED, QUEUED, next_step, state

WIDE = 60
BAR = 24
NOTES = 2
VERDICTS = {"pass": "GREEN", "fail": "RED"}


class JobView:
    """The picture of one job, from its events. `keys` says what Ctrl-C does."""

    def __init__(self, console: Console, row: JobRow, keys: str) -> None:
        self._console = console
        self._keys = keys
        self._row = row
        self._lineage = LineageState(row.lineage_id)
        self._lost: dict[int, int] = {}
        self._lock = Lock()

    def add(self, row: JobRow, events: list[Event]) -> None:
        """The row as it is now, and what has happened since."""
        with self._lock:
            self._row = row
            for event in events:
                apply(self._lineage, event)
                if event.kind == lineage.GENERATION_LOST:
                    number = int(event.body["generation"])
                    self._lost[number] = self._lost.get(number, 0) + 1

    @property
    def _job(self) -> JobState:
        return self._lineage.jobs.get(self._row.job_id) or JobState(self._row.job_id)

    def render(self) -> RenderableType:
        """The picture as it is now."""
        with self._lock:
            return Group(self._heading(), self._table(), *self._below())

    def _heading(self) -> Text:
        head = Text(self._row.job_id, style="bold").append(f"  {state(self._row)}  ", style="not bold")
        return head.append(safe(self._row.lineage_id), style="dim not bold")

    def _table(self) -> Table:
        wide = self._console.width >= WIDE
        made = Table(box=box.SIMPLE_HEAD if wide else None, pad_edge=False)
        made.add_column("gen", justify="right", no_wrap=True, min_width=3)
        made.add_column("state", no_wrap=True, overflow="ellipsis", min_width=9)
        made.add_column("qa", no_wrap=True, min_width=5)
        made.add_column("failing" if wide else "red", no_wrap=True, justify="right")
        if wide:
            made.add_column("score", no_wrap=True, justify="right")
            made.add_column("cost", no_wrap=True, justify="right")
        made.add_column("time", no_wrap=True, justify="right", min_width=8)
        for one in self._job.iterations:
            made.add_row(*_cells(one, wide))
        if self._job.running is not None:
            more = ["", ""] if wide else []
            ran = seconds(self._ran())
            made.add_row(str(self._job.running["generation"]), self._phase().phase, "", "", *more, ran, style="bold")
        return made

    def _phase(self) -> phase.Phase:
        """What the running generation does; on another machine only that it runs."""
        running = self._job.running or {}
        if state(self._row) == INTERRUPTED:
            return phase.Phase(INTERRUPTED, 0.0)
        folder = run_folder(self._row.job_id, running["generation"], running["run_id"])
        return phase.told(folder) or phase.Phase("running", 0.0)

    def _ran(self) -> float:
        running = self._job.running
        return max(0.0, time.time() - running["at"]) if running else 0.0

    def _below(self) -> list[RenderableType]:
        over = state(self._row) in (*ENDED, INTERRUPTED)
        lines: list[RenderableType] = [Text("")]
        if self._job.running is not None and (detail := safe(self._phase().detail)):
            lines.append(labelled("agent", Text(detail)))
        lines += [labelled("note", Text(safe(note), style="yellow")) for note in self._notes()[-NOTES:]]
        if not over and self._job.call:
            lines.append(self._budgets(self._job.call))
        return lines if over else [*lines, Text(self._keys, style="dim")]

    def _notes(self) -> list[str]:
        times = {1: "once", 2: "twice"}
        lost = [f"generation {n} lost its worker {times.get(k, f'{k} times')}" for n, k in self._lost.items()]
        told = [note for one in self._job.iterations[-1:] for note in one.notes]
        waits = ["waits for a worker"] if state(self._row) == QUEUED else []
        return [*told, *lost, *waits]

    def _budgets(self, call: dict[str, Any]) -> Table:
        job = self._job
        spent = sum(one.duration for one in job.iterations) + job.lost_seconds + self._ran()
        begun = sum(one.launched for one in job.iterations) + (job.running is not None)
        bars = Table.grid(padding=(0, 2, 0, 0))
        each, total = call["per_iteration_timeout_seconds"], call["max_total_seconds"]
        most = call["max_generations"]
        rows = [("generations", begun, most, f"{begun} of {most}"), ("total", spent, total, left(total, spent))]
        if job.running is not None:
            rows.insert(1, ("this one", self._ran(), each, left(each, self._ran())))
        for label, used, full, words in rows:
            bar = ProgressBar(total=full, completed=min(used, full), width=min(BAR, max(4, self._console.width - 34)))
            bars.add_row(Text(label, style="dim"), bar, words)
        return bars


def left(full: float, used: float) -> str:
    """`3 m 05 s left`."""
    return f"{seconds(max(0.0, full - used))} left"


def _cells(one: Iteration, wide: bool) -> list[str | Text]:
    """The row of a finished generation."""
    qa = word(VERDICTS.get(one.qa.verdict, "")) if one.qa else Text("")
    failing = str(len(one.failing)) if one.qa else ""
    score = "" if one.grade is None else f"{one.grade:.2f}"
    cost = "" if one.cost_usd is None else f"${one.cost_usd:.2f}"
    return [
        str(one.generation),
        one.trouble or one.action,
        qa,
        failing,
        *([score, cost] if wide else []),
        seconds(one.duration),
    ]


class LiveJob:
    """Draws a `JobView` several times a second, inside `with`."""

    def __init__(self, console: Console, row: JobRow, keys: str) -> None:
        self.view = JobView(console, row, keys)
        self._live = Live(console=console, get_renderable=self.view.render, refresh_per_second=4)

    def __enter__(self) -> JobView:
        self._live.start()
        return self.view

    def __exit__(self, *about: object) -> None:
        self._live.stop()


def closing(row: JobRow) -> str:
    """The last lines, below the picture."""
    detail = [str(row.result["detail"])] if row.result and row.result.get("detail") else []
    reason = f" ({row.result['stop_reason']})" if row.result else ""
    return "\n".join([f"{state(row)}{reason}", *detail, next_step(row)])
