"""Events, leases and job rows in the database. One transaction per call; the lineage's row orders all writers."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from ralph_hooks.evolve import lineage as kinds
from ralph_hooks.evolve.lineage import Event, LineageState, fold
from ralph_hooks.jobs import statements
from ralph_hooks.jobs.database import Database, said_plainly
from ralph_hooks.jobs.owner import Owner
from ralph_hooks.jobs.row import JobRow, job_row
from ralph_hooks.jobs.tables import events, jobs, lineages

Rows = Sequence[tuple[str, dict[str, Any]]]


class LeaseLost(Exception):
    """Somebody else holds the lineage now; nothing was written."""


class Store:
    """The database, seen by the jobs."""

    def __init__(self, database: Database, engine: sa.Engine) -> None:
        self.database = database
        self.engine = engine
        self._hold = statements.HOLD.values(
            heartbeat_at=sa.bindparam("now", callable_=time.time) if database.sqlite else self.now()
        )

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """A transaction; database trouble becomes one sentence."""
        with said_plainly(self.database), self.engine.begin() as connection:
            yield connection

    def now(self) -> Any:
        """The database's clock, so that heartbeats of several machines compare."""
        return time.time() if self.database.sqlite else sa.func.extract("epoch", sa.func.clock_timestamp())

    # -- lineages ------------------------------------------------------------------------------------------------

    def lock(self, connection: sa.Connection, lineage: str) -> sa.Row[Any]:
        """Take the lineage's row for this transaction; it is made when it is not there."""
        values = {"lineage_id": lineage, "last_seq": 0, "live": False, "heartbeat_at": 0.0}
        if self.database.sqlite:  # a transaction takes SQLite's write lock with its first write
            connection.execute(sqlite.insert(lineages).values(values).on_conflict_do_nothing())
            return connection.execute(statements.LOCK, {"this": lineage}).one()
        found = connection.execute(statements.LOCK, {"this": lineage}).one_or_none()
        if found is None:
            connection.execute(postgresql.insert(lineages).values(values).on_conflict_do_nothing())
            found = connection.execute(statements.LOCK, {"this": lineage}).one()
        return found

    def append(self, connection: sa.Connection, lineage: str, job: str, rows: Rows, token: str | None = None) -> None:
        """Add events in order. With a `token`, only while that lease is held; raises `LeaseLost`."""
        advance = statements.ADVANCE if token is None else statements.ADVANCE_HELD
        self._add(connection, (lineage, job), rows, advance, token)

    def _add(
        self, connection: sa.Connection, whose: tuple[str, str], rows: Rows, advance: Any, token: str | None
    ) -> None:
        given = {"this": whose[0], "more": len(rows)} | ({"token": token} if token is not None else {})
        last = connection.execute(advance, given).scalar_one_or_none()
        if last is None:
            raise LeaseLost
        self._insert(connection, whose, last - len(rows) + 1, rows)

    def _insert(
        self, connection: sa.Connection, whose: tuple[str, str], first: int, rows: Rows, at: float | None = None
    ) -> None:
        now = time.time() if at is None else at
        made = [
            {"lineage_id": whose[0], "seq": first + n, "job_id": whose[1], "kind": kind, "body": _dump(body), "at": now}
            for n, (kind, body) in enumerate(rows)
        ]
        if made:
            connection.execute(statements.ADD_EVENT, made)

    def state(self, lineage: str, connection: sa.Connection | None = None) -> LineageState:
        """The lineage, folded from all its events."""
        if connection is not None:
            return fold(lineage, map(_event, connection.execute(statements.EVENTS, {"this": lineage})))
        with said_plainly(self.database), self.engine.connect() as own:
            return fold(lineage, map(_event, own.execute(statements.EVENTS, {"this": lineage})))

    def job_events(self, job: str, after: int = 0, most: int = 1000) -> list[Event]:
        """Events of one job behind a cursor, oldest first."""
        query = sa.select(events).where(events.c.job_id == job, events.c.seq > after).order_by(events.c.seq).limit(most)
        with said_plainly(self.database), self.engine.connect() as connection:
            return [_event(row) for row in connection.execute(query)]

    # -- jobs ----------------------------------------------------------------------------------------------------

    def add_job(self, connection: sa.Connection, job: str, lineage: str, project_dir: str) -> None:
        """The job's row, and the lineage's word that it is live. The caller holds the lineage's lock."""
        connection.execute(
            sa.insert(jobs).values(
                job_id=job,
                lineage_id=lineage,
                project_dir=project_dir,
                created_at=time.time(),
                cancel_requested=False,
            )
        )
        connection.execute(
            sa.update(lineages).where(lineages.c.lineage_id == lineage).values(job_id=job, live=True, lease_token=None)
        )

    def end_job(
        self, connection: sa.Connection, whose: tuple[str, str], rows: Rows, result: dict[str, Any], token: str
    ) -> None:
        """The last events of a job (lineage, job), its result and the end of the lease. Raises `LeaseLost`."""
        self._add(connection, whose, rows, statements.ADVANCE_AND_RELEASE, token)
        given = {"job": whose[1], "ended": time.time(), "state": result["status"], "text": _dump(result)}
        connection.execute(statements.END_JOB, given)

    def job(self, job: str) -> JobRow | None:
        """One job, or `None`."""
        found = self._rows(jobs.c.job_id == job)
        return found[0] if found else None

    def ended(self, ids: Sequence[str]) -> list[str]:
        """Those of these jobs that have ended."""
        query = sa.select(jobs.c.job_id).where(jobs.c.job_id.in_(ids), jobs.c.ended_at.is_not(None))
        with said_plainly(self.database), self.engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def page(self, most: int, before: int | None = None, *, live: bool = False) -> list[JobRow]:
        """The newest jobs, or those older than job number `before`; only one page is read."""
        conditions = [jobs.c.number < before] if before is not None else []
        if live:
            conditions.append(jobs.c.ended_at.is_(None))
        return self._rows(*conditions, most=most)

    def _rows(self, *conditions: Any, most: int = 1) -> list[JobRow]:
        age = sa.cast(self.now(), sa.Double) - lineages.c.heartbeat_at
        query = (
            sa.select(jobs, lineages.c.job_id, lineages.c.live, lineages.c.lease_token, lineages.c.lease_owner, age)
            .join(lineages, lineages.c.lineage_id == jobs.c.lineage_id)
            .where(*conditions)
            .order_by(jobs.c.number.desc())
            .limit(most)
        )
        with said_plainly(self.database), self.engine.connect() as connection:
            return [job_row(tuple(row)) for row in connection.execute(query)]

    # -- leases --------------------------------------------------------------------------------------------------

    def heartbeat_age(self, connection: sa.Connection, row: sa.Row[Any]) -> float:
        """Seconds since the owner's last sign of life. `row` comes from `lock`."""
        now = connection.execute(sa.select(sa.cast(self.now(), sa.Double))).scalar_one()
        return max(0.0, float(now) - float(row.heartbeat_at))

    def free_to_take(self, connection: sa.Connection, row: sa.Row[Any]) -> bool:
        """Whether no living owner holds the lineage. `row` comes from `lock`."""
        if row.lease_token is None:
            return True
        return not Owner.from_json(row.lease_owner).alive(self.heartbeat_age(connection, row))

    def take_lease(
        self, connection: sa.Connection, row: sa.Row[Any], owner: Owner, job: str = "", rows: Rows = ()
    ) -> str | None:
        """A new token, or `None` while a living owner holds the lineage. `row` comes from `lock`."""
        if not self.free_to_take(connection, row):
            return None
        token = uuid.uuid4().hex
        self.hold(connection, row, job, rows, (token, owner))
        return token

    def hold(self, connection: sa.Connection, row: sa.Row[Any], job: str, rows: Rows, lease: tuple[str, Owner]) -> None:
        """Take or keep the lease (token, owner) and add events, in one go. `row` comes from `lock`.

        The events carry the time of the heartbeat, so that the two compare whatever this machine's clock says.
        """
        given = {
            "this": row.lineage_id,
            "last": row.last_seq + len(rows),
            "token": lease[0],
            "owner": lease[1].to_json(),
        }
        at = connection.execute(self._hold, given).scalar_one()
        self._insert(connection, (row.lineage_id, job), row.last_seq + 1, rows, at)

    def free_lease(self, connection: sa.Connection, lineage: str, token: str) -> None:
        """Let the next worker have the lineage at once; the owner stays on record as one that is gone."""
        connection.execute(
            sa.update(lineages)
            .where(lineages.c.lineage_id == lineage, lineages.c.lease_token == token)
            .values(lease_token=None)
        )

    def beat(self, lineage: str, token: str) -> None:
        """Tell that the owner lives. Raises `LeaseLost`."""
        with self.begin() as connection:
            done = connection.execute(
                sa.update(lineages)
                .where(lineages.c.lineage_id == lineage, lineages.c.lease_token == token)
                .values(heartbeat_at=self.now())
            )
            if done.rowcount == 0:
                raise LeaseLost

    def cancel_requested(self, job: str) -> bool:
        """Whether somebody asked for the end of this job."""
        with said_plainly(self.database), self.engine.connect() as connection:
            return bool(connection.execute(statements.CANCEL_REQUESTED, {"job": job}).scalar_one_or_none())

    def request_cancel(self, connection: sa.Connection, lineage: str, job: str) -> None:
        """Write the request once, in the caller's transaction."""
        done = connection.execute(
            sa.update(jobs)
            .where(jobs.c.job_id == job, jobs.c.ended_at.is_(None), jobs.c.cancel_requested.is_(False))
            .values(cancel_requested=True)
        )
        if done.rowcount:
            self.append(connection, lineage, job, [(kinds.CANCEL_REQUESTED, {})])


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _event(row: sa.Row[Any]) -> Event:
    return Event(row.seq, row.lineage_id, row.job_id, row.kind, json.loads(row.body), row.at)
