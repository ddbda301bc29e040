"""The statements that every generation runs, built once: building one costs as much as running it."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import bindparam

from ralph_hooks.jobs.tables import events, jobs, lineages

_this = lineages.c.lineage_id == bindparam("this")
_held = lineages.c.lease_token == bindparam("token")

LOCK = sa.select(lineages).where(_this).with_for_update()
EVENTS = sa.select(events).where(events.c.lineage_id == bindparam("this")).order_by(events.c.seq)
ADD_EVENT = sa.insert(events)
ADVANCE = (
    sa.update(lineages)
    .where(_this)
    .values(last_seq=lineages.c.last_seq + bindparam("more"))
    .returning(lineages.c.last_seq)
)
ADVANCE_HELD = ADVANCE.where(_held)
ADVANCE_AND_RELEASE = ADVANCE_HELD.values(live=False, lease_token=None, lease_owner=None)
END_JOB = (
    sa.update(jobs)
    .where(jobs.c.job_id == bindparam("job"))
    .values(ended_at=bindparam("ended"), status=bindparam("state"), result=bindparam("text"))
)
HOLD = (
    sa.update(lineages)
    .where(_this)
    .values(last_seq=bindparam("last"), lease_token=bindparam("token"), lease_owner=bindparam("owner"))
    .returning(lineages.c.heartbeat_at)
)
CANCEL_REQUESTED = sa.select(jobs.c.cancel_requested).where(jobs.c.job_id == bindparam("job"))
