"""The agent's part of a round: a fresh process in a directory of its own, and again when its service was at a limit."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from ralph_hooks import fastjson, files
from ralph_hooks.loop import events
from ralph_hooks.loop.call import Call
from ralph_hooks.loop.endings import EXIT_INTERRUPT
from ralph_hooks.loop.events import Events
from ralph_hooks.loop.ground import Ground
from ralph_hooks.loop.owning import Ownership, Stopper
from ralph_hooks.loop.prompt import handoff, prompt
from ralph_hooks.loop.providers.base import Heard, Order
from ralph_hooks.loop.record import Past
from ralph_hooks.loop.round import AgentRun, Limits, Watch, run_agent
from ralph_hooks.loop.verify import StopNow

LONGEST_PAUSE = 900.0
FIRST_PAUSE = 30.0


@dataclass(slots=True, kw_only=True)
class Around:
    """What surrounds every attempt of a run. `begin` is when the run began on the monotonic clock, with the rounds
    of the runs that it resumes before it."""

    call: Call
    ground: Ground
    own: Ownership
    tell: Events
    stopper: Stopper
    begin: float
    said: bool = False

    def deadline(self) -> float:
        """The end of `--max-seconds` on the monotonic clock, 0 = none."""
        most = self.call.bounds.max_seconds
        return self.begin + most if most else 0.0

    def stop_now(self) -> bool:
        """Whether a person wants the loop to end at once."""
        self.stopper.look(self.ground.project.checkout, self.own.driver.run)
        if self.stopper.after_round and not self.stopper.now and not self.said:
            self.said = True
            self.tell(events.NOTE, text="the loop ends after this round")
        return bool(self.stopper.now)


def run_attempts(around: Around, past: Past, number: int) -> AgentRun:
    """A fresh process for this round; limits of its service may be waited for. Raises `StopNow` while waiting."""
    waited = 0.0
    while True:
        scratch = new_scratch(around, past.run, number)
        around.tell(events.ROUND, round=number, logs=scratch)
        order, limits = _order(around, past, number, scratch), _limits(around, past)
        agent = run_agent(around.ground.provider, order, limits, around.own.driver.run, _watch(around, number, scratch))
        pause = _pause(around, agent, waited)
        if not pause:
            return agent
        _wait(around, pause, agent, number)
        waited += pause


def new_scratch(around: Around, run: str, number: int) -> str:
    """A new directory for this attempt; an earlier attempt's is never touched."""
    base = os.path.join(around.ground.project.state, "loops", around.call.name, run)
    attempt = 1
    while True:
        path = os.path.join(base, f"{number:04}-{attempt}")
        try:
            files.make_dirs(base)
            os.mkdir(path, files.PRIVATE_DIR)
        except FileExistsError:
            attempt += 1
        else:
            return path


def write_round_file(around: Around, number: int, scratch: str, session: str) -> str:
    """The state of round mode that the hook reads (F6); its path."""
    path = os.path.join(scratch, "round.json")
    state = {
        "driver": around.own.driver.as_dict(),
        "round": number,
        "most_chars": around.ground.plan.loop.max_report_chars,
        "verify": around.call.verify and bool(around.ground.plan.check),
        "session": session,
    }
    files.write_atomic(path, fastjson.dumps(state).encode())
    return path


def _order(around: Around, past: Past, number: int, scratch: str) -> Order:
    loop, call = around.ground.plan.loop, around.call
    return Order(
        cwd=around.ground.project.root,
        prompt=prompt(around.ground.prefix, handoff(past.report, past.feedback, loop.max_report_chars)),
        scratch=scratch,
        most_chars=loop.max_report_chars,
        arguments=call.arguments,
        round_file=write_round_file(around, number, scratch, "") if around.ground.gate_inside else "",
        hook_seconds=around.ground.hook_seconds,
        cost_left=_left(call.bounds.max_cost_usd, past.cost_usd),
        command=tuple(loop.command),
    )


def _limits(around: Around, past: Past) -> Limits:
    bounds = around.call.bounds
    return Limits(
        round_timeout=bounds.round_timeout,
        idle_timeout=bounds.idle_timeout,
        deadline=around.deadline(),
        tokens_left=int(_left(bounds.max_tokens, past.tokens)),
        grace=bounds.grace,
    )


def _left(most: float, spent: float | None) -> float:
    """What is left of a bound; 0 = there is none."""
    return most - (spent or 0.0) if most else 0.0


def _watch(around: Around, number: int, scratch: str) -> Watch:
    """Tell what the agent does, and the hook which session is the round's own."""
    seen = {"action": "", "session": ""}

    def show(heard: Heard) -> None:
        if heard.session and not seen["session"] and around.ground.gate_inside:
            write_round_file(around, number, scratch, heard.session)
            seen["session"] = heard.session
        if heard.action != seen["action"]:
            seen["action"] = heard.action
            around.tell(events.ACTION, round=number, text=heard.action, cost_usd=heard.cost_usd, tokens=heard.tokens)

    return Watch(stop=around.stop_now, show=show)


def _pause(around: Around, agent: AgentRun, waited: float) -> float:
    """Seconds to wait for the agent's service before the same round starts again; 0 = do not."""
    left = around.call.bounds.wait_for_limits - waited
    if agent.report is not None or agent.cut or agent.fault is None or not agent.fault.waitable or left <= 0:
        return 0.0
    if not agent.fault.resets_at:
        return min(LONGEST_PAUSE, FIRST_PAUSE + waited, left)
    wanted = max(1.0, agent.fault.resets_at - time.time() + 1)
    return wanted if wanted <= left else 0.0


def _wait(around: Around, seconds: float, agent: AgentRun, number: int) -> None:
    why = agent.fault.sentence() if agent.fault else ""
    around.tell(events.WAITING, round=number, seconds=round(seconds, 1), why=why)
    end = time.monotonic() + seconds
    if around.deadline():
        end = min(end, around.deadline())
    while (left := end - time.monotonic()) > 0:
        if around.stop_now() or around.stopper.after_round:
            around.stopper.now = around.stopper.now or EXIT_INTERRUPT
            raise StopNow
        time.sleep(min(left, 0.25))
