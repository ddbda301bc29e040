"""Where jobs live: a SQLite file in the state directory, or PostgreSQL through `RALPH_HOOKS_DATABASE_URL` (E10)."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ralph_hooks import files, paths
from ralph_hooks.errors import RalphError

if TYPE_CHECKING:
    import sqlalchemy as sa

URL = "RALPH_HOOKS_DATABASE_URL"
LOCK_SECONDS = 60.0
BUSY_MS = 30_000
CONNECT_SECONDS = 5
_MIGRATION_LOCK = 0x52414C5048  # any fixed number: PostgreSQL's advisory locks are named by numbers


class DatabaseTrouble(RalphError):
    """The database cannot be reached or written; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Database:
    """`url` is for SQLAlchemy; `shown` has no password; `directory` holds locks and logs of this database."""

    url: str
    shown: str
    directory: str

    @property
    def sqlite(self) -> bool:
        """Whether it is a file on this machine."""
        return self.url.startswith("sqlite")


def locate() -> Database:
    """The database that the environment names. Raises `RalphError` for a URL of another kind."""
    url = os.environ.get(URL, "").strip()
    base = os.path.join(paths.state_dir(), "jobs")
    if not url:
        return Database(f"sqlite:///{os.path.join(base, 'jobs.sqlite')}", os.path.join(base, "jobs.sqlite"), base)
    key = hashlib.sha256(url.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return Database(*_parse(url), os.path.join(base, f"db-{key}"))


def _parse(url: str) -> tuple[str, str]:
    require_extra()
    import sqlalchemy as sa

    hint = f"set {URL} to `postgresql://user:password@host/database`, or unset it for a SQLite file"
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise RalphError(f"{URL} is not a database URL", hint) from None
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        return parsed.render_as_string(hide_password=False), str(parsed.database)
    if kind not in ("postgresql", "postgres"):
        raise RalphError(f"{URL} names a `{kind}` database; only PostgreSQL and SQLite are supported", hint)
    parsed = parsed.set(drivername="postgresql+psycopg")
    return parsed.render_as_string(hide_password=False), parsed.render_as_string(hide_password=True)


def require_extra() -> None:
    """Jobs need packages that the hook does not. Raises `RalphError` when they are not installed."""
    import importlib.util

    if any(importlib.util.find_spec(name) is None for name in ("dbos", "sqlalchemy", "yaml")):
        raise RalphError("jobs need the extra `jobs`, which is not installed", hint="pip install 'ralph-hooks[jobs]'")


def connect(database: Database) -> sa.Engine:
    """An engine whose transactions take their write lock at once, as DBOS asks for."""
    import sqlalchemy as sa

    if not database.sqlite:
        # No ping before each use: whoever works for long tries again, and the next connection is a new one.
        return sa.create_engine(
            database.url, connect_args={"connect_timeout": CONNECT_SECONDS}, pool_size=20, max_overflow=0
        )
    files.make_dirs(os.path.dirname(os.path.abspath(sa.make_url(database.url).database or "")))
    engine = sa.create_engine(database.url, execution_options={"schema_translate_map": {"ralph_hooks": None}})
    sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: object) -> None:
    connection.isolation_level = "IMMEDIATE"
    connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA journal_mode=WAL")


@contextmanager
def said_plainly(database: Database) -> Iterator[None]:
    """Database trouble as one sentence that names the database."""
    import sqlalchemy as sa

    look = "`ralph-hooks doctor` looks at the state directory, `df -h` shows what room is left"
    place = look if database.sqlite else f"check {URL}"
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
        words = " ".join(str(cause).split())[:200] or type(cause).__name__
        raise DatabaseTrouble(f"the jobs database `{database.shown}` cannot be used: {words}", hint=place) from None
    except OSError as error:
        words = f"{error.strerror}: `{error.filename}`"
        raise DatabaseTrouble(f"the jobs database `{database.shown}` cannot be used: {words}", hint=place) from None


