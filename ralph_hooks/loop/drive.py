"""The driver: fresh rounds toward one objective until it is verified, blocked or out of budget.

    agent -> report? -> the gate -> commit -> record -> does it end here? -> the next round

Every step is a method of `Drive`, in this order. Nothing here prints: what happens is told through `tell`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from ralph_hooks.errors import RalphError
from ralph_hooks.gate.report import COMPLETE, Report
from ralph_hooks.loop import endings, events, progress, settle
from ralph_hooks.loop.attempt import Around, run_attempts
from ralph_hooks.loop.call import Call, RefusedError
from ralph_hooks.loop.changes import changes, words_about
from ralph_hooks.loop.commit import NOTHING, message
from ralph_hooks.loop.endings import Ending, Result
from ralph_hooks.loop.events import Events, silent
from ralph_hooks.loop.git import Git
from ralph_hooks.loop.ground import Ground, ground_for
from ralph_hooks.loop.owning import Ownership, Stopper
from ralph_hooks.loop.prompt import report_text
from ralph_hooks.loop.pruning import prune_runs
from ralph_hooks.loop.record import Past, Record, line_of, tree_of
from ralph_hooks.loop.round import AgentRun
from ralph_hooks.loop.verify import Judged, StopNow, content, told, verify
from ralph_hooks.loop.witness import testify
from ralph_hooks.plan.inputs import differences, inputs_of


def run_loop(call: Call, tell: Events = silent, stopper: Stopper | None = None) -> Result:
    """Run a whole loop. Raises `RalphError` when it is refused; then nothing was started."""
    ground = ground_for(call)
    record = Record(ground.project.root, call.name)
    stopper = stopper or Stopper()
    with Ownership(ground.project, call.name) as own, stopper:
        past = begin(call, record, ground, own)
        prune_runs(ground.project, past.run)
        begun = time.monotonic() - past.seconds
        around = Around(call=call, ground=ground, own=own, tell=tell, stopper=stopper, begin=begun)
        return Drive(around, record, past).run()


def begin(call: Call, record: Record, ground: Ground, own: Ownership) -> Past:
    """Where the run starts: at the beginning, or after the last finished round with `--resume`."""
    earlier = record.last_run(_memory(call)) if call.resume else None
    record.open(call.objective)
    if earlier is None:
        past = Past(run=own.driver.run)
        if call.bounds.no_progress:
            past.standings.append(progress.Standing(content(ground.project, ground.plan), ""))
        return past
    if earlier.complete:
        raise RefusedError(f"the loop `{call.name}` is complete", "without --resume it starts anew")
    if earlier.rounds >= call.max_rounds:
        isolated = " --isolate" if call.isolate else ""
        hint = f"`ralph-hooks loop --resume --name {call.name}{isolated} --max-rounds {earlier.rounds + 1}` goes on"
        raise RefusedError(f"the loop `{call.name}` has run {endings.counted(earlier.rounds)} already", hint)
    return earlier


def _memory(call: Call) -> int:
    return progress.memory([getattr(call.bounds, name) for name in progress.RULES])


class Drive:
    """One run of a loop. `past` is what has happened so far; the run ends when a step returns an `Ending`."""

    def __init__(self, around: Around, record: Record, past: Past) -> None:
        self.around = around
        self.call = around.call
        self.ground = around.ground
        self.stopper = around.stopper
        self.record = record
        self.past = past
        self.number = past.rounds
        self.line: dict[str, Any] = {"run": past.run, "round": past.rounds}
        self.ids: list[str] = []
        self.notes: list[str] = list(around.ground.notes)

    def run(self) -> Result:
        """Round after round, then the ending."""
        self.announce()
        try:
            ending = None
            while ending is None:
                ending = self.round()
        except StopNow:
            ending = endings.cancelled(self.stopper.now)
        except RalphError as error:
            ending = endings.failed(error.message, "trouble")
        except OSError as error:
            ending = endings.failed(f"`{error.filename or self.record.directory}`: {error.strerror}", "disk")
        return self.close(ending)

    def round(self) -> Ending | None:
        """One round, as a straight line."""
        if self.stopper.after_round:
            return self.cancelled()
        self.number = self.past.rounds + 1
        if self.ground.committer:
            self.ground.committer.begin_round()
        agent = run_attempts(self.around, self.past, self.number)
        dead = settle.without_report(agent, self.number, self.call.bounds, self.last_words())
        if dead is not None and not self.forgiven(agent):
            return self.over(agent, dead)
        judged = self.judge(agent)
        self.write(agent, judged)
        judged = self.commit(agent, judged)
        self.around.tell(events.FINISHED, **self.line)
        return self.ending(agent.report, judged)

    def judge(self, agent: AgentRun) -> Judged:
        """The gate, run by us. `complete` is accepted on nothing else than this very run."""
        project, plan = self.ground.project, self.ground.plan
        if not (self.call.verify and plan.check):
            watched = self.call.bounds.no_progress or self.call.bounds.oscillation
            return Judged(digest=content(project, plan) if watched else "")
        self.around.tell(events.CHECKING, round=self.number)
        claimed = agent.report is not None and agent.report.state == COMPLETE
        deadline = self.around.deadline() or None
        judged = verify(project, plan, force=claimed, deadline=deadline, stop=self.around.stop_now)
        now = {check.name: inputs_of(check, project.root) for check in plan.check}
        judged = replace(judged, changed=tuple(differences(self.ground.inputs, now)))
        testify(self.ground, judged, self.call.name, self.number)
        return judged

    def write(self, agent: AgentRun, judged: Judged) -> None:
        """Record the round; from here on it has happened."""
        found = changes(self.ground, self.record, self.call.objective, agent, judged)
        for _, note in found:
            self.note(f"round {self.number} {note}")
        words = [*words_about(agent, judged), *(said for said, _ in found), self.told(judged)]
        self.line = line_of(self.past.run, self.number, agent, judged) | {"feedback": joined(words)}
        self.record.add(self.line)
        self.past.add(self.line)
        del self.past.standings[: -_memory(self.call)]
        self.ids = judged.failing_ids

    def commit(self, agent: AgentRun, judged: Judged) -> Judged:
        """A green round becomes a commit, where that is wanted; a commit hook may have the last word on green."""
        committer, report = self.ground.committer, agent.report
        if committer is None or report is None or not judged.green:
            return judged
        subject, body = message(self.call.name, self.number, report, judged.verdict)
        made = committer.commit(subject, body, judged, lambda: self.judge(agent))
        self.line["commit"] = made.commit
        if made.note:
            self.note(made.note)
        if made.why and made.why != NOTHING:
            self.note(f"round {self.number} was not committed: {made.why}")
            feedback = joined([self.told(made.judged), f"The round was not committed: {made.why}."])
            self.line |= tree_of(made.judged) | {"feedback": feedback}
            self.record.add(self.line | {"amends": True})
            self.past.add(self.line | {"amends": True})
        return made.judged

    def told(self, judged: Judged) -> str:
        plan = self.ground.plan
        return told(judged, self.ids, plan.feedback, plan.loop.max_report_chars // 2)

    def ending(self, report: Report | None, judged: Judged) -> Ending | None:
        """Complete, blocked, going nowhere, stopped by a person, out of rounds or of budget, in this order."""
        if report is not None and (ending := settle.with_report(self.call, report, judged, self.past)):
            return ending
        if self.stopper.after_round:
            return self.cancelled()
        self.past.seconds = max(self.past.seconds, time.monotonic() - self.around.begin)
        claimed = report is not None and report.state == COMPLETE
        return settle.used_up(self.call, self.past, claimed, judged.decided)

    def over(self, agent: AgentRun, ending: Ending) -> Ending:
        """The run ends in this round, before any report. A fault of the agent's world is not a round."""
        if ending.status == endings.CANCELLED:
            return self.cancelled()
        if agent.fault is None:
            self.write(agent, Judged())
            self.around.tell(events.FINISHED, **self.line)
        return ending

    def close(self, ending: Ending) -> Result:
        """The result, told."""
        past = self.past
        result = Result(
            ending=ending,
            name=self.call.name,
            rounds=past.rounds,
            report=past.report,
            verdict=past.verdict,
            seconds=time.monotonic() - self.around.begin,
            cost_usd=past.cost_usd,
            tokens=past.tokens,
            notes=tuple(dict.fromkeys([*self.notes, *settle.overshoot(self.call.bounds, past), *self.uncommitted()])),
        )
        self.around.tell(events.ENDED, **result.as_dict())
        return result

    def uncommitted(self) -> list[str]:
        """The loop's own files that are in no commit, for a person who wants them there."""
        top = self.ground.project.top
        if self.call.commit or not self.ground.git:
            return []
        text = Git(top).ask("status", "--porcelain", "-z", "--untracked-files=all", "--", self.record.directory)
        names = sorted(row[3:] for row in text.split("\0") if row)
        return [f"not committed: {', '.join(names)}"] if names else []

    def announce(self) -> None:
        call, ground = self.call, self.ground
        if self.around.own.swept:
            self.notes.append(f"{len(self.around.own.swept)} processes of a dead run were ended")
        self.around.tell(
            events.STARTED,
            name=call.name,
            objective=call.objective,
            provider=call.provider,
            max_rounds=call.max_rounds,
            after=self.past.rounds,
            place=self.record.place,
            root=ground.project.root,
            gate_inside=ground.gate_inside,
            checks=[check.name for check in ground.plan.check] if call.verify else [],
        )
        for note in self.notes:
            self.around.tell(events.NOTE, text=note)

    def cancelled(self) -> Ending:
        return endings.cancelled(self.stopper.now or endings.EXIT_INTERRUPT)

    def forgiven(self, agent: AgentRun) -> bool:
        """Whether `--tolerate` lets the run go on after a dead round."""
        return settle.tolerable(agent) and self.past.dead_in_row < self.call.bounds.tolerate

    def last_words(self) -> str:
        return report_text(self.past.report) if self.past.report else ""

    def note(self, text: str) -> None:
        self.notes.append(text)
        self.around.tell(events.NOTE, text=text)


def joined(words: list[str]) -> str:
    """What is there, a line each."""
    return "\n".join(part for part in words if part)
