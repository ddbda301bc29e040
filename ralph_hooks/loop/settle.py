"""Does the loop end here? The order of the questions is the order of F17 and of F10; pure."""

from __future__ import annotations

from collections.abc import Sequence

from ralph_hooks.gate.report import BLOCKED, COMPLETE, Report
from ralph_hooks.loop import endings
from ralph_hooks.loop.call import Bounds, Call
from ralph_hooks.loop.endings import Ending, counted
from ralph_hooks.loop.progress import RULES, Standing
from ralph_hooks.loop.record import Past
from ralph_hooks.loop.round import CANCELLED, AgentRun
from ralph_hooks.loop.verify import Judged

BOUNDS = {
    "round_timeout": "limit of {0:g} s for one round (--round-timeout)",
    "idle_timeout": "limit of {0:g} s without a sign of the agent (--idle-timeout)",
    "max_seconds": "limit of {0:g} s in total (--max-seconds)",
    "max_tokens": "limit of {0:g} tokens (--max-tokens)",
    "max_cost_usd": "limit of ${0:g} (--max-cost-usd)",
}


def bound(name: str, bounds: Bounds, rounds: int) -> Ending:
    """The ending that a bound of time, tokens or cost makes."""
    return endings.bound(rounds, name, BOUNDS[name].format(getattr(bounds, name)))


def without_report(agent: AgentRun, number: int, bounds: Bounds, last: str) -> Ending | None:
    """How a round without a report ends the run; `None` when there is a report. `last` is the last handoff as text.

    Our own cut first, then the agent's world, then a dead child, then a child that ended well and said nothing.
    """
    if agent.report is not None:
        return None
    if agent.cut == CANCELLED:
        return endings.cancelled()
    if agent.cut:
        return bound(agent.cut, bounds, number)
    if agent.fault is not None:
        return endings.infrastructure(agent.fault.sentence(), agent.fault.kind)
    if agent.denied:
        blocker = f"the agent was denied every tool it asked for: {', '.join(agent.denied)}"
        return endings.blocked(number, blocker, "")
    if agent.died:
        return endings.child_failed(number, f"It ended with {agent.died}.", last)
    return endings.failed(f"round {number} gave no report: {agent.malformed}")


def tolerable(agent: AgentRun) -> bool:
    """Whether `--tolerate` may forgive it: a child that died or hung by itself, and nothing that is about the whole."""
    if agent.cut:
        return agent.cut in ("round_timeout", "idle_timeout")
    return agent.fault is None and not agent.denied and bool(agent.died)


def with_report(call: Call, report: Report, judged: Judged, past: Past) -> Ending | None:
    """How a round with a report ends the run, `None` to go on. `past` has this round in it already."""
    if report.state == COMPLETE and (judged.green or not judged.decided):
        return endings.completed(past.rounds, verified=judged.decided, changed=judged.changed)
    if report.state == BLOCKED:
        return endings.blocked(past.rounds, report.blocker, judged.verdict)
    return nowhere(call.bounds, past.standings, past.rounds)


def nowhere(bounds: Bounds, standings: Sequence[Standing], rounds: int) -> Ending | None:
    """The first progress rule that says so."""
    for name, (rule, _, words) in RULES.items():
        window = getattr(bounds, name)
        if window and rule(standings, window):
            return endings.going_nowhere(rounds, name, words.format(n=counted(window), window=window))
    return None


def overshoot(bounds: Bounds, past: Past) -> list[str]:
    """What was spent over a bound that can only be judged after the fact."""
    words = []
    if bounds.max_cost_usd and past.cost_usd is not None and past.cost_usd > bounds.max_cost_usd:
        words.append(f"${past.cost_usd:.2f} were spent of ${bounds.max_cost_usd:.2f}")
    if bounds.max_tokens and past.tokens is not None and past.tokens > bounds.max_tokens:
        words.append(f"{past.tokens} tokens were used of {bounds.max_tokens}")
    return words


def used_up(call: Call, past: Past, claimed: bool, decided: bool) -> Ending | None:
    """The limit of rounds first, then the totals that bind only when set."""
    bounds = call.bounds
    if past.rounds >= call.max_rounds:
        return endings.round_limit(past.rounds, claimed=claimed, decided=decided)
    for name, spent in (("max_seconds", past.seconds), ("max_tokens", past.tokens), ("max_cost_usd", past.cost_usd)):
        most = getattr(bounds, name)
        if most and spent is not None and spent >= most:
            return bound(name, bounds, past.rounds)
    return None