def migrate(database: Database, engine: sa.Engine) -> None:
    """Create or update every table. Safe to call by many at once; the caller holds the start lock of this machine.

    Raises `RalphError` when the tables were made by a newer version of this program.
    """
    with said_plainly(database):
        if _stamp(engine) != _wanted():
            _migrate(database, engine)


def _migrate(database: Database, engine: sa.Engine) -> None:
    from ralph_hooks.jobs import tables

    with _alone(database, engine):
        found = _stamp(engine)
        _refuse_newer(database, found)
        if found == _wanted():
            return
        import sqlalchemy as sa
        from dbos import DBOS

        with quiet_dbos():
            DBOS.migrate(database.url)
        with engine.begin() as connection:
            if not database.sqlite:
                connection.execute(sa.schema.CreateSchema(tables.SCHEMA, if_not_exists=True))
            tables.metadata.create_all(connection)
            connection.execute(sa.delete(tables.meta))
            connection.execute(sa.insert(tables.meta), [{"name": n, "value": v} for n, v in _wanted().items()])


def _wanted() -> dict[str, str]:
    from ralph_hooks.jobs import tables

    return {"schema": str(tables.SCHEMA_VERSION), "dbos": version("dbos")}


def _stamp(engine: sa.Engine) -> dict[str, str]:
    import sqlalchemy as sa

    from ralph_hooks.jobs import tables

    try:
        with engine.connect() as connection:
            return dict(map(tuple, connection.execute(sa.select(tables.meta))))
    except sa.exc.OperationalError as error:
        if "no such table" in str(error):
            return {}
        raise
    except sa.exc.ProgrammingError:  # PostgreSQL's word for a table that is not there
        return {}


def _refuse_newer(database: Database, found: dict[str, str]) -> None:
    from ralph_hooks.jobs import tables

    schema = found.get("schema", "0")
    if not schema.isdigit() or int(schema) > tables.SCHEMA_VERSION:
        raise RalphError(
            f"the jobs database `{database.shown}` has schema version {schema}, and this program knows versions up to "
            f"{tables.SCHEMA_VERSION}: a newer ralph-hooks made it",
            hint="pip install --upgrade 'ralph-hooks[jobs]'",
        )


@contextmanager
def _alone(database: Database, engine: sa.Engine) -> Iterator[None]:
    """One migration at a time over all machines.

    No transaction is open meanwhile and nobody waits inside the server: both would keep DBOS's concurrent index
    builds waiting for ever.
    """
    if database.sqlite:
        yield
        return
    import sqlalchemy as sa

    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        deadline = time.monotonic() + LOCK_SECONDS
        while not connection.execute(sa.select(sa.func.pg_try_advisory_lock(_MIGRATION_LOCK))).scalar_one():
            if time.monotonic() >= deadline:
                raise RalphError(f"another machine has been migrating `{database.shown}` for {LOCK_SECONDS:g} s")
            time.sleep(0.2)
        try:
            yield
        finally:
            connection.execute(sa.select(sa.func.pg_advisory_unlock(_MIGRATION_LOCK)))


@contextmanager
def start_lock(database: Database) -> Iterator[None]:
    """Held by whoever starts jobs or workers on this machine, and by a worker that is about to leave."""
    from filelock import FileLock, Timeout

    files.make_dirs(database.directory)
    try:
        with FileLock(os.path.join(database.directory, "start.lock"), timeout=LOCK_SECONDS):
            yield
    except Timeout:
        raise RalphError(
            f"another process has held `{database.directory}/start.lock` for {LOCK_SECONDS:g} s",
            hint="try again; if it stays, look for a hanging `ralph-hooks` process",
        ) from None


def quiet_dbos() -> Any:
    """DBOS logs to the terminal on its own; only what is wrong is a person's business."""
    import contextlib
    import logging

    logging.getLogger("dbos").setLevel(logging.ERROR)
    return contextlib.nullcontext()
