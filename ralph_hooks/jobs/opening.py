"""The database of this environment, opened for a verb; DBOS is imported only where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ralph_hooks.jobs.database import (
    Database,
    connect,
    locate,
    migrate,
    quiet_dbos,
    require_extra,
    said_plainly,
    start_lock,
)
from ralph_hooks.jobs.slots import APPLICATION
from ralph_hooks.jobs.store import Store


@contextmanager
def opened() -> Iterator[tuple[Database, Store]]:
    """The database of this environment."""
    require_extra()
    database = locate()
    with said_plainly(database):
        engine = connect(database)
    try:
        yield database, Store(database, engine)
    finally:
        engine.dispose()


@contextmanager
def reading() -> Iterator[Store]:
    """The store, for verbs that start nothing; the tables are made when they are not there yet."""
    with opened() as (database, store):
        with start_lock(database):
            migrate(database, store.engine)
        yield store


@contextmanager
def client(store: Store) -> Iterator[Any]:
    """A client of DBOS on our own engine, so that its rows and ours are written in one transaction."""
    from dbos import DBOSClient, DBOSPortableJSONSerializer

    with quiet_dbos():
        made = DBOSClient(
            system_database_engine=store.engine,
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
            lazy=True,
            retry_connection_errors=False,
        )
        try:
            yield made
        finally:
            made.destroy()
