"""The action a generation leads to, decided from content and checks alone (E4)."""

from __future__ import annotations

from dataclasses import dataclass

CONTINUE = "continue"
CONVERGED = "converged"
STAGNATED = "stagnated"
FAILED = "failed"
INTERRUPTED = "interrupted"
EXHAUSTED = "exhausted"
ONTOLOGY_STABLE = "ontology_stable"

ENDS_BADLY = (FAILED, INTERRUPTED, EXHAUSTED, STAGNATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What happened in one generation.

    `changed` is about the content that git would commit; for a planning generation it is about the plan.
    `green` is whether the checks passed, `None` when none ran.
    """

    changed: bool
    green: bool | None = None
    died: bool = False
    killed: bool = False
    over_cap: bool = False
    planning: bool = False


def action(facts: Facts) -> str:
    """The first of these that holds, worst first."""
    if facts.over_cap:
        return EXHAUSTED
    if facts.killed:
        return INTERRUPTED
    if facts.died:
        return FAILED
    if facts.changed:
        return CONTINUE
    if facts.planning:
        return ONTOLOGY_STABLE
    return STAGNATED if facts.green is False else CONVERGED
