"""The end of the line: the ledger, the receipt, a word to the twin."""

from __future__ import annotations

import time

from ralph_hooks.gate.decision import ALLOW, BLOCK, Decision
from ralph_hooks.gate.stop import Stop, changes, unverified

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def record(stop: Stop, decision: Decision) -> bool:
    """The ledger line of this stop; whether it could be written."""
    from ralph_hooks.ledger import ledger

    line: dict[str, Any] = {
        "event": stop.event.name or "Stop",
        "client": stop.event.host or stop.client,
        "session": stop.event.session,
        "agent": stop.event.agent,
        "decision": decision.kind,
        "reason": decision.reason,
        "root": stop.project.root if stop.project else "",
        "plan": stop.plan.digest if stop.plan else "",
        "took_s": round(time.monotonic() - stop.begin, 3),
        "seal": stop.approved.source if stop.approved else "",
        "changes": changes(stop),
        **decision.record,
    }
    if decision.message:
        line["message"] = decision.message[:2000]
    if stop.run is not None:
        from ralph_hooks.check.record import summary

        line.update(summary(stop.run))
    return ledger.append(stop.project, line)


def finish(stop: Stop, decision: Decision) -> Decision:
    """Write the ledger line; a block that cannot be written down is not given."""
    if decision.silent and decision.kind == ALLOW:
        return decision
    if not record(stop, decision) and decision.kind == BLOCK:
        decision = unverified("ledger", "the ledger cannot be written, so the block was not given; the suite is red")
    try:
        leave_receipt(stop)
    except Exception as error:  # what is written down is what the client has to hear
        from ralph_hooks.bugs import write_report

        write_report(error)
    if stop.twin is not None:
        stop.twin.leave(decision)
    return decision


def leave_receipt(stop: Stop) -> None:
    """Proof for `ralph-hooks verify`; under a changed config there is none, and nothing new is proven from memory."""
    run = stop.run
    if run is None or stop.plan is None or stop.project is None or changes(stop) or not run.receipt_digest:
        return
    if all(check.remembered for check in run.checks):
        return
    from ralph_hooks.ledger import receipts

    receipts.add(stop.project, stop.plan.digest, run, session=stop.event.session, by="hook")
