"""What a loop leaves in the repository (F18): `.ralph/<name>/`, meant to be committed.

`rounds.jsonl` is the record, a line a round, append-only; `handoff.json` is what crosses to the next round. Nothing
that a round wrote here is believed while the loop runs.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ralph_hooks import fastjson, files
from ralph_hooks.check.verdict import PASSES
from ralph_hooks.errors import RalphError
from ralph_hooks.gate.report import COMPLETE, Report, ReportError, from_value
from ralph_hooks.loop.call import RefusedError
from ralph_hooks.loop.progress import Standing
from ralph_hooks.loop.round import AgentRun
from ralph_hooks.loop.verify import Judged

HOME = ".ralph"
MODE = 0o644
IDS_RECORDED = 50
PLAN = "# Plan\n\nNothing is planned yet: write the open items here as `- [ ] …`, the most important first.\n"


@dataclass(slots=True, kw_only=True)
class Past:
    """Where a run stands. Costs are dollars, `None` when nobody told; seconds are those of its rounds."""

    run: str
    rounds: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None
    tokens: int | None = None
    report: Report | None = None
    feedback: str = ""
    verdict: str = ""
    dead_in_row: int = 0
    standings: list[Standing] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether the last round completed it: its word, and green checks wherever there were any."""
        return self.report is not None and self.report.state == COMPLETE and self.verdict in (*PASSES, "")

    def add(self, line: dict[str, Any]) -> None:
        """Take in one line of the record. A line that `amends` changes what the round's own line said of the tree."""
        self.verdict = str(line.get("verdict") or "")
        self.feedback = str(line.get("feedback") or "")
        if line.get("amends"):
            self.standings[-1:] = [standing_of(line)]
            return
        self.rounds = max(self.rounds, _int(line.get("round")))
        self.seconds += _float(line.get("seconds"))
        for name in ("cost_usd", "tokens"):
            if line.get(name) is not None:
                setattr(self, name, (getattr(self, name) or 0) + _float(line[name]))
        self.tokens = None if self.tokens is None else int(self.tokens)
        self.dead_in_row = 0 if line.get("report") else self.dead_in_row + 1
        try:
            self.report = from_value(line.get("report")) if line.get("report") else self.report
        except ReportError:
            pass  # a line that somebody edited
        self.standings.append(standing_of(line))


class Record:
    """The directory of one loop. `place` is its path relative to the project's root."""

    def __init__(self, root: str, name: str) -> None:
        self.name = name
        self.place = f"{HOME}/{name}"
        self.directory = os.path.join(root, HOME, name)
        self._rounds = os.path.join(self.directory, "rounds.jsonl")
        self._handoff = os.path.join(self.directory, "handoff.json")
        self._objective = os.path.join(self.directory, "objective.md")
        self._kept: bytes | None = None

    def objective(self) -> str | None:
        """The objective of an earlier run under this name."""
        data = files.read_bytes_or_none(self._objective)
        return None if data is None else data.decode("utf-8", "replace").strip()

    def open(self, objective: str) -> None:
        """Lay out the directory; another objective under this name is refused."""
        known = self.objective()
        if known is not None and known != objective:
            hint = f"another name (`--name …`) for another objective; `{self.place}/objective.md` holds this one's"
            raise RefusedError(f"the loop `{self.name}` has another objective", hint)
        try:
            os.makedirs(os.path.join(self.directory, "specs"), exist_ok=True)
            if known is None:
                self._write(self._objective, objective + "\n")
            for path, text in ((os.path.join(self.directory, "plan.md"), PLAN), (self._rounds, "")):
                if not os.path.lexists(path):
                    self._write(path, text)
        except OSError as error:
            raise RalphError(f"`{error.filename or self.directory}` cannot be written: {error.strerror}") from None
        self._kept = files.read_bytes_or_none(self._rounds)

    def keep_objective(self, objective: str) -> bool:
        """Put the objective back if a round changed it; whether it had."""
        if self.objective() == objective:
            return False
        self._write(self._objective, objective + "\n")
        return True

    def keep_rounds(self) -> bool:
        """Put the record of the rounds back if a round changed it; whether it had."""
        if self._kept is None or (not files.odd(self._rounds) and files.read_bytes_or_none(self._rounds) == self._kept):
            return False
        os.makedirs(self.directory, exist_ok=True)
        files.make_way(self._rounds)
        files.write_atomic(self._rounds, self._kept, MODE)
        return True

    @staticmethod
    def _write(path: str, text: str) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.write_atomic(path, text.encode("utf-8", "replace"), MODE)

    def add(self, line: dict[str, Any]) -> None:
        """Append one round, durably, then renew the handoff. Raises `OSError`."""
        files.append_line(self._rounds, fastjson.dumps(line).encode(), durable=True)
        self._kept = files.read_bytes_or_none(self._rounds)
        told = {key: line.get(key) for key in ("run", "round", "report", "feedback", "verdict")}
        self._write(self._handoff, json.dumps(told, indent=2, ensure_ascii=False) + "\n")

    def lines(self) -> Iterator[dict[str, Any]]:
        """Every round on record, oldest first; a torn or edited line is left out."""
        try:
            file = open(self._rounds, "rb")  # noqa: SIM115 - closed by the with below
        except OSError:
            return
        with file:
            for raw in file:
                try:
                    line = fastjson.loads(raw.decode("utf-8", "replace"))
                except fastjson.JsonError:
                    continue
                if isinstance(line, dict) and isinstance(line.get("run"), str) and _int(line.get("round")) > 0:
                    yield line

    def last_run(self, keep: int) -> Past | None:
        """Where the last run under this name stands; `keep` standings are kept. `None` when there was no round."""
        past: Past | None = None
        for line in self.lines():
            if past is None or past.run != line["run"]:
                past = Past(run=line["run"])
            past.add(line)
            del past.standings[:-keep]
        return past


def standing_of(line: dict[str, Any]) -> Standing:
    """Where this round left the tree."""
    count = line.get("failing")
    return Standing(
        str(line.get("digest") or ""),
        str(line.get("verdict") or ""),
        str(line.get("failing_set") or ""),
        count if type(count) is int else None,
    )


def line_of(run: str, number: int, agent: AgentRun, judged: Judged) -> dict[str, Any]:
    """The line of one round. `failure` says why there is no report; seconds are the agent's."""
    report = agent.report
    return tree_of(judged) | {
        "run": run,
        "round": number,
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(agent.seconds, 3),
        "state": report.state if report else "",
        "report": report.as_dict() if report else None,
        "failure": "" if report else agent.cut or agent.died or agent.malformed,
        "cost_usd": agent.heard.cost_usd,
        "tokens": agent.heard.tokens,
    }


def tree_of(judged: Judged) -> dict[str, Any]:
    """What a line says of the tree."""
    return {
        "verdict": judged.verdict,
        "failing": judged.failing,
        "failing_ids": judged.failing_ids[:IDS_RECORDED],
        "failing_set": judged.standing().failing,
        "digest": judged.digest,
    }


def _int(value: object) -> int:
    return value if type(value) is int else 0


def _float(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
