"""The block budget of one session (G14, G15): pure rules over a small state.

Between two resets the charged blocks are at most `max_blocks`, and all blocks at most `max_blocks` plus the first
failing count, since a block without a charge needs a failing count below every earlier one.
"""

from __future__ import annotations

from ralph_hooks.check.verdict import RED
from ralph_hooks.gate.decision import BLOCK, RELEASED_RED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_hooks.check.verdict import Run
    from ralph_hooks.plan.config import Budget

VERSION = 1
MOST = 2**53


def fresh() -> dict[str, Any]:
    """The state of a session that was never blocked."""
    return {
        "v": VERSION,
        "charged": 0,  # blocks that were charged since the last reset
        "blocks": 0,  # all blocks since the last reset
        "lowest": None,  # the lowest failing count that was blocked since the last reset
        "unable": 0,  # TIMEOUT, CANNOT_RUN, NO_TESTS in a row
        "same": 0,  # how often in a row content and failing ids equalled the previous block's
        "content": "",
        "ids": [],
        "released": "",  # why the session is in the state RELEASED_RED, "" when it is not
        "seq": 0,  # grows with every write: the higher one of two copies is the true one
    }


class Ruling:
    """`kind` with its `reason`; `charged` tells whether a block costs; `first` whether a release is new."""

    __slots__ = ("charged", "first", "kind", "reason")

    def __init__(self, kind: str, reason: str, *, charged: bool = False, first: bool = False) -> None:
        self.kind = kind
        self.reason = reason
        self.charged = charged
        self.first = first


def rule_red(state: dict[str, Any], run: Run, limits: Budget, *, small: bool = False) -> tuple[dict[str, Any], Ruling]:
    """The state after a run that is no pass, and the ruling. `state` itself is left alone.

    `small`: the checks differ from what a person approved, so even red gets only the small budget.
    """
    new = dict(state)
    ids = run.failing_ids
    unchanged = bool(run.digest_after) and run.digest_after == state["content"] and ids == state["ids"]
    new["same"] = state["same"] + 1 if unchanged else 0
    new["unable"] = state["unable"] + 1 if small or run.verdict != RED else 0
    reason = _release(state, new, run, limits)
    if reason:
        new["released"] = reason
        return new, Ruling(RELEASED_RED, reason, first=state["released"] != reason)
    charged = not _progress(state, run)
    new.update(
        charged=state["charged"] + charged,
        blocks=state["blocks"] + 1,
        lowest=_lowest(state["lowest"], run.failing_count),
        content=run.digest_after,
        ids=ids,
        released="",
    )
    return new, Ruling(BLOCK, run.verdict.lower(), charged=charged)


def _release(state: dict[str, Any], new: dict[str, Any], run: Run, limits: Budget) -> str:
    if state["released"] == "budget" or (state["charged"] >= limits.max_blocks and not _progress(state, run)):
        return "budget"
    if new["unable"] > limits.cannot_run:
        return run.verdict.lower() if run.verdict != RED else "config_changed"
    if limits.stall and new["same"] >= limits.stall:
        return "stalled"
    return ""


def _progress(state: dict[str, Any], run: Run) -> bool:
    """Fewer failing tests than at any earlier block of this budget, all of them counted."""
    count = run.failing_count
    return run.verdict == RED and count is not None and state["lowest"] is not None and 0 < count < state["lowest"]


def _lowest(lowest: int | None, count: int | None) -> int | None:
    if not count:
        return lowest
    return count if lowest is None else min(lowest, count)


def rule_green(state: dict[str, Any]) -> dict[str, Any]:
    """The state after a pass: everything starts anew."""
    return {**fresh(), "seq": state["seq"]}


def is_fresh(state: dict[str, Any]) -> bool:
    """Whether a reset would change nothing."""
    return {**state, "seq": 0} == fresh()


def valid(data: object) -> bool:
    """Whether this is a state that this version wrote."""
    if not isinstance(data, dict) or data.get("v") != VERSION:
        return False
    model = fresh()
    return all(
        key in data
        and (type(data[key]) is type(value) or (key == "lowest" and type(data[key]) is int and data[key] > 0))
        for key, value in model.items()
    ) and (
        all(0 <= data[key] <= MOST for key in ("charged", "blocks", "unable", "same", "seq"))
        and all(isinstance(test, str) for test in data["ids"])
    )


def after_charges(charged: int, blocks: int) -> dict[str, Any]:
    """A state rebuilt from what the ledger knows."""
    return {**fresh(), "charged": charged, "blocks": blocks}
