"""Stored conductor decisions."""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa

from ralph_hooks.errors import EXIT_USAGE, RalphError
from ralph_hooks.evolve.call import canonical
from ralph_hooks.evolve.conductor import digest
from ralph_hooks.jobs.store import Store
from ralph_hooks.jobs.tables import decisions


def find(connection: sa.Connection, decision: str) -> dict[str, str] | None:
    """The stored decision, or `None`."""
    row = connection.execute(sa.select(decisions).where(decisions.c.decision_id == decision)).one_or_none()
    return None if row is None else {"digest": row.digest, "predecessor": row.predecessor}


def keep(store: Store, decision: str, predecessor: str, directive: dict[str, Any]) -> str:
    """Store a decision for good; its digest. The same decision again is fine, another under its id is refused."""
    made = digest(directive)
    with store.begin() as connection:
        found = find(connection, decision)
        if found is None:
            row = {
                "decision_id": decision,
                "digest": made,
                "predecessor": predecessor,
                "directive": canonical(directive).decode(),
                "at": time.time(),
            }
            connection.execute(sa.insert(decisions).values(row))
        elif found != {"digest": made, "predecessor": predecessor}:
            raise RalphError(
                f"decision `{decision}` is stored already and says something else",
                hint="take another id; decisions are not changed",
                exit_code=EXIT_USAGE,
            )
    return made
