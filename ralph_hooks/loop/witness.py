"""What the checks said after a round, where `log`, `status` and `verify` look for it: the ledger and the receipts."""

from __future__ import annotations

from ralph_hooks.check import record
from ralph_hooks.ledger import ledger, receipts
from ralph_hooks.loop.ground import Ground
from ralph_hooks.loop.verify import Judged


def testify(ground: Ground, judged: Judged, name: str, number: int) -> None:
    """A ledger line for this verdict, and a receipt where the checks are those that a person approved.

    Nothing depends on either, so both may fail.
    """
    run, project, plan = judged.run, ground.project, ground.plan
    if run is None:
        return
    line = {
        "event": "round",
        "client": ground.provider.name,
        "root": project.root,
        "reason": f"loop {name}, round {number}",
        "plan": plan.digest,
        "unsealed": bool(judged.changed),
    }
    ledger.append(project, line | record.summary(run))
    if not judged.changed and not all(check.remembered for check in run.checks):
        receipts.add(project, plan.digest, run, by=f"loop {name}")
