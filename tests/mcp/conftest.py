"""The jobs fixtures serve these tests too."""

from tests.jobs.conftest import database_url, jobs, pg_server

__all__ = ["database_url", "jobs", "pg_server"]
