"""Our tables beside those of DBOS: the lineages' events, one row per lineage with its lease, one row per job."""

from __future__ import annotations

import sqlalchemy as sa

SCHEMA_VERSION = 1
SCHEMA = "ralph_hooks"  # PostgreSQL; SQLite has no schemas, there the names are plain

metadata = sa.MetaData(schema=SCHEMA)

meta = sa.Table(
    "ralph_meta",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("value", sa.String, nullable=False),
)

# The row is the lineage's lock: whoever writes updates `last_seq` first, so that events become visible in their order.
lineages = sa.Table(
    "ralph_lineages",
    metadata,
    sa.Column("lineage_id", sa.String, primary_key=True),
    sa.Column("last_seq", sa.BigInteger, nullable=False, default=0),
    sa.Column("job_id", sa.String),
    sa.Column("live", sa.Boolean, nullable=False, default=False),
    sa.Column("lease_token", sa.String),
    sa.Column("lease_owner", sa.String),
    sa.Column("heartbeat_at", sa.Double, nullable=False, default=0),
)

events = sa.Table(
    "ralph_events",
    metadata,
    sa.Column("lineage_id", sa.String, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("job_id", sa.String, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Index("ralph_events_job", "job_id", "seq"),
)

jobs = sa.Table(
    "ralph_jobs",
    metadata,
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("job_id", sa.String, nullable=False, unique=True),
    sa.Column("lineage_id", sa.String, nullable=False),
    sa.Column("project_dir", sa.String, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("cancel_requested", sa.Boolean, nullable=False, default=False),
    sa.Column("ended_at", sa.Double),
    sa.Column("status", sa.String),
    sa.Column("result", sa.Text),
    sa.Index("ralph_jobs_live", "ended_at", "number"),
)

# Conductor decisions (E14), kept for good.
decisions = sa.Table(
    "ralph_decisions",
    metadata,
    sa.Column("decision_id", sa.String, primary_key=True),
    sa.Column("digest", sa.String, nullable=False),
    sa.Column("predecessor", sa.String, nullable=False),
    sa.Column("directive", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
